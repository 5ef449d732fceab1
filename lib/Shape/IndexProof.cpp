//===- IndexProof.cpp - What the bounds of variables prove ------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves that polynomials are not negative. An atom that occurs at most once
// in each product is eliminated: the polynomial is a * x + b, so its smallest
// value is where x is at one of its bounds, which may be polynomials of other
// atoms. What is left is written in the distances of its atoms to a bound: it
// is not negative if no coefficient is.
//
// Atoms count as independent of each other, but for these bounds: what is
// proved of more values than there are is true of those there are.
//
//===----------------------------------------------------------------------===//

#include "LinearForm.h"
#include "Polynomial.h"

#include <algorithm>

using namespace tinygrad::shape;
using Kind = IndexExpr::Kind;

namespace {

/// scale * atom lies in [low, high]; the scale is positive. A bound may be
/// missing.
struct AtomBounds {
  Polynomial scale;
  std::optional<Polynomial> low, high;
};

class Prover {
public:
  bool isNonNegative(const Polynomial &polynomial);
  bool isNonNegativeByShift(Polynomial polynomial);

private:
  bool isNonNegativeWithin(const IndexExpr &atom, const AtomBounds &bounds,
                           const Polynomial &factor, const Polynomial &rest);

  /// The number of terms that may still be looked at.
  int64_t budget = 8192;
};

} // namespace

/// Returns a constant bound; one that is saturated is none, but for a variable
/// with a name, which has just these bounds.
static std::optional<Wide> getBound(const IndexExpr &atom, bool isUpper) {
  using Limits = std::numeric_limits<int64_t>;
  int64_t bound = isUpper ? atom.getMax() : atom.getMin();
  if (atom.getKind() != Kind::Variable &&
      bound == (isUpper ? Limits::max() : Limits::min()))
    return std::nullopt;
  return bound;
}

static AtomBounds getConstantBounds(const IndexExpr &atom) {
  AtomBounds bounds{Polynomial(1), std::nullopt, std::nullopt};
  if (std::optional<Wide> low = getBound(atom, /*isUpper=*/false))
    bounds.low.emplace(*low);
  if (std::optional<Wide> high = getBound(atom, /*isUpper=*/true))
    bounds.high.emplace(*high);
  return bounds;
}

/// Returns bounds by other atoms, if `atom` has some.
static std::optional<AtomBounds> getSymbolicBounds(const IndexExpr &atom) {
  std::span<const IndexExpr> operands = atom.getOperands();
  auto below = [](const IndexExpr &bound) {
    Polynomial polynomial(bound);
    polynomial.add(Polynomial(1), -1);
    return polynomial;
  };
  switch (atom.getKind()) {
  case Kind::Variable:
    if (operands.empty())
      return std::nullopt;
    return AtomBounds{Polynomial(1), Polynomial(0), below(operands[0])};
  case Kind::ModBy:
    // A divisor of 0 counts as 1, with remainder 0.
    if (operands[1].getMin() < 1)
      return std::nullopt;
    return AtomBounds{Polynomial(1), Polynomial(0), below(operands[1])};
  case Kind::FloorDiv:
  case Kind::FloorDivBy: {
    // number - divisor < divisor * quotient <= number.
    IndexExpr divisor = atom.getKind() == Kind::FloorDiv
                            ? IndexExpr(atom.getValue())
                            : operands[1];
    if (divisor.getMin() < 1)
      return std::nullopt;
    AtomBounds bounds{Polynomial(divisor), Polynomial(operands[0]),
                      Polynomial(operands[0])};
    bounds.low->add(Polynomial(divisor), -1);
    bounds.low->add(Polynomial(1));
    return bounds;
  }
  default:
    return std::nullopt;
  }
}

/// Returns true if the bounds of the atoms alone, term by term, prove it.
static bool isNonNegativeByTerms(const Polynomial &polynomial) {
  Wide sum = 0;
  for (const Monomial &monomial : polynomial.getMonomials()) {
    Wide low = 1;
    if (!monomial.atoms.empty()) {
      IndexExpr product = makeProduct(monomial.atoms);
      std::optional<Wide> bound = getBound(product, monomial.factor < 0);
      if (!bound)
        return false;
      low = *bound;
    }
    if (__builtin_mul_overflow(low, monomial.factor, &low) ||
        __builtin_add_overflow(sum, low, &sum))
      return false;
  }
  return sum >= 0;
}

/// Returns the atom to eliminate next: one that other atoms bound first, the
/// last in order, so that what bounds it is still there. Nothing if each is
/// squared somewhere.
static std::optional<IndexExpr> findLinearAtom(const Polynomial &polynomial) {
  std::vector<IndexExpr> atoms, squared;
  for (const Monomial &monomial : polynomial.getMonomials())
    for (size_t i = 0; i < monomial.atoms.size(); ++i) {
      atoms.push_back(monomial.atoms[i]);
      if (i > 0 && monomial.atoms[i] == monomial.atoms[i - 1])
        squared.push_back(monomial.atoms[i]);
    }
  std::optional<IndexExpr> best;
  auto rank = [](const IndexExpr &atom) {
    return std::pair(!atom.getOperands().empty(),
                     IndexExpr::Node::get(atom)->treeSize);
  };
  for (const IndexExpr &atom : atoms)
    if ((!best || rank(atom) > rank(*best)) &&
        std::find(squared.begin(), squared.end(), atom) == squared.end())
      best = atom;
  return best;
}

