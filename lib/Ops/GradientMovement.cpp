//===- GradientMovement.cpp - Gradients of movement ops -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A movement op copies elements, so its transpose adds up what was copied to
// several places and puts zeros where nothing was taken from.
//
//===----------------------------------------------------------------------===//

#include "GradientMovement.h"

#include "tinygrad/Ops/SymbolicShape.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <limits>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::ops;
using shape::Sizes;

/// Computes the shape of the result of `kind` on `source`.
static bool infer(OpKind kind, const Sizes &source, const Sizes &ints) {
  std::string error;
  if (!source.isSymbolic() && !ints.isSymbolic()) {
    Shape result;
    return inferShape(kind, {source.getNumbers()}, {ints.getNumbers(), {}, {}},
                      result, error);
  }
  shape::SymbolicDims result;
  return inferSymbolicShape(kind, {source.getExprs()}, ints.getExprs(), result,
                            error);
}

namespace {

/// Builds movement ops, leaving out those that would change nothing.
class Mover {
public:
  Mover(GradientBuilder &builder, Ref value) : builder(builder), value(value) {}

  Ref get() const { return value; }
  Sizes getShape() { return builder.getShape(value); }

  void reshape(const Sizes &shape) {
    if (getShape() != shape)
      value = builder.movement(OpKind::Reshape, value, shape);
  }

  void permute(const std::vector<int64_t> &order) {
    if (!std::ranges::is_sorted(order))
      value = builder.movement(OpKind::Permute, value, order);
  }

  /// Returns false if the result would have too many elements.
  [[nodiscard]] bool pad(const Sizes &padding) {
    if (padding == Sizes(std::vector<int64_t>(padding.size())))
      return true;
    if (!infer(OpKind::Pad, getShape(), padding))
      return false;
    value = builder.movement(OpKind::Pad, value, padding);
    return true;
  }

  /// Returns false if the ranges cannot be proven to be inside of the shape.
  [[nodiscard]] bool shrink(const Sizes &ranges) {
    bool isWhole = Sizes::visit(
        ranges, getShape(), [](const auto &ranges, const auto &shape) {
          for (size_t i = 0; i < shape.size(); ++i)
            if (ranges[2 * i] != 0 || ranges[2 * i + 1] != shape[i])
              return false;
          return true;
        });
    if (isWhole)
      return true;
    if (!infer(OpKind::Shrink, getShape(), ranges))
      return false;
    value = builder.movement(OpKind::Shrink, value, ranges);
    return true;
  }

  /// Reverses the axes whose step is negative.
  void flip(const std::vector<int64_t> &steps) {
    std::vector<int64_t> flips;
    flips.reserve(steps.size());
    for (int64_t step : steps)
      flips.push_back(step < 0 ? -1 : 1);
    if (std::ranges::count(flips, -1))
      value = builder.movement(OpKind::Stride, value, flips);
  }

  void sum(const Sizes &shape) {
    if (getShape() != shape)
      value = builder.reduce(OpKind::ReduceSum, value, shape);
  }

  /// Adds zeros behind the last axis, whose extent is a number, until it has
  /// size `extent`; as pad.
  [[nodiscard]] bool padLast(int64_t extent) {
    Shape shape = getShape().getNumbers();
    std::vector<int64_t> padding(2 * shape.size());
    padding.back() = extent - shape.back();
    return pad(padding);
  }

  /// Keeps the first `extent` elements of the last axis; as shrink.
  [[nodiscard]] bool shrinkLast(int64_t extent) {
    std::vector<int64_t> ranges;
    for (int64_t size : getShape().getNumbers()) {
      ranges.push_back(0);
      ranges.push_back(size);
    }
    ranges.back() = extent;
    return shrink(ranges);
  }

private:
  GradientBuilder &builder;
  Ref value;
};

/// One axis of an as_strided that has more than one element and moves.
struct StridedAxis {
  int64_t extent;
  /// Positive: negative strides were flipped away.
  int64_t stride;
};

} // namespace

static Ref permuteGradient(Mover mover, const std::vector<int64_t> &order) {
  std::vector<int64_t> inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    inverse[order[i]] = static_cast<int64_t>(i);
  mover.permute(inverse);
  return mover.get();
}

