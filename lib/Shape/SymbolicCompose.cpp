//===- SymbolicCompose.cpp - One symbolic view through another --*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `outer` maps a position x to a flat position p(x), which `inner` splits into
// digits in the mixed radix of its shape. Here each stride of `outer`, and its
// offset, is written in the weights of this radix, so that
//
//   p(x) = sum over j of digit[j](x) * weight[j]
//
// with affine functions digit[j]. If each of them, but for the first, provably
// stays in [0, extent[j]), they are the digits, and what `inner` does with them
// is affine again. Where it masks them, this must cut a box out of x.
//
// Axes of `inner` that are one axis to its strides and its mask are joined
// first: then there are no digits between them. A view in row-major order is
// one axis, and needs no proof.
//
//===----------------------------------------------------------------------===//

#include "Polynomial.h"
#include "SymbolicMovement.h"

#include <algorithm>

using namespace tinygrad::shape;

namespace {

using Range = std::pair<IndexExpr, IndexExpr>;

/// An axis of the inner view, or several that act as one.
struct RadixAxis {
  IndexExpr extent, stride;
  std::optional<Range> mask;
  IndexExpr weight = 1;
};

/// One axis of the outer view: positions begin + y, where y is a variable, so
/// that y is not negative.
struct BoxAxis {
  IndexExpr begin, variable;
};

/// factor[k] * y[k] over the axes k of the outer view, plus a constant.
struct AffineDigit {
  std::vector<IndexExpr> factors;
  IndexExpr constant = 0;
};

class Composer {
public:
  Composer(const SymbolicView &inner, const SymbolicView &outer)
      : inner(inner), outer(outer), offset(inner.offset) {}

  std::optional<SymbolicView> compose();

private:
  bool joinAxes();
  bool joinAxis(RadixAxis &last, const RadixAxis &next);
  void makeBox();
  bool makeDigits();
  bool carry(size_t position);
  bool restrict(const AffineDigit &digit, IndexExpr begin, IndexExpr end);
  bool restrictLargest(const AffineDigit &digit, const IndexExpr &begin,
                       const IndexExpr &end);
  bool restrictAxis(size_t axis, const IndexExpr &begin, const IndexExpr &end);

  IndexExpr toExpr(const AffineDigit &digit) const;

  const SymbolicView &inner, &outer;
  /// The index of the result where all positions are 0.
  IndexExpr offset;
  std::vector<RadixAxis> radix;
  std::vector<BoxAxis> box;
  std::vector<AffineDigit> digits;
  SymbolicMask mask;
  bool isEmpty = false;
};

} // namespace

/// Divides where quotient and remainder have coefficients of 64 bits.
static std::optional<Range> divide(const IndexExpr &number,
                                   const IndexExpr &divisor) {
  Polynomial polynomial(divisor);
  if (polynomial.isZero())
    return std::nullopt;
  std::optional<PolynomialDivision> division =
      divide(Polynomial(number), polynomial);
  if (!division)
    return std::nullopt;
  std::optional<IndexExpr> quotient = division->quotient.build(),
                           remainder = division->remainder.build();
  if (!quotient || !remainder)
    return std::nullopt;
  return Range(*quotient, *remainder);
}

/// Returns true if `expr` is provably in [0, extent).
static bool isDigit(const IndexExpr &expr, const IndexExpr &extent) {
  return isProvablyNonNegative(expr) && isProvablyLess(expr, extent);
}

/// Joins `next` to `last`, the axis before it, if they act as one.
bool Composer::joinAxis(RadixAxis &last, const RadixAxis &next) {
  IndexExpr stride = next.extent * next.stride;
  if (last.mask && (last.mask->second - last.mask->first).isConstant(1)) {
    // One position is read, so that any stride will do, and a mask within.
    IndexExpr first = last.mask->first * next.extent;
    Range range = next.mask.value_or(Range(0, next.extent));
    if (!isProvablyNonNegative(range.first) ||
        !isProvablyLessOrEqual(range.second, next.extent))
      return false;
    offset = offset + last.mask->first * (last.stride - stride);
    last.mask = Range(first + range.first, first + range.second);
  } else {
    if (next.mask || !(last.stride == stride))
      return false;
    if (last.mask)
      last.mask = Range(last.mask->first * next.extent,
                        last.mask->second * next.extent);
  }
  last.stride = next.stride;
  last.extent = last.extent * next.extent;
  return true;
}

