//===- Symbolic.h - Extents as expressions ----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between extents and the expressions of Shape/, and the values of variables.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_SYMBOLIC_H
#define TINYGRAD_LIB_TENSOR_SYMBOLIC_H

#include "tinygrad/Shape/Layout.h"
#include "tinygrad/Tensor/Error.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace tinygrad::detail {

shape::IndexExpr toExpr(const Extent &extent);
Extent toExtent(const shape::IndexExpr &expr);
shape::SymbolicDims toExprs(const Shape &shape);
Shape toShape(const shape::SymbolicDims &exprs);
/// Returns numbers where all extents are numbers.
shape::Sizes toSizes(const Shape &shape);

/// Returns `a / b` where that is a number, or an expression for all values of
/// the variables; else nothing.
std::optional<Extent> divideExactly(const Extent &a, const Extent &b);

/// Returns the name of a variable in `exprs` that has no value, or nothing.
std::optional<std::string> findFreeVariable(const shape::SymbolicDims &exprs);

/// What the variables of some expressions are bound to.
class VariableValues {
public:
  /// Adds the variables of `exprs`, and returns the expressions with free
  /// variables: what is compiled. Throws Error in the name of `name` if a
  /// variable has no value, or one name two values or two pairs of bounds.
  shape::SymbolicDims add(const char *name, const shape::SymbolicDims &exprs);

  const shape::Bindings &get() const { return values; }
  /// Minimum and maximum by name.
  const std::map<std::string, std::pair<int64_t, int64_t>> &getBounds() const {
    return bounds;
  }

private:
  shape::Bindings values;
  std::map<std::string, std::pair<int64_t, int64_t>> bounds;
};

/// Returns `exprs`, which have free variables, with variables that are bound to
/// `values`.
Shape bindShape(const shape::SymbolicDims &exprs,
                const shape::Bindings &values);

} // namespace tinygrad::detail

namespace tinygrad::ops {

/// Writes a shape of the front end, expressions as such.
std::string toString(const tinygrad::Shape &shape);

} // namespace tinygrad::ops

#endif // TINYGRAD_LIB_TENSOR_SYMBOLIC_H
