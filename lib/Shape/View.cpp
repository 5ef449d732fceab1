//===- View.cpp - One strided view of a buffer ------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Canonical views and the movement functions on one view. Reshape is
// composition with a contiguous view; see Compose.cpp.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Shape/View.h"

#include "Arithmetic.h"

#include <algorithm>
#include <cassert>
#include <sstream>

using namespace tinygrad::shape;

namespace {

bool hasNoElements(std::span<const int64_t> shape) {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

/// True where a movement goes from no elements to none: the result is made
/// contiguous, so that movements that undo each other end where they began.
bool staysEmpty(std::span<const int64_t> before,
                std::span<const int64_t> after) {
  return hasNoElements(before) && hasNoElements(after);
}

/// Returns the mask of `view`, or the full ranges where nothing is masked.
Mask getMaskRanges(const View &view) {
  if (const Mask *mask = view.getMask())
    return *mask;
  Mask ranges;
  ranges.reserve(view.getShape().size());
  for (int64_t extent : view.getShape())
    ranges.emplace_back(0, extent);
  return ranges;
}

void writeList(std::ostream &os, std::span<const int64_t> values) {
  os << '[';
  for (size_t i = 0; i < values.size(); ++i)
    os << (i ? ", " : "") << values[i];
  os << ']';
}

} // namespace

Dims tinygrad::shape::getRowMajorStrides(std::span<const int64_t> shape) {
  Dims strides(shape.size());
  // Unsigned: past 63 bits the product wraps, which no valid position sees.
  uint64_t step = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = shape[axis] == 1 ? 0 : static_cast<int64_t>(step);
    step *= static_cast<uint64_t>(shape[axis]);
  }
  return strides;
}

View View::create(Dims shape, std::optional<Dims> strides, int64_t offset,
                  std::optional<Mask> mask) {
  View view;
  view.strides = strides ? std::move(*strides) : getRowMajorStrides(shape);
  view.shape = std::move(shape);
  view.offset = offset;
  assert(view.strides.size() == view.shape.size() && "one stride per axis");
  for (size_t axis = 0; axis < view.shape.size(); ++axis)
    if (view.shape[axis] == 1)
      view.strides[axis] = 0;
  if (!mask)
    return view;
  // Nothing is masked where nothing is; the mask may have cleared the strides.
  if (hasNoElements(view.shape))
    return create(std::move(view.shape));

  assert(mask->size() == view.shape.size() && "one mask range per axis");
  bool isEmpty = false, isFull = true;
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    auto &[begin, end] = (*mask)[axis];
    begin = std::max<int64_t>(begin, 0);
    end = std::min(end, view.shape[axis]);
    isEmpty |= begin >= end;
    isFull &= begin == 0 && end == view.shape[axis];
  }
  if (isFull)
    return view;
  if (isEmpty) {
    std::fill(view.strides.begin(), view.strides.end(), 0);
    view.offset = 0;
    mask->assign(view.shape.size(), {0, 0});
  } else {
    for (size_t axis = 0; axis < view.shape.size(); ++axis) {
      auto [begin, end] = (*mask)[axis];
      if (end - begin != 1)
        continue;
      view.offset += begin * view.strides[axis];
      view.strides[axis] = 0;
    }
  }
  view.mask = std::move(mask);
  return view;
}

bool View::isContiguous() const {
  return !mask && offset == 0 && strides == getRowMajorStrides(shape);
}

bool View::isOneToOne() const {
  if (hasNoElements(shape))
    return true;
  if (mask)
    return false;
  // Where nothing is masked, the strides are known to be small.
  std::vector<std::pair<int64_t, int64_t>> axes;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] > 1)
      axes.emplace_back(std::abs(strides[axis]), shape[axis]);
  std::sort(axes.begin(), axes.end());
  int64_t reach = 0;
  for (auto [stride, extent] : axes) {
    if (stride <= reach)
      return false;
    reach += stride * (extent - 1);
  }
  return true;
}

View View::permute(std::span<const int64_t> order) const {
  assert(order.size() == shape.size() && "one entry per axis");
  View view = *this;
  for (size_t axis = 0; axis < order.size(); ++axis) {
    view.shape[axis] = shape[order[axis]];
    view.strides[axis] = strides[order[axis]];
    if (mask)
      (*view.mask)[axis] = (*mask)[order[axis]];
  }
  return view;
}

View View::expand(std::span<const int64_t> newShape) const {
  assert(newShape.size() == shape.size() && "expand keeps the rank");
  Dims extents(newShape.begin(), newShape.end());
  if (hasNoElements(extents))
    return create(std::move(extents));
  std::optional<Mask> newMask = mask;
  // An axis of extent 1 that is not masked stays so on every position.
  if (newMask)
    for (size_t axis = 0; axis < extents.size(); ++axis)
      if (auto &[begin, end] = (*newMask)[axis];
          shape[axis] != extents[axis] && end != 0)
        end = extents[axis];
  return create(std::move(extents), strides, offset, std::move(newMask));
}

