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
using shape::ShapeTracker;
using shape::SymbolicShapeTracker;

namespace {

/// A value as a view of another: what a chain of movement operations is. Plain
/// numbers as long as no expression occurs.
class ViewOf {
public:
  explicit ViewOf(Value source) : source(source) {
    auto type = cast<RankedTensorType>(source.getType());
    if (type.hasStaticShape())
      tracker = ShapeTracker::fromShape(getShape(type));
    else
      symbolic = SymbolicShapeTracker::fromShape(getSymbolicShape(type));
  }

  /// Adds an operation that moves this value.
  void add(Operation *op) {
    auto view = dyn_cast<ViewOp>(op);
    auto movement = dyn_cast<MovementOpInterface>(op);
    if (!symbolic && (view ? view.getTracker().isSymbolic()
                           : cast<ComputeOpInterface>(op).isSymbolic()))
      symbolic = SymbolicShapeTracker::fromStatic(*tracker);
    if (symbolic)
      symbolic = view
                     ? symbolic->compose(view.getTracker().getSymbolicTracker())
                     : movement.applyToSymbolic(*symbolic);
    else if (view)
      tracker = std::move(*tracker).compose(view.getTracker().getTracker());
    else
      movement.moveTracker(*tracker);
  }

  /// Returns this, and leaves nothing: a chain goes on without a copy of it.
  ViewOf take() {
    isTaken = true;
    ViewOf taken(source);
    std::swap(taken.tracker, tracker);
    std::swap(taken.symbolic, symbolic);
    return taken;
  }
  bool hasBeenTaken() const { return isTaken; }

  bool isContiguous() const {
    return symbolic ? symbolic->isContiguous() : tracker->isContiguous();
  }
  ShapeTrackerAttr getAttr(MLIRContext *context) const {
    return symbolic ? ShapeTrackerAttr::get(context, *symbolic)
                    : ShapeTrackerAttr::get(context, *tracker);
  }
  Value getSource() const { return source; }

private:
  Value source;
  bool isTaken = false;
  std::optional<ShapeTracker> tracker;
  std::optional<SymbolicShapeTracker> symbolic;
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
      ViewOf view = found == views.end() || found->second.hasBeenTaken()
                        ? ViewOf(source)
                    : source.hasOneUse() ? found->second.take()
                                         : found->second;
      view.add(op);
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
      // Only where values are their own operands does the one user stay.
      if (view.hasBeenTaken())
        continue;
      // The source of a chain that was cut may be gone.
      Value source = replaced.lookup(view.getSource());
      Value replacement = source ? source : view.getSource();
      if (!view.isContiguous() || replacement == result ||
          replacement.getType() != result.getType()) {
        OpBuilder builder(op);
        replacement = ViewOp::create(builder, op->getLoc(), result.getType(),
                                     replacement, view.getAttr(&getContext()));
      }
      result.replaceAllUsesWith(replacement);
      replaced[result] = replacement;
      op->erase();
    }
  }
};

} // namespace