static std::optional<Ref> padGradient(Mover mover, const Sizes &padding,
                                      const Sizes &source) {
  Sizes ranges = Sizes::visit(
      padding, source, [](const auto &padding, const auto &source) -> Sizes {
        std::decay_t<decltype(source)> ranges;
        for (size_t i = 0; i < source.size(); ++i) {
          ranges.push_back(padding[2 * i]);
          ranges.push_back(padding[2 * i] + source[i]);
        }
        return ranges;
      });
  if (!mover.shrink(ranges))
    return std::nullopt;
  return mover.get();
}

static std::optional<Ref> shrinkGradient(Mover mover, const Sizes &ranges,
                                         const Sizes &source) {
  Sizes padding = Sizes::visit(
      ranges, source, [](const auto &ranges, const auto &source) -> Sizes {
        std::decay_t<decltype(source)> padding;
        for (size_t i = 0; i < source.size(); ++i) {
          padding.push_back(ranges[2 * i]);
          padding.push_back(source[i] - ranges[2 * i + 1]);
        }
        return padding;
      });
  if (!mover.pad(padding))
    return std::nullopt;
  return mover.get();
}

/// Puts |step| - 1 zeros behind each element, then flips: the op itself flips
/// first and then takes every |step|-th element.
static std::optional<Ref> strideGradient(Mover mover,
                                         const std::vector<int64_t> &steps,
                                         const Sizes &source) {
  Sizes split, padding, joined, ranges;
  auto spread = [&](const auto &taken, const auto &source) {
    using List = std::decay_t<decltype(source)>;
    using Size = typename List::value_type;
    List splitList, paddingList, joinedList, rangeList;
    for (size_t i = 0; i < source.size(); ++i) {
      // A step past the end takes one element, and so does one of the extent.
      // The smaller one keeps the padded shape from overflowing.
      Size step = 1;
      if (steps[i] != 1 && steps[i] != -1 && taken[i] != 0)
        step = taken[i] == 1 ? source[i] : Size(std::abs(steps[i]));
      splitList.push_back(taken[i]);
      paddingList.insert(paddingList.end(), {0, 0});
      if (step != 1) {
        splitList.push_back(1);
        paddingList.insert(paddingList.end(), {0, step - 1});
      }
      joinedList.push_back(taken[i] * step);
      rangeList.insert(rangeList.end(), {0, source[i]});
    }
    split = splitList;
    padding = paddingList;
    joined = joinedList;
    ranges = rangeList;
  };
  Sizes::visit(mover.getShape(), source, spread);
  mover.reshape(split);
  if (!mover.pad(padding))
    return std::nullopt;
  mover.reshape(joined);
  if (!mover.shrink(ranges))
    return std::nullopt;
  mover.flip(steps);
  return mover.get();
}

/// Returns the order, outermost first, in which to join `axes` so that the sums
/// over overlapping rows read the fewest elements.
///
/// The length of the joined axes does not depend on their order, so the best
/// order of a set follows from the best orders of its subsets.
static std::vector<size_t> chooseOrder(const std::vector<StridedAxis> &axes) {
  size_t count = axes.size();
  std::vector<size_t> order;
  if (count > 12) {
    // Too many sets; the order of strides is right wherever nothing overlaps.
    for (size_t i = 0; i < count; ++i)
      order.push_back(i);
    std::ranges::sort(order, [&](size_t i, size_t j) {
      return std::pair(axes[j].stride, i) < std::pair(axes[i].stride, j);
    });
    return order;
  }

  struct Best {
    double cost = std::numeric_limits<double>::infinity();
    size_t last = 0;
  };
  size_t numSets = size_t(1) << count;
  std::vector<Best> best(numSets);
  best[0].cost = 0;
  for (size_t set = 0; set < numSets; ++set) {
    double length = 1, outer = 1;
    for (size_t i = 0; i < count; ++i) {
      double extent = static_cast<double>(axes[i].extent);
      if (set >> i & 1)
        length += (extent - 1) * static_cast<double>(axes[i].stride);
      else
        outer *= extent;
    }
    for (size_t i = 0; i < count; ++i) {
      if (set >> i & 1)
        continue;
      double extent = static_cast<double>(axes[i].extent);
      double stride = static_cast<double>(axes[i].stride);
      double cost = best[set].cost;
      if (stride < length)
        cost += outer * (length + (extent - 1) * stride);
      Best &next = best[set | size_t(1) << i];
      if (cost < next.cost)
        next = {cost, i};
    }
  }
  for (size_t set = numSets - 1; set; set &= ~(size_t(1) << order.back()))
    order.push_back(best[set].last);
  return order;
}

