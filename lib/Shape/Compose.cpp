//===- Compose.cpp - One view that reads through another --------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `outer` maps a position x to a flat position p(x), an affine function, and
// `inner` splits p into digits, one per axis, in the mixed radix of its shape.
// With W[j] the row-major weight of axis j, floor(p / W[j]) is all that digits
// 0..j say, so inner's index is
//
//   offset + sum over j of (stride[j] - extent[j+1] * stride[j+1])
//                          * floor(p / W[j])
//
// where the last term is stride[last] * p. A quotient whose factor is 0 does
// not matter: this is how axes of inner merge without being looked at. The
// result is one view if the other quotients are affine on the box of positions
// that are not masked, and this box is found by trimming outer's box until each
// masked digit of inner provably stays in its range.
//
// Nothing here walks over elements: a step costs a number of operations that
// depends on the ranks and on the number of bits of the extents.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Shape/View.h"

#include "Arithmetic.h"

#include <algorithm>

using namespace tinygrad::shape;

namespace {

/// An affine function on a box of integers, seen from the box's low corner:
/// value = base + sum of steps[k] * y[k], with y[k] in [0, extents[k]).
struct AffineOnBox {
  Wide base = 0;
  std::vector<Wide> steps;
  std::vector<Wide> lows, extents;

  bool varies(size_t axis) const {
    return extents[axis] > 1 && steps[axis] != 0;
  }
  bool isEmpty() const {
    return std::any_of(extents.begin(), extents.end(),
                       [](Wide extent) { return extent <= 0; });
  }
  void dropBelow(size_t axis, Wide count) {
    base += steps[axis] * count;
    lows[axis] += count;
    extents[axis] -= count;
  }
  Wide getMin() const {
    Wide value = base;
    for (size_t axis = 0; axis < steps.size(); ++axis)
      value += std::min<Wide>(0, steps[axis] * (extents[axis] - 1));
    return value;
  }
  Wide getMax() const {
    Wide value = base;
    for (size_t axis = 0; axis < steps.size(); ++axis)
      value += std::max<Wide>(0, steps[axis] * (extents[axis] - 1));
    return value;
  }
};

/// Makes `position` the affine function of outer's flat index on its mask.
AffineOnBox getFlatPosition(const View &outer) {
  AffineOnBox position;
  position.base = outer.getOffset();
  size_t rank = outer.getShape().size();
  position.steps.assign(outer.getStrides().begin(), outer.getStrides().end());
  position.lows.assign(rank, 0);
  position.extents.assign(outer.getShape().begin(), outer.getShape().end());
  if (const Mask *mask = outer.getMask())
    for (size_t axis = 0; axis < rank; ++axis) {
      position.extents[axis] = (*mask)[axis].second;
      position.dropBelow(axis, (*mask)[axis].first);
    }
  return position;
}

/// Returns `position mod modulus` if that is an affine function on the box.
///
/// An affine remainder is known from its values at the low corner and one step
/// away from it on each axis, so there is one candidate. It is the remainder
/// exactly if it never leaves [0, modulus): it differs from the position by an
/// affine function that is a multiple of the modulus everywhere.
std::optional<AffineOnBox> getAffineRemainder(const AffineOnBox &position,
                                              Wide modulus) {
  AffineOnBox remainder = position;
  remainder.base = floorModulo(position.base, modulus);
  for (size_t axis = 0; axis < position.steps.size(); ++axis)
    remainder.steps[axis] =
        position.extents[axis] > 1
            ? floorModulo(position.base + position.steps[axis], modulus) -
                  remainder.base
            : 0;
  if (remainder.getMin() < 0 || remainder.getMax() >= modulus)
    return std::nullopt;
  return remainder;
}

/// Returns the smallest y >= 0 with (step * y) mod modulus in [first, last],
/// or -1; 0 <= first <= last < modulus and 0 <= step < modulus. Takes as many
/// rounds as Euclid's algorithm.
Wide findMultipleInRange(Wide step, Wide modulus, Wide first, Wide last) {
  if (first == 0)
    return 0;
  if (step == 0)
    return -1;
  // Going down by the complement is going up by the step, mirrored; it halves
  // the step, which bounds the number of rounds.
  if (2 * step > modulus)
    return findMultipleInRange(modulus - step, modulus, modulus - last,
                               modulus - first);
  Wide count = ceilDivide(first, step);
  if (count * step <= last)
    return count;
  // No multiple lies in the range before the first wrap. With w wraps, a
  // multiple of step is in [first + w * modulus, last + w * modulus].
  Wide wraps =
      findMultipleInRange(floorModulo(modulus, step), step,
                          floorModulo(-last, step), floorModulo(-first, step));
  if (wraps < 0)
    return -1;
  return ceilDivide(first + wraps * modulus, step);
}

/// Returns the smallest y in [0, extent) with (base + step * y) mod modulus in
/// the cyclic range [first, first + length], or `extent` if there is none.
Wide findFirst(Wide base, Wide step, Wide modulus, Wide first, Wide length,
               Wide extent) {
  if (length >= modulus - 1)
    return 0;
  first = floorModulo(first - base, modulus);
  if (first == 0 || first + length >= modulus)
    return 0;
  Wide found = findMultipleInRange(floorModulo(step, modulus), modulus, first,
                                   first + length);
  return found < 0 ? extent : std::min(found, extent);
}

/// The condition that `position mod modulus` lies in [first, last].
struct DigitRange {
  Wide modulus, first, last;
};

enum class Trim { Proven, Unproven, Empty };

/// Trims the axes of `position` to where `range` can hold, given the affine
/// remainder. Exact on each axis alone.
Trim trimAffine(AffineOnBox &position, AffineOnBox remainder, Wide first,
                Wide last) {
  for (size_t axis = 0; axis < position.steps.size(); ++axis) {
    if (!remainder.varies(axis))
      continue;
    Wide step = remainder.steps[axis];
    Wide span = step * (remainder.extents[axis] - 1);
    // What the other axes can reach, with y[axis] = 0.
    Wide low = remainder.getMin() - std::min<Wide>(0, span);
    Wide high = remainder.getMax() - std::max<Wide>(0, span);
    // first <= high + step * y and low + step * y <= last.
    Wide begin = step > 0 ? ceilDivide(first - high, step)
                          : ceilDivide(low - last, -step);
    Wide end = step > 0 ? floorDivide(last - low, step)
                        : floorDivide(high - first, -step);
    end = std::min(end, remainder.extents[axis] - 1);
    begin = std::max<Wide>(begin, 0);
    if (begin > end)
      return Trim::Empty;
    for (AffineOnBox *function : {&position, &remainder}) {
      function->extents[axis] = end + 1;
      function->dropBelow(axis, begin);
    }
  }
  return remainder.getMin() >= first && remainder.getMax() <= last
             ? Trim::Proven
             : Trim::Unproven;
}

/// As trimAffine, where the remainder wraps around: each axis is trimmed to its
/// first and last position at which some values of the others can fit.
Trim trimCyclic(AffineOnBox &position, const DigitRange &range, Wide first,
                Wide last) {
  size_t rank = position.steps.size();
  for (size_t axis = 0; axis < rank; ++axis) {
    if (!position.varies(axis))
      continue;
    Wide low = 0, high = 0;
    for (size_t other = 0; other < rank; ++other) {
      if (other == axis || position.extents[other] <= 1)
        continue;
      Wide step = floorModulo(position.steps[other], range.modulus);
      if (2 * step > range.modulus)
        step -= range.modulus;
      Wide span = step * (position.extents[other] - 1);
      (span < 0 ? low : high) += span;
    }
    Wide length = last - first + high - low;
    Wide extent = position.extents[axis], step = position.steps[axis];
    Wide begin = findFirst(position.base, step, range.modulus, first - high,
                           length, extent);
    if (begin == extent)
      return Trim::Empty;
    Wide end = findFirst(position.base + step * (extent - 1), -step,
                         range.modulus, first - high, length, extent);
    position.extents[axis] -= end;
    position.dropBelow(axis, begin);
  }
  return Trim::Unproven;
}

/// Trims `position` to where `range` can hold, and says if it then always does.
Trim trim(AffineOnBox &position, const DigitRange &range) {
  // All remainders are equal modulo `common`: round the range to the first and
  // the last that can occur.
  Wide common = range.modulus;
  for (size_t axis = 0; axis < position.steps.size(); ++axis)
    if (position.varies(axis))
      common = greatestCommonDivisor(common, position.steps[axis]);
  Wide first = range.first + floorModulo(position.base - range.first, common);
  Wide last = range.last - floorModulo(range.last - position.base, common);
  if (first > last)
    return Trim::Empty;
  if (first < common && last + common >= range.modulus)
    return Trim::Proven;
  if (auto remainder = getAffineRemainder(position, range.modulus))
    return trimAffine(position, std::move(*remainder), first, last);
  return trimCyclic(position, range, first, last);
}

/// The axes of inner as digits of a flat position.
struct MixedRadix {
  explicit MixedRadix(const View &inner);

