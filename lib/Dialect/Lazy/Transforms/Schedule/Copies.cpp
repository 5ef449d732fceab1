//===- Copies.cpp - Copies that lead nowhere ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPY. Flag: none, always on. Place: LazyBuffer.copy_to_device.
//
// CPY1: a copy to the device where the value is does nothing. In the reference
// `Tensor.to` sees to it.
// CPY2: the copy of a copy, on the device where the value was at first, is that
// value.
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
    StringRef device =
        lazy::getDevice(cast<RankedTensorType>(op->getResult(0).getType()));
    if (source->device == device)
      return source;
    if (source->isUnrealized(OpKind::Copy) &&
        source->getSource()->device == device)
      return source->getSource();
    return {};
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createCopiesRule() {
  return std::make_unique<CopiesRule>();
}