/// The transpose of a gather through strides. Every element of `grad` belongs
/// at offset + sum of index * stride of the flat source. Axes are joined one by
/// one with the flat row of `length` elements that the axes inside it fill:
///
/// - rows at least a row's length apart do not overlap: zeros fill the gaps;
/// - other rows are laid out so that row i starts i * stride further right,
///   and summed. Padding each row to `joined + stride` and reading the result
///   as rows of `joined` elements does the shifting.
static std::optional<Ref> asStridedGradient(GradientBuilder &builder,
                                            const std::vector<int64_t> &ints,
                                            const Shape &source, Ref grad) {
  Mover mover(builder, grad);
  Shape shape = mover.getShape().getNumbers();
  size_t rank = shape.size();
  if (*getNumElements(shape) == 0)
    return builder.createConst(0, builder.getType(grad), source);

  int64_t first = ints.back();
  std::vector<int64_t> flips(rank, 1);
  std::vector<StridedAxis> axes;
  std::vector<int64_t> positions, rest;
  for (size_t i = 0; i < rank; ++i) {
    int64_t stride = ints[rank + i];
    if (shape[i] == 1 || stride == 0) {
      rest.push_back(static_cast<int64_t>(i));
      shape[i] = 1;
      continue;
    }
    if (stride < 0) {
      flips[i] = -1;
      first += stride * (shape[i] - 1);
      stride = -stride;
    }
    axes.push_back({shape[i], stride});
    positions.push_back(static_cast<int64_t>(i));
  }
  mover.sum(shape);
  mover.flip(flips);

  // The joined axes in front, the outermost first; those of size 1 behind.
  std::vector<size_t> order = chooseOrder(axes);
  std::vector<int64_t> permutation;
  Shape outer;
  for (size_t i : order) {
    permutation.push_back(positions[i]);
    outer.push_back(axes[i].extent);
  }
  permutation.insert(permutation.end(), rest.begin(), rest.end());
  // Moving axes of size 1 moves no element: a reshape will do.
  if (!std::ranges::is_sorted(order))
    mover.permute(permutation);

  int64_t length = 1;
  for (size_t i = order.size(); i-- > 0;) {
    auto [extent, stride] = axes[order[i]];
    int64_t joined = (extent - 1) * stride + length;
    Shape rows = outer;
    rows.push_back(length);
    outer.pop_back();
    Shape row = outer;
    if (stride > length) {
      mover.reshape(rows);
      if (!mover.padLast(stride))
        return std::nullopt;
      row.push_back(extent * stride);
      mover.reshape(row);
      if (!mover.shrinkLast(joined))
        return std::nullopt;
    } else if (stride < length) {
      mover.reshape(rows);
      if (!mover.padLast(joined + stride))
        return std::nullopt;
      row.push_back(extent * (joined + stride));
      mover.reshape(row);
      if (!mover.shrinkLast(extent * joined))
        return std::nullopt;
      row.back() = extent;
      row.push_back(joined);
      mover.reshape(row);
      row[row.size() - 2] = 1;
      mover.sum(row);
    }
    length = joined;
  }
  int64_t behind = *getNumElements(source) - first - length;
  if (first != 0 || behind != 0) {
    mover.reshape(Shape{length});
    if (!mover.pad(Shape{first, behind}))
      return std::nullopt;
  }
  mover.reshape(source);
  return mover.get();
}

std::optional<Ref> detail::movementGradient(GradientBuilder &builder,
                                            OpKind kind, const Sizes &ints,
                                            const Sizes &source, Ref grad) {
  Mover mover(builder, grad);
  switch (kind) {
  case OpKind::Reshape:
    mover.reshape(source);
    return mover.get();
  case OpKind::Expand:
    mover.sum(source);
    return mover.get();
  case OpKind::Permute:
    return permuteGradient(mover, ints.getNumbers());
  case OpKind::Pad:
    return padGradient(mover, ints, source);
  case OpKind::Shrink:
    return shrinkGradient(mover, ints, source);
  case OpKind::Stride:
    return strideGradient(mover, ints.getNumbers(), source);
  default:
    assert(kind == OpKind::AsStrided && "not a movement operation");
    if (ints.isSymbolic() || source.isSymbolic())
      return std::nullopt;
    return asStridedGradient(builder, ints.getNumbers(), source.getNumbers(),
                             grad);
  }
}
