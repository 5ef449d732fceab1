//===- IndexTable.h - Movements by brute force ------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What movement operations do to an index table, element by element.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_SHAPE_INDEXTABLE_H
#define TINYGRAD_UNITTESTS_SHAPE_INDEXTABLE_H

#include "tinygrad/Shape/MovementChain.h"

namespace tinygrad::shape {

/// Writes "pad[[0, 1], [2, 0]]".
std::string toString(const MovementOp &op);

/// Writes "reshape[3, 4] permute[1, 0]".
std::string toString(const std::vector<MovementOp> &ops);

/// What the logical elements of a shape read: one buffer position, or -1 for
/// the 0 of a pad, per element in row-major order.
struct IndexTable {
  Dims shape;
  std::vector<int64_t> indices;

  static IndexTable fromShape(Dims shape);
  IndexTable apply(const MovementOp &op) const;
  bool operator==(const IndexTable &) const = default;
};

/// Returns the view that reads exactly `table`, if one view can.
std::optional<View> findSingleView(const IndexTable &table);

} // namespace tinygrad::shape

#endif // TINYGRAD_UNITTESTS_SHAPE_INDEXTABLE_H
