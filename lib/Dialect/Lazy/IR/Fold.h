//===- Fold.h - What the folds share ----------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants as elements of `Ops/` and back, every bit
// kept, and when an operation may be rewritten.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_LAZY_IR_FOLD_H
#define TINYGRAD_LIB_DIALECT_LAZY_IR_FOLD_H

#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.h"

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace tinygrad::lazy {

/// Returns the one value of `constant`, or nothing if it is null, holds several
/// values or none, or has elements that the dialect does not have.
std::optional<ops::Scalar> readSplat(mlir::Attribute constant);

/// Returns the constant of `type` that holds the integer `value` everywhere.
mlir::DenseElementsAttr makeSplat(mlir::RankedTensorType type, int64_t value);

/// Returns the type of the only result of `op` if a constant may stand for it:
/// its extents are numbers, and it has the encoding of all operands.
mlir::RankedTensorType getFoldableType(mlir::Operation *op);

/// Returns `value` as what replaces the only result of `op`; nothing if the
/// types differ, or if `op` uses its own result, as it may in dead code.
mlir::OpFoldResult replaceBy(mlir::Operation *op, mlir::Value value);

/// Returns the operation of type `OpT` that defines the first operand of `op`
/// if it stands before `op` in the same block, else null. Folds that make `op`
/// read what the returned operation reads end, since each moves the operand
/// towards the beginning of the block; in dead code and in graph regions
/// operands may form a cycle.
template <typename OpT>
OpT getSourceBefore(mlir::Operation *op) {
  auto source = op->getOperand(0).getDefiningOp<OpT>();
  if (!source || source->getBlock() != op->getBlock() ||
      !source->isBeforeInBlock(op))
    return {};
  return source;
}

} // namespace tinygrad::lazy

#endif // TINYGRAD_LIB_DIALECT_LAZY_IR_FOLD_H
