//===- CollapseAxes.cpp - Merge neighbouring axes of kernels --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_COLLAPSEAXESPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;
using shape::IndexExpr;

namespace {

/// Neighbouring axes that become one: the first, and the end.
using Group = std::pair<int64_t, int64_t>;

/// Returns the extent of `group` as one axis, or nothing where that does not
/// fit: beside an axis without elements others may be of any size.
std::optional<IndexExpr> getExtent(ArrayRef<IndexExpr> dims, Group group) {
  IndexExpr extent = 1;
  int64_t largest = 1;
  for (int64_t axis = group.first; axis < group.second; ++axis) {
    if (__builtin_mul_overflow(largest, dims[axis].getMax(), &largest))
      return std::nullopt;
    extent = extent * dims[axis];
  }
  return extent;
}

/// Returns `dims` with each group of axes as one axis.
shape::Sizes collapse(ArrayRef<IndexExpr> dims, ArrayRef<Group> groups) {
  shape::SymbolicDims result;
  for (Group group : groups)
    result.push_back(*getExtent(dims, group));
  return result;
}

struct CollapseAxesPass : lazy::impl::CollapseAxesPassBase<CollapseAxesPass> {
  void runOnOperation() override {
    getOperation().walk([&](KernelOp kernel) {
      if (!kernel.getPlanAttr())
        collapseAxes(kernel);
    });
  }

  void collapseAxes(KernelOp kernel) {
    shape::SymbolicDims shape = kernel.getIterationSizes().getExprs();
    SmallVector<bool> reduced = kernel.getReducedAxes();
    int64_t rank = shape.size();
    // From the last axis to the first: each joins the group behind it if it
    // can. Axes of extent 1 join any group.
    SmallVector<Group> groups;
    for (int64_t axis = rank - 1; axis >= 0; --axis) {
      if (!groups.empty() && canMerge(kernel, axis, groups, shape, reduced)) {
        groups.back().first = axis;
        continue;
      }
      groups.emplace_back(axis, axis + 1);
    }
    std::reverse(groups.begin(), groups.end());
    // Only axes of extent 1: they go.
    if (groups.size() == 1 &&
        llvm::all_of(shape, [](const IndexExpr &e) { return e == 1; }))
      groups.clear();
    if (static_cast<int64_t>(groups.size()) != rank)
      rewrite(kernel, groups);
  }

  /// True if `axis` may become a part of the group behind it, the last of
  /// `groups`.
  bool canMerge(KernelOp kernel, int64_t axis, ArrayRef<Group> groups,
                ArrayRef<IndexExpr> shape, ArrayRef<bool> reduced) {
    auto [begin, end] = groups.back();
    bool isReduced = false;
    for (int64_t other = begin; other < end; ++other)
      isReduced |= reduced[other];
    if (shape[axis] == 1 || *getExtent(shape, {begin, end}) == 1)
      return true;
    std::optional<IndexExpr> extent = getExtent(shape, {axis, end});
    if (reduced[axis] != isReduced || !extent)
      return false;
    // The groups as they would be, outermost first, the axes before as they
    // are.
    SmallVector<Group> merged;
    for (int64_t before = 0; before < axis; ++before)
      merged.emplace_back(before, before + 1);
    merged.emplace_back(axis, end);
    for (Group group : llvm::reverse(groups.drop_back()))
      merged.push_back(group);
    for (Operation &op : *kernel.getBlock()) {
      RankedTensorType type = getValueType(&op);
      shape::SymbolicDims dims = getSymbolicShape(type);
      std::optional<IndexExpr> own = getExtent(dims, {axis, end});
      if (!own || !(*own == 1 || own == extent))
        return false;
      ShapeTrackerAttr attr = getTracker(&op);
      if (!attr)
        continue;
      shape::Layout layout = attr.getLayout();
      if (layout.reshape(collapse(dims, merged)).getNumViews() >
          layout.getNumViews())
        return false;
    }
    return true;
  }

  void rewrite(KernelOp kernel, ArrayRef<Group> groups) {
    for (Operation &op : *kernel.getBlock()) {
      RankedTensorType type = getValueType(&op);
      ShapeTrackerAttr attr = getTracker(&op);
      // The value that a store takes is collapsed by now; its view is not.
      shape::Sizes dims = collapse(attr ? attr.getLayout().getShape().getExprs()
                                        : getSymbolicShape(type),
                                   groups);
      if (attr) {
        auto collapsed = ShapeTrackerAttr::get(&getContext(),
                                               attr.getLayout().reshape(dims));
        if (auto load = dyn_cast<LoadOp>(op))
          load.setTrackerAttr(collapsed);
        else
          cast<StoreOp>(op).setTrackerAttr(collapsed);
      }
      if (op.getNumResults() == 0)
        continue;
      auto collapsed = withShape(type, dims.getExprs());
      op.getResult(0).setType(collapsed);
      if (auto constant = dyn_cast<ConstOp>(op))
        constant.setValueAttr(getSplatAttr(collapsed, constant.getScalar()));
    }
  }

  static RankedTensorType getValueType(Operation *op) {
    return cast<RankedTensorType>(op->getNumResults()
                                      ? op->getResult(0).getType()
                                      : op->getOperand(0).getType());
  }

  static ShapeTrackerAttr getTracker(Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return load.getTracker();
    if (auto store = dyn_cast<StoreOp>(op))
      return store.getTracker();
    return {};
  }
};

} // namespace
