//===- MergeElementwiseIntoReduce.cpp - Elementwise into reduce -----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MER. Flag: MERGE_ELEMENTWISE_INTO_REDUCE, from OPT=1. Place: _ast_reduceops.
//
// When kernels are formed, an elementwise value that only the reduce reads
// becomes a part of the reduce's kernel.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;

namespace {

class MergeElementwiseIntoReduceRule : public Rule {
public:
  MergeElementwiseIntoReduceRule()
      : Rule("MER", "MERGE_ELEMENTWISE_INTO_REDUCE", 1) {}

  bool mergesIntoReduce(LazyGraph &graph, LazyBuffer &source) const override {
    return source.isUnrealized(Group::Elementwise) &&
           graph.countChildren(source) <= 1;
  }
};

} // namespace

std::unique_ptr<Rule>
tinygrad::lazy::schedule::createMergeElementwiseIntoReduceRule() {
  return std::make_unique<MergeElementwiseIntoReduceRule>();
}
