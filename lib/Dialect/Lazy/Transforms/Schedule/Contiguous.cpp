//===- Contiguous.cpp - A contiguous that has nothing to do ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTG. Flag: none, always on. Place: LazyBuffer.contiguous.
//
// CTG1: what a load operation makes is contiguous already.
// CTG2: a value that has the elements of its base in their order is its base
// under another name; no kernel copies it.
//
//===----------------------------------------------------------------------===//

#include "LazyBuilder.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;
using ops::OpKind;
using shape::Layout;

namespace {

class ContiguousRule : public Rule {
public:
  ContiguousRule() : Rule("CTG", "", 0) {}

  BufferRef contiguous(LazyBuilder &builder, const BufferRef &source,
                       Location loc) const override {
    if (!source->isRealized() && source->op->kind != OpKind::Const &&
        ops::getInfo(source->op->kind).group == ops::OpGroup::Load)
      return source;
    const Layout &layout = source->getLayout();
    if (!layout.isContiguous() || source->isUnrealizedConst() ||
        !layout.hasSizeOf(source->getBase()->getLayout()))
      return {};
    OpRef alias = builder.getGraph().createOp(
        OpKind::Contiguous, source->dtype, {{{}, source, std::nullopt}}, loc);
    return builder.createLazyBuffer(Group::Load,
                                    Layout::fromShape(layout.getShape()),
                                    std::move(alias), source->getBase());
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createContiguousRule() {
  return std::make_unique<ContiguousRule>();
}
