//===- LazyOps.td - All operations of the lazy dialect --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYOPS_TD
#define TINYGRAD_DIALECT_LAZY_IR_LAZYOPS_TD

include "tinygrad/Dialect/Lazy/IR/LazyUnaryOps.td"
include "tinygrad/Dialect/Lazy/IR/LazyBinaryOps.td"
include "tinygrad/Dialect/Lazy/IR/LazyTernaryOps.td"
include "tinygrad/Dialect/Lazy/IR/LazyReduceOps.td"
include "tinygrad/Dialect/Lazy/IR/LazyMovementOps.td"
include "tinygrad/Dialect/Lazy/IR/LazyLoadOps.td"
include "tinygrad/Dialect/Lazy/IR/LazyKernelOps.td"

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYOPS_TD