  std::vector<Wide> extents, weights;
  /// Inner's, but where an axis reads one position only its stride is free, and
  /// is chosen so that the axis merges with the next.
  std::vector<Wide> strides;
  Wide offset;
  /// The conditions of inner's mask, outermost first.
  std::vector<DigitRange> ranges;
};

MixedRadix::MixedRadix(const View &inner)
    : extents(inner.getShape().begin(), inner.getShape().end()),
      weights(extents.size()),
      strides(inner.getStrides().begin(), inner.getStrides().end()),
      offset(inner.getOffset()) {
  Wide weight = 1;
  for (size_t axis = extents.size(); axis-- > 0;) {
    weights[axis] = weight;
    weight *= extents[axis];
  }

  auto getRange = [&](size_t axis) -> std::pair<Wide, Wide> {
    if (const Mask *mask = inner.getMask())
      return (*mask)[axis];
    return {0, extents[axis]};
  };
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    auto [begin, end] = getRange(axis);
    DigitRange range{weights[axis] * extents[axis], weights[axis] * begin,
                     weights[axis] * end - 1};
    // Where all digits so far have one value, one more digit just narrows the
    // range: "row 1, columns 3 to 7" is an interval of the flat position.
    if (!ranges.empty() &&
        ranges.back().last - ranges.back().first + 1 == range.modulus) {
      ranges.back().last = ranges.back().first + range.last;
      ranges.back().first += range.first;
    } else if (begin != 0 || end != extents[axis]) {
      ranges.push_back(range);
    }
  }
  for (size_t axis = extents.size(); axis-- > 0;) {
    auto [begin, end] = getRange(axis);
    if (end - begin != 1 || axis + 1 == extents.size())
      continue;
    Wide merged = strides[axis + 1] * extents[axis + 1];
    if (!fitsInt64(merged))
      continue;
    offset += begin * (strides[axis] - merged);
    strides[axis] = merged;
  }
}

