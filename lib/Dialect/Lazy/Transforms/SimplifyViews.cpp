//===- SimplifyViews.cpp - Merge the views of each access -----------------===//
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
#define GEN_PASS_DEF_SIMPLIFYVIEWSPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;

/// Gives `op` its simplified tracker where that has fewer views.
template <typename OpT, typename TrackerT>
static void simplify(OpT op, const TrackerT &tracker) {
  TrackerT simple = tracker.simplify();
  if (simple.getViews().size() < tracker.getViews().size())
    op.setTrackerAttr(ShapeTrackerAttr::get(op.getContext(), simple));
}

template <typename OpT>
static void simplify(OpT op) {
  ShapeTrackerAttr tracker = op.getTracker();
  if (tracker.isSymbolic())
    simplify(op, tracker.getSymbolicTracker());
  else
    simplify(op, tracker.getTracker());
}

namespace {

struct SimplifyViewsPass
    : lazy::impl::SimplifyViewsPassBase<SimplifyViewsPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto load = dyn_cast<LoadOp>(op))
        return simplify(load);
      if (auto store = dyn_cast<StoreOp>(op))
        return simplify(store);
      auto view = dyn_cast<ViewOp>(op);
      if (!view)
        return;
      simplify(view);
      // In code that is never reached a view may be its own source.
      if (view.getSource() == view.getResult() ||
          view.getSource().getType() != view.getType() ||
          !view.getTracker().getSymbolicTracker().isContiguous())
        return;
      view.replaceAllUsesWith(view.getSource());
      view.erase();
    });
  }
};

} // namespace
