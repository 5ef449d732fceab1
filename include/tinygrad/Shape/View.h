//===- View.h - One strided view of a buffer --------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view maps logical positions to positions of a flat buffer: shape, strides,
// offset, and a mask outside of which an element reads as 0.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SHAPE_VIEW_H
#define TINYGRAD_SHAPE_VIEW_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad::shape {

/// Extents, strides or an order of axes: one entry per axis.
using Dims = std::vector<int64_t>;

/// A half-open range [first, second) per axis.
using Mask = std::vector<std::pair<int64_t, int64_t>>;

/// A strided view. Position (i0, …) reads element
/// `offset + sum(ik * strides[k])`, if every ik lies in its mask range, and 0
/// otherwise. Values are canonical: a view compares equal to any other that
/// was made from the same shape and the same index function by one of the
/// functions here where canonical form allows it:
/// - an axis of extent 1 has stride 0;
/// - a mask that covers the shape is dropped, one that is empty on any axis is
///   [0, 0) on all, with strides and offset 0;
/// - an axis whose mask range has one position has stride 0 and its part of
///   the index in the offset.
/// A view without elements has no mask, and keeps the strides and the offset
/// that it was made with.
///
/// Movement functions take what the operations of lazy.py take. They expect
/// arguments that `ops::inferShape` accepts.
class View {
public:
  /// Makes a canonical view; row-major strides where `strides` is absent.
  static View create(Dims shape, std::optional<Dims> strides = std::nullopt,
                     int64_t offset = 0,
                     std::optional<Mask> mask = std::nullopt);

  const Dims &getShape() const { return shape; }
  const Dims &getStrides() const { return strides; }
  int64_t getOffset() const { return offset; }
  /// Null where no element is masked.
  const Mask *getMask() const { return mask ? &*mask : nullptr; }
  int64_t getRank() const { return static_cast<int64_t>(shape.size()); }

  /// True if position i of the flattened view is element i of the buffer, and
  /// strides and offset say so where there is no element.
  bool isContiguous() const;
  /// True if nothing is masked and each axis steps over all that the finer ones
  /// reach, so that no element of the buffer is reached twice.
  bool isOneToOne() const;

  /// True if every index of the axes, masked or not, and the distance of any
  /// two of them fit in 62 bits. Trackers keep to such views.
  bool hasSmallIndices() const { return hasSmallIndices({}); }
  /// The same of `pad(padding)`, which without it may overflow.
  bool
  hasSmallIndices(std::span<const std::pair<int64_t, int64_t>> padding) const;

  View permute(std::span<const int64_t> order) const;
  View expand(std::span<const int64_t> newShape) const;
  /// `padding`: before and after per axis; the indices stay small (see
  /// hasSmallIndices).
  View pad(std::span<const std::pair<int64_t, int64_t>> padding) const;
  /// `ranges`: begin and end per axis.
  View shrink(std::span<const std::pair<int64_t, int64_t>> ranges) const;
  /// `steps`: a step per axis; negative flips the axis first.
  View stride(std::span<const int64_t> steps) const;
  /// Returns nothing where one view cannot express the reshape.
  std::optional<View> reshape(std::span<const int64_t> newShape) const;

  /// Returns the buffer position of a logical position, or -1 if masked.
  int64_t getIndex(std::span<const int64_t> position) const;

  /// Writes "view<[4, 3], strides [3, 1], offset 0, mask [[0, 4], [1, 3]]>".
  std::string toString() const;

  bool operator==(const View &) const = default;

private:
  View() = default;
  Dims shape, strides;
  int64_t offset = 0;
  std::optional<Mask> mask;
};

/// Returns row-major strides of `shape`; 0 for axes of extent 1. Past 63 bits
/// they wrap; such a view has no row-major positions.
Dims getRowMajorStrides(std::span<const int64_t> shape);

/// Returns the view that reads `outer` through `inner`: position p of the
/// result is position `outer(p)` of the flattened `inner`. Nothing where one
/// view cannot express it, or, rarely, where this is not found: quotients that
/// are not affine but cancel out (`ShapeTracker::simplify` finds most of
/// these). The cost depends on the ranks and on the number of bits of the
/// extents.
std::optional<View> compose(const View &inner, const View &outer);

} // namespace tinygrad::shape

#endif // TINYGRAD_SHAPE_VIEW_H
