//===- FoldMovement.cpp - Folds of movement operations --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fold.h"

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using shape::ShapeTracker;
using shape::SymbolicShapeTracker;

//===----------------------------------------------------------------------===//
// An operation of one kind on another of this kind
//===----------------------------------------------------------------------===//

/// Makes `op` read what `inner` reads.
static OpFoldResult readThrough(Operation *op, Operation *inner) {
  op->setOperand(0, inner->getOperand(0));
  return op->getResult(0);
}

/// reshape(reshape(x)) -> reshape(x), and the same for expand.
template <typename OpT>
static OpFoldResult mergeByShape(OpT op) {
  if (auto inner = getSourceBefore<OpT>(op))
    return readThrough(op, inner);
  return {};
}

static OpFoldResult merge(ReshapeOp op) { return mergeByShape(op); }
static OpFoldResult merge(ExpandOp op) { return mergeByShape(op); }

/// permute(permute(x)) -> permute(x).
static OpFoldResult merge(PermuteOp op) {
  auto inner = getSourceBefore<PermuteOp>(op);
  if (!inner)
    return {};
  op.setOrder(llvm::map_to_vector(
      op.getOrder(), [&](int64_t axis) { return inner.getOrder()[axis]; }));
  return readThrough(op, inner);
}

static SizesAttr add(SizesAttr a, SizesAttr b) {
  shape::SymbolicDims sums;
  for (auto [x, y] : llvm::zip(a.getSizes(), b.getSizes()))
    sums.push_back(x + y);
  return SizesAttr::get(a.getContext(), sums);
}

/// pad(pad(x)) -> pad(x).
static OpFoldResult merge(PadOp op) {
  auto inner = getSourceBefore<PadOp>(op);
  if (!inner)
    return {};
  op.setLowAttr(add(op.getLow(), inner.getLow()));
  op.setHighAttr(add(op.getHigh(), inner.getHigh()));
  return readThrough(op, inner);
}

/// shrink(shrink(x)) -> shrink(x).
static OpFoldResult merge(ShrinkOp op) {
  auto inner = getSourceBefore<ShrinkOp>(op);
  if (!inner)
    return {};
  // Both ends of the outer box count from the beginning of the inner one.
  op.setBeginAttr(add(op.getBegin(), inner.getBegin()));
  op.setEndAttr(add(op.getEnd(), inner.getBegin()));
  return readThrough(op, inner);
}

/// Returns the position of an axis of `extent` that `step` takes at `index`.
static int64_t getPosition(int64_t extent, int64_t step, int64_t index) {
  return (step < 0 ? extent - 1 : 0) + step * index;
}

/// Returns the step that takes of an axis of `extent`, not 0, what `first` and
/// then `second` do, or nothing. One step begins at the first position or,
/// where it is negative, at the last one: [::2][::-1] may begin in between.
static std::optional<int64_t> mergeSteps(int64_t extent, int64_t first,
                                         int64_t second) {
  // A step beyond the axis takes one position, as the extent does.
  first = std::clamp(first, -extent, extent);
  int64_t middle = llvm::divideCeil(extent, std::abs(first));
  second = std::clamp(second, -middle, middle);
  int64_t start = getPosition(extent, first, getPosition(middle, second, 0));
  if (std::abs(second) == middle) {
    // One position is left; only which one matters.
    if (start == 0)
      return extent;
    return start == extent - 1 ? std::optional(-extent) : std::nullopt;
  }
  int64_t step = first * second;
  return start == getPosition(extent, step, 0) ? std::optional(step)
                                               : std::nullopt;
}

/// stride(stride(x)) -> stride(x), where one operation says it.
static OpFoldResult merge(StrideOp op) {
  auto inner = getSourceBefore<StrideOp>(op);
  if (!inner)
    return {};
  SmallVector<int64_t> steps;
  for (auto [extent, first, second] :
       llvm::zip(inner.getSource().getType().getShape(), inner.getSteps(),
                 op.getSteps())) {
    std::optional<int64_t> step = mergeSteps(extent, first, second);
    if (!step)
      return {};
    steps.push_back(*step);
  }
  op.setSteps(steps);
  return readThrough(op, inner);
}

/// as_strided(reshape(x)) -> as_strided(x), since it reads the elements by
/// their row-major position; as_strided(as_strided(x)) -> as_strided(x) where
/// one view says it.
static OpFoldResult merge(AsStridedOp op) {
  if (auto reshape = getSourceBefore<ReshapeOp>(op))
    return readThrough(op, reshape);
  auto inner = getSourceBefore<AsStridedOp>(op);
  if (!inner || cast<ComputeOpInterface>(*inner).isSymbolic())
    return {};
  ShapeTracker tracker = op.applyTo(inner.applyTo(
      ShapeTracker::fromShape(lazy::getShape(inner.getSource().getType()))));
  const shape::View &view = tracker.getViews().back();
  if (tracker.getViews().size() != 1 || view.getMask())
    return {};
  MLIRContext *context = op.getContext();
  op.setStridesAttr(SizesAttr::get(context, view.getStrides()));
  op.setOffsetAttr(SizesAttr::get(context, view.getOffset()));
  return readThrough(op, inner);
}

//===----------------------------------------------------------------------===//
// All movement operations
//===----------------------------------------------------------------------===//

