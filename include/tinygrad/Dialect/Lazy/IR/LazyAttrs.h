//===- LazyAttrs.h - Attributes and element types ---------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYATTRS_H
#define TINYGRAD_DIALECT_LAZY_IR_LAZYATTRS_H

#include "tinygrad/Ops/DType.h"
#include "tinygrad/Ops/Graph.h"
#include "tinygrad/Shape/ShapeTracker.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#define GET_ATTRDEF_CLASSES
#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.h.inc"

namespace tinygrad::lazy {

/// Returns the element type that `type` is, or nothing for a type that is no
/// element of the dialect.
std::optional<DType> getDType(mlir::Type type);

/// Returns the element type of tensors for `type`: `i1` for bool.
mlir::Type getElementType(mlir::MLIRContext *context, DType type);

/// Returns the element type of memory for `type`: `i8` for bool, signless
/// integers for all.
mlir::Type getMemoryType(mlir::MLIRContext *context, DType type);

/// Returns the one type of graph values: a ranked tensor.
mlir::RankedTensorType getTensorType(mlir::MLIRContext *context,
                                     const ops::Shape &shape, DType type);

/// True if `type` is one of graph values: a ranked tensor of static shape,
/// without an encoding, of fewer than `ops::maxElements` elements with a DType.
bool isGraphTensor(mlir::Type type);

/// Returns the shape of `type` as `Ops/` and `Shape/` take it.
ops::Shape getShape(mlir::ShapedType type);

/// Returns a splat of `value`, the payload of a `lazy.const`.
mlir::DenseElementsAttr getSplatAttr(mlir::RankedTensorType type,
                                     const ops::Scalar &value);

/// Returns the value of a splat.
ops::Scalar getSplatScalar(mlir::DenseElementsAttr splat);

} // namespace tinygrad::lazy

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYATTRS_H
