//===- Overwrite.cpp - Memory of variables that is written again ----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors are values: what was computed from a variable before it was assigned
// to sees the old value, whenever it is realized. So the buffer of the old
// value may be written again only if nothing can ask for that value any more,
// once the outputs are computed. Who holds a node is counted: its references,
// less those from nodes that go away with the outputs.
//
//===----------------------------------------------------------------------===//

#include "Overwrite.h"

#include "tinygrad/Runtime/Buffer.h"

#include <algorithm>
#include <unordered_map>

using namespace tinygrad;
using namespace tinygrad::detail;

namespace {

/// What is known of a node below the outputs.
struct Users {
  /// References from nodes that were looked at.
  long numReferences = 0;
  /// True if the node is there after the realization.
  bool stays = false;
};

/// The nodes below the outputs, each after all that refer to it.
class DyingNodes {
public:
  explicit DyingNodes(const std::vector<NodeRef> &outputs);

  /// True if only nodes that go away refer to `node`, which is realized.
  bool contains(const std::shared_ptr<Node> &node) const {
    auto found = users.find(node.get());
    // One reference is the caller's.
    return found != users.end() && !found->second.stays &&
           node.use_count() - 1 == found->second.numReferences;
  }

private:
  void sort(const std::vector<NodeRef> &outputs);

  std::vector<const Node *> order;
  std::unordered_map<const Node *, Users> users;
};

} // namespace

/// Lists all nodes below the outputs in `order`, users first.
void DyingNodes::sort(const std::vector<NodeRef> &outputs) {
  struct Frame {
    const Node *node;
    size_t next;
  };
  std::vector<Frame> stack;
  auto enter = [&](const Node *node) {
    if (users.try_emplace(node).second)
      stack.push_back({node, 0});
  };
  for (const NodeRef &output : outputs) {
    enter(output.get());
    while (!stack.empty()) {
      Frame &frame = stack.back();
      const Node *node = frame.node;
      if (frame.next < node->operands.size()) {
        enter(node->operands[frame.next++].get());
        continue;
      }
      order.push_back(node);
      stack.pop_back();
    }
  }
  std::ranges::reverse(order);
}

DyingNodes::DyingNodes(const std::vector<NodeRef> &outputs) {
  sort(outputs);
  std::unordered_map<const Node *, bool> isOutput;
  for (const NodeRef &output : outputs)
    isOutput[output.get()] = true;
  for (const Node *node : order) {
    Users &entry = users[node];
    // An output lets go of its operands when it is realized, unless `backward`
    // needs them.
    if (isOutput.contains(node))
      entry.stays = node->requiresGrad;
    else
      entry.stays |= node->weak_from_this().use_count() > entry.numReferences;
    for (const NodeRef &operand : node->operands) {
      Users &other = users[operand.get()];
      ++other.numReferences;
      other.stays |= entry.stays;
    }
  }
}

std::vector<NodeRef>
detail::addAssigns(const std::vector<NodeRef> &outputs,
                   const std::vector<Overwrite> &overwrites) {
  std::vector<NodeRef> result = outputs;
  if (overwrites.empty())
    return result;
  DyingNodes dying(outputs);
  std::vector<const Node *> taken;
  for (const auto &[value, weak] : overwrites) {
    auto place = std::ranges::find(outputs, value);
    NodeRef target = weak.lock();
    // A buffer that other nodes have, too, or that others know, is not the
    // target's alone. Kernels write on the context's device. `x /= 2` makes
    // integers floats.
    if (place == outputs.end() || !target || !target->buffer ||
        target->type != value->type || !target->device.empty() ||
        target->shape.isSymbolic() || countHolders(target->buffer) != 1 ||
        target->buffer->isShared() || std::ranges::count(taken, target.get()) ||
        !dying.contains(target))
      continue;
    NodeRef &assigned = result[place - outputs.begin()];
    if (assigned != value)
      continue;
    taken.push_back(target.get());
    assigned = makeOp(ops::OpKind::Assign, {target, value}, value->type);
  }
  return result;
}
