//===- ShapeTracker.h - A chain of views ------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ShapeTracker says how the elements of a flat buffer appear under a logical
// shape, after any chain of movement operations: a list of views, each read
// through the one before it.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SHAPE_SHAPETRACKER_H
#define TINYGRAD_SHAPE_SHAPETRACKER_H

#include "tinygrad/Shape/IndexExpr.h"
#include "tinygrad/Shape/View.h"

#include <optional>

namespace tinygrad::shape {

/// A non-empty list of views. The last is the outermost: its shape is the
/// logical one, and its flat index is a row-major position in the shape of the
/// view before it, and so on down to the buffer. Movement functions return a
/// new tracker with as few views as composition finds; their cost depends on
/// rank and number of views, never on the number of elements.
class ShapeTracker {
public:
  /// Makes the contiguous tracker of `shape`.
  static ShapeTracker fromShape(Dims shape);
  /// Makes a tracker of `views`, which must not be empty. Views are kept as
  /// given; call `simplify` to merge them.
  static ShapeTracker fromViews(std::vector<View> views);

  const std::vector<View> &getViews() const { return views; }
  const Dims &getShape() const { return views.back().getShape(); }
  int64_t getRank() const { return views.back().getRank(); }
  /// The number of logical elements; INT64_MAX where it passes 63 bits.
  int64_t getNumElements() const;
  /// True if there is one view and it is contiguous.
  bool isContiguous() const;
  /// Returns bounds of the buffer positions that are read, the smallest and the
  /// largest that cannot be excluded, or nothing if nothing is read. Exact for
  /// one view; else from what the masks leave of the innermost view and from
  /// the index expression under the conditions of the access.
  std::optional<std::pair<int64_t, int64_t>> getIndexRange() const;
  /// An upper bound on the buffer elements used: 1 + the largest index of
  /// `getIndexRange`, 0 if nothing is read.
  int64_t getBufferSize() const;

  // On a tracker that goes away, as in `std::move(tracker).pad(…)`, an
  // operation takes its views, and costs the same however many there are.
  ShapeTracker permute(std::span<const int64_t> order) &&;
  ShapeTracker expand(std::span<const int64_t> newShape) &&;
  ShapeTracker pad(std::span<const std::pair<int64_t, int64_t>> padding) &&;
  ShapeTracker shrink(std::span<const std::pair<int64_t, int64_t>> ranges) &&;
  ShapeTracker stride(std::span<const int64_t> steps) &&;
  ShapeTracker reshape(std::span<const int64_t> newShape) &&;

  ShapeTracker permute(std::span<const int64_t> order) const & {
    return ShapeTracker(*this).permute(order);
  }
  ShapeTracker expand(std::span<const int64_t> newShape) const & {
    return ShapeTracker(*this).expand(newShape);
  }
  ShapeTracker
  pad(std::span<const std::pair<int64_t, int64_t>> padding) const & {
    return ShapeTracker(*this).pad(padding);
  }
  ShapeTracker
  shrink(std::span<const std::pair<int64_t, int64_t>> ranges) const & {
    return ShapeTracker(*this).shrink(ranges);
  }
  ShapeTracker stride(std::span<const int64_t> steps) const & {
    return ShapeTracker(*this).stride(steps);
  }
  ShapeTracker reshape(std::span<const int64_t> newShape) const & {
    return ShapeTracker(*this).reshape(newShape);
  }

  /// Returns this tracker read through `outer`: `outer`'s buffer is this
  /// tracker's logical elements in row-major order.
  ShapeTracker compose(const ShapeTracker &outer) &&;
  ShapeTracker compose(const ShapeTracker &outer) const & {
    return ShapeTracker(*this).compose(outer);
  }
  /// Returns an equal tracker with neighbouring views merged where possible.
  ShapeTracker simplify() const;

  /// Returns the step in the buffer per axis, or nothing for an axis along
  /// which the index is no plain stride, or (unless `ignoreValid`) which is
  /// masked. Source: `ShapeTracker.real_strides`.
  std::vector<std::optional<int64_t>>
  getRealStrides(bool ignoreValid = false) const;

  /// Returns the access at logical position `axes` (one expression per axis).
  IndexAccess getAccess(std::span<const IndexExpr> axes) const;
  /// Returns the access with variable k, in [0, shape[k]), for axis k.
  IndexAccess getAccess() const;

  /// Returns the buffer position of a logical position, or -1 if masked.
  int64_t getIndex(std::span<const int64_t> position) const;

  /// Returns true if both have one shape and provably one index function: the
  /// simplified views or accesses are equal, or, up to 4096 elements, the
  /// tables of buffer positions. Exact up to there, and where both simplify to
  /// one view; else equal functions written by different chains may be answered
  /// false.
  bool isEquivalent(const ShapeTracker &other) const;

  std::string toString() const;
  bool operator==(const ShapeTracker &) const = default;

private:
  explicit ShapeTracker(std::vector<View> views) : views(std::move(views)) {}
  std::vector<View> views;
};

} // namespace tinygrad::shape

#endif // TINYGRAD_SHAPE_SHAPETRACKER_H
