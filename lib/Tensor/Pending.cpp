//===- Pending.cpp - Variables that a realization takes along -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pending.h"

#include "tinygrad/Tensor/Realize.h"

#include <algorithm>
#include <atomic>
#include <iterator>

using namespace tinygrad;
using namespace tinygrad::detail;

/// Returns a number that no other thread has or had.
static uint64_t getThreadNumber() {
  static std::atomic<uint64_t> count;
  static thread_local uint64_t number = ++count;
  return number;
}

void detail::realizeLater(const std::vector<Tensor> &variables) {
  Context::Impl &context = variables.front().getContext()->getImpl();
  Context::Impl::Pending entry = {getThreadNumber(), {}};
  for (const Tensor &variable : variables)
    entry.variables.push_back(variable.getImpl());
  std::lock_guard lock(context.mutex);
  // The last thread that asks for a variable has it; what is gone never will
  // be asked for.
  std::erase_if(context.pending, [&](Context::Impl::Pending &other) {
    std::erase_if(other.variables, [&](const auto &variable) {
      return variable.expired() ||
             std::ranges::any_of(entry.variables, [&](const auto &own) {
               return !own.owner_before(variable) &&
                      !variable.owner_before(own);
             });
    });
    return other.variables.empty();
  });
  context.pending.push_back(std::move(entry));
}

bool detail::isComputed(const Node &node) {
  return !node.buffer && node.form != Node::Form::Parameter &&
         node.kind != ops::OpKind::Const;
}

void detail::forEachComputed(const NodeRef &node,
                             std::unordered_set<const Node *> &seen,
                             llvm::function_ref<void(const Node *)> visit) {
  std::vector<const Node *> stack;
  auto enter = [&](const NodeRef &operand) {
    const Node *value = resolveAlias(operand).get();
    if (isComputed(*value) && seen.insert(value).second)
      stack.push_back(value);
  };
  enter(node);
  while (!stack.empty()) {
    const Node *next = stack.back();
    stack.pop_back();
    visit(next);
    for (const NodeRef &operand : next->operands)
      enter(operand);
  }
}

/// Returns the variables that wait there and are not gone.
static std::vector<Tensor> getVariables(const Context::Impl::Pending &entry) {
  std::vector<Tensor> variables;
  for (const std::weak_ptr<TensorImpl> &variable : entry.variables)
    if (std::shared_ptr<TensorImpl> impl = variable.lock())
      variables.push_back(Tensor(std::move(impl)));
  return variables;
}

std::vector<Tensor> detail::takePending(Context::Impl &context,
                                        const std::vector<NodeRef> &outputs) {
  std::vector<Context::Impl::Pending> own;
  {
    std::lock_guard lock(context.mutex);
    std::erase_if(context.pending, [&](Context::Impl::Pending &entry) {
      if (entry.thread != getThreadNumber())
        return false;
      own.push_back(std::move(entry));
      return true;
    });
  }
  if (own.empty())
    return {};

  std::unordered_set<const Node *> computed;
  for (const NodeRef &output : outputs)
    forEachComputed(output, computed, [](const Node *) {});
  std::vector<Tensor> result;
  std::vector<Context::Impl::Pending> others;
  for (Context::Impl::Pending &entry : own) {
    std::vector<Tensor> variables = getVariables(entry);
    bool isShared = false;
    std::unordered_set<const Node *> seen;
    for (const Tensor &variable : variables)
      forEachComputed(variable.getImpl()->node, seen, [&](const Node *node) {
        isShared |= computed.contains(node);
      });
    // Nothing is left to compute where nothing was seen.
    if (isShared)
      std::ranges::move(variables, std::back_inserter(result));
    else if (!seen.empty())
      others.push_back(std::move(entry));
  }
  std::lock_guard lock(context.mutex);
  std::ranges::move(others, std::back_inserter(context.pending));
  return result;
}

void detail::realizePending(Context::Impl &context) {
  std::vector<Tensor> waiting;
  {
    std::lock_guard lock(context.mutex);
    for (const Context::Impl::Pending &entry : context.pending)
      if (entry.thread == getThreadNumber())
        std::ranges::move(getVariables(entry), std::back_inserter(waiting));
  }
  if (!waiting.empty())
    realizeWithShared(waiting);
}

void tinygrad::realizeLater(const std::vector<Tensor> &tensors) {
  std::vector<Tensor> waiting;
  std::unordered_set<const Node *> seen;
  bool readsShared = false;
  for (const Tensor &tensor : tensors) {
    if (tensor.isRealized() || !tensor.getContext())
      continue;
    waiting.push_back(tensor);
    forEachComputed(tensor.getImpl()->node, seen, [&](const Node *node) {
      for (const NodeRef &operand : node->operands) {
        const NodeRef &value = resolveAlias(operand);
        readsShared |= value->buffer && value->buffer->isShared();
      }
    });
  }
  if (readsShared)
    return realizeWithShared(tensors);
  if (!waiting.empty())
    detail::realizeLater(waiting);
}
