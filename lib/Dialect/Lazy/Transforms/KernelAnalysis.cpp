//===- KernelAnalysis.cpp - Facts about the body of a kernel --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;

ReduceOpInterface lazy::getOnlyReduce(KernelOp kernel) {
  ReduceOpInterface found;
  for (auto reduce : kernel.getBlock()->getOps<ReduceOpInterface>()) {
    if (found)
      return nullptr;
    found = reduce;
  }
  return found;
}

MulOp lazy::getSummedProduct(ReduceOpInterface reduce) {
  if (!isa<ReduceSumOp>(reduce))
    return nullptr;
  auto product = reduce->getOperand(0).getDefiningOp<MulOp>();
  return product && product->hasOneUse() ? product : nullptr;
}

bool lazy::variesAlong(Value value, ArrayRef<int64_t> axes) {
  SmallVector<Value> worklist{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!seen.insert(op).second)
      continue;
    if (auto load = dyn_cast<LoadOp>(op)) {
      auto strides = load.getTracker().getTracker().getRealStrides();
      for (int64_t axis : axes)
        if (load.getType().getShape()[axis] != 1 && strides[axis] != 0)
          return true;
      continue;
    }
    llvm::append_range(worklist, op->getOperands());
  }
  return false;
}

/// Removes from `axes` all before the last run of axes that `view` has side by
/// side, so that the rest is one contiguous range of the buffer.
static void keepContiguousTail(SmallVectorImpl<int64_t> &axes,
                               const shape::View &view) {
  size_t first = axes.size();
  int64_t expected = 1;
  while (first > 0) {
    int64_t axis = axes[first - 1];
    if (view.getStrides()[axis] != expected)
      break;
    expected *= view.getShape()[axis];
    --first;
  }
  axes.erase(axes.begin(), axes.begin() + first);
}

std::optional<ContractionAxes> lazy::matchContraction(KernelOp kernel) {
  ReduceOpInterface reduce = getOnlyReduce(kernel);
  MulOp product = reduce ? getSummedProduct(reduce) : MulOp();
  auto stores = kernel.getBlock()->getOps<StoreOp>();
  // Bools are bits in vectors and bytes in memory: they are not packed.
  if (!product || !llvm::hasSingleElement(stores) ||
      getElementTypeOrSelf(product.getType()).isInteger(1))
    return std::nullopt;
  SmallVector<int64_t> shape = kernel.getIterationShape();
  SmallVector<bool> reduced = kernel.getReducedAxes();
  ContractionAxes axes;
  SmallVector<int64_t> onlyLeft, onlyRight;
  for (int64_t axis = 0, rank = shape.size(); axis < rank; ++axis) {
    if (reduced[axis]) {
      axes.products.push_back(axis);
      continue;
    }
    bool left = variesAlong(product.getLhs(), axis);
    bool right = variesAlong(product.getRhs(), axis);
    if (left && !right)
      onlyLeft.push_back(axis);
    if (right && !left)
      onlyRight.push_back(axis);
  }
  // The columns are those that are stored side by side.
  shape::ShapeTracker tracker = (*stores.begin()).getTracker().getTracker();
  const shape::View &view = tracker.getViews().back();
  SmallVector<int64_t> leftColumns(onlyLeft), rightColumns(onlyRight);
  keepContiguousTail(leftColumns, view);
  keepContiguousTail(rightColumns, view);
  bool isRight = leftColumns.empty();
  axes.rows = isRight ? onlyLeft : onlyRight;
  axes.columns = isRight ? rightColumns : leftColumns;
  if (axes.rows.empty() || axes.columns.empty() || axes.products.empty())
    return std::nullopt;
  return axes;
}
