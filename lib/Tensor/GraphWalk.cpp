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

uint64_t detail::hashKey(llvm::ArrayRef<int64_t> key) {
  return llvm::xxh3_64bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(key.data()),
                     key.size() * sizeof(int64_t)));
}

GraphWalk::GraphWalk(llvm::ArrayRef<NodeRef> outputs, bool countsHolders,
                     const NodeSet *known)
    : known(known) {
  if (countsHolders)
    walkInOrder(outputs);
  else
    walk(outputs);
  for (const auto &[name, bounds] : variables.getBounds()) {
    append(name);
    append(bounds.first);
    append(bounds.second);
  }
  key.append(outputNumbers.begin(), outputNumbers.end());
}

std::vector<std::shared_ptr<const HostFunctionSlot>>
GraphWalk::getHostFunctions() const {
  std::vector<std::shared_ptr<const HostFunctionSlot>> result;
  for (const Node *node : nodes)
    if (node->hostFunction)
      result.push_back(node->hostFunction);
  return result;
}

void GraphWalk::walk(llvm::ArrayRef<NodeRef> outputs) {
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
}

//===----------------------------------------------------------------------===//
// Holders
//===----------------------------------------------------------------------===//

/// Calls `visit` for the nodes from which that of a variable was computed as
/// far as tensors hold them: it, and where there is a gradient what it came
/// from, and so on.
static void forEachHeld(llvm::function_ref<void(const Node *)> visit) {
  NodeSet seen;
  llvm::SmallVector<const Node *> stack;
  for (const TensorImpl *variable : LiveVariable::getAll())
    if (variable->node)
      stack.push_back(variable->node.get());
  while (!stack.empty()) {
    const Node *node = stack.pop_back_val();
    if (!seen.insert(node).second)
      continue;
    bool isAlias = node->form == Node::Form::Alias;
    visit(isAlias ? node->operands[0].get() : node);
    // An alias without a history has none to hold.
    if (node->requiresGrad)
      for (const NodeRef &operand :
           llvm::ArrayRef(node->operands).drop_front(isAlias))
        stack.push_back(operand.get());
  }
}

/// Adds `node` and all that it needs.
void GraphWalk::collect(const Node *node, NodeSet &nodes) const {
  llvm::SmallVector<const Node *> stack = {node};
  while (!stack.empty()) {
    const Node *next = stack.pop_back_val();
    if (!nodes.insert(next).second || isInput(*next))
      continue;
    for (const NodeRef &operand : next->operands)
      stack.push_back(resolveAlias(operand).get());
  }
}

/// Adds the held nodes that use one of `nodes` which is computed, and what they
/// need. What would have an effect of its own, or is elsewhere, stays away.
void GraphWalk::addUsers(NodeSet &nodes) const {
  llvm::SmallVector<const Node *> held;
  NodeSet all;
  forEachHeld([&](const Node *node) {
    if (isInput(*node))
      return;
    held.push_back(node);
    collect(node, all);
  });
  std::vector<const Node *> order(all.begin(), all.end());
  llvm::sort(order, [](const Node *a, const Node *b) {
    return a->number < b->number;
  });
  NodeSet users, strangers;
  for (const Node *node : order) {
    if (nodes.contains(node)) {
      if (!isInput(*node) && node->kind != ops::OpKind::Const)
        users.insert(node);
      continue;
    }
    bool isStrange = !node->device.empty() ||
                     node->form == Node::Form::Rebind ||
                     (!isInput(*node) && (node->kind == ops::OpKind::Custom ||
                                          node->kind == ops::OpKind::Assign));
    bool isUser = false;
    if (!isInput(*node))
      for (const NodeRef &operand : node->operands) {
        isUser |= users.contains(resolveAlias(operand).get());
        isStrange |= strangers.contains(resolveAlias(operand).get());
      }
    if (isStrange)
      strangers.insert(node);
    else if (isUser)
      users.insert(node);
  }
  for (const Node *node : held)
    if (users.contains(node))
      collect(node, nodes);
}

std::vector<NodeRef>
GraphWalk::findNeeded(llvm::ArrayRef<int32_t> numbers,
                      llvm::ArrayRef<NodeRef> outputs) const {
  // What is realized needs nothing.
  NodeSet needed;
  for (const NodeRef &output : outputs)
    needed.insert(output.get());
  forEachHeld([&](const Node *node) { collect(node, needed); });
  std::vector<NodeRef> result;
  for (int32_t number : numbers) {
    const Node *node = nodes[number];
    if (!needed.contains(node) || isInput(*node) ||
        llvm::any_of(outputs, [&](const NodeRef &output) {
          return output.get() == node;
        }))
      continue;
    result.push_back(std::const_pointer_cast<Node>(node->shared_from_this()));
  }
  return result;
}

void GraphWalk::walkInOrder(llvm::ArrayRef<NodeRef> outputs) {
  NodeSet all;
  for (const NodeRef &output : outputs)
    collect(output.get(), all);
  addUsers(all);
  forEachHeld([&](const Node *node) {
    if (all.contains(node) && !isInput(*node))
      kept.insert(node);
  });
  std::vector<const Node *> order(all.begin(), all.end());
  llvm::sort(order, [](const Node *a, const Node *b) {
    return a->number < b->number;
  });
  for (const Node *node : order)
    finish(node);
  for (const NodeRef &output : outputs)
    outputNumbers.push_back(numbers.lookup(output.get()));
}

//===----------------------------------------------------------------------===//
// The key and the graph
//===----------------------------------------------------------------------===//

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
  append(int64_t{node->attributes.isImplicit} << 17 |
         int64_t{kept.contains(node)} << 16 |
         static_cast<int64_t>(node->kind) << 8 |
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
    result.isKept = kept.contains(node);
    result.attributes = node->attributes;
    result.symbolicInts = values.add("realize", toExprs(node->symbolicInts));
    for (const NodeRef &operand : node->operands)
      result.operands.push_back(numbers.lookup(resolveAlias(operand).get()));
  }
  graph.outputs.assign(outputNumbers.begin(), outputNumbers.end());
  return graph;
}
