//===- ScheduleMutations.cpp - Changes of a schedule on memory ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleMutations.h"
#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::test;

namespace {

/// Changes one schedule. Each change returns false where it finds no place.
class Mutator {
public:
  Mutator(Random &random, Block &block) : random(random), block(block) {
    for (Operation &op : block.without_terminator())
      ops.push_back(&op);
    for (Operation *op : ops) {
      if (isa<lazy::KernelOp, lazy::CustomOp, lazy::CopyOp>(op))
        steps.push_back(op);
      if (isa<memref::DeallocOp>(op))
        frees.push_back(op);
    }
  }

  bool deleteStep() {
    if (steps.empty())
      return false;
    pick(steps)->erase();
    return true;
  }
  bool repeatStep() {
    if (steps.empty())
      return false;
    OpBuilder builder(pick(ops));
    builder.clone(*pick(steps));
    return true;
  }
  bool swapOps() {
    if (ops.size() < 2)
      return false;
    size_t first = random.below(ops.size()), second = random.below(ops.size());
    if (first == second)
      return false;
    Operation *other = ops[second]->getNextNode();
    ops[second]->moveBefore(ops[first]);
    if (other != ops[first])
      ops[first]->moveBefore(other);
    return true;
  }
  bool swapNeighbours() {
    if (ops.size() < 2)
      return false;
    size_t index = random.below(ops.size() - 1);
    ops[index + 1]->moveBefore(ops[index]);
    return true;
  }
  bool moveOp() {
    if (ops.size() < 2)
      return false;
    Operation *op = pick(ops), *before = pick(ops);
    if (op == before)
      return false;
    op->moveBefore(before);
    return true;
  }
  /// Of one operation or of two.
  bool exchangeOperands() {
    if (steps.empty())
      return false;
    Operation *first = pick(steps);
    Operation *second = random.oneIn(2) ? first : pick(steps);
    OpOperand &left =
        first->getOpOperand(random.below(first->getNumOperands()));
    OpOperand &right =
        second->getOpOperand(random.below(second->getNumOperands()));
    if (left.get() == right.get() ||
        left.get().getType() != right.get().getType())
      return false;
    Value value = left.get();
    left.set(right.get());
    right.set(value);
    return true;
  }
  /// Lets a step use other memory.
  bool replaceOperand() {
    if (steps.empty())
      return false;
    Operation *step = pick(steps);
    OpOperand &operand =
        step->getOpOperand(random.below(step->getNumOperands()));
    Value other = findMemory(operand.get());
    if (!other)
      return false;
    operand.set(other);
    return true;
  }
  /// Puts all that lies in an allocation into other memory.
  bool mergeMemory() {
    if (frees.empty())
      return false;
    Operation *free = pick(frees);
    Value memory = free->getOperand(0);
    Value other = findMemory(memory);
    if (!other)
      return false;
    free->erase();
    Operation *alloc = memory.getDefiningOp();
    // What is allocated later is allocated here.
    if (Operation *later = other.getDefiningOp())
      if (alloc->isBeforeInBlock(later))
        later->moveBefore(alloc);
    memory.replaceAllUsesWith(other);
    alloc->erase();
    return true;
  }
  bool dropFree() {
    if (frees.empty())
      return false;
    pick(frees)->erase();
    return true;
  }
  bool moveFree() {
    if (frees.empty())
      return false;
    pick(frees)->moveBefore(pick(ops));
    return true;
  }
  bool freeArgument() {
    if (block.getNumArguments() == 0 || ops.empty())
      return false;
    Value argument = block.getArgument(random.below(block.getNumArguments()));
    if (!isa<MemRefType>(argument.getType()))
      return false;
    OpBuilder builder(pick(ops));
    memref::DeallocOp::create(builder, argument.getLoc(), argument);
    return true;
  }
  bool changeVersion() {
    Operation *op = findNoted();
    SmallVector<int64_t> versions(getVersions(op).asArrayRef());
    if (versions.empty())
      return false;
    int64_t &version = versions[random.below(versions.size())];
    version += random.oneIn(2) ? random.between(1, 3) : -random.between(1, 3);
    setVersions(op, versions);
    return true;
  }
  bool exchangeVersions() {
    Operation *op = findNoted();
    SmallVector<int64_t> versions(getVersions(op).asArrayRef());
    if (versions.size() < 2)
      return false;
    int64_t &left = versions[random.below(versions.size())];
    int64_t &right = versions[random.below(versions.size())];
    if (left == right)
      return false;
    std::swap(left, right);
    setVersions(op, versions);
    return true;
  }
  bool dropVersions() {
    findNoted()->removeAttr(lazy::versionsAttrName);
    return true;
  }
  /// Lets a kernel load from its output what it loads from an input, as if it
  /// were there: so it is noted, too.
  bool readThroughOutput() {
    auto kernel = steps.empty() ? lazy::KernelOp()
                                : dyn_cast<lazy::KernelOp>(pick(steps));
    if (!kernel || kernel.getInputs().empty() || kernel.getInits().size() != 1)
      return false;
    size_t numInputs = kernel.getInputs().size();
    SmallVector<int64_t> versions(getVersions(kernel).asArrayRef());
    size_t index = random.below(numInputs);
    BlockArgument input = kernel.getBlock()->getArgument(index);
    BlockArgument init = lazy::getInitArgument(kernel, 0);
    if (input.getType() != init.getType() || versions.size() != numInputs + 1)
      return false;
    int64_t read = versions[index];
    versions.erase(versions.begin() + index);
    versions.insert(std::prev(versions.end()), read);
    setVersions(kernel, versions);
    input.replaceAllUsesWith(init);
    kernel.getBlock()->eraseArgument(index);
    kernel.getInputsMutable().erase(index);
    return true;
  }

private:
  Operation *pick(const std::vector<Operation *> &from) {
    return from[random.below(from.size())];
  }
  /// Returns memory of the type of `memory`, or null.
  Value findMemory(Value memory) {
    SmallVector<Value> found;
    auto add = [&](Value value) {
      if (value != memory && value.getType() == memory.getType())
        found.push_back(value);
    };
    for (Value argument : block.getArguments())
      add(argument);
    for (auto alloc : block.getOps<memref::AllocOp>())
      add(alloc);
    return found.empty() ? Value() : found[random.below(found.size())];
  }
  static DenseI64ArrayAttr getVersions(Operation *op) {
    return op->getAttrOfType<DenseI64ArrayAttr>(lazy::versionsAttrName);
  }
  static void setVersions(Operation *op, ArrayRef<int64_t> versions) {
    op->setAttr(lazy::versionsAttrName,
                DenseI64ArrayAttr::get(op->getContext(), versions));
  }
  /// The return has versions in any case.
  Operation *findNoted() {
    std::vector<Operation *> noted;
    for (Operation &op : block)
      if (getVersions(&op))
        noted.push_back(&op);
    return pick(noted);
  }

