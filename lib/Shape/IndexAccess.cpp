//===- IndexAccess.cpp - Where a chain of views reads -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The access of a ShapeTracker as index expressions, and what is read off it:
// real strides, buffer size, equivalence.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Shape/ShapeTracker.h"

#include "AccessConditions.h"
#include "AccessMerge.h"
#include "LinearForm.h"

#include <algorithm>
#include <cassert>
#include <tuple>

using namespace tinygrad::shape;
using Kind = IndexExpr::Kind;

/// The number of elements up to which `isEquivalent` compares tables.
static constexpr int64_t maxTableElements = 4096;

/// Variables of an access in the making have numbers from here on, out of the
/// way of the caller's.
static constexpr int64_t firstInnerVariable =
    std::numeric_limits<int64_t>::min();

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

bool IndexAccess::isNever() const {
  return conditions.size() == 1 &&
         conditions.front().expr.getKind() == Kind::Constant;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Reads `views` at `axes`, which lie in the mask of the last view: only the
/// masks of the others become conditions.
static IndexAccess readThrough(std::span<const View> views,
                               std::vector<IndexExpr> axes) {
  IndexAccess access{IndexExpr::constant(0), {}};
  for (size_t i = views.size(); i-- > 0;) {
    const View &view = views[i];
    LinearForm index;
    index.addConstant(view.getOffset());
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      if (const Mask *mask = view.getMask(); mask && i + 1 != views.size())
        if (!addCondition(access, axes[axis], (*mask)[axis].first,
                          Wide((*mask)[axis].second) - 1))
          return makeNever();
      index.add(axes[axis], view.getStrides()[axis]);
    }
    access.index = index.buildJoined();
    if (i == 0)
      break;

    // Write the index in the radix of the shape it goes into. Where it is read
    // it lies in this shape: the first digit needs no remainder.
    const Dims &shape = views[i - 1].getShape();
    axes.assign(shape.size(), access.index);
    size_t first = 0;
    while (first < shape.size() && shape[first] == 1)
      axes[first++] = IndexExpr::constant(0);
    int64_t weight = 1;
    for (size_t axis = shape.size(); axis-- > first;) {
      IndexExpr digit = access.index;
      int64_t extent = shape[axis], period;
      if (extent == 0)
        return makeNever();
      if (extent == 1) {
        axes[axis] = IndexExpr::constant(0);
        continue;
      }
      if (axis == first)
        axes[axis] = digit.floorDiv(weight);
      else
        axes[axis] = digit.floorDiv(weight).mod(extent);
      if (!__builtin_mul_overflow(weight, extent, &period))
        weight = period;
    }
  }
  sortConditions(access);
  return access;
}

namespace {

/// An access at variables that are bounded by a box, which lies in the mask of
/// the outermost view: what holds where it is read at all.
struct InnerAccess {
  InnerAccess() = default;
  InnerAccess(std::span<const View> views, const Mask &box) {
    std::vector<IndexExpr> axes;
    for (size_t axis = 0; axis < box.size(); ++axis)
      axes.push_back(
          IndexExpr::variable(firstInnerVariable + static_cast<int64_t>(axis),
                              box[axis].first, box[axis].second - 1));
    access = readThrough(views, std::move(axes));
  }

  static size_t axisOf(const IndexExpr &variable) {
    return static_cast<size_t>(variable.getValue() - firstInnerVariable);
  }

  IndexAccess access = makeNever();
};

} // namespace

/// Returns the box of positions of `view` that are not masked, or nothing if it
/// is empty.
static std::optional<Mask> getBox(const View &view) {
  Mask box;
  for (int64_t extent : view.getShape())
    box.emplace_back(0, extent);
  if (const Mask *mask = view.getMask())
    box = *mask;
  for (auto [begin, end] : box)
    if (begin >= end)
      return std::nullopt;
  return box;
}

static InnerAccess getInnerAccess(std::span<const View> views) {
  if (std::optional<Mask> box = getBox(views.back()))
    return InnerAccess(views, *box);
  return InnerAccess();
}

static bool isAffine(const LinearForm &form) {
  return std::all_of(form.terms.begin(), form.terms.end(),
                     [](const LinearTerm &term) {
                       return term.expr.getKind() == Kind::Variable;
                     });
}