/// Returns `constant` seen through `tracker` as a constant of `type`, or
/// nothing. What a mask hides is 0.
static OpFoldResult moveSplat(Attribute constant, const ShapeTracker &tracker,
                              RankedTensorType type) {
  std::optional<ops::Scalar> value = readSplat(constant);
  if (!value)
    return {};
  bool hasMask = llvm::any_of(tracker.getViews(), [](const shape::View &view) {
    return view.getMask() != nullptr;
  });
  ops::Scalar zero = ops::Scalar::fromInt(value->getType(), 0);
  if (hasMask && !value->isIdentical(zero))
    return {};
  return getSplatAttr(type, *value);
}

/// Folds a result that reads nothing: one without elements, or the padding of a
/// source without elements.
static OpFoldResult foldEmpty(Operation *op, RankedTensorType type) {
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  if (type.getNumElements() == 0 || source.getNumElements() == 0)
    return makeSplat(type, 0);
  return {};
}

/// Folds what every operation has that reads its source through `tracker`.
static OpFoldResult foldTracker(Operation *op, Attribute constant,
                                const ShapeTracker &tracker,
                                RankedTensorType type) {
  if (OpFoldResult splat = moveSplat(constant, tracker, type))
    return splat;
  return tracker.isContiguous() ? replaceBy(op, op->getOperand(0))
                                : OpFoldResult();
}

/// Folds an operation that has expressions: what moves nothing goes away, and
/// two of a kind become one.
static OpFoldResult foldSymbolic(MovementOpInterface op) {
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  SymbolicShapeTracker tracker = op.applyToSymbolic(
      SymbolicShapeTracker::fromShape(getSymbolicShape(source)));
  if (tracker.isContiguous())
    if (OpFoldResult result = replaceBy(op, op->getOperand(0)))
      return result;
  return llvm::TypeSwitch<Operation *, OpFoldResult>(op)
      .Case<ReshapeOp, PermuteOp, ExpandOp, PadOp, ShrinkOp>(
          [](auto movement) { return merge(movement); })
      .Default([](Operation *) { return OpFoldResult(); });
}

OpFoldResult lazy::detail::foldMovement(Operation *op, Attribute constant) {
  if (cast<ComputeOpInterface>(op).isSymbolic())
    return foldSymbolic(cast<MovementOpInterface>(op));
  RankedTensorType type = getFoldableType(op);
  if (!type)
    return {};
  if (OpFoldResult empty = foldEmpty(op, type))
    return empty;
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  ShapeTracker tracker = cast<MovementOpInterface>(op).applyTo(
      ShapeTracker::fromShape(lazy::getShape(source)));
  if (OpFoldResult result = foldTracker(op, constant, tracker, type))
    return result;
  return llvm::TypeSwitch<Operation *, OpFoldResult>(op)
      .Case<ReshapeOp, PermuteOp, ExpandOp, PadOp, ShrinkOp, StrideOp,
            AsStridedOp>([](auto movement) { return merge(movement); });
}

/// as_strided that changes the shape alone -> reshape.
LogicalResult AsStridedOp::canonicalize(AsStridedOp op,
                                        PatternRewriter &rewriter) {
  RankedTensorType type = getFoldableType(op);
  if (!type || cast<ComputeOpInterface>(*op).isSymbolic() ||
      type.getNumElements() != op.getSource().getType().getNumElements())
    return rewriter.notifyMatchFailure(op, "another number of elements");
  if (!op.applyTo(
             ShapeTracker::fromShape(lazy::getShape(op.getSource().getType())))
           .isContiguous())
    return rewriter.notifyMatchFailure(op, "elements in another order");
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, type, op.getSource());
  return success();
}

//===----------------------------------------------------------------------===//
// ViewOp
//===----------------------------------------------------------------------===//

/// Folds a view that has expressions, or whose source is such a view.
static OpFoldResult foldSymbolic(ViewOp op) {
  SymbolicShapeTracker tracker = op.getTracker().getSymbolicTracker();
  if (tracker.isContiguous())
    if (OpFoldResult result = replaceBy(op, op.getSource()))
      return result;
  if (auto reshape = getSourceBefore<ReshapeOp>(op))
    return readThrough(op, reshape);
  auto inner = getSourceBefore<ViewOp>(op);
  if (!inner)
    return {};
  op.setTrackerAttr(ShapeTrackerAttr::get(
      op.getContext(),
      inner.getTracker().getSymbolicTracker().compose(tracker)));
  return readThrough(op, inner);
}

OpFoldResult ViewOp::fold(FoldAdaptor adaptor) {
  auto source = getSourceBefore<ViewOp>(*this);
  if (isSymbolic(*this) || (source && source.getTracker().isSymbolic()))
    return foldSymbolic(*this);
  RankedTensorType type = getFoldableType(*this);
  if (!type)
    return {};
  if (OpFoldResult empty = foldEmpty(*this, type))
    return empty;
  ShapeTracker tracker = getTracker().getTracker();
  if (OpFoldResult result =
          foldTracker(*this, adaptor.getSource(), tracker, type))
    return result;
  // view(reshape(x)) -> view(x): a tracker counts row-major positions.
  if (auto reshape = getSourceBefore<ReshapeOp>(*this))
    return readThrough(*this, reshape);
  // view(view(x)) -> view(x).
  auto inner = getSourceBefore<ViewOp>(*this);
  if (!inner)
    return {};
  setTrackerAttr(ShapeTrackerAttr::get(
      getContext(), inner.getTracker().getTracker().compose(tracker)));
  return readThrough(*this, inner);
}