/// Joins axes of the inner view; false if an axis of extent 1 has a mask that
/// depends on the variables.
bool Composer::joinAxes() {
  for (size_t axis = 0; axis < inner.shape.size(); ++axis) {
    RadixAxis next{inner.shape[axis], inner.strides[axis], std::nullopt};
    if (inner.mask) {
      const Range &range = (*inner.mask)[axis];
      if (!range.first.isConstant(0) || !(range.second == next.extent))
        next.mask = range;
    }
    if (next.extent.isConstant(1)) {
      if (next.mask)
        return false;
      continue;
    }
    if (radix.empty() || !joinAxis(radix.back(), next))
      radix.push_back(std::move(next));
  }
  for (size_t axis = radix.size(); axis-- > 1;)
    radix[axis - 1].weight = radix[axis].weight * radix[axis].extent;
  return true;
}

void Composer::makeBox() {
  constexpr int64_t firstVariable = std::numeric_limits<int64_t>::min();
  for (size_t axis = 0; axis < outer.shape.size(); ++axis) {
    Range range(0, outer.shape[axis]);
    if (outer.mask)
      range = (*outer.mask)[axis];
    mask.push_back(range);
    box.push_back({range.first, IndexExpr::variable(
                                    firstVariable + static_cast<int64_t>(axis),
                                    range.second - range.first)});
  }
}

/// Writes the outer view in the weights of the radix; false if a digit does not
/// provably stay in its range.
bool Composer::makeDigits() {
  digits.resize(radix.size());
  // The flat position of the box's first corner, and the steps from there.
  std::vector<IndexExpr> numbers = outer.strides;
  numbers.push_back(outer.offset);
  for (size_t axis = 0; axis < box.size(); ++axis)
    numbers.back() = numbers.back() + box[axis].begin * outer.strides[axis];
  for (IndexExpr rest : numbers)
    for (size_t position = 0; position < radix.size(); ++position) {
      std::optional<Range> division = divide(rest, radix[position].weight);
      if (!division)
        return false;
      digits[position].factors.push_back(division->first);
      rest = division->second;
    }
  for (AffineDigit &digit : digits) {
    digit.constant = digit.factors.back();
    digit.factors.pop_back();
  }
  for (size_t position = digits.size(); position-- > 1;)
    if (!carry(position))
      return false;
  return true;
}

/// Brings a digit into its range by carrying one into the digit before, if need
/// be: where an axis is flipped, -1 - y becomes extent - 1 - y.
bool Composer::carry(size_t position) {
  AffineDigit &digit = digits[position];
  const IndexExpr &extent = radix[position].extent;
  for (int64_t count : {0, 1, -1}) {
    AffineDigit carried = digit;
    carried.constant = digit.constant + extent * count;
    if (!isDigit(toExpr(carried), extent))
      continue;
    digit = std::move(carried);
    digits[position - 1].constant = digits[position - 1].constant - count;
    return true;
  }
  return false;
}

IndexExpr Composer::toExpr(const AffineDigit &digit) const {
  IndexExpr sum = digit.constant;
  for (size_t axis = 0; axis < box.size(); ++axis)
    sum = sum + digit.factors[axis] * box[axis].variable;
  return sum;
}

/// Cuts out of the box where begin <= digit < end; false if that is no box.
bool Composer::restrict(const AffineDigit &digit, IndexExpr begin,
                        IndexExpr end) {
  IndexExpr expr = toExpr(digit);
  bool isAbove = isProvablyLessOrEqual(begin, expr);
  bool isBelow = isProvablyLess(expr, end);
  if (isAbove && isBelow)
    return true;
  if (isProvablyLess(expr, begin) || isProvablyLessOrEqual(end, expr)) {
    isEmpty = true;
    return true;
  }
  AffineDigit steps = digit;
  begin = begin - digit.constant;
  end = end - digit.constant;
  steps.constant = 0;
  if (restrictLargest(steps, begin, end))
    return true;
  // begin <= d < end is 1 - end <= -d < 1 - begin.
  for (IndexExpr &factor : steps.factors)
    factor = -factor;
  return restrictLargest(steps, -end + 1, -begin + 1);
}

