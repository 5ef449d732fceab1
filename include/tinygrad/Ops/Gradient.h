//===- Gradient.h - The gradient of every operation -------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gradients written once against a small builder. `Tensor::backward` adds
// nodes to its expression graph; the pass `lazy-autodiff` adds operations to a
// function. Both run the rules declared here.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPS_GRADIENT_H
#define TINYGRAD_OPS_GRADIENT_H

#include "tinygrad/Ops/Graph.h"
#include "tinygrad/Shape/Layout.h"

#include <optional>
#include <span>
#include <vector>

namespace tinygrad::ops {

/// A value of whatever a builder builds. Only the builder reads `handle`.
struct Ref {
  const void *handle = nullptr;
};

/// Makes operations. Shapes are inferred by `inferShape` and
/// `inferSymbolicShape`; a rule that builds an operation with wrong shapes is
/// our own broken invariant.
class GradientBuilder {
public:
  virtual ~GradientBuilder() = default;

  virtual shape::Sizes getShape(Ref value) = 0;
  virtual DType getType(Ref value) = 0;

  /// Makes an operation of any group but Load with a result of `type`, which
  /// has no attributes but the integers `ints`, as in `OpAttributes`.
  virtual Ref create(OpKind kind, std::span<const Ref> operands, DType type,
                     const shape::Sizes &ints) = 0;
  /// Makes a tensor of `shape` that holds `value` everywhere: a scalar const,
  /// reshaped and expanded.
  virtual Ref createConst(double value, DType type,
                          const shape::Sizes &shape) = 0;

  // Shorthands over `create`. Elementwise results have the operands' type;
  // comparisons give bool. A cast to the type that `x` has is `x` itself.
  Ref unary(OpKind kind, Ref x);
  Ref binary(OpKind kind, Ref x, Ref y);
  Ref where(Ref condition, Ref x, Ref y);
  Ref cast(Ref x, DType type);
  Ref reduce(OpKind kind, Ref x, const shape::Sizes &shape);
  Ref movement(OpKind kind, Ref x, const shape::Sizes &ints);
};

/// Returns true if a gradient flows through `kind` to some operand. It does
/// not through comparisons, xor, not, bitcast, empty, const, custom.
bool isDifferentiable(OpKind kind);

/// Adds the operations of the vector-Jacobian product of one operation.
///
/// `result` is the value of `kind` on `operands`, `grad` the gradient of the
/// loss by `result` (same shape and type). Returns one entry per operand: the
/// gradient of the operand's shape and type, or nothing where none flows
/// (the condition of where, the target of assign, operands that are not
/// floats). `ints` are the integers of the operation, which may be expressions.
/// A movement operation has nothing too where its gradient would take a tensor
/// of 2^62 elements or more on the way, one that steps or overlaps, or one
/// whose expressions cannot be proven to fit: a step over a symbolic extent,
/// and an as_strided.
///
/// A copy passes the gradient on as it is: the caller, who knows where values
/// are, moves it to the operand's device.
///
/// At the edges: binary max and reduce_max share the gradient evenly among
/// equal maxima, and pass it on to all where the maximum is NaN; the gradient
/// of sqrt at 0 is +inf; pow follows PyTorch (d/dx at y = 0 is 0, d/dy at x = 0
/// is 0 for y >= 0); mod takes the quotient as constant: d/dx is 1, d/dy is
/// -trunc(x/y); sin uses cos(x) = sin(pi/2 - x) as tinygrad does, and a form
/// that rounds less where x is large; a cast passes the gradient back in the
/// operand's type; as_strided adds up the gradients of an element that it reads
/// several times.
std::vector<std::optional<Ref>> gradient(GradientBuilder &builder, OpKind kind,
                                         const shape::Sizes &ints,
                                         std::span<const Ref> operands,
                                         Ref result, Ref grad);

} // namespace tinygrad::ops

#endif // TINYGRAD_OPS_GRADIENT_H
