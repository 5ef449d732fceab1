//===- Movement.h - Movement operations of Shape in Ops ---------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPS_MOVEMENT_H
#define TINYGRAD_OPS_MOVEMENT_H

#include "tinygrad/Ops/Graph.h"
#include "tinygrad/Shape/MovementChain.h"

namespace tinygrad::ops {

/// Returns the kind that has the name of `kind`.
OpKind getKind(shape::MovementOp::Kind kind);

/// Returns what `op` has besides its source.
OpAttributes getAttributes(const shape::MovementOp &op);

/// Returns the operation of group Movement that has `kind` and `attributes`,
/// which `inferShape` accepts.
shape::MovementOp toMovementOp(OpKind kind, const OpAttributes &attributes);

} // namespace tinygrad::ops

#endif // TINYGRAD_OPS_MOVEMENT_H
