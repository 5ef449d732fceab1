//===- ScalarFloat.h - Arithmetic of the float types ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The float half of Scalar.cpp. A value of any float type travels as a double
// that the type can represent.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_OPS_SCALARFLOAT_H
#define TINYGRAD_LIB_OPS_SCALARFLOAT_H

#include "tinygrad/Ops/DType.h"
#include "tinygrad/Ops/OpKind.h"

namespace tinygrad::ops::detail {

/// Returns `value` rounded once to nearest even in the float type `type`:
/// overflow gives an infinity, subnormals are kept.
double roundTo(DType type, double value);

/// Returns the integer with `magnitude` and sign, rounded once in `type`.
double roundIntegerTo(DType type, uint64_t magnitude, bool isNegative);

/// Returns the double of the element of `type` with these bits. A NaN keeps
/// its payload.
double decode(DType type, uint64_t bits);

/// Returns the bits of `value`, which `type` can represent. A NaN keeps what
/// fits of its payload and stays a NaN.
uint64_t encode(DType type, double value);

/// Returns the value of an elementwise operation on operands of the float type
/// `type`, such that rounding it to `type` rounds once; `b` and `c` are read by
/// binary and ternary kinds only. Not for cast, bitcast and where.
double evaluateFloat(OpKind kind, DType type, double a, double b, double c);

} // namespace tinygrad::ops::detail

#endif // TINYGRAD_LIB_OPS_SCALARFLOAT_H
