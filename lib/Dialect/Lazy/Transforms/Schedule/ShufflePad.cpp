//===- ShufflePad.cpp - Pads before elementwise operations ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SPO. Flag: SHUFFLE_PAD_OPS, from OPT=2, within SHUFFLE_MOVEMENT_OPS. Place:
// _push_movement_ops.
//
// SMO3 may move pads too, but not past an operation that makes something else
// than 0 out of zeros: UNSAFE_PAD_OPS, and those that lazy.py forgot.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;

namespace {

class ShufflePadRule : public Rule {
public:
  ShufflePadRule() : Rule("SPO", "SHUFFLE_PAD_OPS", 2, "SMO") {}

  bool movesPads() const override { return true; }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createShufflePadRule() {
  return std::make_unique<ShufflePadRule>();
}
