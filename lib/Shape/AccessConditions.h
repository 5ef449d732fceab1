//===- AccessConditions.h - The conditions of an access ---------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the conditions of an access are written, and what they say about its
// index and about each other.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_SHAPE_ACCESSCONDITIONS_H
#define TINYGRAD_LIB_SHAPE_ACCESSCONDITIONS_H

#include "tinygrad/Shape/IndexExpr.h"

#include "Arithmetic.h"

namespace tinygrad::shape {

/// Returns the access that reads nothing.
IndexAccess makeNever();

/// Returns `min <= expr <= max` in its simplest form: without a division on
/// top, without a constant term or a common factor, the first coefficient
/// positive, the range within the expression's bounds; min > max if it cannot
/// hold.
IndexRange normalize(IndexExpr expr, Wide min, Wide max);

/// Adds the condition to `access`, unless bounds prove it. Returns false if the
/// conditions can't hold together.
bool addCondition(IndexAccess &access, const IndexExpr &expr, Wide min,
                  Wide max);

/// Brings the conditions into canonical order.
void sortConditions(IndexAccess &access);

/// Simplifies an access by its own conditions: the index where all of them
/// hold, each condition where the others do. What is read does not change. All
/// variables have numbers that are not negative. Returns sorted conditions. The
/// cost depends on the number of conditions and on the size of the expressions.
IndexAccess refine(IndexAccess access);

} // namespace tinygrad::shape

#endif // TINYGRAD_LIB_SHAPE_ACCESSCONDITIONS_H
