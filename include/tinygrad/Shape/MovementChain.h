//===- MovementChain.h - Views as movement operations -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way back: the movement operations that make what a ShapeTracker reads out
// of the tensor that lies in its buffer.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SHAPE_MOVEMENTCHAIN_H
#define TINYGRAD_SHAPE_MOVEMENTCHAIN_H

#include "tinygrad/Shape/ShapeTracker.h"

namespace tinygrad::shape {

/// One movement operation, with what it has besides its source.
struct MovementOp {
  enum class Kind : uint8_t {
    Reshape,   ///< `ints`: the new shape
    Permute,   ///< `ints`: the order of the axes
    Expand,    ///< `ints`: the new shape
    Pad,       ///< `pairs`: before and after per axis
    Shrink,    ///< `pairs`: begin and end per axis
    Stride,    ///< `ints`: a step per axis
    AsStrided, ///< `view`: shape, strides and offset, without a mask
  };
  Kind kind;
  Dims ints;
  Mask pairs;
  std::optional<View> view;

  /// Returns the shape of the result on a tensor of shape `source`.
  Dims getShape(const Dims &source) const;
};

/// Returns operations that, applied in order to a tensor of shape `source`,
/// give what `tracker` reads of its row-major elements: their composition has
/// the same index function. None of them changes nothing, and no reshape
/// follows another. Their number depends on rank and number of views, never on
/// the number of elements.
///
/// Strides that overlap are said by an expand whose copies are read in rows
/// that are longer than a copy. That makes up to twice the extent times the
/// length of the copied piece; where these are 2^62 elements or more, which no
/// operation takes, the view is an `as_strided`. Nothing else makes one.
///
/// Expects a tracker that reads inside of `source` and of each view, and fewer
/// than 2^62 elements in `source` and in each view.
/// Source: `ShapeTracker.to_movement_ops`, which says all by `as_strided`.
std::vector<MovementOp> toMovementOps(const ShapeTracker &tracker, Dims source);

/// Returns `tracker` after one operation.
ShapeTracker apply(const MovementOp &op, const ShapeTracker &tracker);

} // namespace tinygrad::shape

#endif // TINYGRAD_SHAPE_MOVEMENTCHAIN_H
