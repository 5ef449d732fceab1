//===- NodeCache.h - Equal operations are one node --------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LAZYCACHE of lazy.py, for contexts with `countsHolders`: what is written
// twice is computed once, also where it is realized in between.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_NODECACHE_H
#define TINYGRAD_LIB_TENSOR_NODECACHE_H

#include "Node.h"

namespace tinygrad::detail {

/// Returns a node that lives and is the same operation on the same values as
/// `node`, or `node`, which will be found from now on. Views are the same if
/// they show the same elements of one value. Nodes with a gradient, which
/// belongs to one variable, are never shared.
NodeRef shareNode(NodeRef node);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_NODECACHE_H
