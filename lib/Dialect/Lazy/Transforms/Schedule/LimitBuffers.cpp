//===- LimitBuffers.cpp - Kernels of at most so many buffers --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LIM. Flag: none, option `max-kernel-buffers`. Place: LazyBuffer.e, where
// lazy.py inlines nothing on WEBGPU into what would read 7 buffers.
//
// Devices bound the number of arguments of a kernel. Whether a kernel passes
// the bound is known when it is formed, with the reduce that was merged: that
// is then not merged, and an elementwise expression that is still too large is
// cut. A part becomes a kernel of its own, and merges no reduce either.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <set>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;

namespace {

/// The buffers that one operation reads, by id.
using IdSet = std::shared_ptr<const std::set<uint32_t>>;

/// Cuts one expression, from its leaves up: an operation that would read too
/// many buffers gets the largest of its operands from a buffer. So each part
/// fits when it is done with, and is not looked at again.
class Cutter {
public:
  Cutter(LazyGraph &graph, const shape::Sizes &shape, size_t maxInputs)
      : graph(graph), shape(shape), maxInputs(maxInputs) {}

  std::vector<BufferRef> run(LazyOp &root);

private:
  /// Returns all operations of the expression, operands first.
  std::vector<LazyOp *> listOps(LazyOp &root);
  IdSet getIds(const LazyOperand &operand);
  void cutLargest(LazyOp &op);

  LazyGraph &graph;
  const shape::Sizes &shape;
  size_t maxInputs;
  llvm::DenseMap<LazyOp *, IdSet> idsOf;
  std::vector<BufferRef> parts;
};

} // namespace

std::vector<LazyOp *> Cutter::listOps(LazyOp &root) {
  std::vector<LazyOp *> order;
  llvm::SmallPtrSet<LazyOp *, 16> seen = {&root};
  SmallVector<std::pair<LazyOp *, unsigned>> stack = {{&root, 0}};
  while (!stack.empty()) {
    auto &[op, next] = stack.back();
    if (next == op->operands.size()) {
      order.push_back(op);
      stack.pop_back();
      continue;
    }
    LazyOp *operand = op->operands[next++].op.get();
    if (operand && seen.insert(operand).second)
      stack.emplace_back(operand, 0);
  }
  return order;
}

IdSet Cutter::getIds(const LazyOperand &operand) {
  if (operand.op)
    return idsOf.lookup(operand.op.get());
  std::set<uint32_t> ids;
  if (operand.buffer->needsMemory())
    ids.insert(operand.buffer->getBase()->id);
  return std::make_shared<const std::set<uint32_t>>(std::move(ids));
}

void Cutter::cutLargest(LazyOp &op) {
  unsigned largest = 0;
  size_t size = 0;
  for (auto [index, operand] : llvm::enumerate(op.operands)) {
    if (operand.op && idsOf.lookup(operand.op.get())->size() > size) {
      largest = index;
      size = idsOf.lookup(operand.op.get())->size();
    }
  }
  LazyOp *inlined = op.operands[largest].op.get();
  parts.push_back(graph.cutOperand(op, largest, shape));
  // The same value may be an operand twice.
  for (auto [index, operand] : llvm::enumerate(op.operands))
    if (operand.op.get() == inlined)
      graph.cutOperand(op, index, shape);
}

std::vector<BufferRef> Cutter::run(LazyOp &root) {
  std::vector<LazyOp *> order = listOps(root);
  llvm::DenseMap<LazyOp *, unsigned> pendingUses;
  for (LazyOp *op : order)
    for (const LazyOperand &operand : op->operands)
      if (operand.op)
        ++pendingUses[operand.op.get()];
  for (LazyOp *op : order) {
    SmallVector<LazyOp *, 3> inlined;
    for (const LazyOperand &operand : op->operands)
      if (operand.op)
        inlined.push_back(operand.op.get());
    while (true) {
      // Most operations add nothing to what one operand reads.
      IdSet ids = getIds(op->operands.front());
      for (const LazyOperand &operand : llvm::drop_begin(op->operands)) {
        IdSet more = getIds(operand);
        if (more->size() > ids->size())
          std::swap(ids, more);
        if (std::includes(ids->begin(), ids->end(), more->begin(), more->end()))
          continue;
        auto both = std::make_shared<std::set<uint32_t>>(*ids);
        both->insert(more->begin(), more->end());
        ids = std::move(both);
      }
      if (ids->size() <= maxInputs) {
        idsOf[op] = std::move(ids);
        break;
      }
      cutLargest(*op);
    }
    for (LazyOp *operand : inlined)
      if (--pendingUses[operand] == 0)
        idsOf.erase(operand);
  }
  return std::move(parts);
}

namespace {

class LimitBuffersRule : public Rule {
public:
  LimitBuffersRule(int64_t maxBuffers)
      : Rule("LIM", "", 0), maxBuffers(maxBuffers) {}

  bool fits(size_t numInputs) const override {
    return maxBuffers == 0 || static_cast<int64_t>(numInputs) < maxBuffers;
  }

  std::vector<BufferRef> cut(LazyGraph &graph, LazyOp &root,
                             const shape::Sizes &shape) const override {
    return Cutter(graph, shape, maxBuffers - 1).run(root);
  }

private:
  int64_t maxBuffers;
};

} // namespace

std::unique_ptr<Rule>
tinygrad::lazy::schedule::createLimitBuffersRule(int64_t maxBuffers) {
  return std::make_unique<LimitBuffersRule>(maxBuffers);
}
