//===- LazyInterfaces.h - Groups of operations ------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYINTERFACES_H
#define TINYGRAD_DIALECT_LAZY_IR_LAZYINTERFACES_H

#include "tinygrad/Ops/Graph.h"
#include "tinygrad/Shape/ShapeTracker.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace tinygrad::lazy::detail {
/// Checks types and shapes of an operation by the rules of `Ops/`.
mlir::LogicalResult verifyComputeOp(mlir::Operation *op);

/// Returns the ranked tensor `type` with another shape, or another element
/// type; its encoding stays.
mlir::RankedTensorType withShape(mlir::Type type,
                                 llvm::ArrayRef<int64_t> shape);
mlir::RankedTensorType withElementType(mlir::Type type, mlir::Type element);

// Methods of ComputeOpInterface.
bool isSymbolic(mlir::Operation *op);
ops::OpAttributes getOpAttributes(mlir::Operation *op);

// The folds of each group. `constants` are the operands that are constants,
// null for the others. Each fold keeps every element's value, bit for bit but
// for the payloads of NaNs.
mlir::OpFoldResult foldElementwise(mlir::Operation *op,
                                   llvm::ArrayRef<mlir::Attribute> constants);
mlir::OpFoldResult foldMovement(mlir::Operation *op, mlir::Attribute constant);
mlir::OpFoldResult foldReduce(mlir::Operation *op, mlir::Attribute constant);
} // namespace tinygrad::lazy::detail

#include "tinygrad/Dialect/Lazy/IR/LazyInterfaces.h.inc"

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYINTERFACES_H
