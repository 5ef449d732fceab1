//===- CheckBounds.cpp - Prove that accesses stay in their buffers --------===//
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
#define GEN_PASS_DEF_CHECKBOUNDSPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;

namespace {

/// A buffer, and how an operation reads or writes it.
struct Access {
  ShapedType buffer;
  shape::ShapeTracker tracker;
};

struct CheckBoundsPass : lazy::impl::CheckBoundsPassBase<CheckBoundsPass> {
  using CheckBoundsPassBase::CheckBoundsPassBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      std::optional<Access> access = getAccess(op);
      if (access && failed(check(op, *access)))
        signalPassFailure();
    });
  }

  static std::optional<Access> getAccess(Operation *op) {
    auto make = [](Value buffer, ShapeTrackerAttr tracker) {
      return Access{cast<ShapedType>(buffer.getType()), tracker.getTracker()};
    };
    if (auto load = dyn_cast<LoadOp>(op))
      return make(load.getSource(), load.getTracker());
    if (auto store = dyn_cast<StoreOp>(op))
      return make(store.getTarget(), store.getTracker());
    if (auto view = dyn_cast<ViewOp>(op))
      return make(view.getSource(), view.getTracker());
    if (auto strided = dyn_cast<AsStridedOp>(op))
      return Access{
          strided.getSource().getType(),
          shape::ShapeTracker::fromViews({shape::View::create(
              strided.getType().getShape().vec(), strided.getStrides().vec(),
              static_cast<int64_t>(strided.getOffset()))})};
    return std::nullopt;
  }

  LogicalResult check(Operation *op, const Access &access) {
    int64_t size = access.buffer.getNumElements();
    std::optional<std::pair<int64_t, int64_t>> range =
        access.tracker.getIndexRange();
    auto refuse = [&](int64_t index) {
      return op->emitOpError()
             << "expects indices inside of the " << size << " elements of "
             << access.buffer << ", but cannot exclude index " << index;
    };
    if (range && range->second >= size)
      return refuse(range->second);
    if (range && range->first < 0)
      return refuse(range->first);
    if (!report)
      return success();
    if (range)
      op->emitRemark() << "proves indices from " << range->first << " to "
                       << range->second << " of " << size << " elements";
    else
      op->emitRemark() << "proves that none of " << size
                       << " elements is accessed";
    return success();
  }
};

} // namespace
