//===- Polynomial.h - Sums of products with wide coefficients ---*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How proofs and divisions by expressions see an expression. Unlike those of
// LinearForm, coefficients do not wrap: a polynomial past 128 bits is not
// valid, and nothing follows from it.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_SHAPE_POLYNOMIAL_H
#define TINYGRAD_LIB_SHAPE_POLYNOMIAL_H

#include "tinygrad/Shape/IndexExpr.h"

#include "Arithmetic.h"

#include <optional>

namespace tinygrad::shape {

/// A factor times atoms, in the order of `compareExprs`; an atom is what a
/// Product has as operands. No atoms: a constant.
struct Monomial {
  std::vector<IndexExpr> atoms;
  Wide factor;
};

/// A total order of products that keeps when both are multiplied by a third: by
/// degree, then by atoms.
int compareAtoms(std::span<const IndexExpr> a, std::span<const IndexExpr> b);

/// Returns the product of `atoms`, which are in order.
IndexExpr makeProduct(std::vector<IndexExpr> atoms);

/// Monomials in ascending order, each product once, no factor 0.
class Polynomial {
public:
  Polynomial() = default;
  Polynomial(Wide constant);
  explicit Polynomial(const IndexExpr &expr);

  bool isValid() const { return !isOverflown; }
  bool isZero() const { return monomials.empty(); }
  const std::vector<Monomial> &getMonomials() const { return monomials; }

  /// Adds `factor * other * product of atoms`.
  void add(const Polynomial &other, Wide factor = 1,
           std::span<const IndexExpr> atoms = {});
  Polynomial operator*(const Polynomial &other) const;
  /// Returns this as first * atom + second, where second is without `atom`.
  std::pair<Polynomial, Polynomial> split(const IndexExpr &atom) const;

  /// Returns the expression, or nothing if a coefficient passes 64 bits.
  std::optional<IndexExpr> build() const;

private:
  void addMonomial(std::vector<IndexExpr> atoms, Wide factor);

  std::vector<Monomial> monomials;
  bool isOverflown = false;
};

/// number = divisor * quotient + remainder, as polynomials: in the remainder
/// the coefficient of a multiple of the divisor's leading term is smaller than
/// that of this term.
struct PolynomialDivision {
  Polynomial quotient, remainder;
};

/// Divides by a `divisor` that is not 0; nothing if it takes too many steps.
std::optional<PolynomialDivision> divide(const Polynomial &number,
                                         const Polynomial &divisor);

/// As isProvablyNonNegative.
bool isNonNegative(const Polynomial &polynomial);

} // namespace tinygrad::shape

#endif // TINYGRAD_LIB_SHAPE_POLYNOMIAL_H
