//===- MergeElementwise.cpp - Elementwise into elementwise ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MEO. Flag: MERGE_ELEMENTWISE_OPS, from OPT=1. Place: LazyBuffer.e.
//
// An elementwise source that nothing reads yet is inlined. If nothing else
// holds it, it is gone then; a later reader of it would compute it again.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;

namespace {

class MergeElementwiseRule : public Rule {
public:
  MergeElementwiseRule() : Rule("MEO", "MERGE_ELEMENTWISE_OPS", 1) {}

  bool inlines(LazyGraph &graph, LazyBuffer &source) const override {
    return source.isUnrealized(Group::Elementwise) &&
           graph.countChildren(source) == 0;
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createMergeElementwiseRule() {
  return std::make_unique<MergeElementwiseRule>();
}