  Random &random;
  Block &block;
  /// All but the return.
  std::vector<Operation *> ops, steps, frees;
};

} // namespace

template <bool (Mutator::*mutation)()>
static bool apply(Random &random, Block &schedule) {
  return (Mutator(random, schedule).*mutation)();
}

static constexpr ScheduleMutation mutations[] = {
    {"delete step", apply<&Mutator::deleteStep>},
    {"repeat step", apply<&Mutator::repeatStep>},
    {"swap operations", apply<&Mutator::swapOps>},
    {"swap neighbours", apply<&Mutator::swapNeighbours>},
    {"move operation", apply<&Mutator::moveOp>},
    {"exchange operands", apply<&Mutator::exchangeOperands>},
    {"replace operand", apply<&Mutator::replaceOperand>},
    {"merge memory", apply<&Mutator::mergeMemory>},
    {"drop free", apply<&Mutator::dropFree>},
    {"move free", apply<&Mutator::moveFree>},
    {"free argument", apply<&Mutator::freeArgument>},
    {"change version", apply<&Mutator::changeVersion>},
    {"exchange versions", apply<&Mutator::exchangeVersions>},
    {"drop versions", apply<&Mutator::dropVersions>},
    {"read through output", apply<&Mutator::readThroughOutput>},
};

llvm::ArrayRef<ScheduleMutation> test::getScheduleMutations() {
  return mutations;
}
