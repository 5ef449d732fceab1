//===- CompareTrees.cpp - Compares kernels --------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompareTrees.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::golden;
using namespace tinygrad::lazy;
using shape::ShapeTracker;

/// Compares two trackers as functions, position by position where no proof is
/// found.
static bool isSameAccess(const ShapeTracker &ours, const ShapeTracker &theirs) {
  if (ours.getShape() != theirs.getShape())
    return false;
  if (ours.isEquivalent(theirs))
    return true;
  constexpr int64_t maxElements = 1 << 20;
  if (ours.getNumElements() > maxElements)
    return false;
  const shape::Dims &extents = ours.getShape();
  shape::Dims position(extents.size(), 0);
  for (int64_t i = 0; i < ours.getNumElements(); ++i) {
    if (ours.getIndex(position) != theirs.getIndex(position))
      return false;
    for (size_t axis = extents.size(); axis-- > 0;) {
      if (++position[axis] < extents[axis])
        break;
      position[axis] = 0;
    }
  }
  return true;
}

namespace {

class TreeComparison {
public:
  TreeComparison(GoldenProgram &program) : program(program) {}

  std::string compare(ArrayRef<ScheduleItem> items,
                      const std::map<std::string, OutputPlace> &outMap);

private:
  bool fail(const Twine &message) {
    if (difference.empty())
      difference = message.str();
    return false;
  }
  bool compareKernel(KernelOp kernel, const ScheduleItem &item);
  bool compareNode(Value value, size_t position);
  bool compareLoad(LoadOp load, const KernelNode &node);
  bool compareConst(Value value, const KernelNode &node);
  bool compareAccess(const ShapeTracker &ours, const GoldenTracker &expected);
  bool compareOutput(Value value, const OutputPlace &expected);

  GoldenProgram &program;
  /// The golden name of the buffer that a value is: v<id> or s<k>.
  llvm::DenseMap<Value, std::string> names;
  std::string difference;
  // Of the kernel at hand.
  KernelOp kernel;
  const ScheduleItem *item = nullptr;
  llvm::DenseMap<std::pair<Value, size_t>, bool> known;
  std::string where;
};

} // namespace

bool TreeComparison::compareAccess(const ShapeTracker &ours,
                                   const GoldenTracker &expected) {
  std::optional<ShapeTracker> theirs = expected.toTracker();
  if (!theirs)
    return fail(where + ": access " + ours.toString() +
                " instead of views that read outside of one another");
  if (!isSameAccess(ours, *theirs))
    return fail(where + ": access " + ours.toString() + " instead of " +
                theirs->toString());
  if (ours.getViews().size() > theirs->getViews().size())
    return fail(where + ": " + Twine(ours.getViews().size()) +
                " views instead of " + Twine(theirs->getViews().size()) + ": " +
                ours.toString());
  return true;
}

bool TreeComparison::compareLoad(LoadOp load, const KernelNode &node) {
  auto argument = cast<BlockArgument>(load.getSource());
  Value input = kernel->getOperand(argument.getArgNumber());
  StringRef expected = item->inputs[*node.buffer];
  if (names.lookup(input) != expected)
    return fail(where + ": loads " + names.lookup(input) + " instead of " +
                expected);
  return compareAccess(load.getTracker().getTracker(), *node.views);
}

// A masked constant is a load from a tensor of one element.
bool TreeComparison::compareConst(Value value, const KernelNode &node) {
  auto constant = value.getDefiningOp<ConstOp>();
  if (auto load = value.getDefiningOp<LoadOp>()) {
    auto argument = cast<BlockArgument>(load.getSource());
    constant =
        kernel->getOperand(argument.getArgNumber()).getDefiningOp<ConstOp>();
    if (constant && !compareAccess(load.getTracker().getTracker(), *node.views))
      return false;
  }
  if (!constant)
    return fail(where + ": no constant");
  auto type = cast<RankedTensorType>(value.getType());
  if (lazy::getShape(type) != node.views->views.back().shape)
    return fail(where + ": constant of another shape");
  DType dtype = *getDType(type.getElementType());
  ops::Scalar expected = node.value->toScalar(dtype);
  if (dtype != *node.type || !constant.getScalar().isIdentical(expected))
    return fail(where + ": constant of another value or type");
  return true;
}

bool TreeComparison::compareNode(Value value, size_t position) {
  while (auto cast = value.getDefiningOp<CastOp>()) {
    if (!cast.getImplicit())
      break;
    value = cast.getSource();
  }
  auto [entry, isNew] = known.try_emplace({value, position}, true);
  if (!isNew)
    return entry->second;
  const KernelNode &node = item->nodes[position];
  StringRef name = node.op;
  Operation *op = value.getDefiningOp();
  if (name == "CONST")
    return compareConst(value, node);
  if (name == "LOAD") {
    auto load = dyn_cast<LoadOp>(op);
    return load ? compareLoad(load, node)
                : fail(where + ": " + op->getName().getStringRef() +
                       " instead of LOAD");
  }
  std::string expected = name.lower();
  if (name == "CAST" && node.isBitcast)
    expected = "bitcast";
  if (op->getName().stripDialect() != expected)
    return fail(where + ": " + op->getName().stripDialect() + " instead of " +
                expected);
  auto type = cast<RankedTensorType>(value.getType());
  if (node.newShape && lazy::getShape(type) != *node.newShape)
    return fail(where + ": reduce to another shape");
  if (node.type && getDType(type.getElementType()) != node.type)
    return fail(where + ": another element type");
  if (node.sources.size() != op->getNumOperands())
    return fail(where + ": another number of sources");
  for (auto [operand, source] :
       llvm::zip_equal(op->getOperands(), node.sources))
    if (!compareNode(operand, source))
      return false;
  return true;
}

