//===- ExpandViews.cpp - Write views as movement operations ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"
#include "tinygrad/Shape/MovementChain.h"

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_EXPANDVIEWSPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;
using shape::MovementOp;

static ops::OpKind getKind(MovementOp::Kind kind) {
  switch (kind) {
  case MovementOp::Kind::Reshape:
    return ops::OpKind::Reshape;
  case MovementOp::Kind::Permute:
    return ops::OpKind::Permute;
  case MovementOp::Kind::Expand:
    return ops::OpKind::Expand;
  case MovementOp::Kind::Pad:
    return ops::OpKind::Pad;
  case MovementOp::Kind::Shrink:
    return ops::OpKind::Shrink;
  case MovementOp::Kind::Stride:
    return ops::OpKind::Stride;
  case MovementOp::Kind::AsStrided:
    break;
  }
  return ops::OpKind::AsStrided;
}

/// Returns what `op` has besides its source, as `Ops` writes it.
static ops::OpAttributes getAttributes(const MovementOp &op) {
  ops::OpAttributes attributes{op.ints, {}, {}};
  for (auto [first, second] : op.pairs) {
    attributes.ints.push_back(first);
    attributes.ints.push_back(second);
  }
  if (op.view) {
    attributes.ints = op.view->getShape();
    llvm::append_range(attributes.ints, op.view->getStrides());
    attributes.ints.push_back(op.view->getOffset());
  }
  return attributes;
}

namespace {

struct ExpandViewsPass : lazy::impl::ExpandViewsPassBase<ExpandViewsPass> {
  void runOnOperation() override {
    getOperation().walk([](ViewOp view) {
      if (view.getTracker().isSymbolic() ||
          !view.getSource().getType().hasStaticShape())
        return;
      OpBuilder builder(view);
      Value value = view.getSource();
      Type element = view.getType().getElementType();
      for (const MovementOp &op :
           shape::toMovementOps(view.getTracker().getTracker(),
                                getShape(view.getSource().getType())))
        value =
            createCompute(builder, view.getLoc(), ::getKind(op.kind), value,
                          RankedTensorType::get(op.shape, element,
                                                view.getType().getEncoding()),
                          getAttributes(op));
      // In code that is never reached a view may be its own source.
      if (value == view.getResult())
        return;
      view.replaceAllUsesWith(value);
      view.erase();
    });
  }
};

} // namespace
