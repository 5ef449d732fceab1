//===- RefineAccess.cpp - An access by its own conditions -------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions bound more than the variables do. Three rules use that:
// - bounded sums: a division of n is one of n - k * c + k * v, where c is a sum
//   that a condition bounds and v a variable with these bounds;
// - windows: a condition on e mod m is one on e itself, with coefficients
//   modulo m, where that is bounded tightly enough;
// - splits: a condition on g * q + r is one on q, where every r that is
//   possible gives the same answer;
// - exact quotients: where e mod m is known to be r, a multiple of
//   m * (e floordiv m) is one of e - r.
// Each replaces one expression by another that is equal wherever some
// conditions hold: the conditions at that moment for the index, those without
// itself for a condition. So the conjunction stays the same step by step, and
// no two conditions are ever justified by each other.
//
//===----------------------------------------------------------------------===//

#include "AccessConditions.h"
#include "Rebuilder.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

using namespace tinygrad::shape;
using Kind = IndexExpr::Kind;

/// How often all conditions are looked at: what one learns can help another.
static constexpr int64_t maxRounds = 4;

/// How often an expression is rebuilt: a quotient that opens shows new sums.
static constexpr int64_t maxRebuilds = 3;

/// Accesses with larger expressions, as trees, or more conditions stay as they
/// are.
static constexpr uint64_t maxTreeSize = 2048;
static constexpr size_t maxConditions = 32;

/// Sums that can pass this are left alone: nothing here may overflow.
static constexpr Wide smallLimit = Wide(1) << 58;

/// What stands for bounded terms and bounded sums has numbers from here on.
static constexpr int64_t firstTermVariable =
    std::numeric_limits<int64_t>::min();
static constexpr int64_t firstSumVariable =
    std::numeric_limits<int64_t>::min() / 2;

//===----------------------------------------------------------------------===//
// Costs and bounds
//===----------------------------------------------------------------------===//

static uint64_t getTreeSize(const IndexExpr &expr) {
  return IndexExpr::Node::get(expr)->treeSize;
}

/// Returns the number of different quotients and remainders in `expr`.
static size_t countDivisions(const IndexExpr &expr) {
  std::unordered_set<uint64_t> divisions;
  std::unordered_set<const IndexExpr::Node *> seen;
  std::vector<const IndexExpr::Node *> stack{IndexExpr::Node::get(expr)};
  while (!stack.empty()) {
    const IndexExpr::Node *node = stack.back();
    stack.pop_back();
    if (!seen.insert(node).second)
      continue;
    if (node->kind == Kind::FloorDiv || node->kind == Kind::Mod ||
        node->kind == Kind::FloorDivBy || node->kind == Kind::ModBy)
      divisions.insert(node->hash);
    for (const IndexExpr &operand : node->operands)
      stack.push_back(IndexExpr::Node::get(operand));
  }
  return divisions.size();
}

static std::pair<size_t, uint64_t> getCost(const IndexExpr &expr) {
  return {countDivisions(expr), getTreeSize(expr)};
}

/// Replaces `best` by `candidate` if that is simpler.
static bool takeIfSimpler(IndexExpr &best, const IndexExpr &candidate) {
  if (getCost(candidate) >= getCost(best))
    return false;
  best = candidate;
  return true;
}

namespace {

struct Bounds {
  Wide min, max;
};

} // namespace

static Bounds getBounds(const LinearForm &sum) {
  Bounds bounds{sum.constant, sum.constant};
  for (const LinearTerm &term : sum.terms) {
    Wide atMin = Wide(term.factor) * term.expr.getMin();
    Wide atMax = Wide(term.factor) * term.expr.getMax();
    bounds.min += std::min(atMin, atMax);
    bounds.max += std::max(atMin, atMax);
  }
  return bounds;
}

/// Returns true if neither `sum` nor a part of it can pass `smallLimit`.
static bool isSmall(const LinearForm &sum) {
  auto magnitude = [](int64_t value) {
    return value < 0 ? -Wide(value) : value;
  };
  Wide total = magnitude(sum.constant);
  for (const LinearTerm &term : sum.terms) {
    if (total > smallLimit)
      return false;
    total += magnitude(term.factor) * std::max(magnitude(term.expr.getMin()),
                                               magnitude(term.expr.getMax()));
  }
  return total <= smallLimit;
}