bool TreeComparison::compareKernel(KernelOp op, const ScheduleItem &expected) {
  kernel = op;
  item = &expected;
  known.clear();
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  if (lazy::getShape(type) != expected.shape ||
      getDType(type.getElementType()) != expected.type)
    return fail(where + ": another shape or type of the result");
  Value init = op.getInits().front();
  std::string place = init.getDefiningOp<EmptyOp>() ? "" : names.lookup(init);
  if (place != expected.inPlace.value_or(""))
    return fail(where + ": writes into `" + place + "` instead of `" +
                expected.inPlace.value_or("") + "`");
  StoreOp store;
  for (StoreOp found : op.getBlock()->getOps<StoreOp>())
    store = found;
  const KernelNode &last = expected.nodes.back();
  return compareAccess(store.getTracker().getTracker(), *last.views) &&
         compareNode(store.getValue(), last.sources.front());
}

bool TreeComparison::compareOutput(Value value, const OutputPlace &expected) {
  ShapeTracker tracker = ShapeTracker::fromShape(
      lazy::getShape(cast<ShapedType>(value.getType())));
  if (auto view = value.getDefiningOp<ViewOp>()) {
    tracker = view.getTracker().getTracker();
    value = view.getSource();
  }
  if (expected.constant) {
    auto constant = value.getDefiningOp<ConstOp>();
    if (!constant)
      return fail(where + ": no constant");
    DType type = *getDType(cast<ShapedType>(value.getType()).getElementType());
    if (!constant.getScalar().isIdentical(expected.constant->toScalar(type)))
      return fail(where + ": another constant");
    return true;
  }
  if (names.lookup(value) != expected.item)
    return fail(where + ": in " + names.lookup(value) + " instead of " +
                expected.item);
  return compareAccess(tracker, expected.views);
}

std::string
TreeComparison::compare(ArrayRef<ScheduleItem> items,
                        const std::map<std::string, OutputPlace> &outMap) {
  func::FuncOp function = program.function;
  for (auto [argument, id] :
       llvm::zip_equal(function.getArguments(), program.argumentIds))
    names[argument] = "v" + std::to_string(id);
  // Loads are found by the id in their location, kernels and copies by their
  // order.
  llvm::StringMap<std::string> loads;
  SmallVector<std::string> copies;
  SmallVector<std::pair<std::string, const ScheduleItem *>> kernels;
  for (const auto &[k, expected] : llvm::enumerate(items)) {
    std::string name = "s" + std::to_string(k);
    if (expected.kind == "kernel")
      kernels.emplace_back(name, &expected);
    else if (expected.kind == "COPY")
      copies.push_back(name);
    else if (expected.value)
      loads["v" + std::to_string(*expected.value)] = name;
  }
  size_t next = 0, nextCopy = 0;
  for (Operation &op : function.getBody().front()) {
    auto kernelOp = dyn_cast<KernelOp>(op);
    if (isa<CopyOp>(op)) {
      if (nextCopy == copies.size())
        return "more copies than expected";
      names[op.getResult(0)] = copies[nextCopy++];
      continue;
    }
    if (!kernelOp) {
      if (auto loc = dyn_cast<NameLoc>(op.getLoc());
          loc && isa<EmptyOp, CustomOp>(op))
        if (auto found = loads.find(loc.getName()); found != loads.end())
          names[op.getResult(0)] = found->second;
      continue;
    }
    if (next == kernels.size())
      return "more kernels than expected";
    const auto &[name, expected] = kernels[next++];
    where = name;
    if (!compareKernel(kernelOp, *expected))
      return difference;
    names[kernelOp.getResult(0)] = name;
  }
  if (next != kernels.size())
    return "fewer kernels than expected";
  if (nextCopy != copies.size())
    return "fewer copies than expected";
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [value, id] :
       llvm::zip_equal(terminator->getOperands(), program.resultIds)) {
    where = "output " + std::to_string(id);
    auto expected = outMap.find(std::to_string(id));
    if (expected != outMap.end() && !compareOutput(value, expected->second))
      return difference;
  }
  return "";
}

std::string
golden::compareTrees(GoldenProgram &program, ArrayRef<ScheduleItem> items,
                     const std::map<std::string, OutputPlace> &outMap) {
  return TreeComparison(program).compare(items, outMap);
}
