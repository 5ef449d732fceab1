//===- LazyMovementOps.cpp - Movement operations --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using shape::IndexExpr;
using shape::ShapeTracker;
using shape::SymbolicShapeTracker;

/// Joins two lists into a list of pairs.
static shape::Mask makePairs(SizesAttr first, SizesAttr second) {
  shape::Mask result;
  for (auto [a, b] : llvm::zip(first.getNumbers(), second.getNumbers()))
    result.emplace_back(a, b);
  return result;
}
static shape::SymbolicMask makeSymbolicPairs(SizesAttr first,
                                             SizesAttr second) {
  shape::SymbolicMask result;
  for (auto [a, b] : llvm::zip(first.getSizes(), second.getSizes()))
    result.emplace_back(a, b);
  return result;
}

std::vector<IndexExpr> ReshapeOp::getSizes() {
  return getSymbolicShape(getType());
}
void ReshapeOp::moveTracker(ShapeTracker &tracker) {
  tracker = std::move(tracker).reshape(getType().getShape());
}
SymbolicShapeTracker
ReshapeOp::applyToSymbolic(const SymbolicShapeTracker &tracker) {
  return tracker.reshape(getSymbolicShape(getType()));
}

std::vector<IndexExpr> PermuteOp::getSizes() {
  return makeConstants(getOrder());
}
void PermuteOp::moveTracker(ShapeTracker &tracker) {
  tracker = std::move(tracker).permute(getOrder());
}
SymbolicShapeTracker
PermuteOp::applyToSymbolic(const SymbolicShapeTracker &tracker) {
  return tracker.permute(getOrder());
}

std::vector<IndexExpr> ExpandOp::getSizes() {
  return getSymbolicShape(getType());
}
void ExpandOp::moveTracker(ShapeTracker &tracker) {
  tracker = std::move(tracker).expand(getType().getShape());
}
SymbolicShapeTracker
ExpandOp::applyToSymbolic(const SymbolicShapeTracker &tracker) {
  return tracker.expand(getSymbolicShape(getType()));
}

std::vector<IndexExpr> PadOp::getSizes() {
  return interleave(getLow(), getHigh());
}
void PadOp::moveTracker(ShapeTracker &tracker) {
  tracker = std::move(tracker).pad(makePairs(getLow(), getHigh()));
}
SymbolicShapeTracker
PadOp::applyToSymbolic(const SymbolicShapeTracker &tracker) {
  return tracker.pad(makeSymbolicPairs(getLow(), getHigh()));
}

std::vector<IndexExpr> ShrinkOp::getSizes() {
  return interleave(getBegin(), getEnd());
}
void ShrinkOp::moveTracker(ShapeTracker &tracker) {
  tracker = std::move(tracker).shrink(makePairs(getBegin(), getEnd()));
}
SymbolicShapeTracker
ShrinkOp::applyToSymbolic(const SymbolicShapeTracker &tracker) {
  return tracker.shrink(makeSymbolicPairs(getBegin(), getEnd()));
}

std::vector<IndexExpr> StrideOp::getSizes() {
  return makeConstants(getSteps());
}
void StrideOp::moveTracker(ShapeTracker &tracker) {
  tracker = std::move(tracker).stride(getSteps());
}
SymbolicShapeTracker
StrideOp::applyToSymbolic(const SymbolicShapeTracker &tracker) {
  return tracker.stride(getSteps());
}

std::vector<IndexExpr> AsStridedOp::getSizes() {
  std::vector<IndexExpr> sizes = getSymbolicShape(getType());
  llvm::append_range(sizes, getStrides().getSizes());
  llvm::append_range(sizes, getOffset().getSizes());
  return sizes;
}
void AsStridedOp::moveTracker(ShapeTracker &tracker) {
  std::vector<int64_t> flat{tracker.getNumElements()};
  tracker = std::move(tracker).reshape(flat).compose(ShapeTracker::fromViews(
      {shape::View::create(getType().getShape().vec(),
                           getStrides().getNumbers().vec(),
                           getOffset().getNumbers().front())}));
}
SymbolicShapeTracker
AsStridedOp::applyToSymbolic(const SymbolicShapeTracker &tracker) {
  auto flat = tracker.reshape({tracker.getNumElements()});
  return flat.compose(SymbolicShapeTracker::fromViews(
      {shape::SymbolicView::create(getSymbolicShape(getType()),
                                   getStrides().getSizes(),
                                   getOffset().getSizes().front())}));
}

//===----------------------------------------------------------------------===//
// ViewOp
//===----------------------------------------------------------------------===//

LogicalResult lazy::verifyReach(Operation *op,
                                const SymbolicShapeTracker &tracker,
                                const shape::SymbolicDims &sizes, Type memory) {
  std::vector<IndexExpr> variables = tracker.getVariables();
  llvm::append_range(variables, sizes);
  std::string name;
  if (!haveConsistentVariables(variables, name))
    return op->emitOpError()
           << "expects one range for variable '" << name << "', got two";
  return checkAtBounds(variables, [&](const shape::Bindings &bindings) {
    std::string error;
    int64_t used =
        shape::ShapeTracker::fromViews(
            {tracker.bind(bindings, error)->toStatic()->getViews().front()})
            .getBufferSize();
    int64_t available = 1;
    for (const IndexExpr &size : sizes)
      available *= shape::bindVariables(size, bindings).getValue();
    if (used <= available)
      return success();
    op->emitOpError() << "expects a view that reads no more than the "
                      << available << " elements of " << memory
                      << ", got one that reads " << used << ' '
                      << lazy::toString(bindings);
    return failure();
  });
}

LogicalResult ViewOp::verify() {
  // view_c1
  SymbolicShapeTracker tracker = getTracker().getSymbolicTracker();
  RankedTensorType source = getSource().getType();
  RankedTensorType expected = withShape(source, tracker.getShape());
  if (getType() != expected)
    return emitOpError() << "expects result type " << expected << ", got "
                         << getType();
  // view_c2
  if (!getTracker().isSymbolic() && source.hasStaticShape()) {
    int64_t used = getTracker().getRequiredSize();
    int64_t available = source.getNumElements();
    if (used > available)
      return emitOpError() << "expects a view that reads no more than the "
                           << available << " elements of " << source
                           << ", got one that reads " << used;
    return success();
  }
  return verifyReach(*this, tracker, getSymbolicShape(source), source);
}