/// Trims `position` to where all of `ranges` hold; Proven if they do on all
/// that is left.
Trim trimAll(AffineOnBox &position, const std::vector<DigitRange> &ranges) {
  // One range's trimming may let another trim more; a small number of rounds
  // reaches the end of that wherever one view is possible at all.
  size_t maxRounds = ranges.size() + position.steps.size() + 2;
  for (size_t round = 0; round < maxRounds; ++round) {
    Trim result = Trim::Proven;
    for (const DigitRange &range : ranges) {
      Trim one = trim(position, range);
      if (one == Trim::Empty)
        return one;
      if (one == Trim::Unproven)
        result = one;
    }
    if (result == Trim::Proven)
      return result;
  }
  return Trim::Unproven;
}

/// As trimAll, for what no range shows alone: drops the positions at the ends
/// of an axis that, taken by themselves, the ranges together rule out.
Trim trimEnds(AffineOnBox &position, const std::vector<DigitRange> &ranges) {
  auto isRuledOut = [&](size_t axis, bool atLow, Wide count) {
    AffineOnBox part = position;
    if (!atLow)
      part.dropBelow(axis, part.extents[axis] - count);
    part.extents[axis] = count;
    return trimAll(part, ranges) == Trim::Empty;
  };
  // Each round drops something; the number of rounds must not depend on how
  // much there is to drop.
  size_t rank = position.steps.size();
  for (size_t round = 0; round < rank + 2; ++round) {
    bool changed = false;
    for (size_t axis = 0; axis < rank; ++axis)
      for (bool atLow : {true, false}) {
        Wide count = 0;
        for (Wide next = 1;
             next < position.extents[axis] && isRuledOut(axis, atLow, next);
             next *= 2)
          count = next;
        if (count == 0)
          continue;
        if (atLow)
          position.dropBelow(axis, count);
        else
          position.extents[axis] -= count;
        changed = true;
      }
    Trim result = changed ? trimAll(position, ranges) : Trim::Unproven;
    if (!changed || result != Trim::Unproven)
      return result;
  }
  return Trim::Unproven;
}

