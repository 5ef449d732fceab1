//===- MergeReduceIntoElementwise.cpp - Reduce into elementwise -----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MRE. Flag: MERGE_ONE_REDUCE_INTO_ELEMENTWISE, from OPT=2. Place:
// _ast_binaryops.
//
// When kernels are formed, the first value that the kernel reads, that only it
// reads, and that is a reduce, perhaps reshaped, is computed in the kernel. The
// other values that it reads are reshaped to the shape of the reduce.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;

namespace {

class MergeReduceIntoElementwiseRule : public Rule {
public:
  MergeReduceIntoElementwiseRule()
      : Rule("MRE", "MERGE_ONE_REDUCE_INTO_ELEMENTWISE", 2) {}

  bool mergesReduce(LazyGraph &graph, LazyBuffer &leaf) const override {
    LazyBuffer *root = leaf.mergeRoot;
    return root->isUnrealized(Group::Reduce) &&
           root->getLayout().hasSizeOf(leaf.getLayout()) &&
           graph.countChildren(leaf) <= 1 && graph.countChildren(*root) <= 1;
  }
};

} // namespace

std::unique_ptr<Rule>
tinygrad::lazy::schedule::createMergeReduceIntoElementwiseRule() {
  return std::make_unique<MergeReduceIntoElementwiseRule>();
}
