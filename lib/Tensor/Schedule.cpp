//===- Schedule.cpp - The kernels of a tensor -----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Schedule.h"

#include "ContextImpl.h"
#include "GraphWalk.h"

#include "llvm/ADT/STLExtras.h"

using namespace tinygrad;
using namespace tinygrad::detail;

int64_t Schedule::getNumKernels() const {
  return llvm::count_if(items, [](const Item &item) {
    return item.record.kind == ops::ScheduleRecord::Kind::Kernel;
  });
}

static Tensor toTensor(const Node *node) {
  return makeTensor(std::const_pointer_cast<Node>(node->shared_from_this()));
}

/// Replaces each node of the form Rebind below `node` that is not realized by
/// what it shows: a schedule computes that first.
static void addRebound(const NodeRef &node, NodeSet &seen,
                       std::vector<NodeRef> &values) {
  std::vector<NodeRef> stack = {node};
  while (!stack.empty()) {
    NodeRef next = stack.back();
    stack.pop_back();
    if (next->buffer || !next->isAboveRebind || !seen.insert(next.get()).second)
      continue;
    if (next->form == Node::Form::Rebind)
      values.push_back(resolveAlias(next->operands[0]));
    for (const NodeRef &operand : next->operands)
      stack.push_back(resolveAlias(operand));
  }
}

/// Adds the items of one graph, whose inputs and records come after those that
/// are there.
static void append(Schedule &schedule, Context::Impl &context,
                   llvm::ArrayRef<NodeRef> outputs, const NodeSet &known) {
  GraphWalk walk(outputs, context.countsHolders, &known);
  llvm::Expected<std::vector<ops::ScheduleRecord>> records =
      context.engine->schedule(walk.buildGraph());
  if (!records)
    throw Error("schedule", "cannot schedule the graph", {},
                llvm::toString(records.takeError()));
  auto firstItem = static_cast<int32_t>(schedule.items.size());
  auto firstInput = static_cast<int32_t>(schedule.inputs.size());
  for (ops::ScheduleRecord &record : *records) {
    for (int32_t &input : record.inputs)
      input = input < 0 ? input - firstItem : input + firstInput;
    std::optional<Tensor> value;
    if (record.node >= 0)
      value = toTensor(walk.getNodes()[record.node]);
    schedule.items.push_back({std::move(record), std::move(value)});
  }
  for (const Node *input : walk.getInputs())
    schedule.inputs.push_back(toTensor(input));
  for (const auto &[name, value] : walk.getVariables())
    schedule.variables[name] = value;
}

Schedule tinygrad::schedule(const std::vector<Tensor> &tensors,
                            const std::vector<Tensor> &known) {
  NodeSet done;
  for (const Tensor &tensor : known)
    done.insert(resolveAlias(tensor.getImpl()->node).get());
  std::vector<NodeRef> outputs, rebound;
  NodeSet seen;
  ContextRef context;
  for (const Tensor &tensor : tensors) {
    const NodeRef &node = resolveAlias(getNode(tensor));
    if (node->buffer || node->form == Node::Form::Parameter ||
        done.contains(node.get()) || llvm::is_contained(outputs, node))
      continue;
    outputs.push_back(node);
    addRebound(node, seen, rebound);
    if (node->context)
      context = node->context;
  }
  Schedule result;
  if (!context)
    context = Context::getCurrent();
  if (!rebound.empty()) {
    append(result, context->getImpl(), rebound, done);
    for (const Node *node : seen)
      if (node->form == Node::Form::Rebind)
        done.insert(node);
  }
  llvm::erase_if(
      outputs, [&](const NodeRef &node) { return done.contains(node.get()); });
  if (!outputs.empty())
    append(result, context->getImpl(), outputs, done);
  return result;
}