/// Returns the number in (-period / 2, period / 2] that is `value` modulo
/// `period`; `value` itself where `period` is 0.
static int64_t getBalanced(int64_t value, int64_t period) {
  if (period == 0)
    return value;
  int64_t residue = floorModulo(value, period);
  return residue > period / 2 ? residue - period : residue;
}

/// Returns how far apart the values of `sum` can be, with coefficients modulo
/// `period`.
static Wide getWidth(const LinearForm &sum, int64_t period) {
  Wide width = 0;
  for (const LinearTerm &term : sum.terms) {
    Wide factor = getBalanced(term.factor, period);
    Wide range = Wide(term.expr.getMax()) - term.expr.getMin();
    width += (factor < 0 ? -factor : factor) * range;
  }
  return width;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

namespace {

/// What some conditions say together. Expressions are simplified in inner form:
/// terms with narrowed bounds are variables of these bounds.
class Facts {
public:
  /// Takes all `conditions` but number `skipped`.
  Facts(std::span<const IndexRange> conditions, size_t skipped);

  /// True if the conditions cannot hold together.
  bool isContradiction() const { return contradicts; }

  /// Returns the inner form of `expr`, simplified by the facts.
  IndexExpr toInner(const IndexExpr &expr) const;
  /// Returns the expression without variables of this class.
  IndexExpr toOuter(const IndexExpr &expr) const;
  /// Returns what equals `expr` wherever the facts hold: an expression of less
  /// cost, or `expr` itself.
  IndexExpr simplify(const IndexExpr &expr) const;

  /// Returns the bounds of a sum in inner form.
  Bounds getBoundsOf(const LinearForm &sum) const;
  /// Writes bounded sums in `number` as variables where that brings its values
  /// closer together, modulo `period`, or as they are where that is 0. The
  /// result equals `number`, or, if `isMod`, equals it modulo `period`.
  LinearForm reduce(LinearForm number, int64_t period, bool isMod) const;
  /// Returns `number` and what it becomes with one bounded sum as a variable.
  std::vector<LinearForm> getVariants(const LinearForm &number) const;

  /// Returns a range that `expr`, in inner form, lies in or that the facts put
  /// it in modulo `period`.
  Bounds getResidues(const IndexExpr &expr, int64_t period) const;
  /// Returns the periods of the remainders that the facts bound.
  std::vector<int64_t> getPeriods() const;
  /// Writes exact quotients in `sum`, in inner form, without a division.
  void openExactQuotients(LinearForm &sum) const;

  /// Divides in inner form.
  IndexExpr divide(const IndexExpr &numerator, int64_t divisor,
                   bool isMod) const;
  /// Returns the variable that stands for the term, or null.
  const IndexExpr *find(const IndexExpr &term) const;

private:
  struct Term {
    IndexExpr expr, value;
    Wide min, max;
  };
  struct Sum {
    LinearForm form;
    IndexExpr expr, value;
    /// 0, or what the sum and the value are equal modulo.
    int64_t period = 0;
  };

  Term &getTerm(const IndexExpr &expr);
  void narrow(const IndexRange &range);
  void addSum(const IndexRange &range);
  template <typename Visit>
  void visitReductions(const LinearForm &number, int64_t period, bool isMod,
                       Visit visit) const;
  IndexExpr putBackSums(const IndexExpr &expr) const;

  std::vector<Term> terms;
  std::vector<Sum> sums;
  bool contradicts = false;
};

/// Rebuilds an expression in inner form.
class InnerRebuilder : public Rebuilder {
public:
  InnerRebuilder(const Facts &facts, bool usesSums)
      : facts(facts), usesSums(usesSums) {}

private:
  const IndexExpr *find(const IndexExpr &expr) const override {
    return facts.find(expr);
  }
  IndexExpr buildSum(LinearForm sum) const override {
    if (usesSums)
      facts.openExactQuotients(sum);
    return sum.buildJoined();
  }
  IndexExpr divide(const IndexExpr &numerator, int64_t divisor,
                   bool isMod) const override {
    return usesSums ? facts.divide(numerator, divisor, isMod)
                    : Rebuilder::divide(numerator, divisor, isMod);
  }

  const Facts &facts;
  bool usesSums;
};

} // namespace

Facts::Facts(std::span<const IndexRange> conditions, size_t skipped) {
  std::vector<const IndexRange *> ranges;
  for (size_t i = 0; i < conditions.size(); ++i)
    if (i != skipped && isSmall(LinearForm(conditions[i].expr)))
      ranges.push_back(&conditions[i]);
  // Bounds of one term narrow those of another: twice through finds all but
  // long cycles.
  for (int64_t pass = 0; pass < 2; ++pass)
    for (const IndexRange *range : ranges)
      narrow(*range);
  for (size_t i = 0; i < terms.size(); ++i) {
    Term &term = terms[i];
    if (term.min > term.max) {
      contradicts = true;
      return;
    }
    term.value = IndexExpr::variable(
        firstTermVariable + static_cast<int64_t>(i),
        static_cast<int64_t>(term.min), static_cast<int64_t>(term.max));
  }
  std::erase_if(terms, [](const Term &term) {
    return term.min == term.expr.getMin() && term.max == term.expr.getMax();
  });
  for (const IndexRange *range : ranges)
    addSum(*range);
}

Facts::Term &Facts::getTerm(const IndexExpr &expr) {
  for (Term &term : terms)
    if (term.expr == expr)
      return term;
  terms.push_back({expr, expr, expr.getMin(), expr.getMax()});
  return terms.back();
}

/// Narrows each term of the condition to where it can hold, given what the
/// other terms can be.
void Facts::narrow(const IndexRange &range) {
  LinearForm form(range.expr);
  for (const LinearTerm &term : form.terms) {
    Wide low = form.constant, high = form.constant;
    for (const LinearTerm &other : form.terms) {
      if (&other == &term)
        continue;
      const Term &known = getTerm(other.expr);
      Wide factor = other.factor;
      low += factor * (factor > 0 ? known.min : known.max);
      high += factor * (factor > 0 ? known.max : known.min);
    }
    Wide factor = term.factor;
    Wide min = factor > 0 ? ceilDivide(range.min - high, factor)
                          : ceilDivide(low - range.max, -factor);
    Wide max = factor > 0 ? floorDivide(range.max - low, factor)
                          : floorDivide(high - range.min, -factor);
    Term &known = getTerm(term.expr);
    known.min = std::max(known.min, min);
    known.max = std::min(known.max, max);
    // Nothing follows from what cannot be.
    if (known.min > known.max)
      return;
  }
}

void Facts::addSum(const IndexRange &range) {
  InnerRebuilder rebuilder(*this, /*usesSums=*/false);
  IndexExpr expr = rebuilder.rebuild(range.expr);
  LinearForm form(expr);
  Wide min = std::max<Wide>(range.min, expr.getMin()) - form.constant;
  Wide max = std::min<Wide>(range.max, expr.getMax()) - form.constant;
  if (min > max) {
    contradicts = true;
    return;
  }
  // A remainder: modulo the divisor, its variable is the numerator.
  if (range.expr.getKind() == Kind::Mod) {
    LinearForm number(rebuilder.rebuild(range.expr.getOperands().front()));
    if (find(range.expr) && isSmall(number) && !number.terms.empty()) {
      IndexExpr value = expr + saturate(-Wide(number.constant));
      number.constant = 0;
      sums.push_back({number, number.build(), value, range.expr.getValue()});
    }
    return;
  }
  // Bounds of one term are in its variable.
  if (form.terms.size() < 2 ||
      (range.min <= expr.getMin() && range.max >= expr.getMax()))
    return;
  form.constant = 0;
  sums.push_back({form, form.build(),
                  IndexExpr::variable(
                      firstSumVariable + static_cast<int64_t>(sums.size()),
                      static_cast<int64_t>(min), static_cast<int64_t>(max))});
}

const IndexExpr *Facts::find(const IndexExpr &term) const {
  for (const Term &known : terms)
    if (known.expr == term)
      return &known.value;
  return nullptr;
}

IndexExpr Facts::putBackSums(const IndexExpr &expr) const {
  return substitute(expr, [&](const IndexExpr &variable) {
    int64_t id = variable.getValue();
    return id < 0 && id >= firstSumVariable ? sums[id - firstSumVariable].expr
                                            : variable;
  });
}

IndexExpr Facts::toOuter(const IndexExpr &expr) const {
  std::unordered_map<int64_t, IndexExpr> replaced;
  for (const Term &term : terms)
    if (term.value.getKind() == Kind::Variable)
      replaced.emplace(term.value.getValue(), term.expr);
  return substitute(putBackSums(expr), [&](const IndexExpr &variable) {
    auto entry = replaced.find(variable.getValue());
    return entry == replaced.end() ? variable : entry->second;
  });
}

IndexExpr Facts::toInner(const IndexExpr &expr) const {
  IndexExpr inner = InnerRebuilder(*this, /*usesSums=*/true).rebuild(expr);
  for (int64_t i = 1; i < maxRebuilds; ++i) {
    IndexExpr next = InnerRebuilder(*this, /*usesSums=*/true).rebuild(inner);
    if (!takeIfSimpler(inner, next))
      break;
  }
  return inner;
}

IndexExpr Facts::simplify(const IndexExpr &expr) const {
  IndexExpr best = expr;
  if (countDivisions(expr) > 0)
    takeIfSimpler(best, toOuter(toInner(expr)));
  return best;
}

/// Calls `visit` with each sum that equals `number` wherever the facts hold and
/// has k times a bounded sum as a variable. The k are those that remove a term
/// of `number`, or make its coefficient a multiple of `period`: multiples
/// leave divisions, whatever their bounds.
template <typename Visit>
void Facts::visitReductions(const LinearForm &number, int64_t period,
                            bool isMod, Visit visit) const {
  for (const Sum &sum : sums) {
    if (sum.period != 0 && !(isMod && sum.period % period == 0))
      continue;
    std::vector<int64_t> factors;
    auto addFactor = [&](int64_t wanted, int64_t unit) {
      if (wanted == 0 || wanted % unit != 0)
        return;
      int64_t factor = wanted / unit;
      if (std::find(factors.begin(), factors.end(), factor) == factors.end())
        factors.push_back(factor);
    };
    for (const LinearTerm &term : sum.form.terms)
      for (const LinearTerm &own : number.terms)
        if (own.expr == term.expr) {
          addFactor(own.factor, term.factor);
          addFactor(getBalanced(own.factor, period), term.factor);
        }
    for (int64_t factor : factors) {
      LinearForm scaled;
      // The bounds of all parts are small: no product wraps around.
      Wide limit = factor < 0 ? -Wide(factor) : factor;
      bool fits = limit * std::max(-Wide(sum.value.getMin()),
                                   Wide(sum.value.getMax())) <=
                  smallLimit;
      for (const LinearTerm &term : sum.form.terms)
        fits &= limit * (term.factor < 0 ? -Wide(term.factor) : term.factor) <=
                smallLimit;
      if (!fits)
        continue;
      scaled.add(sum.expr, factor);
      if (!isSmall(scaled))
        continue;
      LinearForm next = number;
      next.add(sum.expr, -factor);
      next.add(sum.value, factor);
      if (isSmall(next))
        visit(next);
    }
  }
}

LinearForm Facts::reduce(LinearForm number, int64_t period, bool isMod) const {
  if (!isSmall(number))
    return number;
  Wide width = getWidth(number, period);
  for (size_t step = 0; step < sums.size(); ++step) {
    std::optional<LinearForm> best;
    visitReductions(number, period, isMod, [&](const LinearForm &next) {
      if (Wide nextWidth = getWidth(next, period); nextWidth < width) {
        width = nextWidth;
        best = next;
      }
    });
    if (!best)
      break;
    number = std::move(*best);
  }
  return number;
}

std::vector<LinearForm> Facts::getVariants(const LinearForm &number) const {
  std::vector<LinearForm> variants{number};
  visitReductions(
      number, /*period=*/0, /*isMod=*/false,
      [&](const LinearForm &variant) { variants.push_back(variant); });
  return variants;
}

Bounds Facts::getBoundsOf(const LinearForm &sum) const {
  Bounds plain = getBounds(sum), reduced = getBounds(reduce(sum, 0, false));
  return {std::max(plain.min, reduced.min), std::min(plain.max, reduced.max)};
}

/// Where `number` has a quotient q floordiv d with coefficient 1, returns
/// d * (number - q floordiv d) + q, and d: the number is that, divided by d.
static std::optional<std::pair<LinearForm, int64_t>>
openQuotient(const LinearForm &number) {
  for (const LinearTerm &term : number.terms) {
    if (term.expr.getKind() != Kind::FloorDiv || term.factor != 1)
      continue;
    int64_t divisor = term.expr.getValue();
    LinearForm opened(term.expr.getOperands().front());
    if (divisor > smallLimit || !isSmall(number) || !isSmall(opened))
      return std::nullopt;
    for (const LinearTerm &other : number.terms) {
      Wide factor = Wide(other.factor) * divisor;
      if (&other == &term)
        continue;
      if (factor < -smallLimit || factor > smallLimit)
        return std::nullopt;
      opened.add(other.expr, static_cast<int64_t>(factor));
    }
    Wide constant = Wide(number.constant) * divisor;
    if (constant < -smallLimit || constant > smallLimit)
      return std::nullopt;
    opened.addConstant(static_cast<int64_t>(constant));
    if (!isSmall(opened))
      return std::nullopt;
    return std::pair(std::move(opened), divisor);
  }
  return std::nullopt;
}

IndexExpr Facts::divide(const IndexExpr &numerator, int64_t divisor,
                        bool isMod) const {
  auto apply = [&](const IndexExpr &number) {
    return isMod ? number.mod(divisor) : number.floorDiv(divisor);
  };
  IndexExpr plain = apply(numerator);
  if (sums.empty() || countDivisions(plain) == 0)
    return plain;
  IndexExpr best = plain;
  LinearForm number(numerator);
  takeIfSimpler(best,
                putBackSums(apply(reduce(number, divisor, isMod).build())));
  if (!isMod)
    return best;
  // A remainder in the numerator may have been opened.
  if (plain.getKind() == Kind::Mod) {
    int64_t period = plain.getValue();
    LinearForm opened(plain.getOperands().front());
    takeIfSimpler(
        best, putBackSums(
                  reduce(opened, period, /*isMod=*/true).build().mod(period)));
  }
  // (a floordiv d) mod m is (a mod (d * m)) floordiv d: multiples of d * m
  // leave.
  if (auto opened = openQuotient(number)) {
    auto &[whole, inner] = *opened;
    if (Wide period = Wide(inner) * divisor; period <= smallLimit)
      takeIfSimpler(best, putBackSums(apply(
                              reduce(whole, static_cast<int64_t>(period), true)
                                  .build()
                                  .floorDiv(inner))));
  }
  return best;
}

std::vector<int64_t> Facts::getPeriods() const {
  std::vector<int64_t> periods;
  for (const Sum &sum : sums)
    if (sum.period != 0)
      periods.push_back(sum.period);
  return periods;
}

Bounds Facts::getResidues(const IndexExpr &expr, int64_t period) const {
  IndexExpr residue = divide(expr, period, /*isMod=*/true);
  return {std::max<Wide>(residue.getMin(), 0),
          std::min<Wide>(residue.getMax(), period - 1)};
}

/// An exact quotient: where e mod m is r, e floordiv m is (e - r) / m, and k *
/// m times that is k * (e - r).
void Facts::openExactQuotients(LinearForm &sum) const {
  if (getPeriods().empty())
    return;
  for (const LinearTerm &term : LinearForm(sum).terms) {
    int64_t divisor = term.expr.getValue();
    if (term.expr.getKind() != Kind::FloorDiv || term.factor % divisor != 0)
      continue;
    IndexExpr numerator = term.expr.getOperands().front();
    IndexExpr residue = divide(numerator, divisor, /*isMod=*/true);
    LinearForm opened;
    opened.add(numerator, term.factor / divisor);
    if (residue.getKind() != Kind::Constant || !isSmall(opened))
      continue;
    sum.add(term.expr, -term.factor);
    sum.add(numerator + -residue.getValue(), term.factor / divisor);
  }
}

//===----------------------------------------------------------------------===//
// Rules for conditions
//===----------------------------------------------------------------------===//

/// A window: min <= e mod m <= max, with min >= 0 and max < m. Let b be e with
/// its coefficients and its constant reduced modulo m, and a multiple of m
/// added. If b lies in [max + 1 - m, min + m - 1], then b mod m is b where b is
/// in [0, m); below 0, b + m > max, and from m on b - m < min. So e mod m is in
/// [min, max] exactly where b is. Where it is, e is b plus a multiple of m:
/// with the new condition, a bounded sum, divisions by m lose all but b.
static std::optional<IndexRange> openWindow(const LinearForm &number,
                                            int64_t period, Wide min, Wide max,
                                            const Facts &facts) {
  LinearForm balanced;
  for (const LinearTerm &term : number.terms)
    balanced.add(term.expr, getBalanced(term.factor, period));
  balanced.addConstant(getBalanced(number.constant, period));
  if (!isSmall(balanced) || period > smallLimit)
    return std::nullopt;
  Bounds bounds = facts.getBoundsOf(balanced);
  // Subtract the least multiple of the period that brings the maximum down
  // far enough; the minimum must still be high enough.
  Wide shift = ceilDivide<Wide>(bounds.max - (min + period - 1), period);
  if (bounds.min - shift * period < max + 1 - period)
    return std::nullopt;
  return normalize(facts.toOuter(balanced.build()), min + shift * period,
                   max + shift * period);
}

static std::optional<IndexRange> openWindow(const IndexRange &range,
                                            const Facts &facts) {
  if (range.expr.getKind() != Kind::Mod)
    return std::nullopt;
  Wide min = range.min, max = range.max;
  int64_t period = range.expr.getValue();
  // What is known modulo another number can make the window smaller: from even
  // numbers in [0, 9] it takes those in [0, 8].
  for (int64_t other : facts.getPeriods()) {
    Bounds known = facts.getResidues(facts.toInner(range.expr), other);
    Wide low = floorModulo<Wide>(min, other);
    Wide high = floorModulo<Wide>(max, other);
    if (low < known.min || low > known.max)
      min += known.min - low + (low > known.max ? other : 0);
    if (high < known.min || high > known.max)
      max -= high - known.max + (high < known.min ? other : 0);
  }
  if (min > max)
    return IndexRange{range.expr, 1, 0};
  LinearForm number(facts.toInner(range.expr.getOperands().front()));
  // (a floordiv d) mod m is in [min, max] exactly where a mod (d * m) is in
  // [d * min, d * max + d - 1].
  while (isSmall(number)) {
    if (auto opened = openWindow(number, period, min, max, facts))
      return opened;
    if (auto opened = openWindow(facts.reduce(number, period, true), period,
                                 min, max, facts))
      return opened;
    auto opened = openQuotient(number);
    if (!opened || Wide(period) * opened->second > smallLimit)
      return std::nullopt;
    number = opened->first;
    period *= opened->second;
    min *= opened->second;
    max = max * opened->second + opened->second - 1;
  }
  return std::nullopt;
}

/// A split: min <= g * q + r <= max. With r in [low, high], the right part
/// holds where q <= (max - high) floordiv g, and fails where q > (max - low)
/// floordiv g: it is a condition on q if both are one number, or if q cannot
/// pass the first. So with the left part.
static std::optional<IndexRange> splitRange(const IndexRange &range,
                                            const Facts &facts) {
  LinearForm whole(facts.toInner(range.expr));
  if (!isSmall(whole))
    return std::nullopt;
  std::optional<IndexRange> best;
  auto cost = getCost(range.expr);
  for (const LinearForm &variant : facts.getVariants(whole)) {
    for (const LinearTerm &unit : variant.terms) {
      int64_t factor = unit.factor < 0 ? -unit.factor : unit.factor;
      LinearForm multiple, rest;
      rest.addConstant(variant.constant);
      for (const LinearTerm &term : variant.terms) {
        if (term.factor % factor == 0)
          multiple.add(term.expr, term.factor / factor);
        else
          rest.add(term.expr, term.factor);
      }
      if (factor == 1 || multiple.terms.empty() || rest.terms.empty())
        continue;
      Bounds low = facts.getBoundsOf(rest), known = facts.getBoundsOf(multiple);
      Wide max = floorDivide<Wide>(range.max - low.max, factor);
      Wide min = ceilDivide<Wide>(range.min - low.min, factor);
      bool hasMax = max < known.max;
      bool hasMin = min > known.min;
      if ((hasMax && max != floorDivide<Wide>(range.max - low.min, factor)) ||
          (hasMin && min != ceilDivide<Wide>(range.min - low.max, factor)) ||
          (!hasMax && !hasMin))
        continue;
      IndexExpr expr = facts.toOuter(multiple.build());
      IndexRange split = normalize(expr, hasMin ? min : Wide(expr.getMin()),
                                   hasMax ? max : Wide(expr.getMax()));
      if (getCost(split.expr) >= cost)
        continue;
      cost = getCost(split.expr);
      best = std::move(split);
    }
  }
  return best;
}

/// Returns what says the same as `range` wherever the facts hold, with less
/// cost; nothing if that is not found.
static std::optional<IndexRange> simplifyRange(IndexRange range,
                                               const Facts &facts) {
  auto cost = getCost(range.expr);
  IndexExpr simpler = facts.simplify(range.expr);
  range = normalize(simpler, range.min, range.max);
  if (auto opened = openWindow(range, facts))
    range = std::move(*opened);
  if (range.min <= range.max)
    if (auto split = splitRange(range, facts))
      range = std::move(*split);
  if (range.min <= range.max && getCost(range.expr) >= cost)
    return std::nullopt;
  return range;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Drops each condition that the others prove, and the side of a condition that
/// they prove.
static void dropProven(std::vector<IndexRange> &conditions) {
  for (size_t i = 0; i < conditions.size();) {
    Facts facts(conditions, i);
    IndexRange &range = conditions[i];
    LinearForm form(facts.toInner(range.expr));
    if (facts.isContradiction() || !isSmall(form)) {
      ++i;
      continue;
    }
    Bounds bounds = facts.getBoundsOf(form);
    bool hasMin = bounds.min < range.min;
    bool hasMax = bounds.max > range.max;
    if (!hasMin && !hasMax) {
      conditions.erase(conditions.begin() + static_cast<ptrdiff_t>(i));
      continue;
    }
    if (!hasMin)
      range.min = range.expr.getMin();
    if (!hasMax)
      range.max = range.expr.getMax();
    ++i;
  }
}

/// Adds the conditions of `access` again: those that became equal are one.
static bool joinConditions(IndexAccess &access) {
  std::vector<IndexRange> conditions = std::move(access.conditions);
  access.conditions.clear();
  for (const IndexRange &range : conditions)
    if (!addCondition(access, range.expr, range.min, range.max))
      return false;
  sortConditions(access);
  return true;
}

IndexAccess tinygrad::shape::refine(IndexAccess access) {
  sortConditions(access);
  std::vector<IndexRange> &conditions = access.conditions;
  auto isLarge = [](const IndexExpr &expr) {
    return getTreeSize(expr) > maxTreeSize;
  };
  if (access.isNever() || conditions.empty() ||
      conditions.size() > maxConditions || isLarge(access.index) ||
      std::any_of(conditions.begin(), conditions.end(),
                  [&](const IndexRange &range) { return isLarge(range.expr); }))
    return access;

  bool changed = true;
  for (int64_t round = 0; changed && round < maxRounds; ++round) {
    changed = false;
    for (size_t i = 0; i < conditions.size(); ++i) {
      Facts facts(conditions, i);
      if (facts.isContradiction())
        return makeNever();
      if (auto simpler = simplifyRange(conditions[i], facts)) {
        conditions[i] = std::move(*simpler);
        changed = true;
      }
    }
    if (!joinConditions(access))
      return makeNever();
  }
  Facts facts(conditions, conditions.size());
  if (facts.isContradiction())
    return makeNever();
  access.index = facts.simplify(access.index);
  dropProven(conditions);
  return access;
}
