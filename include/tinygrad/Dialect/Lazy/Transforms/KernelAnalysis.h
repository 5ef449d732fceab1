//===- KernelAnalysis.h - Facts about the body of a kernel ------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_TRANSFORMS_KERNELANALYSIS_H
#define TINYGRAD_DIALECT_LAZY_TRANSFORMS_KERNELANALYSIS_H

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tinygrad::lazy {

/// Notes on a kernel which rules formed it: an array of labels.
inline constexpr llvm::StringLiteral rulesAttrName = "lazy.rules";

/// Notes what a schedule on memory relies on. A version is what some memory
/// holds from one write to the next, and has a number that no other one of the
/// function has. What the arguments that are memory begin with has the numbers
/// 0, 1 and so on.
///
/// On a kernel, custom or copy: for each operand that is memory, in order, the
/// version that is read, or the one that is made where it is written. Where a
/// kernel loads what it overwrites or does not store each element, the version
/// that lies there before it comes before the one that it makes.
/// On an allocation: the version that it begins with, where that is read.
/// On a deallocation: the version that is there in the end.
/// On the return: the same for each argument that is memory.
inline constexpr llvm::StringLiteral versionsAttrName = "lazy.versions";

/// What a `lazy.copy` on tensors reads: `value` from element `offset` on.
struct CopiedRange {
  mlir::Value value;
  int64_t offset = 0;
};
/// Returns the range that `source`, the operand of a copy, is: a value that is
/// no view, or a `lazy.view` of elements of one that lie side by side, in their
/// order. Nothing for another view, and for a constant.
std::optional<CopiedRange> findCopiedRange(mlir::Value source);

/// Returns the element of the base from which on the target of an assign lies
/// side by side, in its order; nothing where it does not.
std::optional<int64_t> findAssignedOffset(const Storage &storage);

/// Returns the device of a piece of memory: what `lazy.device` says of the
/// allocation or the argument.
llvm::StringRef getMemoryDevice(mlir::Value memory);

/// Notes on a function on memory the most bytes that it allocates at once, an
/// i64.
inline constexpr llvm::StringLiteral peakBytesAttrName = "tinygrad.peak_bytes";

/// Returns the argument of the body that stands for init `index`.
mlir::BlockArgument getInitArgument(KernelOp kernel, size_t index);
/// Returns the one store into init `index`.
StoreOp getStore(KernelOp kernel, size_t index);
bool hasLoads(mlir::BlockArgument argument);
/// True if what `store` stores, through `layout`, may overwrite what the
/// kernel loads from `argument`: each element is loaded for its own position
/// alone, and not for the sum or the maximum of several.
bool loadsInPlace(mlir::BlockArgument argument, StoreOp store,
                  const shape::Layout &layout);
/// Returns a load from `argument` for which that does not hold, or null.
LoadOp findLoadOutOfPlace(mlir::BlockArgument argument, StoreOp store,
                          const shape::Layout &layout);

/// Returns the argument of `function` that gives `variable` its value, or null.
mlir::Value findVariable(mlir::FunctionOpInterface function,
                         const shape::IndexExpr &variable);

/// Emits an error on `op` if no argument of `function` gives one of its
/// variables its value.
mlir::LogicalResult verifyBound(mlir::FunctionOpInterface function,
                                mlir::Operation *op);

/// Returns `kind` followed by the extents of `shape`, as kernels are named:
/// "e_3_i".
std::string getKernelName(llvm::StringRef kind, const shape::Sizes &shape);

/// Returns "1 kernel", "2 kernels".
std::string formatCount(uint64_t count, llvm::StringRef noun);

/// True if `function` holds operations that `lazy-schedule` turns into kernels.
bool hasGraph(mlir::func::FuncOp function);

/// Returns the number of tasks that the lowered kernel function `op` notes on
/// itself, a number or an expression of its variables; nothing if it notes none
/// that is not negative.
std::optional<shape::IndexExpr> getNumTasks(mlir::Operation *op);

/// Returns the one reduce of `kernel`, or null where it has none or several.
ReduceOpInterface getOnlyReduce(KernelOp kernel);

/// Returns the product that `reduce` sums and that no other operation uses, or
/// null.
MulOp getSummedProduct(ReduceOpInterface reduce);

/// True if `value`, of a kernel's body, varies along one of `axes`.
bool variesAlong(mlir::Value value, mlir::ArrayRef<int64_t> axes);

/// The axes of a contraction, in increasing order. All others are a batch:
/// both factors vary along them, or neither.
struct ContractionAxes {
  mlir::SmallVector<int64_t> rows, columns, products;
};

/// Finds the contraction that `kernel` is: one sum of products, one factor
/// that varies along rows and one along columns. The columns are the last axes
/// of a store that are stored side by side; a factor's axes before these
/// belong to the batch. Nothing where there are no rows or no columns, and
/// for kernels with variables.
std::optional<ContractionAxes> matchContraction(KernelOp kernel);

/// What one run of a kernel costs, with each variable at its largest value.
/// Numbers that do not fit are the largest.
struct KernelCost {
  /// One per element of each elementwise operation but casts, and per element
  /// that a reduce reads.
  int64_t flops = 0;
  /// The distinct elements of each buffer that are read, or written, in bytes;
  /// an estimate from above where a view is no plain stride.
  int64_t bytesRead = 0, bytesWritten = 0;
};
KernelCost computeKernelCost(KernelOp kernel);

} // namespace tinygrad::lazy

#endif // TINYGRAD_DIALECT_LAZY_TRANSFORMS_KERNELANALYSIS_H
