//===- SymbolicView.cpp - One view of symbolic sizes ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Canonical views, and the movements that one view can express.
//
//===----------------------------------------------------------------------===//

#include "SymbolicMovement.h"

#include "Arithmetic.h"

#include <algorithm>
#include <cassert>

using namespace tinygrad::shape;

SymbolicDims tinygrad::shape::getRowMajorStrides(const SymbolicDims &shape) {
  SymbolicDims strides(shape.size(), 0);
  IndexExpr step = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (!shape[axis].isConstant(1))
      strides[axis] = step;
    step = step * shape[axis];
  }
  return strides;
}

IndexExpr tinygrad::shape::getNumElements(const SymbolicDims &shape) {
  IndexExpr count = 1;
  for (const IndexExpr &extent : shape)
    count = count * extent;
  return count;
}

bool tinygrad::shape::hasNoElements(const SymbolicDims &shape) {
  return std::any_of(shape.begin(), shape.end(), [](const IndexExpr &extent) {
    return extent.isConstant(0);
  });
}

SymbolicView SymbolicView::create(SymbolicDims shape,
                                  std::optional<SymbolicDims> strides,
                                  IndexExpr offset,
                                  std::optional<SymbolicMask> mask) {
  SymbolicView view;
  view.strides = strides ? std::move(*strides) : getRowMajorStrides(shape);
  view.shape = std::move(shape);
  view.offset = std::move(offset);
  assert(view.strides.size() == view.shape.size() && "one stride per axis");
  for (size_t axis = 0; axis < view.shape.size(); ++axis)
    if (view.shape[axis].isConstant(1))
      view.strides[axis] = 0;
  if (!mask)
    return view;
  if (hasNoElements(view.shape))
    return create(std::move(view.shape));

  assert(mask->size() == view.shape.size() && "one mask range per axis");
  bool isFull = true;
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    const IndexExpr &extent = view.shape[axis];
    auto &[begin, end] = (*mask)[axis];
    if (isProvablyLessOrEqual(begin, 0))
      begin = 0;
    if (isProvablyLessOrEqual(extent, end))
      end = extent;
    if (isProvablyLessOrEqual(end, begin) || isProvablyLessOrEqual(end, 0) ||
        isProvablyLessOrEqual(extent, begin))
      return createEmpty(std::move(view.shape));
    isFull &= begin.isConstant(0) && end == extent;
  }
  if (isFull)
    return view;
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    auto &[begin, end] = (*mask)[axis];
    if (!(end - begin).isConstant(1))
      continue;
    view.offset = view.offset + begin * view.strides[axis];
    view.strides[axis] = 0;
  }
  view.mask = std::move(mask);
  return view;
}

SymbolicView SymbolicView::createEmpty(SymbolicDims shape) {
  SymbolicView view;
  view.strides.assign(shape.size(), 0);
  view.mask.emplace(shape.size(), std::pair<IndexExpr, IndexExpr>(0, 0));
  view.shape = std::move(shape);
  return view;
}

bool SymbolicView::hasSmallIndices() const {
  static constexpr Wide limit = Wide(1) << 62;
  auto getMagnitude = [](const IndexExpr &expr) {
    return std::min(std::max(-Wide(expr.getMin()), Wide(expr.getMax())), limit);
  };
  Wide reach = getMagnitude(offset);
  for (size_t axis = 0; axis < shape.size(); ++axis)
    reach = std::min(
        reach + getMagnitude(shape[axis]) * getMagnitude(strides[axis]), limit);
  return reach < limit;
}

bool SymbolicView::isEmpty() const {
  return mask && !mask->empty() && mask->front().second.isConstant(0);
}

SymbolicView SymbolicView::fromStatic(const View &view) {
  SymbolicView result;
  result.shape.assign(view.getShape().begin(), view.getShape().end());
  result.strides.assign(view.getStrides().begin(), view.getStrides().end());
  result.offset = view.getOffset();
  if (const Mask *mask = view.getMask())
    result.mask.emplace(mask->begin(), mask->end());
  return result;
}

bool SymbolicView::isContiguous() const {
  return !mask && offset.isConstant(0) && strides == getRowMajorStrides(shape);
}

std::optional<View> SymbolicView::toStatic() const {
  std::optional<Dims> extents = toNumbers(shape), steps = toNumbers(strides);
  if (!extents || !steps || !offset.isConstant())
    return std::nullopt;
  std::optional<Mask> ranges;
  if (mask) {
    ranges.emplace();
    for (const auto &[begin, end] : *mask) {
      if (!begin.isConstant() || !end.isConstant())
        return std::nullopt;
      ranges->emplace_back(begin.getValue(), end.getValue());
    }
  }
  return View::create(std::move(*extents), std::move(*steps), offset.getValue(),
                      std::move(ranges));
}

std::string SymbolicView::toString() const {
  std::string text = "view<" + shape::toString(shape) + ", strides " +
                     shape::toString(strides) + ", offset " + offset.toString();
  if (mask) {
    text += ", mask [";
    for (const auto &range : *mask)
      text += (&range == mask->data() ? "[" : ", [") + range.first.toString() +
              ", " + range.second.toString() + "]";
    text += "]";
  }
  return text + ">";
}

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

std::optional<IndexExpr> tinygrad::shape::findSmaller(const IndexExpr &a,
                                                      const IndexExpr &b) {
  if (isProvablyLessOrEqual(a, b))
    return a;
  if (isProvablyLessOrEqual(b, a))
    return b;
  return std::nullopt;
}

std::optional<IndexExpr> tinygrad::shape::findLarger(const IndexExpr &a,
                                                     const IndexExpr &b) {
  if (isProvablyLessOrEqual(a, b))
    return b;
  if (isProvablyLessOrEqual(b, a))
    return a;
  return std::nullopt;
}