/// Returns the view of `shape` that inner is on the box of `position`, masked
/// elsewhere, if it is one.
std::optional<View> readDigits(const MixedRadix &radix,
                               const AffineOnBox &position, const Dims &shape) {
  size_t rank = shape.size(), innerRank = radix.extents.size();
  Wide offset = radix.offset;
  std::vector<Wide> steps(rank, 0);
  for (size_t axis = 0; axis < innerRank; ++axis) {
    Wide factor = radix.strides[axis];
    if (axis + 1 < innerRank)
      factor -= radix.strides[axis + 1] * radix.extents[axis + 1];
    if (factor == 0)
      continue;
    Wide weight = radix.weights[axis];
    auto remainder = getAffineRemainder(position, weight);
    if (!remainder || !fitsInt64(factor))
      return std::nullopt;
    offset += factor * ((position.base - remainder->base) / weight);
    for (size_t k = 0; k < rank; ++k)
      if (position.extents[k] > 1)
        steps[k] +=
            factor * ((position.steps[k] - remainder->steps[k]) / weight);
  }

  Dims strides(rank);
  Mask mask(rank);
  for (size_t axis = 0; axis < rank; ++axis) {
    if (!fitsInt64(steps[axis]))
      return std::nullopt;
    strides[axis] = static_cast<int64_t>(steps[axis]);
    Wide low = position.lows[axis], end = low + position.extents[axis];
    offset -= steps[axis] * low;
    mask[axis] = {static_cast<int64_t>(low), static_cast<int64_t>(end)};
  }
  if (!fitsInt64(offset))
    return std::nullopt;
  return View::create(shape, std::move(strides), static_cast<int64_t>(offset),
                      std::move(mask));
}

bool readsNothing(const View &view) {
  const Mask *mask = view.getMask();
  return mask && !mask->empty() && mask->front().second == 0;
}

} // namespace

std::optional<View> tinygrad::shape::compose(const View &inner,
                                             const View &outer) {
  const Dims &shape = outer.getShape();
  std::optional<int64_t> innerCount = countElements(inner.getShape());
  if (!innerCount)
    return std::nullopt;
  if (countElements(shape) == 0)
    return View::create(shape);

  auto makeEmpty = [&]() -> std::optional<View> {
    // A view without axes has no place for a mask.
    if (shape.empty())
      return std::nullopt;
    return View::create(shape, std::nullopt, 0, Mask(shape.size(), {0, 0}));
  };
  if (readsNothing(inner) || readsNothing(outer))
    return makeEmpty();

  AffineOnBox position = getFlatPosition(outer);
  if (position.getMin() < 0 || position.getMax() >= *innerCount)
    return std::nullopt;
  MixedRadix radix(inner);
  Trim result = trimAll(position, radix.ranges);
  if (result == Trim::Unproven)
    result = trimEnds(position, radix.ranges);
  switch (result) {
  case Trim::Empty:
    return makeEmpty();
  case Trim::Unproven:
    return std::nullopt;
  case Trim::Proven:
    break;
  }
  return readDigits(radix, position, shape);
}
