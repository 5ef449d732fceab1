//===- AffineAccess.h - Accesses as affine maps and sets --------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The border between the index expressions of `Shape/` and MLIR's: what an
// access reads as an affine map, and when as an integer set.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_AFFINEACCESS_H
#define TINYGRAD_DIALECT_LAZY_IR_AFFINEACCESS_H

#include "tinygrad/Shape/SymbolicShapeTracker.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"

namespace tinygrad::lazy {

/// An access in MLIR's terms. Dimension k is axis k of the logical shape,
/// symbol k is `variables[k]`.
struct AffineAccess {
  /// The one result is the index in the buffer. Semi-affine where a stride or a
  /// divisor is a variable.
  mlir::AffineMap index;
  /// Where the element is read; outside it is 0. Null: everywhere.
  mlir::IntegerSet valid;
  /// In the order of their names.
  std::vector<shape::IndexExpr> variables;
};

/// Returns the access of `tracker` at every position of its shape.
AffineAccess getAffineAccess(mlir::MLIRContext *context,
                             const shape::SymbolicShapeTracker &tracker);

/// Returns `expr` as an affine expression: numbered variables are dimensions,
/// named ones the symbols that have their position in `variables`.
mlir::AffineExpr toAffineExpr(mlir::MLIRContext *context,
                              const shape::IndexExpr &expr,
                              llvm::ArrayRef<shape::IndexExpr> variables);

} // namespace tinygrad::lazy

#endif // TINYGRAD_DIALECT_LAZY_IR_AFFINEACCESS_H