/// Makes the result of a movement of `view`: from no elements to none, it is
/// contiguous, as those of View are.
static SymbolicView createMoved(const SymbolicView &view, SymbolicDims shape,
                                SymbolicDims strides, IndexExpr offset,
                                std::optional<SymbolicMask> mask) {
  if (hasNoElements(view.shape) && hasNoElements(shape))
    return SymbolicView::create(std::move(shape));
  return SymbolicView::create(std::move(shape), std::move(strides),
                              std::move(offset), std::move(mask));
}

std::optional<SymbolicView>
tinygrad::shape::permute(const SymbolicView &view,
                         std::span<const int64_t> order) {
  assert(order.size() == view.shape.size() && "one entry per axis");
  SymbolicView result = view;
  for (size_t axis = 0; axis < order.size(); ++axis) {
    result.shape[axis] = view.shape[order[axis]];
    result.strides[axis] = view.strides[order[axis]];
    if (view.mask)
      (*result.mask)[axis] = (*view.mask)[order[axis]];
  }
  return result;
}

std::optional<SymbolicView>
tinygrad::shape::expand(const SymbolicView &view,
                        const SymbolicDims &newShape) {
  assert(newShape.size() == view.shape.size() && "expand keeps the rank");
  if (hasNoElements(newShape))
    return SymbolicView::create(newShape);
  if (view.isEmpty())
    return SymbolicView::createEmpty(newShape);
  std::optional<SymbolicMask> mask = view.mask;
  if (mask)
    for (size_t axis = 0; axis < newShape.size(); ++axis) {
      auto &[begin, end] = (*mask)[axis];
      if (newShape[axis] == view.shape[axis])
        continue;
      // Whether the one position is masked may depend on the variables.
      if (!begin.isConstant(0) || !(end == view.shape[axis]))
        return std::nullopt;
      end = newShape[axis];
    }
  return SymbolicView::create(newShape, view.strides, view.offset,
                              std::move(mask));
}

std::optional<SymbolicView> tinygrad::shape::pad(const SymbolicView &view,
                                                 const SymbolicMask &padding) {
  assert(padding.size() == view.shape.size() && "one pair per axis");
  SymbolicDims shape = view.shape;
  IndexExpr offset = view.offset;
  SymbolicMask mask;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const auto &[before, after] = padding[axis];
    std::optional<IndexExpr> begin = 0, end = shape[axis];
    if (view.mask) {
      begin = findLarger((*view.mask)[axis].first, 0);
      end = findSmaller((*view.mask)[axis].second, shape[axis]);
      if (!begin || !end)
        return std::nullopt;
    }
    mask.emplace_back(*begin + before, *end + before);
    shape[axis] = shape[axis] + before + after;
    offset = offset - before * view.strides[axis];
  }
  if (view.isEmpty())
    return SymbolicView::createEmpty(std::move(shape));
  return createMoved(view, std::move(shape), view.strides, std::move(offset),
                     std::move(mask));
}

std::optional<SymbolicView>
tinygrad::shape::shrink(const SymbolicView &view, const SymbolicMask &ranges) {
  assert(ranges.size() == view.shape.size() && "one range per axis");
  SymbolicDims shape = view.shape;
  IndexExpr offset = view.offset;
  std::optional<SymbolicMask> mask = view.mask;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const auto &[begin, end] = ranges[axis];
    shape[axis] = end - begin;
    offset = offset + begin * view.strides[axis];
    if (mask) {
      (*mask)[axis].first = (*mask)[axis].first - begin;
      (*mask)[axis].second = (*mask)[axis].second - begin;
    }
  }
  if (view.isEmpty())
    return SymbolicView::createEmpty(std::move(shape));
  return createMoved(view, std::move(shape), view.strides, std::move(offset),
                     std::move(mask));
}

std::optional<SymbolicView>
tinygrad::shape::stride(const SymbolicView &view,
                        std::span<const int64_t> steps) {
  assert(steps.size() == view.shape.size() && "one step per axis");
  auto ceilDivide = [](const IndexExpr &expr, int64_t divisor) {
    return (expr + (divisor - 1)).floorDiv(divisor);
  };
  SymbolicDims shape = view.shape, strides = view.strides;
  IndexExpr offset = view.offset;
  std::optional<SymbolicMask> mask = view.mask;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    assert(steps[axis] != 0 && "a step is not 0");
    const IndexExpr &extent = view.shape[axis];
    if (steps[axis] < 0) {
      offset = offset + (extent - 1) * strides[axis];
      strides[axis] = -strides[axis];
      if (mask) {
        auto [begin, end] = (*mask)[axis];
        (*mask)[axis] = {extent - end, extent - begin};
      }
    }
    // A step past the extent does what the extent does, and no sum overflows.
    uint64_t size = steps[axis] < 0 ? -static_cast<uint64_t>(steps[axis])
                                    : static_cast<uint64_t>(steps[axis]);
    auto largest = static_cast<uint64_t>(std::max<int64_t>(extent.getMax(), 1));
    auto step = static_cast<int64_t>(std::min(size, largest));
    shape[axis] = ceilDivide(extent, step);
    strides[axis] = strides[axis] * step;
    if (mask) {
      auto &[begin, end] = (*mask)[axis];
      begin = ceilDivide(begin, step);
      end = ceilDivide(end, step);
    }
  }
  if (view.isEmpty())
    return SymbolicView::createEmpty(std::move(shape));
  return createMoved(view, std::move(shape), std::move(strides),
                     std::move(offset), std::move(mask));
}
