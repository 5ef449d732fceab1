//===- ComposeViews.cpp - Fold chains of movement operations into views ---===//
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
#define GEN_PASS_DEF_COMPOSEVIEWSPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;

namespace {

/// A value as a view of another: what a chain of movement operations is.
struct ViewOf {
  Value source;
  shape::ShapeTracker tracker;
};

struct ComposeViewsPass : lazy::impl::ComposeViewsPassBase<ComposeViewsPass> {
  // Operations come before their users, so one walk composes each operation
  // once with the finished view of its source. Where they do not, in blocks out
  // of order and graph regions, a chain is cut.
  void runOnOperation() override {
    llvm::DenseMap<Value, ViewOf> views;
    SmallVector<Operation *> chain;
    getOperation().walk([&](Operation *op) {
      if (!isa<MovementOpInterface, ViewOp>(op))
        return;
      Value source = op->getOperand(0);
      auto found = views.find(source);
      ViewOf view =
          found != views.end()
              ? found->second
              : ViewOf{source, shape::ShapeTracker::fromShape(getShape(
                                   cast<ShapedType>(source.getType())))};
      if (auto movement = dyn_cast<MovementOpInterface>(op))
        view.tracker = movement.applyTo(view.tracker);
      else
        view.tracker =
            view.tracker.compose(cast<ViewOp>(op).getTracker().getTracker());
      views.try_emplace(op->getResult(0), std::move(view));
      chain.push_back(op);
    });
    // From the last to the first: once its user is a view of its own, an
    // operation inside of a chain is dead and needs no view.
    llvm::DenseMap<Value, Value> replaced;
    for (Operation *op : llvm::reverse(chain)) {
      Value result = op->getResult(0);
      if (result.use_empty()) {
        op->erase();
        continue;
      }
      const ViewOf &view = views.find(result)->second;
      // The source of a chain that was cut may be gone.
      Value source = replaced.lookup(view.source);
      Value replacement = source ? source : view.source;
      if (!view.tracker.isContiguous() || replacement == result ||
          replacement.getType() != result.getType()) {
        OpBuilder builder(op);
        replacement =
            ViewOp::create(builder, op->getLoc(), result.getType(), replacement,
                           ShapeTrackerAttr::get(&getContext(), view.tracker));
      }
      result.replaceAllUsesWith(replacement);
      replaced[result] = replacement;
      op->erase();
    }
  }
};

} // namespace
