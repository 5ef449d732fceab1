//===- RandomChain.cpp - Random chains of movement ops ----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomChain.h"

#include <algorithm>
#include <numeric>

using namespace tinygrad::shape;
using Kind = MovementOp::Kind;

static int64_t countElementsOf(const Dims &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

int64_t ChainGenerator::pick(int64_t min, int64_t max) {
  return min +
         static_cast<int64_t>(engine() % static_cast<uint64_t>(max - min + 1));
}

Dims ChainGenerator::makeShape() {
  Dims shape(pick(0, 4));
  for (int64_t &extent : shape)
    extent = pick(0, 40) == 0 ? 0 : pick(1, shape.size() > 2 ? 4 : 7);
  return shape;
}

Dims ChainGenerator::makeReshape(const Dims &shape) {
  // Deal the prime factors out to some axes.
  int64_t count = countElementsOf(shape);
  Dims result(count == 1 ? pick(0, 3) : pick(1, 4), 1);
  if (count == 0) {
    for (int64_t &extent : result)
      extent = pick(0, 3);
    result[pick(0, static_cast<int64_t>(result.size()) - 1)] = 0;
    return result;
  }
  for (int64_t factor = 2; count > 1;) {
    if (count % factor) {
      ++factor;
      continue;
    }
    count /= factor;
    result[pick(0, static_cast<int64_t>(result.size()) - 1)] *= factor;
  }
  return result;
}

MovementOp ChainGenerator::makeMovement(const Dims &shape,
                                        int64_t maxElements) {
  auto kind = static_cast<Kind>(pick(0, 5));
  size_t rank = shape.size();
  MovementOp movement{kind, {}, {}, {}};
  int64_t elements = std::max<int64_t>(countElementsOf(shape), 1);
  switch (kind) {
  case Kind::Reshape:
    movement.ints = makeReshape(shape);
    break;
  case Kind::Permute:
    movement.ints.resize(rank);
    std::iota(movement.ints.begin(), movement.ints.end(), 0);
    for (size_t i = rank; i > 1; --i)
      std::swap(movement.ints[i - 1],
                movement.ints[pick(0, static_cast<int64_t>(i) - 1)]);
    break;
  case Kind::Expand:
    movement.ints = shape;
    for (int64_t &extent : movement.ints) {
      int64_t wanted = pick(0, 20) == 0 ? 0 : pick(1, 4);
      if (extent != 1 || elements * wanted > maxElements)
        continue;
      extent = wanted;
      elements *= std::max<int64_t>(wanted, 1);
    }
    break;
  case Kind::Pad:
    for (int64_t extent : shape) {
      std::pair<int64_t, int64_t> pair(std::max<int64_t>(0, pick(-2, 3)),
                                       std::max<int64_t>(0, pick(-2, 3)));
      int64_t divisor = std::max<int64_t>(extent, 1);
      int64_t padded = extent + pair.first + pair.second;
      if (elements / divisor * padded > maxElements)
        pair = {0, 0};
      else
        elements = elements / divisor * std::max<int64_t>(padded, 1);
      movement.pairs.push_back(pair);
    }
    break;
  case Kind::Shrink:
    for (int64_t extent : shape) {
      bool isKept = pick(0, 1) == 0;
      int64_t begin = isKept ? 0 : pick(0, extent);
      int64_t end = isKept ? extent : pick(begin, extent);
      // Keep most results from being empty.
      if (begin == end && extent > 0 && pick(0, 9) != 0) {
        begin = std::min(begin, extent - 1);
        end = begin + 1;
      }
      movement.pairs.emplace_back(begin, end);
    }
    break;
  case Kind::Stride:
  case Kind::AsStrided:
    for (size_t axis = 0; axis < rank; ++axis) {
      int64_t step = pick(0, 2) ? 1 : pick(2, 3);
      movement.ints.push_back(pick(0, 1) ? step : -step);
    }
    break;
  }
  return movement;
}
