//===- TensorReduce.cpp - Functions along axes ----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"

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
static int64_t countReduced(const Tensor &x, const std::vector<int64_t> &axes) {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= x.shape()[axis];
  return count;
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
  Tensor values = x.cast(toFloatType(x.dtype()));
  double count = static_cast<double>(countReduced(x, resolved));
  return reduce("mean", OpKind::ReduceSum, values, resolved, keepdim) / count;
}

Tensor tinygrad::var(const Tensor &x, const Axes &axes, bool keepdim,
                     int64_t correction) {
  std::vector<int64_t> resolved = axes.resolve("var", x.shape().size());
  Tensor values = x.cast(toFloatType(x.dtype()));
  Tensor distances = values - mean(values, resolved, true);
  double count = static_cast<double>(countReduced(x, resolved) - correction);
  return reduce("var", OpKind::ReduceSum, square(distances), resolved,
                keepdim) /
         std::max(count, 0.0);
}

Tensor tinygrad::std(const Tensor &x, const Axes &axes, bool keepdim,
                     int64_t correction) {
  return sqrt(var(x, axes, keepdim, correction));
}

//===----------------------------------------------------------------------===//
// Softmax and positions
//===----------------------------------------------------------------------===//

/// Returns `x` minus its maximum along `axis`, so that exp can't overflow. The
/// maximum cancels out of the result, and so does its gradient.
static Tensor shift(const char *name, const Tensor &x, int64_t axis) {
  Tensor values = x.cast(toFloatType(x.dtype()));
  std::vector<int64_t> axes = {resolveAxis(name, axis, x.shape().size())};
  return values - reduce(name, OpKind::ReduceMax, values.detach(), axes, true);
}

Tensor tinygrad::softmax(const Tensor &x, int64_t axis) {
  Tensor powers = exp(shift("softmax", x, axis));
  return powers * reciprocal(sum(powers, axis, true));
}

Tensor tinygrad::log_softmax(const Tensor &x, int64_t axis) {
  Tensor shifted = shift("log_softmax", x, axis);
  return shifted - log(sum(exp(shifted), axis, true));
}

Tensor tinygrad::argmax(const Tensor &x, std::optional<int64_t> axis,
                        bool keepdim) {
  if (!axis) {
    Tensor position = argmax(flatten(x), 0);
    return keepdim ? reshape(position, Shape(x.shape().size(), 1)) : position;
  }
  size_t rank = x.shape().size();
  std::vector<int64_t> axes = {resolveAxis("argmax", *axis, rank)};
  checkNotEmpty("argmax", x, axes);
  // The larger number belongs to the earlier position; of all equal maxima the
  // first one wins.
  int64_t extent = x.shape()[axes[0]];
  Shape shape(rank, 1);
  shape[axes[0]] = extent;
  Context::Scope scope(x.getContext());
  Tensor rest = Tensor::arange(extent, 0, -1).reshape(shape);
  Tensor value = x.detach();
  Tensor best = reduce("argmax", OpKind::ReduceMax, value, axes, true);
  // NaN is the maximum where there is one, and equals nothing.
  Tensor isBest = maximum(equal(value, best), value != value);
  Tensor marked = where(isBest, rest, 0);
  return extent - reduce("argmax", OpKind::ReduceMax, marked, axes, keepdim);
}

Tensor tinygrad::argmin(const Tensor &x, std::optional<int64_t> axis,
                        bool keepdim) {
  if (isFloat(x.dtype()))
    return argmax(-x, axis, keepdim);
  int64_t bits = x.dtype() == DType::Bool ? 1 : -1;
  return argmax(bitwise_xor(x, makeTensor(makeConst(
                                   ops::Scalar::fromInt(x.dtype(), bits)))),
                axis, keepdim);
}
