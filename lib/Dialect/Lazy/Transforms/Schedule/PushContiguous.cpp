//===- PushContiguous.cpp - Contiguous after elementwise operations -------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PCO. Flag: PUSH_CONTIGUOUS, from OPT=3. Place: LazyBuffer.e.
//
// e(contiguous(x), y) becomes contiguous(e(x, y)), where nothing else reads x.
//
//===----------------------------------------------------------------------===//

#include "LazyBuilder.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;
using ops::OpKind;

namespace {

class PushContiguousRule : public Rule {
public:
  PushContiguousRule() : Rule("PCO", "PUSH_CONTIGUOUS", 3) {}

  BufferTask elementwise(LazyBuilder &builder,
                         const Elementwise &op) const override {
    bool applies = llvm::any_of(op.sources, [&](const Source &source) {
      return isPushed(builder.getGraph(), *source.buffer);
    });
    return applies ? push(builder, op) : BufferTask();
  }

private:
  static bool isPushed(LazyGraph &graph, LazyBuffer &source) {
    return source.isUnrealized(OpKind::Contiguous) &&
           graph.countChildren(*source.getSource()) <= 1;
  }

  static BufferTask push(LazyBuilder &builder, Elementwise op) {
    for (Source &source : op.sources) {
      if (!isPushed(builder.getGraph(), *source.buffer))
        continue;
      source.buffer->isDetached = true;
      source.buffer = BufferRef(source.buffer->getSource());
    }
    Location loc = op.loc;
    BufferRef value = co_await builder.e(std::move(op));
    builder.getGraph().note(*value, "PCO");
    co_return builder.contiguous(value, loc);
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createPushContiguousRule() {
  return std::make_unique<PushContiguousRule>();
}
