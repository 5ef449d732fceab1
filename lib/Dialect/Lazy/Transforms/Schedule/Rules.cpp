//===- Rules.cpp - The table of rules -------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

using namespace tinygrad::lazy::schedule;

Rule::~Rule() = default;

// The order is that in which lazy.py asks: where two rules apply to one
// operation, the first answers.
RuleList tinygrad::lazy::schedule::createRules(const RuleOptions &options) {
  RuleList rules;
  rules.push_back(createZeroSizeRule());
  rules.push_back(createCacheRule());
  rules.push_back(createContiguousRule());
  rules.push_back(createCopiesRule());
  rules.push_back(createConstantsRule());
  rules.push_back(createCollapseRule());
  rules.push_back(
      createSplitReduceRule(options.splitThreshold, options.maxSplitResults));
  rules.push_back(createPushPermutesRule());
  rules.push_back(createShuffleMovementRule());
  rules.push_back(createShufflePadRule());
  rules.push_back(createPushReshapesRule());
  rules.push_back(createRemoveMovementNopsRule());
  rules.push_back(createPushContiguousRule());
  rules.push_back(createMergeElementwiseRule());
  rules.push_back(createMergeElementwiseIntoReduceRule());
  rules.push_back(createMergeReduceIntoElementwiseRule());
  rules.push_back(createReuseOutputRule());
  rules.push_back(createLimitBuffersRule(options.maxKernelBuffers));
  return rules;
}
