//===- EmitElementwise.h - Elementwise operations ---------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_KERNELBODY_EMITELEMENTWISE_H
#define TINYGRAD_LIB_CONVERSION_KERNELBODY_EMITELEMENTWISE_H

#include "tinygrad/Ops/DType.h"
#include "tinygrad/Ops/OpKind.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tinygrad {

/// Returns the type in which elements of `type` are computed: signless
/// integers, `i1` for bool, floats as they are.
mlir::Type getComputeType(mlir::MLIRContext *context, DType type);

/// Returns `element`, or a vector of `width` of it where `width` is not 1.
mlir::Type getVectorType(mlir::Type element, int64_t width);

/// Makes a constant of `type`, a scalar or a vector.
mlir::Value createNumber(mlir::ImplicitLocOpBuilder &builder, mlir::Type type,
                         double value);

/// Emits `kind` on scalars or on vectors of one width, by the semantics of
/// `Ops/`. `operandType` is the element type of the operands (of the chosen
/// ones for `where`), `resultType` that of the result, `conditionType` that of
/// the condition of `where`.
mlir::Value emitElementwise(mlir::ImplicitLocOpBuilder &builder,
                            ops::OpKind kind, mlir::ValueRange operands,
                            DType operandType, DType resultType,
                            DType conditionType);

/// Emits a conversion between element types, by the semantics of `ops::cast`.
mlir::Value emitCast(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                     DType from, DType to);

/// Emits one step of a reduce: `accumulator (+) element`, both of `type`.
mlir::Value emitAccumulate(mlir::ImplicitLocOpBuilder &builder,
                           ops::OpKind kind, mlir::Value accumulator,
                           mlir::Value element, DType type);

} // namespace tinygrad

#endif // TINYGRAD_LIB_CONVERSION_KERNELBODY_EMITELEMENTWISE_H
