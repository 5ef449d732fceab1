//===- TensorReduce.cpp - Functions along axes ----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::detail;
using ops::OpKind;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Reduces `axes`, which are resolved.
static Tensor reduce(const char *name, OpKind kind, const Tensor &x,
                     const std::vector<int64_t> &axes, bool keepdim) {
  Shape reduced = x.shape(), result;
  for (int64_t axis : axes)
    reduced[axis] = 1;
  Tensor value =
      makeTensor(makeMovement(kind, getNode(x), std::move(reduced), name));
  if (keepdim)
    return value;
  size_t next = 0;
  for (size_t i = 0; i < x.shape().size(); ++i) {
    if (next < axes.size() && axes[next] == static_cast<int64_t>(i))
      ++next;
    else
      result.push_back(x.shape()[i]);
  }
  return makeTensor(
      makeMovement(OpKind::Reshape, getNode(value), std::move(result), name));
}

/// Returns the number of elements of `x` that a reduce of `axes` combines.
static Extent countReduced(const Tensor &x, const std::vector<int64_t> &axes) {
  Extent count = 1;
  for (int64_t axis : axes)
    count *= x.shape()[axis];
  return count;
}

/// Returns `count` - `correction`, but at least 0.
static Tensor makeDivisor(const Extent &count, int64_t correction) {
  if (count.isSymbolic())
    return maximum(makeNumber(count) - correction, 0);
  return static_cast<double>(std::max<int64_t>(count - correction, 0));
}

/// Throws where a reduce without an identity would combine nothing.
static void checkNotEmpty(const char *name, const Tensor &x,
                          const std::vector<int64_t> &axes) {
  if (countReduced(x, axes) == 0 && !axes.empty())
    throw Error(name,
                "expects axes that are not empty, got shape " +
                    ops::toString(x.shape()),
                {x.shape()});
}

//===----------------------------------------------------------------------===//
// Sums and extremes
//===----------------------------------------------------------------------===//

Tensor tinygrad::sum(const Tensor &x, const Axes &axes, bool keepdim) {
  bool isNarrow = !isFloat(x.dtype()) && getByteWidth(x.dtype()) < 4;
  return reduce("sum", OpKind::ReduceSum, isNarrow ? x.cast(DType::Int32) : x,
                axes.resolve("sum", x.shape().size()), keepdim);
}

Tensor tinygrad::max(const Tensor &x, const Axes &axes, bool keepdim) {
  std::vector<int64_t> resolved = axes.resolve("max", x.shape().size());
  checkNotEmpty("max", x, resolved);
  return reduce("max", OpKind::ReduceMax, x, resolved, keepdim);
}

Tensor tinygrad::min(const Tensor &x, const Axes &axes, bool keepdim) {
  std::vector<int64_t> resolved = axes.resolve("min", x.shape().size());
  checkNotEmpty("min", x, resolved);
  // The order is turned round: by the sign for floats, and for the others by
  // all bits, since the lowest integer has no negative.
  auto turn = [](const Tensor &value) {
    if (isFloat(value.dtype()))
      return -value;
    int64_t bits = value.dtype() == DType::Bool ? 1 : -1;
    return bitwise_xor(value, makeTensor(makeConst(
                                  ops::Scalar::fromInt(value.dtype(), bits))));
  };
  return turn(reduce("min", OpKind::ReduceMax, turn(x), resolved, keepdim));
}

Tensor tinygrad::mean(const Tensor &x, const Axes &axes, bool keepdim) {
  std::vector<int64_t> resolved = axes.resolve("mean", x.shape().size());
  // The sum of halves may be too large for a half where their mean is not.
  DType type = toFloatType(x.dtype());
  Tensor values = x.cast(std::max(type, DType::Float32));
  Tensor count = makeDivisor(countReduced(x, resolved), 0);
  Tensor total = reduce("mean", OpKind::ReduceSum, values, resolved, keepdim);
  return (total / count).cast(type);
}

Tensor tinygrad::var(const Tensor &x, const Axes &axes, bool keepdim,
                     int64_t correction) {
  std::vector<int64_t> resolved = axes.resolve("var", x.shape().size());
  DType type = toFloatType(x.dtype());
  Tensor values = x.cast(std::max(type, DType::Float32));
  Tensor distances = values - mean(values, resolved, true);
  Tensor count = makeDivisor(countReduced(x, resolved), correction);
  Tensor total =
      reduce("var", OpKind::ReduceSum, square(distances), resolved, keepdim);
  return (total / count).cast(type);
}

Tensor tinygrad::std(const Tensor &x, const Axes &axes, bool keepdim,
                     int64_t correction) {
  // Where all elements are equal the gradient is 0, as in PyTorch: that of the
  // root is infinite and meets a 0.
  std::vector<int64_t> resolved = axes.resolve("std", x.shape().size());
  Tensor variance = var(x, resolved, keepdim, correction);
  return withGradient(
      sqrt(variance.detach()), variance,
      [](const Tensor &, const Tensor &result, const Tensor &grad) {
        Tensor isFlat = equal(result, 0.0);
        return where(isFlat, 0.0, grad / (2.0 * where(isFlat, 1.0, result)));
      });
}

