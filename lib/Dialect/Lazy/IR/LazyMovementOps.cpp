//===- LazyMovementOps.cpp - Movement operations --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using shape::ShapeTracker;

/// Joins two lists into first0, second0, first1, ….
static std::vector<int64_t> interleave(ArrayRef<int64_t> first,
                                       ArrayRef<int64_t> second) {
  std::vector<int64_t> result;
  for (auto [a, b] : llvm::zip(first, second)) {
    result.push_back(a);
    result.push_back(b);
  }
  return result;
}

/// Joins two lists into a list of pairs.
static shape::Mask makePairs(ArrayRef<int64_t> first,
                             ArrayRef<int64_t> second) {
  shape::Mask result;
  for (auto [a, b] : llvm::zip(first, second))
    result.emplace_back(a, b);
  return result;
}

ops::OpAttributes ReshapeOp::getOpAttributes() {
  return {getType().getShape().vec(), {}, {}};
}
ShapeTracker ReshapeOp::applyTo(const ShapeTracker &tracker) {
  return tracker.reshape(getType().getShape());
}

ops::OpAttributes PermuteOp::getOpAttributes() {
  return {getOrder().vec(), {}, {}};
}
ShapeTracker PermuteOp::applyTo(const ShapeTracker &tracker) {
  return tracker.permute(getOrder());
}

ops::OpAttributes ExpandOp::getOpAttributes() {
  return {getType().getShape().vec(), {}, {}};
}
ShapeTracker ExpandOp::applyTo(const ShapeTracker &tracker) {
  return tracker.expand(getType().getShape());
}

ops::OpAttributes PadOp::getOpAttributes() {
  // Lists of unequal length must not pass for shorter ones of equal length.
  if (getLow().size() != getHigh().size())
    return {{0}, {}, {}};
  return {interleave(getLow(), getHigh()), {}, {}};
}
ShapeTracker PadOp::applyTo(const ShapeTracker &tracker) {
  return tracker.pad(makePairs(getLow(), getHigh()));
}

ops::OpAttributes ShrinkOp::getOpAttributes() {
  if (getBegin().size() != getEnd().size())
    return {{0}, {}, {}};
  return {interleave(getBegin(), getEnd()), {}, {}};
}
ShapeTracker ShrinkOp::applyTo(const ShapeTracker &tracker) {
  return tracker.shrink(makePairs(getBegin(), getEnd()));
}

ops::OpAttributes StrideOp::getOpAttributes() {
  return {getSteps().vec(), {}, {}};
}
ShapeTracker StrideOp::applyTo(const ShapeTracker &tracker) {
  return tracker.stride(getSteps());
}

ops::OpAttributes AsStridedOp::getOpAttributes() {
  std::vector<int64_t> ints = getType().getShape().vec();
  llvm::append_range(ints, getStrides());
  ints.push_back(static_cast<int64_t>(getOffset()));
  return {std::move(ints), {}, {}};
}
ShapeTracker AsStridedOp::applyTo(const ShapeTracker &tracker) {
  auto flat = tracker.reshape(std::vector<int64_t>{tracker.getNumElements()});
  return flat.compose(ShapeTracker::fromViews(
      {shape::View::create(getType().getShape().vec(), getStrides().vec(),
                           static_cast<int64_t>(getOffset()))}));
}

//===----------------------------------------------------------------------===//
// ViewOp
//===----------------------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  // view_c1
  RankedTensorType expected = RankedTensorType::get(
      getTracker().getShape(), getSource().getType().getElementType());
  if (getType() != expected)
    return emitOpError() << "expects result type " << expected << ", got "
                         << getType();
  // view_c2
  int64_t used = getTracker().getRequiredSize();
  int64_t available = getSource().getType().getNumElements();
  if (used > available)
    return emitOpError() << "expects a view that reads no more than the "
                         << available << " elements of "
                         << getSource().getType() << ", got one that reads "
                         << used;
  return success();
}
