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
using shape::Layout;

namespace {

class RemoveMovementNopsRule : public Rule {
public:
  RemoveMovementNopsRule() : Rule("RMN", "REMOVE_MOVEMENT_NOPS", 1) {}

  BufferTask view(LazyBuilder &builder, const BufferRef &source,
                  const Movement &movement, const Layout &layout,
                  Location loc) const override {
    if (source->isRealized() || !layout.isContiguous())
      return {};
    LazyBuffer *root = source->movementRoot;
    if (root == source.get() || !root->getLayout().isContiguous() ||
        !layout.hasSizeOf(root->getLayout()))
      return {};
    return builder.reshape(root, layout.getShape(), loc);
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createRemoveMovementNopsRule() {
  return std::make_unique<RemoveMovementNopsRule>();
}
