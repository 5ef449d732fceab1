//===- RemoveMovementNops.cpp - Movement that moves nothing ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RMN. Flag: REMOVE_MOVEMENT_NOPS, from OPT=1. Place: LazyBuffer._movement_op.
//
// A chain of movement operations after which the elements lie as before is one
// reshape of the chain's source.
//
//===----------------------------------------------------------------------===//

#include "LazyBuilder.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;
using shape::ShapeTracker;

namespace {

class RemoveMovementNopsRule : public Rule {
public:
  RemoveMovementNopsRule() : Rule("RMN", "REMOVE_MOVEMENT_NOPS", 1) {}

  BufferTask view(LazyBuilder &builder, const BufferRef &source,
                  const Movement &movement, const ShapeTracker &tracker,
                  Location loc) const override {
    if (source->isRealized() || !tracker.isContiguous())
      return {};
    LazyBuffer *root = source->movementRoot;
    if (root == source.get() || !root->getTracker().isContiguous() ||
        tracker.getNumElements() != root->getTracker().getNumElements())
      return {};
    return builder.reshape(root, tracker.getShape(), loc);
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createRemoveMovementNopsRule() {
  return std::make_unique<RemoveMovementNopsRule>();
}
