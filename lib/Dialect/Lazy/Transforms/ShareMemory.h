//===- ShareMemory.h - Allocations that several values use ------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SHAREMEMORY_H
#define TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SHAREMEMORY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tinygrad::lazy {

/// What memrefs hold: a tensor of one axis, of the element type of the memref,
/// on the device of the memory. Its extent is an expression where that of the
/// memref is `?`.
using MemoryContents = llvm::DenseMap<mlir::Value, mlir::RankedTensorType>;

/// Makes allocations of equal contents whose lives do not overlap one
/// allocation, and puts what is dead before a result is written into the memory
/// of the result. So memory of an expression of variables is shared where the
/// expressions are equal, and then for all values of the variables.
/// A kernel that reads memory for the last time, each element only for its own
/// position, writes its result there.
///
/// `function` is a schedule on flat memrefs of which the first `numInputs`
/// arguments are inputs or bind variables, and the others are results. It has
/// allocations, each for one value, no deallocations, and notes of versions,
/// which stay as they are: a version has the same number in any memory. Memory
/// whose first contents are read is not shared.
///
/// At no time more is allocated than the values that lived at once would have
/// taken at the worst time, each size counted at the largest that it may be.
void shareMemory(mlir::func::FuncOp function, size_t numInputs,
                 const MemoryContents &contents);

/// Returns the most bytes that are allocated at once in `block`, between each
/// `memref.alloc` and its `memref.dealloc`; a size that is no number counts as
/// the largest that it may be. The largest number where that does not fit, or
/// where a size is not computed from variables.
int64_t computePeakBytes(mlir::Block &block);

} // namespace tinygrad::lazy

#endif // TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SHAREMEMORY_H
