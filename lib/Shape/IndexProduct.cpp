//===- IndexProduct.cpp - Products and division by expressions --*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of expressions, distributed over sums, and quotients by expressions:
// - where number = divisor * q + r with r provably in [0, divisor), the
//   quotient is q and the remainder r;
// - multiples of the divisor leave the numerator;
// - where number = g * a + r with r provably in [0, g), and g divides the
//   divisor, the division is one of a by divisor / g.
//
//===----------------------------------------------------------------------===//

#include "LinearForm.h"
#include "Polynomial.h"

#include <algorithm>

using namespace tinygrad::shape;
using Kind = IndexExpr::Kind;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

struct Interval {
  Wide min, max;
};

} // namespace

static Interval multiply(Interval a, Interval b) {
  auto [min, max] =
      std::minmax({a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max});
  return {saturate(min), saturate(max)};
}

/// Returns the bounds of the `count`-th power of `atom`.
static Interval power(const IndexExpr &atom, size_t count) {
  Interval base{atom.getMin(), atom.getMax()}, result = base;
  for (size_t i = 1; i < count; ++i)
    result = multiply(result, base);
  if (count % 2 == 0)
    result.min = std::max<Wide>(result.min, 0);
  return result;
}

IndexExpr tinygrad::shape::makeProduct(std::vector<IndexExpr> atoms) {
  if (atoms.size() == 1)
    return atoms.front();
  Interval bounds{1, 1};
  for (size_t begin = 0, end; begin < atoms.size(); begin = end) {
    for (end = begin + 1; end < atoms.size() && atoms[end] == atoms[begin];)
      ++end;
    bounds = multiply(bounds, power(atoms[begin], end - begin));
  }
  return IndexExpr::Node::make(Kind::Product, 0, std::move(atoms),
                               static_cast<int64_t>(bounds.min),
                               static_cast<int64_t>(bounds.max));
}

/// Appends the atoms of `term`, neither constant nor Add nor Mul.
static void appendAtoms(std::vector<IndexExpr> &atoms, const IndexExpr &term) {
  if (term.getKind() != Kind::Product)
    return atoms.push_back(term);
  atoms.insert(atoms.end(), term.getOperands().begin(),
               term.getOperands().end());
}

IndexExpr IndexExpr::operator*(const IndexExpr &other) const {
  if (other.isConstant())
    return *this * other.getValue();
  if (isConstant())
    return other * getValue();
  LinearForm a(*this), b(other), product;
  product.add(other, a.constant);
  for (const LinearTerm &left : a.terms) {
    product.add(left.expr * b.constant, left.factor);
    for (const LinearTerm &right : b.terms) {
      std::vector<IndexExpr> atoms;
      appendAtoms(atoms, left.expr);
      appendAtoms(atoms, right.expr);
      std::sort(atoms.begin(), atoms.end(),
                [](const IndexExpr &x, const IndexExpr &y) {
                  return compareExprs(x, y) < 0;
                });
      product.add(makeProduct(std::move(atoms)) * left.factor, right.factor);
    }
  }
  return product.build();
}

//===----------------------------------------------------------------------===//
// Division by expressions
//===----------------------------------------------------------------------===//

/// Returns true if `number` is provably in [0, bound).
static bool isDigit(const Polynomial &number, const Polynomial &bound) {
  Polynomial below = bound;
  below.add(number, -1);
  below.add(Polynomial(1), -1);
  return isNonNegative(number) && isNonNegative(below);
}

/// Divides where the remainder is provably in [0, divisor). The remainder of a
/// division of polynomials can be one divisor off: (-x - 1) mod i.
static std::optional<PolynomialDivision>
divideProvably(const Polynomial &number, const Polynomial &divisor) {
  std::optional<PolynomialDivision> division = divide(number, divisor);
  if (!division)
    return std::nullopt;
  for (int64_t shift : {0, 1, -1}) {
    PolynomialDivision shifted = *division;
    shifted.quotient.add(Polynomial(1), -shift);
    shifted.remainder.add(divisor, shift);
    if (isDigit(shifted.remainder, divisor))
      return shifted;
  }
  return std::nullopt;
}

