//===- SizeArithmetic.h - Expressions as arith operations -------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The border between integers as expressions of variables, which attributes
// hold, and integers as values, which are computed when a program runs.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_TRANSFORMS_SIZEARITHMETIC_H
#define TINYGRAD_DIALECT_LAZY_TRANSFORMS_SIZEARITHMETIC_H

#include "tinygrad/Shape/IndexExpr.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace tinygrad::lazy {

/// Emits the value of `expr`, of `type`: index, or a vector of integers. `find`
/// is asked for each expression in it, and returns the value of one that is
/// there, as each variable must be, or null.
mlir::Value
emitExpr(mlir::ImplicitLocOpBuilder &builder, const shape::IndexExpr &expr,
         mlir::Type type,
         llvm::function_ref<mlir::Value(const shape::IndexExpr &)> find);

/// Returns the expression that `value` computes of the arguments of its
/// function that give variables their values; nothing where it is computed of
/// anything else.
std::optional<shape::IndexExpr> readSize(mlir::Value value);

} // namespace tinygrad::lazy

#endif // TINYGRAD_DIALECT_LAZY_TRANSFORMS_SIZEARITHMETIC_H
