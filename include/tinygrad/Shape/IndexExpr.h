//===- IndexExpr.h - Integer expressions of index variables -----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index arithmetic as a small immutable expression graph: sums, products,
// floor division and modulo over variables with known bounds. Building an
// expression simplifies it by its bounds.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SHAPE_INDEXEXPR_H
#define TINYGRAD_SHAPE_INDEXEXPR_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tinygrad::shape {

/// An expression of 64-bit integers. Copying shares nodes. Division and modulo
/// are floor division and its remainder; the divisor is a positive constant.
class IndexExpr {
public:
  enum class Kind : uint8_t { Constant, Variable, Add, Mul, FloorDiv, Mod };

  static IndexExpr constant(int64_t value);
  /// Makes variable number `id`, not negative, an integer in [min, max]; where
  /// that is one number, the constant.
  static IndexExpr variable(int64_t id, int64_t min, int64_t max);

  Kind getKind() const;
  /// The smallest and the largest value that the bounds of the variables
  /// allow; exact for sums of distinct variables, else safe.
  int64_t getMin() const;
  int64_t getMax() const;
  /// The value of a constant, the number of a variable, the constant operand
  /// of Mul, FloorDiv and Mod.
  int64_t getValue() const;
  /// The operands: two or more of an Add, one of Mul, FloorDiv and Mod.
  std::span<const IndexExpr> getOperands() const;

  IndexExpr operator+(const IndexExpr &other) const;
  IndexExpr operator+(int64_t value) const;
  IndexExpr operator*(int64_t factor) const;
  IndexExpr floorDiv(int64_t divisor) const;
  IndexExpr mod(int64_t divisor) const;

  /// Returns the value with `values[id]` for each variable.
  int64_t evaluate(std::span<const int64_t> values) const;
  /// Writes "(d0 * 3 + d1) mod 5".
  std::string toString() const;
  bool operator==(const IndexExpr &other) const;

  struct Node;

private:
  explicit IndexExpr(std::shared_ptr<const Node> node);
  std::shared_ptr<const Node> node;
};

/// The condition `min <= expr <= max`.
struct IndexRange {
  IndexExpr expr;
  int64_t min;
  int64_t max;
};

/// Where an access goes: the flat index, and the conditions under which it is
/// read at all; outside of them the element is 0. An empty list: always. The
/// index is simplified under the conditions: where one fails it may be any
/// number. Conditions are in canonical order, each expression once.
struct IndexAccess {
  IndexExpr index;
  std::vector<IndexRange> conditions;

  /// True if nothing is read at all; there is one condition then, on a
  /// constant, which does not hold.
  bool isNever() const;
};

} // namespace tinygrad::shape

#endif // TINYGRAD_SHAPE_INDEXEXPR_H
