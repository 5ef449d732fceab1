//===- Indexing.h - Axes and indices of tensors -----------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_INDEXING_H
#define TINYGRAD_TENSOR_INDEXING_H

#include "tinygrad/Tensor/Error.h"

#include "tinygrad/Tensor/Shape.h"
#include <cstddef>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace tinygrad {

class Tensor;

namespace detail {
struct TensorImpl;
} // namespace detail

/// Axes of a tensor. Negative ones count from the end; none given means all. A
/// scalar may be given the axis 0 or -1, as in numpy and PyTorch.
class Axes {
public:
  Axes() = default;
  Axes(int axis) : axes(std::vector<int64_t>{axis}) {}
  Axes(int64_t axis) : axes(std::vector<int64_t>{axis}) {}
  Axes(std::initializer_list<int64_t> list) : axes(std::vector(list)) {}
  Axes(std::vector<int64_t> list) : axes(std::move(list)) {}

  /// Returns the axes, sorted and counted from the front, of a tensor of
  /// `rank` axes. Throws Error in the name of `op` where one is out of range
  /// or repeated.
  std::vector<int64_t> resolve(const char *op, size_t rank) const;

private:
  std::optional<std::vector<int64_t>> axes;
};

/// The elements start, start + step, … before stop along an axis, as Python
/// counts: negative positions count from the end, positions out of range are
/// clamped, and a missing one means the respective end. Where the axis or a
/// position is an expression of variables nothing is clamped: what it takes
/// must provably be inside of the axis.
struct Slice {
  std::optional<Extent> start = std::nullopt;
  std::optional<Extent> stop = std::nullopt;
  int64_t step = 1;
};

/// An index that inserts an axis of size 1.
struct NewAxis {};
inline constexpr NewAxis newaxis;

/// An index that stands for all axes that no other index takes.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis;

/// One index: a position (the axis goes away), a slice, newaxis, ellipsis, or a
/// tensor of positions (see getitem).
struct Index : std::variant<int64_t, Slice, NewAxis, Ellipsis,
                            std::shared_ptr<detail::TensorImpl>> {
  using Base = std::variant<int64_t, Slice, NewAxis, Ellipsis,
                            std::shared_ptr<detail::TensorImpl>>;
  Index(int position, Place place = Place::current())
      : Base(static_cast<int64_t>(position)), place(place) {}
  Index(int64_t position, Place place = Place::current())
      : Base(position), place(place) {}
  Index(Slice slice, Place place = Place::current())
      : Base(slice), place(place) {}
  Index(NewAxis axis, Place place = Place::current())
      : Base(axis), place(place) {}
  Index(Ellipsis rest, Place place = Place::current())
      : Base(rest), place(place) {}
  /// Positions along an axis, of an integer type.
  Index(const Tensor &positions, Place place = Place::current());
  Index(const std::vector<int64_t> &positions, Place place = Place::current());

  /// Where the index was written.
  Place place;
};

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_INDEXING_H
