//===- LinearForm.h - A sum of terms with coefficients ----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the simplifier of index expressions sees an expression: a constant and
// terms (variables, quotients, remainders, products of these), each times a
// coefficient.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_SHAPE_LINEARFORM_H
#define TINYGRAD_LIB_SHAPE_LINEARFORM_H

#include "tinygrad/Shape/IndexExpr.h"

#include "Arithmetic.h"

#include <functional>
#include <optional>

namespace tinygrad::shape {

/// What is inside an IndexExpr, and the way in for this room.
struct IndexExpr::Node {
  /// Makes an expression as it is given: no simplification.
  static IndexExpr make(Kind kind, int64_t value,
                        std::vector<IndexExpr> operands, int64_t min,
                        int64_t max);
  static IndexExpr makeNamed(std::string name, int64_t min, int64_t max,
                             std::optional<int64_t> binding);
  static const Node *get(const IndexExpr &expr) { return expr.node.get(); }

  Kind kind;
  int64_t value;
  int64_t min, max;
  std::vector<IndexExpr> operands;
  /// Equal expressions have equal hashes.
  uint64_t hash;
  /// The number of nodes of the expression written as a tree, saturated: how
  /// long a walk without memory of shared nodes takes.
  uint64_t treeSize;
};

/// What is inside a named variable.
struct NamedNode : IndexExpr::Node {
  std::string name;
  std::optional<int64_t> binding;
};

/// The number of a variable with a name.
inline constexpr int64_t namedVariable = std::numeric_limits<int64_t>::max();

/// A total order of expressions by their structure: variables by number, then
/// by name, then quotients and remainders, then products.
int compareExprs(const IndexExpr &a, const IndexExpr &b);

/// Returns `expr` with each variable v replaced by `replace(v)`.
IndexExpr
substitute(const IndexExpr &expr,
           const std::function<IndexExpr(const IndexExpr &)> &replace);

/// Calls `visit` on each distinct variable node of `expr`.
void visitVariables(const IndexExpr &expr,
                    const std::function<void(const IndexExpr &)> &visit);

/// Returns `expr` in a form that is more often equal for equal functions than
/// the one for reading: without Mod (each a mod m is a - m * floor(a / m)),
/// each numerator's coefficients in [0, divisor), and a quotient of two values
/// written by where it steps from one to the other.
IndexExpr toQuotientForm(const IndexExpr &expr);

/// One term: `expr`, neither constant nor Add nor Mul, times `factor`, not 0.
struct LinearTerm {
  IndexExpr expr;
  int64_t factor;
};

/// A constant and terms in the order of `compareExprs`, each term once.
class LinearForm {
public:
  LinearForm() = default;
  explicit LinearForm(const IndexExpr &expr) { add(expr, 1); }

  /// Adds `factor * expr`.
  void add(const IndexExpr &expr, int64_t factor);
  void addConstant(int64_t value);

  /// Returns the expression.
  IndexExpr build() const;
  /// As build, with remainders and quotients of one number joined:
  /// (a mod m) + m * (a floordiv m) is a. For whole sums: within a division it
  /// would divide again on each level of a deep expression.
  IndexExpr buildJoined();

  int64_t constant = 0;
  std::vector<LinearTerm> terms;

private:
  void addTerm(const IndexExpr &expr, int64_t factor);
  bool joinRemainder();
};

} // namespace tinygrad::shape

#endif // TINYGRAD_LIB_SHAPE_LINEARFORM_H
