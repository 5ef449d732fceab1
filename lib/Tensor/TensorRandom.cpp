//===- TensorRandom.cpp - Random numbers ----------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"
#include "Philox.h"

#include <cmath>
#include <numbers>

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Generation
//===----------------------------------------------------------------------===//

void detail::fillUniform(void *target, int64_t count, DType type, uint64_t seed,
                         uint64_t call) {
  std::array<uint32_t, 2> key = {static_cast<uint32_t>(seed),
                                 static_cast<uint32_t>(seed >> 32)};
  auto getBlock = [&](uint64_t block) {
    return philox4x32(
        {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
         static_cast<uint32_t>(call), static_cast<uint32_t>(call >> 32)},
        key);
  };
  // As many as `type` holds exactly.
  int bits = getPrecision(type);
  double unit = std::ldexp(1.0, -bits);
  // A block has four words; an element takes one, or two for float64.
  int perBlock = bits > 32 ? 2 : 4;
  std::array<uint32_t, 4> block = {};
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = i % perBlock;
    if (place == 0)
      block = getBlock(static_cast<uint64_t>(i / perBlock));
    if (type == DType::Float32) {
      static_cast<float *>(target)[i] =
          static_cast<float>(block[place] >> 8) * static_cast<float>(unit);
      continue;
    }
    uint64_t word =
        perBlock == 4 ? uint64_t{block[place]} << 32
                      : uint64_t{block[2 * place + 1]} << 32 | block[2 * place];
    ops::Scalar::fromDouble(type,
                            static_cast<double>(word >> (64 - bits)) * unit)
        .store(static_cast<char *>(target) + i * getByteWidth(type));
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void Context::manual_seed(uint64_t seed) {
  std::lock_guard lock(impl->mutex);
  impl->seed = seed;
  impl->randomCalls = 0;
}

uint64_t Context::getSeed() const {
  std::lock_guard lock(impl->mutex);
  return impl->seed;
}

void Tensor::manual_seed(uint64_t seed) {
  Context::getCurrent()->manual_seed(seed);
}

Tensor Tensor::rand(const Shape &shape, DType type) {
  if (!isFloat(type))
    throw Error("rand",
                "expects a float type, got " + std::string(getName(type)));
  if (shape.isSymbolic()) {
    // The callback fills what has numbers: the largest shape, which is cut.
    Shape largest;
    Ranges kept;
    for (const Extent &extent : shape) {
      largest.push_back(toExpr(extent).getMax());
      kept.push_back({0, extent});
    }
    return rand(largest, type).shrink(kept);
  }
  ContextRef context = Context::getCurrent();
  // Both are parameters, so that a step which draws new numbers is the same
  // graph.
  Context::Impl *state = &context->getImpl();
  NodeRef seed = detail::makeParameter(
      [state] {
        std::lock_guard lock(state->mutex);
        return ops::Scalar::fromUInt(DType::UInt64, state->seed);
      },
      context);
  NodeRef call = detail::makeParameter(
      [state] {
        std::lock_guard lock(state->mutex);
        return ops::Scalar::fromUInt(DType::UInt64, state->randomCalls++);
      },
      context);
  ops::OpAttributes attributes;
  attributes.ints = shape;
  attributes.name = "rand";
  return makeTensor(makeOp(ops::OpKind::Custom,
                           {std::move(seed), std::move(call)}, type,
                           std::move(attributes), "rand"));
}

Tensor Tensor::randn(const Shape &shape, DType type) {
  Shape pairs = shape;
  pairs.insert(pairs.begin(), 2);
  Tensor words = rand(pairs, type);
  return tinygrad::cos(words[0] * (2 * std::numbers::pi)) *
         tinygrad::sqrt(tinygrad::log(1.0 - words[1]) * -2.0);
}

Tensor Tensor::uniform(const Shape &shape, double low, double high,
                       DType type) {
  return rand(shape, type) * (high - low) + low;
}

Tensor Tensor::normal(const Shape &shape, double mean, double std, DType type) {
  return randn(shape, type) * std + mean;
}

Tensor Tensor::randint(const Shape &shape, int64_t low, int64_t high,
                       DType type) {
  if (low >= high || high - low > int64_t{1} << 24)
    throw Error("randint",
                "expects a range with 1 to 2^24 integers, got from " +
                    std::to_string(low) + " to " + std::to_string(high));
  // The product is rounded, and may round up to the range's end.
  Tensor offset = rand(shape) * static_cast<double>(high - low);
  Tensor whole = tinygrad::minimum(offset.cast(DType::Int32),
                                   static_cast<int32_t>(high - low - 1));
  return whole.cast(type) +
         makeTensor(makeConst(ops::Scalar::fromInt(type, low)));
}

Tensor Tensor::scaled_uniform(const Shape &shape, DType type) {
  double count = static_cast<double>(countElements("scaled_uniform", shape));
  return uniform(shape, -1, 1, type) * (1 / std::sqrt(count));
}

Tensor Tensor::multinomial(int64_t num_samples, bool replacement,
                           Place place) const {
  PlaceScope scope(place);
  if (ndim() < 1 || ndim() > 2 || num_samples < 1)
    throw Error("multinomial",
                "expects weights of shape [n] or [b, n] and at least one "
                "sample, got shape " +
                    ops::toString(shape()) + " and " +
                    std::to_string(num_samples),
                {shape()});
  if (!replacement && num_samples != 1)
    throw Error("multinomial",
                "expects one sample where none is put back, got " +
                    std::to_string(num_samples));
  if (shape(-1) == 0)
    throw Error("multinomial",
                "expects at least one weight, got shape " +
                    ops::toString(shape()),
                {shape()});
  Tensor weights = detach().cast(toFloatType(dtype()));
  if (ndim() == 1)
    weights = weights.unsqueeze(0);
  Tensor sums = weights.cumsum(1);
  Tensor total =
      sums.shrink({{0, sums.shape(0)}, {sums.shape(1) - 1, sums.shape(1)}});
  Context::Scope inContext(getContext());
  Tensor draws =
      rand({num_samples, sums.shape(0), 1}).to(device()).cast(sums.dtype());
  // The number of sums that a draw has passed, but never the last one: a draw
  // may be rounded up to the whole.
  Tensor passed = draws * total >= sums;
  Tensor position =
      tinygrad::minimum(passed.sum(2), static_cast<int32_t>(sums.shape(1) - 1));
  position = position.permute({1, 0});
  return ndim() == 1 ? position.squeeze(0) : position;
}

/// Returns the product of all extents but the first.
static double countFanIn(const char *name, const Shape &shape) {
  if (shape.empty())
    throw Error(name, "expects a shape with an axis, got []", {shape});
  return static_cast<double>(
      countElements(name, Shape(shape.begin() + 1, shape.end())));
}

Tensor Tensor::glorot_uniform(const Shape &shape, DType type) {
  double fanIn = countFanIn("glorot_uniform", shape);
  return uniform(shape, -1, 1, type) *
         std::sqrt(6 / (static_cast<double>(shape[0]) + fanIn));
}

Tensor Tensor::kaiming_uniform(const Shape &shape, double a, DType type) {
  double fanIn = countFanIn("kaiming_uniform", shape);
  double bound =
      std::sqrt(3.0) * std::sqrt(2.0 / (1 + a * a)) / std::sqrt(fanIn);
  return uniform(shape, -bound, bound, type);
}

Tensor Tensor::kaiming_normal(const Shape &shape, double a, DType type) {
  double fanIn = countFanIn("kaiming_normal", shape);
  return normal(shape, 0, std::sqrt(2.0 / (1 + a * a)) / std::sqrt(fanIn),
                type);
}