/// Returns the greatest product that divides all of `number` and `factor`.
static Monomial getCommonFactor(const Polynomial &number, Monomial factor) {
  for (const Monomial &monomial : number.getMonomials()) {
    factor.factor = greatestCommonDivisor(factor.factor, monomial.factor);
    std::vector<IndexExpr> common;
    std::set_intersection(factor.atoms.begin(), factor.atoms.end(),
                          monomial.atoms.begin(), monomial.atoms.end(),
                          std::back_inserter(common),
                          [](const IndexExpr &x, const IndexExpr &y) {
                            return compareExprs(x, y) < 0;
                          });
    factor.atoms = std::move(common);
  }
  return factor;
}

static Polynomial toPolynomial(const Monomial &monomial) {
  Polynomial polynomial;
  polynomial.add(Polynomial(1), monomial.factor, monomial.atoms);
  return polynomial;
}

namespace {

/// number = radix * division.quotient + division.remainder, with the remainder
/// in [0, radix), and radix * rest is the divisor.
struct RadixSplit {
  IndexExpr radix, rest, quotient, remainder;
};

} // namespace

/// Finds a radix, a proper divisor of `divisor`; only where this is one
/// product.
static std::optional<RadixSplit> splitRadix(const Polynomial &number,
                                            const Polynomial &divisor) {
  if (divisor.getMonomials().size() != 1)
    return std::nullopt;
  for (const Monomial &monomial : number.getMonomials()) {
    Polynomial radix = toPolynomial(getCommonFactor(
        toPolynomial(monomial), divisor.getMonomials().front()));
    std::optional<PolynomialDivision> rest = divide(divisor, radix);
    if (!rest || !rest->remainder.isZero())
      continue;
    std::optional<IndexExpr> radixExpr = radix.build(),
                             restExpr = rest->quotient.build();
    if (!radixExpr || !restExpr || radixExpr->isConstant() ||
        *restExpr == IndexExpr(1))
      continue;
    std::optional<PolynomialDivision> division = divideProvably(number, radix);
    if (!division)
      continue;
    std::optional<IndexExpr> quotient = division->quotient.build(),
                             remainder = division->remainder.build();
    if (quotient && remainder)
      return RadixSplit{*radixExpr, *restExpr, *quotient, *remainder};
  }
  return std::nullopt;
}

static bool isPositive(const IndexExpr &expr) {
  return expr.getMin() > 0 || isProvablyLess(0, expr);
}

IndexExpr IndexExpr::floorDiv(const IndexExpr &divisor) const {
  if (divisor.isConstant())
    return floorDiv(std::max<int64_t>(divisor.getValue(), 1));
  Polynomial number(*this), polynomial(divisor);
  if (auto division = divideProvably(number, polynomial))
    if (std::optional<IndexExpr> quotient = division->quotient.build())
      return *quotient;

  IndexExpr whole = constant(0), rest = *this;
  // A divisor of 0 counts as 1: then a multiple of 0 must not leave.
  bool divides = isPositive(divisor);
  if (divides)
    if (auto division = divide(number, polynomial)) {
      std::optional<IndexExpr> quotient = division->quotient.build(),
                               remainder = division->remainder.build();
      if (quotient && remainder) {
        whole = *quotient;
        rest = *remainder;
      }
    }
  if (divides)
    if (auto split = splitRadix(Polynomial(rest), polynomial))
      return whole + split->quotient.floorDiv(split->rest);
  int64_t low = std::max<int64_t>(divisor.getMin(), 1);
  int64_t high = std::max<int64_t>(divisor.getMax(), 1);
  return whole + Node::make(Kind::FloorDivBy, 0, {rest, divisor},
                            std::min(floorDivide(rest.getMin(), low),
                                     floorDivide(rest.getMin(), high)),
                            std::max(floorDivide(rest.getMax(), low),
                                     floorDivide(rest.getMax(), high)));
}

IndexExpr IndexExpr::mod(const IndexExpr &divisor) const {
  if (divisor.isConstant())
    return mod(std::max<int64_t>(divisor.getValue(), 1));
  Polynomial number(*this), polynomial(divisor);
  if (auto division = divideProvably(number, polynomial))
    if (std::optional<IndexExpr> remainder = division->remainder.build())
      return *remainder;

  IndexExpr rest = *this;
  if (isPositive(divisor)) {
    if (auto division = divide(number, polynomial))
      rest = division->remainder.build().value_or(rest);
    if (auto split = splitRadix(Polynomial(rest), polynomial))
      return split->radix * split->quotient.mod(split->rest) + split->remainder;
  }
  int64_t max = std::max<int64_t>(divisor.getMax() - 1, 0);
  return Node::make(Kind::ModBy, 0, {rest, divisor}, 0, max);
}
