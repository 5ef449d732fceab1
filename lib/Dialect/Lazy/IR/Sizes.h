//===- Sizes.h - The integers of operations as one list ---------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How attributes become the list that the rules of `Ops/` take: see
// `ops::OpAttributes`.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_LAZY_IR_SIZES_H
#define TINYGRAD_LIB_DIALECT_LAZY_IR_SIZES_H

#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.h"

namespace tinygrad::lazy {

/// Returns numbers as expressions.
inline shape::SymbolicDims makeConstants(llvm::ArrayRef<int64_t> numbers) {
  return shape::SymbolicDims(numbers.begin(), numbers.end());
}

/// Joins two lists into first0, second0, first1, …; a list that `Ops/` refuses
/// where one is longer: it must not pass for shorter ones of equal length.
inline shape::SymbolicDims interleave(SizesAttr first, SizesAttr second) {
  if (first.size() != second.size())
    return {0};
  shape::SymbolicDims result;
  for (auto [a, b] : llvm::zip(first.getSizes(), second.getSizes()))
    result.insert(result.end(), {a, b});
  return result;
}

/// Checks, with all variables at the ends of their ranges, that the first view
/// of `tracker` reads no more of `memory` than its `sizes` say; emits an error
/// on `op` if it does.
mlir::LogicalResult verifyReach(mlir::Operation *op,
                                const shape::SymbolicShapeTracker &tracker,
                                const shape::SymbolicDims &sizes,
                                mlir::Type memory);

} // namespace tinygrad::lazy

#endif // TINYGRAD_LIB_DIALECT_LAZY_IR_SIZES_H
