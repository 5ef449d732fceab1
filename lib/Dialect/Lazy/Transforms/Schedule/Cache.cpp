//===- Cache.cpp - Equal operations are one buffer ------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CSE. Flag: none, LAZYCACHE. Place: create_lazybuffer.
//
// An operation equal to one whose buffer still lives is that buffer. It counts
// as a child of its sources again, if lazy.py had taken it out.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;
using shape::Layout;

namespace {

class CacheRule : public Rule {
public:
  CacheRule() : Rule("CSE", "", 0) {}

  BufferRef create(LazyGraph &graph, const Layout &layout, const OpRef &op,
                   const BufferRef &base) const override {
    LazyBuffer *other = graph.findEqual(*op, base.get());
    if (other)
      other->isDetached = false;
    return other;
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createCacheRule() {
  return std::make_unique<CacheRule>();
}
