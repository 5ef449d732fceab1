//===- ReuseOutput.cpp - Kernels that write into an assign's target -------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OUT. Flag: none, always on. Place: LazyBuffer.schedule, `output_buffer`.
//
// The kernel of a value that is assigned to a tensor writes into that tensor's
// memory, unless it also reads it through a view that is not contiguous. Who
// else reads the old contents does not matter here: `lazy-plan-memory` orders
// and copies.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;

namespace {

class ReuseOutputRule : public Rule {
public:
  ReuseOutputRule() : Rule("OUT", "", 0) {}

  bool reusesOutput(const LazyBuffer &target,
                    ArrayRef<BufferRef> leaves) const override {
    return llvm::all_of(leaves, [&](const BufferRef &leaf) {
      return leaf->getBase() != &target ||
             leaf->getLayout().simplify().isContiguous();
    });
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createReuseOutputRule() {
  return std::make_unique<ReuseOutputRule>();
}
