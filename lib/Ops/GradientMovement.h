//===- GradientMovement.h - Gradients of movement ops -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_OPS_GRADIENTMOVEMENT_H
#define TINYGRAD_LIB_OPS_GRADIENTMOVEMENT_H

#include "tinygrad/Ops/Gradient.h"

namespace tinygrad::ops::detail {

/// Returns the gradient of the source of a movement operation of `kind`, which
/// has the shape `source`, or nothing if a tensor on the way there would have
/// 2^62 elements or more, or expressions that cannot be proven to fit.
std::optional<Ref> movementGradient(GradientBuilder &builder, OpKind kind,
                                    const shape::Sizes &ints,
                                    const shape::Sizes &source, Ref grad);

} // namespace tinygrad::ops::detail

#endif // TINYGRAD_LIB_OPS_GRADIENTMOVEMENT_H
