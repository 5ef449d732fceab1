//===- ZeroSize.cpp - Values without elements are constants ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ZER. Flag: none, always on. Place: create_lazybuffer.
//
// A buffer that would have no elements is a constant instead: there is nothing
// to compute and nothing to read.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;
using ops::OpKind;
using shape::Layout;

namespace {

class ZeroSizeRule : public Rule {
public:
  ZeroSizeRule() : Rule("ZER", "", 0) {}

  BufferRef create(LazyGraph &graph, const Layout &layout, const OpRef &op,
                   const BufferRef &base) const override {
    if (!layout.hasNoElements())
      return {};
    OpRef zero =
        graph.createOp(OpKind::Const, op->dtype, {}, op->loc, {}, op->device);
    zero->value = ops::Scalar::fromInt(op->dtype, 0);
    return graph.createBuffer(Group::Load, Layout::fromShape(layout.getShape()),
                              std::move(zero), {});
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createZeroSizeRule() {
  return std::make_unique<ZeroSizeRule>();
}
