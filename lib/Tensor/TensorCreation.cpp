//===- TensorCreation.cpp - Tensors from nothing and from data ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <cmath>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::detail;

void Tensor::initData(const void *data, size_t count, const Shape &shape,
                      DType type) {
  if (countElements("tensor", shape) != static_cast<int64_t>(count))
    throw Error("tensor",
                "expects as many elements as shape " + ops::toString(shape) +
                    " has, got " + std::to_string(count),
                {shape});
  impl = std::make_shared<TensorImpl>();
  impl->node = makeFromMemory("tensor", data, shape, type);
}

Tensor Tensor::fromMemory(const void *data, const Shape &shape, DType type) {
  return makeTensor(makeFromMemory("fromMemory", data, shape, type));
}

Tensor Tensor::makeParameter(double real, int64_t integer, DType type) {
  // One of both is 0. The integer keeps all its bits in an integer type.
  ops::Scalar value = integer ? ops::Scalar::fromInt(type, integer)
                              : ops::Scalar::fromDouble(type, real);
  return makeTensor(detail::makeParameter(value, Context::getCurrent()));
}

Tensor Tensor::parameter(std::function<double()> read, DType type) {
  return makeTensor(detail::makeParameter(
      [read = std::move(read), type] {
        return ops::Scalar::fromDouble(type, read());
      },
      Context::getCurrent()));
}

Tensor Tensor::empty(const Shape &shape, DType type,
                     const std::string &device) {
  return makeTensor(
      makeUnset("empty", shape, type,
                resolveDevice("empty", device, *Context::getCurrent())));
}

Tensor Tensor::full(const Shape &shape, double value, DType type, Place place) {
  PlaceScope scope(place);
  countElements("full", shape);
  return makeTensor(makeFull(ops::Scalar::fromDouble(type, value), shape));
}

Tensor Tensor::zeros(const Shape &shape, DType type, Place place) {
  return full(shape, 0, type, place);
}

Tensor Tensor::ones(const Shape &shape, DType type, Place place) {
  return full(shape, 1, type, place);
}

Tensor Tensor::zeros_like() const { return zeros(shape(), dtype()); }

Tensor Tensor::ones_like() const { return ones(shape(), dtype()); }

Tensor Tensor::full_like(double value) const {
  return full(shape(), value, dtype());
}

Tensor Tensor::arange(int64_t stop, Place place) {
  return arange(0, static_cast<double>(stop), 1, DType::Int32, place);
}

Tensor Tensor::arange(double start, double stop, double step,
                      std::optional<DType> type, Place place) {
  PlaceScope scope(place);
  double extent = std::ceil((stop - start) / step);
  if (!std::isfinite(start) || !std::isfinite(stop) || std::isnan(extent) ||
      step == 0 || extent > 9e15)
    throw Error("arange", "expects finite ends and a step that is not zero, "
                          "got " +
                              std::to_string(start) + ", " +
                              std::to_string(stop) + " and " +
                              std::to_string(step));
  bool isWhole = start == std::trunc(start) && stop == std::trunc(stop) &&
                 step == std::trunc(step);
  DType result = type.value_or(isWhole ? DType::Int32 : DType::Float32);
  int64_t count = extent > 0 ? static_cast<int64_t>(extent) : 0;
  int64_t width = getByteWidth(result);
  std::vector<unsigned char> bytes(static_cast<size_t>(count * width));
  for (int64_t i = 0; i < count; ++i)
    ops::Scalar::fromDouble(result, start + static_cast<double>(i) * step)
        .store(bytes.data() + i * width);
  return makeTensor(makeFromMemory("arange", bytes.data(), {count}, result));
}

Tensor detail::makeRange(const Tensor &beside, int64_t start,
                         const Extent &count) {
  Context::Scope scope(beside.getContext());
  // Of an extent that is not known, the largest one is cut.
  int64_t largest = toExpr(count).getMax();
  return Tensor::arange(static_cast<double>(start),
                        static_cast<double>(start + largest), 1, DType::Int32)
      .to(beside.device())
      .shrink({{0, count}});
}

Tensor detail::makeNumber(const Extent &extent) {
  if (!extent.isSymbolic())
    return static_cast<int64_t>(extent);
  // The sum of as many ones.
  return sum(
      makeTensor(makeFull(ops::Scalar::fromInt(DType::Int32, 1), {extent})));
}

Tensor Tensor::eye(int64_t n, DType type) {
  countElements("eye", {n, n});
  // A row of ones whose rows are padded with n zeros and cut anew: the ones
  // move on by one element per row.
  Tensor column = ones({n, 1}, type).pad({{0, 0}, {0, n}});
  return column.reshape({n * (n + 1)}).shrink({{0, n * n}}).reshape({n, n});
}
