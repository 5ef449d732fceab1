//===- ExpandViews.h - Write views as movement operations -------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_EXPANDVIEWS_H
#define TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_EXPANDVIEWS_H

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

namespace tinygrad::lazy {

/// Makes the movement operations that give what `view`, which has numbers only,
/// gives, and returns their result; they stand before it. The source of `view`
/// itself is returned where it is read as it is.
mlir::Value expandNumbers(ViewOp view);

} // namespace tinygrad::lazy

#endif // TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_EXPANDVIEWS_H