/// Trims `box` to where `range`, an affine function of the axes, can hold.
/// Returns true if it changed.
static bool trimBox(Mask &box, const IndexRange &range) {
  LinearForm form(range.expr);
  if (!isAffine(form))
    return false;
  bool changed = false;
  for (const LinearTerm &term : form.terms) {
    // What the other terms can be, within the bounds of the variables.
    Wide factor = term.factor;
    Wide atMin = factor * term.expr.getMin(),
         atMax = factor * term.expr.getMax();
    Wide low = range.expr.getMin() - std::min(atMin, atMax);
    Wide high = range.expr.getMax() - std::max(atMin, atMax);
    Wide begin = factor > 0 ? ceilDivide(range.min - high, factor)
                            : ceilDivide(low - range.max, -factor);
    Wide end = factor > 0 ? floorDivide(range.max - low, factor)
                          : floorDivide(high - range.min, -factor);
    auto &[first, last] = box[InnerAccess::axisOf(term.expr)];
    Mask::value_type trimmed(saturate(std::max<Wide>(first, begin)),
                             saturate(std::min<Wide>(last, end + 1)));
    changed |= trimmed != Mask::value_type(first, last);
    std::tie(first, last) = trimmed;
  }
  return changed;
}

std::optional<View>
tinygrad::shape::composeByAccess(std::span<const View> views) {
  const View &outer = views.back();
  std::optional<Mask> box = getBox(outer);
  if (!box)
    return std::nullopt;
  // Each round of trimming that helps settles an axis; one axis can wait for
  // another.
  for (int64_t round = 0; round < outer.getRank() + 2; ++round) {
    IndexAccess access = InnerAccess(views, *box).access;
    bool isEmpty = access.isNever();
    bool changed = false;
    if (!isEmpty)
      for (const IndexRange &range : access.conditions)
        changed |= trimBox(*box, range);
    for (auto [begin, end] : *box)
      isEmpty |= begin >= end;
    if (isEmpty && outer.getRank() > 0)
      return View::create(outer.getShape(), std::nullopt, 0,
                          Mask(outer.getShape().size(), {0, 0}));
    if (isEmpty || (!access.conditions.empty() && !changed))
      return std::nullopt;
    if (changed)
      continue;
    LinearForm index(access.index);
    if (!isAffine(index))
      index = LinearForm(toQuotientForm(access.index));
    if (!isAffine(index))
      return std::nullopt;
    Dims strides(outer.getShape().size(), 0);
    for (const LinearTerm &term : index.terms)
      strides[InnerAccess::axisOf(term.expr)] = term.factor;
    return View::create(outer.getShape(), std::move(strides), index.constant,
                        std::move(*box));
  }
  return std::nullopt;
}

IndexAccess ShapeTracker::getAccess(std::span<const IndexExpr> axes) const {
  assert(axes.size() == getShape().size() && "one expression per axis");
  if (getNumElements() == 0)
    return makeNever();
  const Mask *mask = views.back().getMask();
  IndexAccess access{IndexExpr::constant(0), {}};
  std::vector<IndexExpr> inner(axes.begin(), axes.end());
  bool isNarrowed = false;
  if (mask)
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      auto [begin, end] = (*mask)[axis];
      if (!addCondition(access, axes[axis], begin, Wide(end) - 1))
        return makeNever();
      int64_t min = std::max(begin, axes[axis].getMin());
      int64_t max = std::min(end - 1, axes[axis].getMax());
      if (min == axes[axis].getMin() && max == axes[axis].getMax())
        continue;
      // Past the condition the axis lies in its range: simplify with that, and
      // put the caller's expression back afterwards.
      inner[axis] = IndexExpr::variable(
          firstInnerVariable + static_cast<int64_t>(axis), min, max);
      isNarrowed = true;
    }
  IndexAccess through = readThrough(views, std::move(inner));
  if (through.isNever())
    return through;
  auto putBack = [&](const IndexExpr &expr) {
    if (!isNarrowed)
      return expr;
    return substitute(expr, [&](const IndexExpr &variable) {
      return variable.getValue() < 0
                 ? axes[variable.getValue() - firstInnerVariable]
                 : variable;
    });
  };
  access.index = putBack(through.index);
  for (const IndexRange &range : through.conditions)
    if (!addCondition(access, putBack(range.expr), range.min, range.max))
      return makeNever();
  return refine(std::move(access));
}

