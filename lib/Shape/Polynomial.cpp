//===- Polynomial.cpp - Sums of products with wide coefficients -*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of polynomials: sums, products, division with remainder.
//
//===----------------------------------------------------------------------===//

#include "Polynomial.h"

#include "LinearForm.h"

#include <algorithm>

using namespace tinygrad::shape;
using Kind = IndexExpr::Kind;

/// The number of steps and of terms past which a division is given up.
static constexpr size_t maxDivisionSteps = 64;

int tinygrad::shape::compareAtoms(std::span<const IndexExpr> a,
                                  std::span<const IndexExpr> b) {
  if (a.size() != b.size())
    return a.size() < b.size() ? -1 : 1;
  // With atoms in order, the earlier atom's power decides: less of it is less.
  for (size_t i = 0; i < a.size(); ++i)
    if (int order = compareExprs(a[i], b[i]))
      return -order;
  return 0;
}

/// True for a coefficient that a polynomial does not have: it leaves room to
/// add two of them.
static bool isLarge(Wide factor) {
  constexpr Wide limit = Wide(1) << 125;
  return factor <= -limit || factor >= limit;
}

static std::vector<IndexExpr> mergeAtoms(std::span<const IndexExpr> a,
                                         std::span<const IndexExpr> b) {
  std::vector<IndexExpr> merged;
  merged.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged),
             [](const IndexExpr &x, const IndexExpr &y) {
               return compareExprs(x, y) < 0;
             });
  return merged;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Polynomial::Polynomial(Wide constant) { addMonomial({}, constant); }

Polynomial::Polynomial(const IndexExpr &expr) {
  LinearForm form(expr);
  for (const LinearTerm &term : form.terms) {
    std::span<const IndexExpr> atoms(&term.expr, 1);
    if (term.expr.getKind() == Kind::Product)
      atoms = term.expr.getOperands();
    addMonomial({atoms.begin(), atoms.end()}, term.factor);
  }
  addMonomial({}, form.constant);
}

void Polynomial::addMonomial(std::vector<IndexExpr> atoms, Wide factor) {
  if (factor == 0)
    return;
  if (isLarge(factor)) {
    isOverflown = true;
    return;
  }
  auto place = std::lower_bound(
      monomials.begin(), monomials.end(), atoms,
      [](const Monomial &monomial, const std::vector<IndexExpr> &key) {
        return compareAtoms(monomial.atoms, key) < 0;
      });
  if (place == monomials.end() || compareAtoms(place->atoms, atoms) != 0) {
    monomials.insert(place, Monomial{std::move(atoms), factor});
    return;
  }
  // Both are within 126 bits.
  place->factor += factor;
  isOverflown |= isLarge(place->factor);
  if (isOverflown)
    place->factor = 1;
  if (place->factor == 0)
    monomials.erase(place);
}

void Polynomial::add(const Polynomial &other, Wide factor,
                     std::span<const IndexExpr> atoms) {
  isOverflown |= other.isOverflown;
  for (const Monomial &monomial : other.monomials) {
    Wide product;
    if (__builtin_mul_overflow(monomial.factor, factor, &product)) {
      isOverflown = true;
      return;
    }
    addMonomial(mergeAtoms(monomial.atoms, atoms), product);
  }
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial product;
  product.isOverflown = isOverflown;
  for (const Monomial &monomial : monomials)
    product.add(other, monomial.factor, monomial.atoms);
  return product;
}

std::pair<Polynomial, Polynomial>
Polynomial::split(const IndexExpr &atom) const {
  std::pair<Polynomial, Polynomial> parts;
  parts.first.isOverflown = parts.second.isOverflown = isOverflown;
  for (const Monomial &monomial : monomials) {
    std::vector<IndexExpr> rest = monomial.atoms;
    auto place = std::find(rest.begin(), rest.end(), atom);
    if (place == rest.end()) {
      parts.second.addMonomial(std::move(rest), monomial.factor);
      continue;
    }
    rest.erase(place);
    parts.first.addMonomial(std::move(rest), monomial.factor);
  }
  return parts;
}

std::optional<IndexExpr> Polynomial::build() const {
  if (isOverflown)
    return std::nullopt;
  LinearForm form;
  for (const Monomial &monomial : monomials) {
    if (!fitsInt64(monomial.factor))
      return std::nullopt;
    int64_t factor = static_cast<int64_t>(monomial.factor);
    if (monomial.atoms.empty())
      form.addConstant(factor);
    else
      form.add(makeProduct(monomial.atoms), factor);
  }
  return form.build();
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// Returns the atoms of `number` without those of `divisor`, or nothing if one
/// is missing.
static std::optional<std::vector<IndexExpr>>
divideAtoms(const std::vector<IndexExpr> &number,
            const std::vector<IndexExpr> &divisor) {
  std::vector<IndexExpr> quotient;
  size_t next = 0;
  for (const IndexExpr &atom : number) {
    if (next < divisor.size() && atom == divisor[next])
      ++next;
    else
      quotient.push_back(atom);
  }
  if (next < divisor.size())
    return std::nullopt;
  return quotient;
}

std::optional<PolynomialDivision>
tinygrad::shape::divide(const Polynomial &number, const Polynomial &divisor) {
  const Monomial &leading = divisor.getMonomials().back();
  PolynomialDivision result;
  Polynomial rest = number;
  for (size_t step = 0; !rest.isZero(); ++step) {
    if (step >= maxDivisionSteps || !rest.isValid() ||
        rest.getMonomials().size() > maxDivisionSteps)
      return std::nullopt;
    Monomial top = rest.getMonomials().back();
    std::optional<std::vector<IndexExpr>> atoms =
        divideAtoms(top.atoms, leading.atoms);
    // What stays keeps its sign, as where the divisor is a constant.
    Wide factor = atoms ? top.factor / leading.factor : 0;
    Wide kept = top.factor - factor * leading.factor;
    result.remainder.add(Polynomial(1), kept, top.atoms);
    rest.add(Polynomial(1), -kept, top.atoms);
    if (factor == 0)
      continue;
    result.quotient.add(Polynomial(1), factor, *atoms);
    rest.add(divisor, -factor, *atoms);
  }
  return result;
}
