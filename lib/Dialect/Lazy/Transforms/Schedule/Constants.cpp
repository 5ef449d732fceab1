//===- Constants.cpp - Constants are parts of kernels ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CST. Flag: none, always on. Place: LazyBuffer.schedule, _replace_bufferops.
//
// A constant, or a view of one, that a kernel reads is made in the kernel. No
// buffer is filled with it.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;

namespace {

class ConstantsRule : public Rule {
public:
  ConstantsRule() : Rule("CST", "", 0) {}

  bool isKnown(LazyBuffer &leaf) const override {
    return leaf.isUnrealizedConst();
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createConstantsRule() {
  return std::make_unique<ConstantsRule>();
}