/// As restrict, by the axis whose step is larger than all that the others add.
bool Composer::restrictLargest(const AffineDigit &digit, const IndexExpr &begin,
                               const IndexExpr &end) {
  for (size_t axis = 0; axis < box.size(); ++axis) {
    const IndexExpr &step = digit.factors[axis];
    if (box[axis].variable.isConstant() || step.isConstant(0))
      continue;
    AffineDigit others = digit;
    others.factors[axis] = 0;
    IndexExpr rest = toExpr(others);
    if (step.isConstant(1) && rest.isConstant(0))
      return restrictAxis(axis, begin, end);
    // The others count from their smallest value. Where they are in [0, step)
    // the step is positive, or there is no position.
    for (IndexExpr shift : {IndexExpr(0), step - 1}) {
      if (!isDigit(rest + shift, step))
        continue;
      if (rest.isConstant(0) && step.isConstant()) {
        auto ceilDivide = [&](const IndexExpr &expr) {
          return (expr + step - 1).floorDiv(step.getValue());
        };
        return restrictAxis(axis, ceilDivide(begin), ceilDivide(end));
      }
      std::optional<Range> low = divide(begin + shift, step),
                           high = divide(end + shift, step);
      if (!low || !high)
        return false;
      if (low->second.isConstant(0) && high->second.isConstant(0))
        return restrictAxis(axis, low->first, high->first);
      // Both bounds are in one step: the others decide within it.
      if (!(low->first == high->first) || !isProvablyNonNegative(low->second) ||
          !isProvablyLessOrEqual(high->second, step))
        return false;
      others.constant = shift;
      return restrictAxis(axis, low->first, low->first + 1) &&restrict(
          others, low->second, high->second);
    }
  }
  return false;
}

/// Cuts off all of the axis but [begin, end), counted from the box's corner.
bool Composer::restrictAxis(size_t axis, const IndexExpr &begin,
                            const IndexExpr &end) {
  IndexExpr first = box[axis].begin + begin, last = box[axis].begin + end;
  // What passes the extent is cut off anyway.
  Range &range = mask[axis];
  bool isUncut = range.first.isConstant(0) && range.second == outer.shape[axis];
  if (isUncut) {
    range = Range(first, last);
    return true;
  }
  std::optional<IndexExpr> larger = findLarger(range.first, first),
                           smaller = findSmaller(range.second, last);
  if (!larger || !smaller)
    return false;
  range = Range(*larger, *smaller);
  return true;
}

std::optional<SymbolicView> Composer::compose() {
  if (inner.isContiguous() || outer.isEmpty() || hasNoElements(outer.shape))
    return outer;
  if (outer.isContiguous() && outer.shape == inner.shape)
    return inner;
  if (inner.isEmpty() && !outer.shape.empty())
    return SymbolicView::createEmpty(outer.shape);
  if (!joinAxes())
    return std::nullopt;
  makeBox();
  if (!makeDigits())
    return std::nullopt;

  SymbolicDims strides(outer.shape.size(), 0);
  for (size_t position = 0; position < radix.size(); ++position) {
    const AffineDigit &digit = digits[position];
    const IndexExpr &stride = radix[position].stride;
    offset = offset + digit.constant * stride;
    for (size_t axis = 0; axis < box.size(); ++axis) {
      IndexExpr step = digit.factors[axis] * stride;
      strides[axis] = strides[axis] + step;
      offset = offset - box[axis].begin * step;
    }
    if (const std::optional<Range> &range = radix[position].mask)
      if (!restrict(digit, range->first, range->second))
        return std::nullopt;
  }
  if (isEmpty) {
    if (outer.shape.empty())
      return std::nullopt;
    return SymbolicView::createEmpty(outer.shape);
  }
  return SymbolicView::create(outer.shape, std::move(strides),
                              std::move(offset), std::move(mask));
}

std::optional<SymbolicView>
tinygrad::shape::compose(const SymbolicView &inner, const SymbolicView &outer) {
  std::optional<View> staticInner = inner.toStatic(),
                      staticOuter = outer.toStatic();
  if (!staticInner || !staticOuter)
    return Composer(inner, outer).compose();
  std::optional<View> merged = compose(*staticInner, *staticOuter);
  if (!merged)
    return std::nullopt;
  return SymbolicView::fromStatic(*merged);
}
