//===- IndexDivision.cpp - Floor division and modulo by bounds --*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simplifies quotients and remainders by constants:
// - where bounds prove that the remainder is an affine function, quotient and
//   remainder are sums without a division: (10 * x + 5) floordiv 10 is x;
// - multiples of the divisor leave the numerator;
// - a common factor of numerator and divisor cancels;
// - where the numerator is g * a + r with r provably in [0, g), and g divides
//   the divisor, the division is one of a by divisor / g;
// - a quotient inside a quotient, or a remainder inside a remainder, opens.
//
//===----------------------------------------------------------------------===//

#include "LinearForm.h"

#include <algorithm>
#include <cassert>

using namespace tinygrad::shape;
using Kind = IndexExpr::Kind;

namespace {

/// number = divisor * quotient + remainder, with remainder in [0, divisor).
struct Division {
  LinearForm quotient, remainder;
};

} // namespace

/// Divides where both parts are sums of the terms of `number` for all values
/// that the terms' bounds allow. The candidate for the remainder is known from
/// its values where all terms are at their minimum, and where one is a step
/// above it; it is right if it never leaves [0, divisor).
static std::optional<Division> divideAffine(const LinearForm &number,
                                            int64_t divisor) {
  Wide base = floorModulo<Wide>(number.constant, divisor);
  for (const LinearTerm &term : number.terms)
    base += floorModulo<Wide>(Wide(term.factor) * term.expr.getMin(), divisor);
  base = floorModulo<Wide>(base, divisor);

  Division division;
  Wide min = base, max = base, constant = base;
  for (const LinearTerm &term : number.terms) {
    Wide step = floorModulo<Wide>(base + term.factor, divisor) - base;
    if (step == 0) {
      division.quotient.terms.push_back(
          {term.expr, static_cast<int64_t>(term.factor / divisor)});
      continue;
    }
    Wide range = Wide(term.expr.getMax()) - term.expr.getMin();
    // Also keeps the product below within 128 bits.
    if (range >= divisor)
      return std::nullopt;
    (step < 0 ? min : max) += step * range;
    if (min < 0 || max >= divisor)
      return std::nullopt;
    constant -= step * term.expr.getMin();
    division.remainder.terms.push_back({term.expr, static_cast<int64_t>(step)});
    if (Wide whole = (term.factor - step) / divisor)
      division.quotient.terms.push_back(
          {term.expr, static_cast<int64_t>(whole)});
  }
  Wide whole = (number.constant - constant) / divisor;
  if (!fitsInt64(constant) || !fitsInt64(whole))
    return std::nullopt;
  division.remainder.constant = static_cast<int64_t>(constant);
  division.quotient.constant = static_cast<int64_t>(whole);
  return division;
}

/// Returns the greatest common divisor of `divisor` and all coefficients.
static int64_t getCommonFactor(const LinearForm &number, int64_t divisor) {
  for (const LinearTerm &term : number.terms)
    divisor = greatestCommonDivisor(divisor, term.factor);
  return divisor;
}

/// Returns floor(number / factor), where `factor` divides all coefficients.
static LinearForm divideExactly(LinearForm number, int64_t factor) {
  for (LinearTerm &term : number.terms)
    term.factor /= factor;
  number.constant = floorDivide(number.constant, factor);
  return number;
}

/// Finds g, a proper divisor of `divisor`, and the affine division of `number`
/// by it; the largest such g that is the common factor of `divisor` and a
/// coefficient.
static std::optional<std::pair<int64_t, Division>>
splitRadix(const LinearForm &number, int64_t divisor) {
  std::vector<int64_t> candidates;
  for (const LinearTerm &term : number.terms)
    candidates.push_back(greatestCommonDivisor(divisor, term.factor));
  std::sort(candidates.begin(), candidates.end(), std::greater<>());
  candidates.erase(std::unique(candidates.begin(), candidates.end()),
                   candidates.end());
  for (int64_t candidate : candidates)
    if (candidate > 1 && candidate < divisor)
      if (auto division = divideAffine(number, candidate))
        return std::pair(candidate, std::move(*division));
  return std::nullopt;
}