IndexAccess ShapeTracker::getAccess() const {
  std::vector<IndexExpr> axes;
  for (int64_t axis = 0; axis < getRank(); ++axis)
    axes.push_back(IndexExpr::variable(
        axis, 0, std::max<int64_t>(getShape()[axis] - 1, 0)));
  return getAccess(axes);
}

//===----------------------------------------------------------------------===//
// What is read off an access
//===----------------------------------------------------------------------===//

/// Calls `visit` for the variables on which it depends whether `range` holds.
/// What is less than one step of the other terms decides nothing between bounds
/// that are whole steps: 4 * a + b < 8 is a < 2 for b in [0, 4).
static void visitDeciding(const IndexRange &range,
                          const std::function<void(const IndexExpr &)> &visit) {
  LinearForm form(range.expr);
  for (const LinearTerm &term : form.terms) {
    Wide step = term.factor < 0 ? -Wide(term.factor) : Wide(term.factor);
    Wide restMin = 0, restMax = 0;
    for (const LinearTerm &other : form.terms) {
      if (other.factor % step == 0)
        continue;
      Wide low = Wide(other.factor) * other.expr.getMin();
      Wide high = Wide(other.factor) * other.expr.getMax();
      restMin += std::min(low, high);
      restMax += std::max(low, high);
    }
    Wide begin = Wide(range.min) - form.constant;
    Wide end = Wide(range.max) - form.constant + 1;
    if (restMin < 0 || restMax >= step ||
        (begin % step != 0 && range.min > range.expr.getMin()) ||
        (end % step != 0 && range.max < range.expr.getMax()))
      continue;
    for (const LinearTerm &other : form.terms)
      if (other.factor % step == 0)
        visitVariables(other.expr, visit);
    return;
  }
  visitVariables(range.expr, visit);
}

std::vector<std::optional<int64_t>>
ShapeTracker::getRealStrides(bool ignoreValid) const {
  const View &outer = views.back();
  auto isMasked = [&](size_t axis) {
    const Mask *mask = outer.getMask();
    return mask && (*mask)[axis] !=
                       std::pair<int64_t, int64_t>(0, outer.getShape()[axis]);
  };
  size_t rank = outer.getShape().size();
  std::vector<std::optional<int64_t>> strides(outer.getStrides().begin(),
                                              outer.getStrides().end());
  if (views.size() > 1) {
    InnerAccess inner = getInnerAccess(views);
    strides.assign(rank, 0);
    std::vector<bool> isPlain(rank, true);
    for (const LinearTerm &term : LinearForm(inner.access.index).terms) {
      visitVariables(term.expr, [&](const IndexExpr &variable) {
        if (term.expr.getKind() == Kind::Variable)
          strides[InnerAccess::axisOf(variable)] = term.factor;
        else
          isPlain[InnerAccess::axisOf(variable)] = false;
      });
    }
    for (size_t axis = 0; axis < rank; ++axis)
      if (!isPlain[axis])
        strides[axis] = std::nullopt;
    if (!ignoreValid)
      for (const IndexRange &range : inner.access.conditions)
        visitDeciding(range, [&](const IndexExpr &variable) {
          strides[InnerAccess::axisOf(variable)] = std::nullopt;
        });
  }
  if (!ignoreValid)
    for (size_t axis = 0; axis < rank; ++axis)
      if (isMasked(axis))
        strides[axis] = std::nullopt;
  return strides;
}

namespace {

/// What a sum can be.
struct Bounds {
  Wide min, max;

  /// Adds `factor` times a number in [low, high].
  void add(Wide factor, Wide low, Wide high) {
    min += factor * (factor > 0 ? low : high);
    max += factor * (factor > 0 ? high : low);
  }
};

} // namespace

