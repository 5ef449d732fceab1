//===- LoopNest.h - Kernels as loop nests -----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering of every kernel that is not planned as a contraction.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_LAZYTOLOOPS_LOOPNEST_H
#define TINYGRAD_LIB_CONVERSION_LAZYTOLOOPS_LOOPNEST_H

#include "../KernelBody/KernelEmitter.h"

namespace tinygrad {

/// Emits `kernel` on `arguments`, the flat memref or the index that each block
/// argument is, as one
/// `scf.parallel` over tasks. Without a plan: one task, scalar code. Fails with
/// a diagnostic where the plan cannot be obeyed.
mlir::LogicalResult emitLoopNest(mlir::ImplicitLocOpBuilder &builder,
                                 lazy::KernelOp kernel,
                                 mlir::ValueRange arguments);

/// Emits `kernel`, whose plan is that of a contraction, likewise.
mlir::LogicalResult emitContraction(mlir::ImplicitLocOpBuilder &builder,
                                    lazy::KernelOp kernel,
                                    mlir::ValueRange arguments);

/// Fails with a diagnostic where a store does not write one element at each
/// position of the kept axes: a narrower one would be repeated, one along
/// reduced axes has no loop.
mlir::LogicalResult checkStores(llvm::ArrayRef<lazy::StoreOp> stores,
                                const shape::SymbolicDims &shape,
                                llvm::ArrayRef<bool> reduced);

/// Makes `scf.parallel` over [0, count) and sets the insertion point into it.
/// Returns the task's number.
mlir::Value emitTaskLoop(mlir::ImplicitLocOpBuilder &builder,
                         mlir::Value count);

} // namespace tinygrad

#endif // TINYGRAD_LIB_CONVERSION_LAZYTOLOOPS_LOOPNEST_H
