//===- ExpandViews.cpp - Write views as movement operations ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandViews.h"

#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"
#include "tinygrad/Ops/Movement.h"
#include "tinygrad/Ops/SymbolicShape.h"

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_EXPANDVIEWSPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;
using shape::IndexExpr;
using shape::MovementOp;

Value lazy::expandNumbers(ViewOp view) {
  OpBuilder builder(view);
  Value value = view.getSource();
  RankedTensorType type = view.getType();
  for (const MovementOp &op :
       shape::toMovementOps(view.getTracker().getTracker(),
                            getShape(view.getSource().getType())))
    value = createCompute(
        builder, view.getLoc(), ops::getKind(op.kind), value,
        type.clone(op.getShape(getShape(cast<ShapedType>(value.getType())))),
        ops::getAttributes(op));
  return value;
}

//===----------------------------------------------------------------------===//
// Views with expressions
//===----------------------------------------------------------------------===//

namespace {

/// A movement operation with expressions, before it is made.
struct SymbolicMovementOp {
  ops::OpKind kind;
  std::vector<IndexExpr> sizes;
  shape::SymbolicDims shape;
};

} // namespace

/// Adds to `chain` an operation on what it makes so far, of `source` where it
/// is empty; returns false where the rules of `Ops/` refuse it.
static bool addMovement(std::vector<SymbolicMovementOp> &chain,
                        const shape::SymbolicDims &source, ops::OpKind kind,
                        std::vector<IndexExpr> sizes) {
  shape::SymbolicDims shape;
  std::string error;
  if (!ops::inferSymbolicShape(kind,
                               {chain.empty() ? source : chain.back().shape},
                               sizes, shape, error))
    return false;
  chain.push_back({kind, std::move(sizes), std::move(shape)});
  return true;
}

/// Adds what makes `view`: the box that is not masked, as a reshape where it is
/// row-major, else through its strides, and padding around it.
static bool addView(std::vector<SymbolicMovementOp> &chain,
                    const shape::SymbolicDims &source,
                    const shape::SymbolicView &view) {
  shape::SymbolicDims box = view.shape;
  std::vector<IndexExpr> padding;
  IndexExpr offset = view.offset;
  if (view.mask)
    for (auto [axis, range] : llvm::enumerate(*view.mask)) {
      const auto &[begin, end] = range;
      box[axis] = end - begin;
      offset = offset + begin * view.strides[axis];
      padding.insert(padding.end(), {begin, view.shape[axis] - end});
    }
  if (shape::SymbolicView::create(box, view.strides, offset).isContiguous()) {
    if (!addMovement(chain, source, ops::OpKind::Reshape, box))
      return false;
  } else {
    std::vector<IndexExpr> sizes = box;
    llvm::append_range(sizes, view.strides);
    sizes.push_back(offset);
    if (!addMovement(chain, source, ops::OpKind::AsStrided, std::move(sizes)))
      return false;
  }
  return padding.empty() ||
         addMovement(chain, source, ops::OpKind::Pad, std::move(padding));
}

/// Returns `view`, which has expressions, as a chain of movement operations, or
/// null where the rules for these do not prove what the view itself leaves
/// open.
static Value expandSymbolic(ViewOp view) {
  OpBuilder builder(view);
  std::vector<SymbolicMovementOp> chain;
  shape::SymbolicDims source = getSymbolicShape(view.getSource().getType());
  shape::SymbolicShapeTracker tracker = view.getTracker().getSymbolicTracker();
  for (const shape::SymbolicView &part : tracker.getViews())
    if (!addView(chain, source, part))
      return {};
  Value value = view.getSource();
  for (const SymbolicMovementOp &op : chain)
    // A reshape to the same shape is none.
    if (op.kind != ops::OpKind::Reshape ||
        getSymbolicShape(cast<RankedTensorType>(value.getType())) != op.shape)
      value = createCompute(builder, view.getLoc(), op.kind, value,
                            withShape(view.getSource().getType(), op.shape),
                            op.sizes);
  return value;
}

namespace {

struct ExpandViewsPass : lazy::impl::ExpandViewsPassBase<ExpandViewsPass> {
  void runOnOperation() override {
    getOperation().walk([](ViewOp view) {
      Value value =
          isSymbolic(view) ? expandSymbolic(view) : expandNumbers(view);
      // In code that is never reached a view may be its own source.
      if (!value || value == view.getResult())
        return;
      view.replaceAllUsesWith(value);
      view.erase();
    });
  }
};

} // namespace
