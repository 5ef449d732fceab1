//===- PushReshapes.cpp - Reshapes before binary operations ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PRE. Flag: PUSH_RESHAPES, from OPT=4, within SHUFFLE_MOVEMENT_OPS. Place:
// LazyBuffer._movement_op.
//
// SMO2 may move a reshape past every elementwise operation, not only past a
// unary one.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;
using ops::OpKind;

namespace {

class PushReshapesRule : public Rule {
public:
  PushReshapesRule() : Rule("PRE", "PUSH_RESHAPES", 4, "SMO") {}

  bool movesIntoElementwise(const Movement &movement,
                            const LazyOp &op) const override {
    return movement.kind == OpKind::Reshape;
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createPushReshapesRule() {
  return std::make_unique<PushReshapesRule>();
}
