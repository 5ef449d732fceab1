//===- RandomChain.h - Random chains of movement ops ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generator of movement operations on small shapes.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_SHAPE_RANDOMCHAIN_H
#define TINYGRAD_UNITTESTS_SHAPE_RANDOMCHAIN_H

#include "tinygrad/Shape/MovementChain.h"

#include <random>

namespace tinygrad::shape {

/// Makes shapes of up to four axes and movements that are valid on them. The
/// same on every platform: it uses no standard distribution.
class ChainGenerator {
public:
  explicit ChainGenerator(uint64_t seed) : engine(seed) {}

  Dims makeShape();
  /// Returns an operation on `shape` whose result has at most `maxElements`.
  MovementOp makeMovement(const Dims &shape, int64_t maxElements);
  /// Returns a number in [min, max].
  int64_t pick(int64_t min, int64_t max);

private:
  Dims makeReshape(const Dims &shape);
  std::mt19937_64 engine;
};

} // namespace tinygrad::shape

#endif // TINYGRAD_UNITTESTS_SHAPE_RANDOMCHAIN_H