//===----------------------------------------------------------------------===//
// Sums along an axis
//===----------------------------------------------------------------------===//

/// Returns the sums of the last axis' elements up to each, or before each.
static Tensor sumPrefixes(const Tensor &x, bool isBefore) {
  Extent extent = x.shape(-1);
  Tensor columns = makeRange(x, 0, extent);
  Tensor rows = unsqueeze(columns, 1);
  Tensor isInPrefix = isBefore ? less(columns, rows) : columns <= rows;
  // Selected, not multiplied: an infinity after the prefix takes no part.
  return sum(where(isInPrefix, unsqueeze(x, -2), 0), -1);
}

Tensor tinygrad::cumsum(const Tensor &x, int64_t axis) {
  if (x.ndim() == 0 && (axis == 0 || axis == -1))
    return sum(x);
  int64_t resolved = resolveAxis("cumsum", axis, x.shape().size());
  // Beyond this many elements in two steps: within blocks, then over them.
  constexpr int64_t block = 256;
  Tensor values = transpose(x, resolved, -1);
  if (x.shape(resolved).isSymbolic() || x.shape(resolved) <= 2 * block)
    return transpose(sumPrefixes(values, false), resolved, -1);
  int64_t extent = x.shape(resolved);
  int64_t blocks = (extent + block - 1) / block;
  Shape shape = values.shape();
  std::vector<std::pair<int64_t, int64_t>> padding(shape.size());
  padding.back().second = blocks * block - extent;
  Shape split = shape;
  split.back() = blocks;
  split.push_back(block);
  Tensor within = sumPrefixes(reshape(pad(values, padding), split), false);
  Tensor totals = getitem(within, {ellipsis, -1});
  Tensor joined = within + unsqueeze(sumPrefixes(totals, true), -1);
  shape.back() = blocks * block;
  Tensor whole = getitem(reshape(joined, shape), {ellipsis, Slice{0, extent}});
  return transpose(whole, resolved, -1);
}

//===----------------------------------------------------------------------===//
// Softmax and positions
//===----------------------------------------------------------------------===//

/// Returns `x` minus its maximum along `axes`, so that exp can't overflow. The
/// maximum cancels out of the result, and so does its gradient.
static Tensor shift(const char *name, const Tensor &x, const Axes &axes) {
  Tensor values = x.cast(toFloatType(x.dtype()));
  std::vector<int64_t> resolved = axes.resolve(name, x.shape().size());
  return values -
         reduce(name, OpKind::ReduceMax, values.detach(), resolved, true);
}

Tensor tinygrad::softmax(const Tensor &x, const Axes &axes) {
  Tensor powers = exp(shift("softmax", x, axes));
  return powers * reciprocal(sum(powers, axes, true));
}

Tensor tinygrad::log_softmax(const Tensor &x, const Axes &axes) {
  Tensor shifted = shift("log_softmax", x, axes);
  return shifted - log(sum(exp(shifted), axes, true));
}

/// Returns the positions of maxima; errors are those of `name`.
static Tensor findMaxima(const char *name, const Tensor &x,
                         std::optional<int64_t> axis, bool keepdim) {
  if (!axis) {
    Tensor position = findMaxima(name, flatten(x), 0, false);
    return keepdim ? reshape(position, Shape(x.shape().size(), 1)) : position;
  }
  size_t rank = x.shape().size();
  std::vector<int64_t> axes = Axes(*axis).resolve(name, rank);
  if (axes.empty())
    return findMaxima(name, x, std::nullopt, false);
  checkNotEmpty(name, x, axes);
  // The larger number belongs to the earlier position; of all equal maxima the
  // first one wins.
  Extent extent = x.shape()[axes[0]];
  int64_t largest = toExpr(extent).getMax();
  Shape shape(rank, 1);
  shape[axes[0]] = extent;
  Tensor rest = (largest - makeRange(x, 0, extent)).reshape(shape);
  Tensor value = x.detach();
  Tensor best = reduce(name, OpKind::ReduceMax, value, axes, true);
  // NaN is the maximum where there is one, and equals nothing.
  Tensor isBest = maximum(equal(value, best), value != value);
  Tensor marked = where(isBest, rest, 0);
  return largest - reduce(name, OpKind::ReduceMax, marked, axes, keepdim);
}

Tensor tinygrad::argmax(const Tensor &x, std::optional<int64_t> axis,
                        bool keepdim) {
  return findMaxima("argmax", x, axis, keepdim);
}

Tensor tinygrad::argmin(const Tensor &x, std::optional<int64_t> axis,
                        bool keepdim) {
  if (isFloat(x.dtype()))
    return findMaxima("argmin", -x, axis, keepdim);
  int64_t bits = x.dtype() == DType::Bool ? 1 : -1;
  Tensor mask = makeTensor(makeConst(ops::Scalar::fromInt(x.dtype(), bits)));
  return findMaxima("argmin", bitwise_xor(x, mask), axis, keepdim);
}
