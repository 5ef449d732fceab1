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
// expression simplifies it by its bounds. Sizes that are not known when a
// program is compiled are expressions too, over variables with names.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SHAPE_INDEXEXPR_H
#define TINYGRAD_SHAPE_INDEXEXPR_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad::shape {

/// A number per variable name.
using Bindings = std::map<std::string, int64_t, std::less<>>;

/// An expression of 64-bit integers. Copying shares nodes. Division and modulo
/// are floor division and its remainder.
///
/// Variables have a number (the position on an axis) or a name (a size that is
/// not known when a program is compiled). A named variable is its name, its
/// bounds and the value that it is bound to, if any.
///
/// Sums and products are polynomials in canonical form: equal ones compare
/// equal. Their terms are variables, quotients and remainders, and products of
/// these.
class IndexExpr {
public:
  enum class Kind : uint8_t {
    Constant,
    Variable,
    Add,
    /// An operand times a constant.
    Mul,
    /// An operand divided by a positive constant.
    FloorDiv,
    Mod,
    /// The product of two or more operands, in order: variables, quotients,
    /// remainders.
    Product,
    /// The first operand divided by the second, which counts as 1 where it is
    /// less.
    FloorDivBy,
    ModBy,
  };

  /// Makes a constant.
  IndexExpr(int64_t value);
  static IndexExpr constant(int64_t value);
  /// Makes variable number `id`, not negative, an integer in [min, max]; where
  /// that is one number, the constant.
  static IndexExpr variable(int64_t id, int64_t min, int64_t max);
  /// Makes variable number `id`, not negative, an integer in [0, extent). The
  /// extent is not negative; where it is 0 there is no value, so that the
  /// variable may be anything.
  static IndexExpr variable(int64_t id, const IndexExpr &extent);
  /// Makes the variable called `name`, an integer in [min, max]; where that is
  /// one number, the constant.
  static IndexExpr variable(std::string name, int64_t min, int64_t max);

  /// What copies of one expression have in common: expressions share parts, and
  /// who walks one has to know what he has seen, or takes exponential time.
  const void *getIdentity() const { return node.get(); }

  Kind getKind() const;
  /// The smallest and the largest value that the bounds of the variables
  /// allow; exact for sums of distinct variables, else safe.
  int64_t getMin() const;
  int64_t getMax() const;
  /// The value of a constant, the number of a variable (the largest integer if
  /// it has a name), the constant operand of Mul, FloorDiv and Mod.
  int64_t getValue() const;
  /// The operands: two or more of an Add or a Product, one of Mul, FloorDiv and
  /// Mod, two of FloorDivBy and ModBy, the extent of a numbered variable whose
  /// extent is no constant.
  std::span<const IndexExpr> getOperands() const;

  bool isConstant() const { return getKind() == Kind::Constant; }
  bool isConstant(int64_t value) const {
    return isConstant() && getValue() == value;
  }
  /// True for a variable with a name.
  bool isNamed() const;
  /// The name of such a variable.
  const std::string &getName() const;
  /// What such a variable is bound to.
  std::optional<int64_t> getBinding() const;
  /// Returns this variable, which has a name and `value` within its bounds,
  /// bound to `value`: a size that is a parameter of what is compiled, and
  /// known to who runs it. Source: `Variable.bind`. A constant is returned as
  /// it is.
  IndexExpr bind(int64_t value) const;

  IndexExpr operator+(const IndexExpr &other) const;
  IndexExpr operator+(int64_t value) const;
  IndexExpr operator-(const IndexExpr &other) const;
  IndexExpr operator-() const;
  IndexExpr operator*(const IndexExpr &other) const;
  IndexExpr operator*(int64_t factor) const;
  /// The divisor is positive.
  IndexExpr floorDiv(int64_t divisor) const;
  IndexExpr mod(int64_t divisor) const;
  /// Divides by the larger of `divisor` and 1: an extent may be 0.
  IndexExpr floorDiv(const IndexExpr &divisor) const;
  IndexExpr mod(const IndexExpr &divisor) const;

  /// Returns the value with `values[id]` for each variable, or with
  /// `bindings.at(name)`, or what it is bound to if `bindings` has no number.
  int64_t evaluate(std::span<const int64_t> values) const;
  int64_t evaluate(std::span<const int64_t> values,
                   const Bindings &bindings) const;
  /// Writes "(d0 * 3 + d1) mod 5", "i * j * 3": with the precedence of affine
  /// maps, so that it can be read again.
  std::string toString() const;
  bool operator==(const IndexExpr &other) const;

  struct Node;

private:
  explicit IndexExpr(std::shared_ptr<const Node> node);
  std::shared_ptr<const Node> node;
};

/// Returns true if `holds` is true for `expr` or a part of it. Each part is
/// asked once, however many others share it, until one holds.
bool anyPart(const IndexExpr &expr,
             const std::function<bool(const IndexExpr &)> &holds);

/// Extents or strides: one expression per axis.
using SymbolicDims = std::vector<IndexExpr>;

/// Returns the numbers that `exprs` are, or nothing if one is an expression.
std::optional<std::vector<int64_t>> toNumbers(std::span<const IndexExpr> exprs);

/// Writes "[i, 3]".
std::string toString(std::span<const IndexExpr> dims);

//===----------------------------------------------------------------------===//
// Named variables
//===----------------------------------------------------------------------===//

/// Returns true if a named variable occurs in `expr`.
bool isSymbolic(const IndexExpr &expr);

/// Returns the named variables of `exprs`, each once, in the order of their
/// names, then bounds. Variables that differ in what they are bound to differ.
std::vector<IndexExpr> collectVariables(std::span<const IndexExpr> exprs);

/// Returns `expr` with `replace(v)` for each named variable v.
IndexExpr
substituteVariables(const IndexExpr &expr,
                    const std::function<IndexExpr(const IndexExpr &)> &replace);

/// Returns `expr` with numbers for the variables that `bindings` names; each
/// number is within the bounds of its variables.
IndexExpr bindVariables(const IndexExpr &expr, const Bindings &bindings);

/// Checks that `bindings` has a number within bounds for each of `variables`
/// that it names, and, if `needsAll`, that it names each; says in `error` what
/// is wrong. Names that no variable has are allowed.
bool verifyBindings(std::span<const IndexExpr> variables,
                    const Bindings &bindings, bool needsAll,
                    std::string &error);

/// Adds to `bindings` what the bound variables of `expr` are bound to, and
/// returns `expr` with these variables free; nothing if a name has another
/// number already.
std::optional<IndexExpr> unbindVariables(const IndexExpr &expr,
                                         Bindings &bindings);

/// Returns `expr` with the numbers of its bound variables.
IndexExpr resolveVariables(const IndexExpr &expr);

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

/// Returns true if `expr` is provably not negative, for all values of its
/// variables within their bounds (what a variable is bound to does not count).
/// Exact for sums of products of up to six different named variables, each at
/// most once in a product; never true where it should not be. The cost is
/// bounded.
bool isProvablyNonNegative(const IndexExpr &expr);
bool isProvablyLess(const IndexExpr &a, const IndexExpr &b);
bool isProvablyLessOrEqual(const IndexExpr &a, const IndexExpr &b);
bool isProvablyEqual(const IndexExpr &a, const IndexExpr &b);

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

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