/// Returns `n` if `sum` holds each term of `part` `n` times, else 0.
static int64_t getMultiple(const LinearForm &sum, const LinearForm &part) {
  int64_t multiple = 0;
  for (const LinearTerm &term : part.terms) {
    auto found = std::find_if(
        sum.terms.begin(), sum.terms.end(),
        [&](const LinearTerm &other) { return other.expr == term.expr; });
    if (found == sum.terms.end())
      return 0;
    if (multiple == 0)
      multiple = found->factor / term.factor;
    if (Wide(multiple) * term.factor != found->factor)
      return 0;
  }
  return multiple;
}

/// Returns the bounds of the index of `access` where its conditions hold: each
/// bounds a sum that may be a part of the index.
static Bounds getBounds(const IndexAccess &access) {
  // Conditions have no constant term: that of the index stays.
  LinearForm rest(access.index);
  Bounds bounds{rest.constant, rest.constant};
  for (const IndexRange &range : access.conditions)
    if (int64_t multiple = getMultiple(rest, LinearForm(range.expr))) {
      rest.add(range.expr, -multiple);
      bounds.add(multiple, range.min, range.max);
    }
  for (const LinearTerm &term : rest.terms)
    bounds.add(term.factor, term.expr.getMin(), term.expr.getMax());
  return bounds;
}

std::optional<std::pair<int64_t, int64_t>> ShapeTracker::getIndexRange() const {
  if (getNumElements() == 0)
    return std::nullopt;
  const View &innermost = views.front();
  std::optional<Mask> box = getBox(innermost);
  if (!box)
    return std::nullopt;
  Bounds bounds{innermost.getOffset(), innermost.getOffset()};
  for (size_t axis = 0; axis < box->size(); ++axis)
    bounds.add(innermost.getStrides()[axis], (*box)[axis].first,
               (*box)[axis].second - 1);
  if (views.size() > 1) {
    InnerAccess inner = getInnerAccess(views);
    if (inner.access.isNever())
      return std::nullopt;
    // An index that is opened up may count from far away; then its ends say
    // nothing.
    constexpr Wide limit = Wide(1) << 62;
    Bounds through = getBounds(inner.access);
    if (through.min > -limit && through.max < limit)
      bounds = {std::max(bounds.min, through.min),
                std::min(bounds.max, through.max)};
  }
  return std::pair(saturate(bounds.min), saturate(bounds.max));
}

int64_t ShapeTracker::getBufferSize() const {
  std::optional<std::pair<int64_t, int64_t>> range = getIndexRange();
  return range ? saturate(Wide(std::max<int64_t>(range->second, -1)) + 1) : 0;
}

/// Compares the buffer positions of all elements of two trackers of one shape.
static bool haveEqualTables(const ShapeTracker &a, const ShapeTracker &b) {
  const Dims &shape = a.getShape();
  Dims position(shape.size(), 0);
  for (int64_t count = a.getNumElements(); count > 0; --count) {
    if (a.getIndex(position) != b.getIndex(position))
      return false;
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++position[axis] < shape[axis])
        break;
      position[axis] = 0;
    }
  }
  return true;
}

bool ShapeTracker::isEquivalent(const ShapeTracker &other) const {
  if (getShape() != other.getShape())
    return false;
  if (getNumElements() == 0)
    return true;
  ShapeTracker a = simplify(), b = other.simplify();
  if (a == b)
    return true;
  // A canonical view is known from its index function.
  if (a.views.size() == 1 && b.views.size() == 1)
    return false;

  InnerAccess x = getInnerAccess(a.views), y = getInnerAccess(b.views);
  const Mask *maskA = a.views.back().getMask();
  const Mask *maskB = b.views.back().getMask();
  if (x.access.isNever() && y.access.isNever())
    return true;
  bool haveOneMask = (!maskA && !maskB) || (maskA && maskB && *maskA == *maskB);
  auto isEqualRange = [](const IndexRange &p, const IndexRange &q) {
    return p.expr == q.expr && p.min == q.min && p.max == q.max;
  };
  if (haveOneMask &&
      std::equal(x.access.conditions.begin(), x.access.conditions.end(),
                 y.access.conditions.begin(), y.access.conditions.end(),
                 isEqualRange) &&
      toQuotientForm(x.access.index) == toQuotientForm(y.access.index))
    return true;
  return getNumElements() <= maxTableElements && haveEqualTables(a, b);
}