bool Prover::isNonNegative(const Polynomial &polynomial) {
  budget -= static_cast<int64_t>(polynomial.getMonomials().size()) + 1;
  if (budget < 0 || !polynomial.isValid())
    return false;
  if (isNonNegativeByTerms(polynomial))
    return true;
  std::optional<IndexExpr> atom = findLinearAtom(polynomial);
  if (!atom)
    return isNonNegativeByShift(polynomial);
  auto [factor, rest] = polynomial.split(*atom);
  if (std::optional<AtomBounds> bounds = getSymbolicBounds(*atom))
    if (isNonNegativeWithin(*atom, *bounds, factor, rest))
      return true;
  return isNonNegativeWithin(*atom, getConstantBounds(*atom), factor, rest);
}

/// Proves factor * atom + rest >= 0.
bool Prover::isNonNegativeWithin(const IndexExpr &atom,
                                 const AtomBounds &bounds,
                                 const Polynomial &factor,
                                 const Polynomial &rest) {
  Polynomial scaledRest = rest * bounds.scale;
  auto holdsAt = [&](const std::optional<Polynomial> &bound) {
    if (!bound)
      return false;
    Polynomial value = factor * *bound;
    value.add(scaledRest);
    return isNonNegative(value);
  };
  // Where the factor's sign is known, only one bound matters: also an atom in
  // an empty range, x in [0, i) with i = 0, must not spoil the proof.
  if (isNonNegativeByTerms(factor))
    return holdsAt(bounds.low);
  Polynomial negated;
  negated.add(factor, -1);
  if (isNonNegativeByTerms(negated))
    return holdsAt(bounds.high);
  return holdsAt(bounds.low) && holdsAt(bounds.high);
}

bool Prover::isNonNegativeByShift(Polynomial polynomial) {
  // x = low + x', with x' >= 0 in the place of x.
  std::vector<IndexExpr> atoms;
  for (const Monomial &monomial : polynomial.getMonomials())
    for (const IndexExpr &atom : monomial.atoms)
      if (std::find(atoms.begin(), atoms.end(), atom) == atoms.end())
        atoms.push_back(atom);
  for (const IndexExpr &atom : atoms) {
    std::optional<Wide> low = getBound(atom, /*isUpper=*/false);
    if (!low)
      return false;
    // Horner's scheme: ((c_n * x + c_{n-1}) * x + …) + c_0.
    std::vector<Polynomial> coefficients{polynomial};
    while (true) {
      auto [first, second] = coefficients.back().split(atom);
      coefficients.back() = std::move(second);
      if (first.isZero())
        break;
      coefficients.push_back(std::move(first));
    }
    Polynomial step(*low);
    step.add(Polynomial(1), 1, std::span(&atom, 1));
    Polynomial shifted;
    for (size_t i = coefficients.size(); i-- > 0;) {
      shifted = shifted * step;
      shifted.add(coefficients[i]);
      budget -= static_cast<int64_t>(shifted.getMonomials().size());
      if (budget < 0 || !shifted.isValid())
        return false;
    }
    polynomial = std::move(shifted);
  }
  return std::all_of(
      polynomial.getMonomials().begin(), polynomial.getMonomials().end(),
      [](const Monomial &monomial) { return monomial.factor > 0; });
}

bool tinygrad::shape::isNonNegative(const Polynomial &polynomial) {
  // Many variables use up the budget of the first way.
  return Prover().isNonNegative(polynomial) ||
         (polynomial.isValid() && Prover().isNonNegativeByShift(polynomial));
}

bool tinygrad::shape::isProvablyNonNegative(const IndexExpr &expr) {
  return expr.getMin() >= 0 || isNonNegative(Polynomial(expr));
}

bool tinygrad::shape::isProvablyLessOrEqual(const IndexExpr &a,
                                            const IndexExpr &b) {
  if (a.getMax() <= b.getMin() || a == b)
    return true;
  Polynomial difference(b);
  difference.add(Polynomial(a), -1);
  return isNonNegative(difference);
}

bool tinygrad::shape::isProvablyLess(const IndexExpr &a, const IndexExpr &b) {
  if (a.getMax() < b.getMin())
    return true;
  Polynomial difference(b);
  difference.add(Polynomial(a), -1);
  difference.add(Polynomial(1), -1);
  return isNonNegative(difference);
}

bool tinygrad::shape::isProvablyEqual(const IndexExpr &a, const IndexExpr &b) {
  return a == b;
}
