//===- RandomChain.h - Random chains of movement ops ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generator of movement operations on small shapes, and what each operation
// does to an index table, element by element.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_SHAPE_RANDOMCHAIN_H
#define TINYGRAD_UNITTESTS_SHAPE_RANDOMCHAIN_H

#include "tinygrad/Shape/MovementChain.h"

#include <random>

namespace tinygrad::shape {

enum class MovementKind { Reshape, Permute, Expand, Pad, Shrink, Stride };

/// One operation: `dims` for reshape, permute, expand and stride, `pairs` for
/// pad and shrink.
struct Movement {
  MovementKind kind;
  Dims dims;
  Mask pairs;
};

/// Writes "pad[[0, 1], [2, 0]]".
std::string toString(const Movement &movement);

ShapeTracker apply(const ShapeTracker &tracker, const Movement &movement);

/// Writes "reshape[3, 4] permute[1, 0]".
std::string toString(const std::vector<MovementOp> &ops);

/// What the logical elements of a shape read: one buffer position, or -1 for
/// the 0 of a pad, per element in row-major order.
struct IndexTable {
  Dims shape;
  std::vector<int64_t> indices;

  static IndexTable fromShape(Dims shape);
  IndexTable apply(const Movement &movement) const;
  IndexTable apply(const MovementOp &op) const;
};

/// Returns the view that reads exactly `table`, if one view can.
std::optional<View> findSingleView(const IndexTable &table);

/// Makes shapes of up to four axes and movements that are valid on them. The
/// same on every platform: it uses no standard distribution.
class ChainGenerator {
public:
  explicit ChainGenerator(uint64_t seed) : engine(seed) {}

  Dims makeShape();
  /// Returns an operation on `shape` whose result has at most `maxElements`.
  Movement makeMovement(const Dims &shape, int64_t maxElements);
  /// Returns a number in [min, max].
  int64_t pick(int64_t min, int64_t max);

private:
  Dims makeReshape(const Dims &shape);
  std::mt19937_64 engine;
};

} // namespace tinygrad::shape

#endif // TINYGRAD_UNITTESTS_SHAPE_RANDOMCHAIN_H