/// Adds `factor * expr` to `sum` unless a value could pass 62 bits: opening a
/// node must not make values overflow that are small behind the division.
static bool addIfSmall(LinearForm &sum, const IndexExpr &expr, int64_t factor) {
  constexpr Wide limit = Wide(1) << 62;
  Wide min = sum.constant, max = sum.constant;
  auto addRange = [&](const IndexExpr &term, Wide coefficient) {
    Wide atMin = coefficient * term.getMin(),
         atMax = coefficient * term.getMax();
    min += std::min(atMin, atMax);
    max += std::max(atMin, atMax);
  };
  for (const LinearTerm &term : sum.terms)
    addRange(term.expr, term.factor);
  addRange(expr, factor);
  if (min < -limit || max > limit)
    return false;
  sum.add(expr, factor);
  return true;
}

IndexExpr IndexExpr::floorDiv(int64_t divisor) const {
  assert(divisor > 0 && "the divisor is positive");
  if (divisor == 1)
    return *this;
  LinearForm number(*this);
  if (auto division = divideAffine(number, divisor))
    return division->quotient.build();

  // Multiples of the divisor come out. What stays keeps its sign: a flipped
  // axis reads as -x, not as (divisor - 1) * x.
  LinearForm whole, rest;
  for (const LinearTerm &term : number.terms) {
    whole.add(term.expr, term.factor / divisor);
    rest.add(term.expr, term.factor % divisor);
  }
  whole.addConstant(floorDivide(number.constant, divisor));
  rest.addConstant(floorModulo(number.constant, divisor));
  auto addToWhole = [&](const IndexExpr &quotient) {
    whole.add(quotient, 1);
    return whole.build();
  };

  if (int64_t factor = getCommonFactor(rest, divisor); factor > 1)
    return addToWhole(divideExactly(std::move(rest), factor)
                          .build()
                          .floorDiv(divisor / factor));
  if (auto split = splitRadix(rest, divisor))
    return addToWhole(
        split->second.quotient.build().floorDiv(divisor / split->first));

  // floor((floor(a / k) + n) / d) is floor((a + k * n) / (k * d)).
  for (const LinearTerm &term : rest.terms) {
    if (term.expr.getKind() != Kind::FloorDiv || term.factor != 1)
      continue;
    int64_t innerDivisor = term.expr.getValue(), product;
    if (__builtin_mul_overflow(innerDivisor, divisor, &product))
      continue;
    LinearForm others = rest;
    others.add(term.expr, -1);
    LinearForm opened(term.expr.getOperands().front());
    if (!addIfSmall(opened, others.build(), innerDivisor))
      continue;
    return addToWhole(opened.build().floorDiv(product));
  }

  IndexExpr numerator = rest.build();
  return addToWhole(Node::make(Kind::FloorDiv, divisor, {numerator},
                               floorDivide(numerator.getMin(), divisor),
                               floorDivide(numerator.getMax(), divisor)));
}

IndexExpr IndexExpr::mod(int64_t divisor) const {
  assert(divisor > 0 && "the divisor is positive");
  if (divisor == 1)
    return constant(0);
  LinearForm number(*this);
  if (auto division = divideAffine(number, divisor))
    return division->remainder.build();

  // c * (a mod m) is c * a modulo the divisor if that divides c * m.
  LinearForm opened;
  opened.addConstant(number.constant);
  for (const LinearTerm &term : number.terms) {
    bool opens =
        term.expr.getKind() == Kind::Mod &&
        Wide(term.factor % divisor) * term.expr.getValue() % divisor == 0;
    if (!opens || !addIfSmall(opened, term.expr.getOperands().front(),
                              term.factor % divisor))
      opened.add(term.expr, term.factor % divisor);
  }
  LinearForm rest;
  for (const LinearTerm &term : opened.terms)
    rest.add(term.expr, term.factor % divisor);
  rest.addConstant(floorModulo(opened.constant, divisor));

  if (int64_t factor = getCommonFactor(rest, divisor); factor > 1) {
    int64_t low = floorModulo(rest.constant, factor);
    return divideExactly(std::move(rest), factor)
                   .build()
                   .mod(divisor / factor) *
               factor +
           low;
  }
  if (auto split = splitRadix(rest, divisor)) {
    auto &[radix, division] = *split;
    LinearForm sum = std::move(division.remainder);
    sum.add(division.quotient.build().mod(divisor / radix), radix);
    return sum.build();
  }
  IndexExpr numerator = rest.build();
  return Node::make(Kind::Mod, divisor, {numerator}, 0, divisor - 1);
}
