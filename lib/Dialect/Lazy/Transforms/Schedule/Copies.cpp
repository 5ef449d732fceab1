//===- Copies.cpp - A copy that leads back --------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPY. Flag: none, always on. Place: LazyBuffer.copy_to_device.
//
// The copy of a copy, on the device where the value was at first, is that
// value. Equal types say that it is the same device.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;
using ops::OpKind;

namespace {

class CopiesRule : public Rule {
public:
  CopiesRule() : Rule("CPY", "", 0) {}

  BufferRef copy(const BufferRef &source, Operation *op) const override {
    if (!source->isUnrealized(OpKind::Copy) ||
        source->op->source->getOperand(0).getType() !=
            op->getResult(0).getType())
      return {};
    return source->getSource();
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createCopiesRule() {
  return std::make_unique<CopiesRule>();
}
