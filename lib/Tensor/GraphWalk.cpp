//===- GraphWalk.cpp - The nodes of a realization, and their key ----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphWalk.h"

#include "llvm/Support/xxhash.h"

#include <cstring>

using namespace tinygrad;
using namespace tinygrad::detail;

static bool isInput(const Node &node) {
  return node.buffer || node.form == Node::Form::Parameter;
}

uint64_t detail::hashKey(llvm::ArrayRef<int64_t> key) {
  return llvm::xxh3_64bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(key.data()),
                     key.size() * sizeof(int64_t)));
}

GraphWalk::GraphWalk(llvm::ArrayRef<NodeRef> outputs) {
  struct Frame {
    const Node *node;
    size_t next;
  };
  llvm::SmallVector<Frame, 64> stack;
  auto enter = [&](const Node *node) {
    if (numbers.try_emplace(node, -1).second)
      stack.push_back({node, 0});
  };
  for (const NodeRef &output : outputs) {
    enter(output.get());
    while (!stack.empty()) {
      Frame &frame = stack.back();
      const Node *node = frame.node;
      if (!isInput(*node) && frame.next < node->operands.size()) {
        enter(resolveAlias(node->operands[frame.next++]).get());
        continue;
      }
      stack.pop_back();
      finish(node);
    }
    outputNumbers.push_back(numbers.lookup(output.get()));
  }
  for (const auto &[name, bounds] : variables.getBounds()) {
    append(name);
    append(bounds.first);
    append(bounds.second);
  }
  key.append(outputNumbers.begin(), outputNumbers.end());
}

void GraphWalk::append(const std::string &text) {
  append(std::ssize(text));
  size_t first = key.size();
  key.resize(first + (text.size() + sizeof(int64_t) - 1) / sizeof(int64_t));
  std::memcpy(key.data() + first, text.data(), text.size());
}

void GraphWalk::append(const Shape &shape) {
  if (!shape.isSymbolic()) {
    append(std::ssize(shape));
    for (const Extent &extent : shape)
      append(static_cast<int64_t>(extent));
    return;
  }
  append(-1 - std::ssize(shape));
  for (const shape::IndexExpr &expr : variables.add("realize", toExprs(shape)))
    append(expr.toString());
}

int32_t GraphWalk::findSameInput(const Node &node) const {
  auto found = buffers.find(node.buffer.get());
  for (int32_t number = found == buffers.end() ? -1 : found->second;
       number >= 0;) {
    const Node &other = *nodes[number];
    if (other.shape == node.shape && other.type == node.type)
      return number;
    auto previous = previousInputs.find(number);
    number = previous == previousInputs.end() ? -1 : previous->second;
  }
  return -1;
}

void GraphWalk::finish(const Node *node) {
  int32_t number = node->buffer ? findSameInput(*node) : -1;
  if (number >= 0) {
    numbers[node] = number;
    return;
  }
  number = static_cast<int32_t>(nodes.size());
  numbers[node] = number;
  nodes.push_back(node);
  if (isInput(*node)) {
    inputs.push_back(node);
    if (node->buffer) {
      auto [entry, isNew] = buffers.try_emplace(node->buffer.get(), number);
      if (!isNew)
        previousInputs[number] = std::exchange(entry->second, number);
    }
    append(-1 - static_cast<int64_t>(node->type));
    append(node->shape);
    append(node->device);
    return;
  }
  append(static_cast<int64_t>(node->kind) << 8 |
         static_cast<int64_t>(node->type));
  append(std::ssize(node->operands));
  for (const NodeRef &operand : node->operands)
    append(numbers.lookup(resolveAlias(operand).get()));
  append(node->shape);
  if (node->symbolicInts.empty())
    append(node->attributes.ints);
  else
    append(node->symbolicInts);
  append(node->device);
  if (node->kind == ops::OpKind::Const) {
    int64_t bits = 0;
    node->attributes.value.store(&bits);
    append(bits);
  } else if (node->kind == ops::OpKind::Custom) {
    append(node->attributes.name);
  }
}

ops::Graph GraphWalk::buildGraph() const {
  ops::Graph graph;
  VariableValues values;
  for (const Node *node : nodes) {
    ops::GraphNode &result = graph.nodes.emplace_back();
    if (node->shape.isSymbolic())
      result.symbolicShape = values.add("realize", toExprs(node->shape));
    else
      result.shape = node->shape;
    result.type = node->type;
    result.device = node->device;
    if (isInput(*node)) {
      graph.inputs.push_back(static_cast<int32_t>(graph.nodes.size() - 1));
      continue;
    }
    result.kind = node->kind;
    result.attributes = node->attributes;
    result.symbolicInts = values.add("realize", toExprs(node->symbolicInts));
    for (const NodeRef &operand : node->operands)
      result.operands.push_back(numbers.lookup(resolveAlias(operand).get()));
  }
  graph.outputs.assign(outputNumbers.begin(), outputNumbers.end());
  return graph;
}
