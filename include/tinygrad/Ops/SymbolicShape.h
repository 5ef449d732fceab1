//===- SymbolicShape.h - Shape rules for symbolic sizes ---------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of `inferShape` for extents that are expressions of variables.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPS_SYMBOLICSHAPE_H
#define TINYGRAD_OPS_SYMBOLICSHAPE_H

#include "tinygrad/Ops/OpKind.h"
#include "tinygrad/Shape/IndexExpr.h"

#include <string>
#include <vector>

namespace tinygrad::ops {

/// Computes the shape of the result of `kind` on operands of `shapes`, by the
/// rules of `inferShape`; `ints` is laid out as `OpAttributes::ints`. Where all
/// are numbers, that is what decides. Else each condition must be provable for
/// all values of the variables; what is not is an error, "cannot prove that …",
/// with the expressions in it. A permutation and the steps of a stride are
/// numbers.
///
/// One rule asks less: the number of elements of a reshape need stay only for
/// the values that bound variables are bound to, as in the reference, where
/// [3, 4] becomes [i, 4] with i bound to 3.
///
/// Returns false and one sentence in `error` if operands or attributes are not
/// allowed; `result` is then unchanged.
bool inferSymbolicShape(OpKind kind,
                        const std::vector<shape::SymbolicDims> &shapes,
                        const std::vector<shape::IndexExpr> &ints,
                        shape::SymbolicDims &result, std::string &error);

} // namespace tinygrad::ops

#endif // TINYGRAD_OPS_SYMBOLICSHAPE_H
