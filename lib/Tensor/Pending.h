//===- Pending.h - Variables that a realization takes along -----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_PENDING_H
#define TINYGRAD_LIB_TENSOR_PENDING_H

#include "ContextImpl.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <unordered_set>
#include <vector>

namespace tinygrad::detail {

/// Returns true for a node that a realization computes.
bool isComputed(const Node &node);

/// Calls `visit` once for each node that `node` needs and that is computed,
/// except those in `seen`.
void forEachComputed(const NodeRef &node,
                     std::unordered_set<const Node *> &seen,
                     llvm::function_ref<void(const Node *)> visit);

/// Takes the variables of this thread that need a part of `outputs`, and those
/// that were put beside them (see realizeLater).
std::vector<Tensor> takePending(Context::Impl &context,
                                const std::vector<NodeRef> &outputs);

/// Computes all variables of this thread that wait.
void realizePending(Context::Impl &context);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_PENDING_H