bool View::hasSmallIndices(
    std::span<const std::pair<int64_t, int64_t>> padding) const {
  constexpr Wide limit = Wide(1) << 62;
  Wide lowest = offset, highest = offset;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    auto [before, after] =
        padding.empty() ? std::pair<int64_t, int64_t>() : padding[axis];
    if (shape[axis] == 0 && before == 0 && after == 0)
      return true;
    // Clamped, so that sums over the axes fit.
    Wide first = -Wide(before) * strides[axis];
    Wide last = (Wide(shape[axis]) - 1 + after) * strides[axis];
    if (first > last)
      std::swap(first, last);
    lowest += std::clamp(first, -limit, limit);
    highest += std::clamp(last, -limit, limit);
  }
  return lowest > -limit && highest < limit && highest - lowest < limit;
}

View View::pad(std::span<const std::pair<int64_t, int64_t>> padding) const {
  assert(padding.size() == shape.size() && "one pair per axis");
  Dims extents = shape;
  int64_t newOffset = offset;
  Mask newMask = getMaskRanges(*this);
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    auto [before, after] = padding[axis];
    extents[axis] += before + after;
    newOffset -= before * strides[axis];
    newMask[axis].first += before;
    newMask[axis].second += before;
  }
  if (staysEmpty(shape, extents))
    return create(std::move(extents));
  return create(std::move(extents), strides, newOffset, std::move(newMask));
}

View View::shrink(std::span<const std::pair<int64_t, int64_t>> ranges) const {
  assert(ranges.size() == shape.size() && "one range per axis");
  Dims extents = shape;
  int64_t newOffset = offset;
  std::optional<Mask> newMask = mask;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    auto [begin, end] = ranges[axis];
    assert(0 <= begin && begin <= end && end <= shape[axis]);
    extents[axis] = end - begin;
    newOffset += begin * strides[axis];
    if (newMask) {
      (*newMask)[axis].first -= begin;
      (*newMask)[axis].second -= begin;
    }
  }
  if (staysEmpty(shape, extents))
    return create(std::move(extents));
  return create(std::move(extents), strides, newOffset, std::move(newMask));
}

View View::stride(std::span<const int64_t> steps) const {
  assert(steps.size() == shape.size() && "one step per axis");
  Dims extents = shape, newStrides = strides;
  int64_t newOffset = offset;
  std::optional<Mask> newMask = mask;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    int64_t step = steps[axis];
    assert(step != 0 && "a step is not 0");
    if (step < 0) {
      step = -step;
      newOffset += (shape[axis] - 1) * strides[axis];
      newStrides[axis] = -strides[axis];
      if (newMask) {
        auto &[begin, end] = (*newMask)[axis];
        begin = shape[axis] - begin;
        end = shape[axis] - end;
        std::swap(begin, end);
      }
    }
    extents[axis] = ceilDivide(shape[axis], step);
    // An axis of one element has no second one that could be out of reach.
    newStrides[axis] = extents[axis] > 1 ? newStrides[axis] * step : 0;
    if (newMask) {
      auto &[begin, end] = (*newMask)[axis];
      begin = ceilDivide(begin, step);
      end = ceilDivide(end, step);
    }
  }
  if (staysEmpty(shape, extents))
    return create(std::move(extents));
  return create(std::move(extents), std::move(newStrides), newOffset,
                std::move(newMask));
}

std::optional<View> View::reshape(std::span<const int64_t> newShape) const {
  if (std::equal(newShape.begin(), newShape.end(), shape.begin(), shape.end()))
    return *this;
  View target = create(Dims(newShape.begin(), newShape.end()));
  if (hasNoElements(newShape))
    return target;
  if (!mask && strides == getRowMajorStrides(shape)) {
    target.offset = offset;
    return target;
  }
  return compose(*this, target);
}

int64_t View::getIndex(std::span<const int64_t> position) const {
  assert(position.size() == shape.size() && "one entry per axis");
  int64_t index = offset;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (mask && (position[axis] < (*mask)[axis].first ||
                 position[axis] >= (*mask)[axis].second))
      return -1;
    index += position[axis] * strides[axis];
  }
  return index;
}

std::string View::toString() const {
  std::ostringstream os;
  os << "view<";
  writeList(os, shape);
  os << ", strides ";
  writeList(os, strides);
  os << ", offset " << offset;
  if (mask) {
    os << ", mask [";
    for (size_t axis = 0; axis < mask->size(); ++axis)
      os << (axis ? ", [" : "[") << (*mask)[axis].first << ", "
         << (*mask)[axis].second << ']';
    os << ']';
  }
  os << '>';
  return os.str();
}
