//===- Overwrite.h - Memory of variables that is written again --*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_OVERWRITE_H
#define TINYGRAD_LIB_TENSOR_OVERWRITE_H

#include "Node.h"

namespace tinygrad::detail {

/// A value that a realization computes, and the realized node whose buffer it
/// may be written into: what its variable held before.
struct Overwrite {
  NodeRef value;
  std::weak_ptr<Node> target;
};

/// Returns what the realization of `outputs` has to compute, in their order:
/// for an output of `overwrites`, an `assign` of it to its target, if the
/// target is gone once the outputs are there; else the output.
std::vector<NodeRef> addAssigns(const std::vector<NodeRef> &outputs,
                                const std::vector<Overwrite> &overwrites);

/// Returns how many refer to `buffer` who need its elements: all but the
/// MemoryViews.
long countHolders(const std::shared_ptr<runtime::Buffer> &buffer);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_OVERWRITE_H
