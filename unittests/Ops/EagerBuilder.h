//===- EagerBuilder.h - A builder that computes at once ---------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs gradient rules on numbers: each operation is evaluated when it is made.
// A tape of the operations makes derivatives of derivatives possible.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_OPS_EAGERBUILDER_H
#define TINYGRAD_UNITTESTS_OPS_EAGERBUILDER_H

#include "tinygrad/Ops/Gradient.h"

#include <deque>
#include <map>

namespace tinygrad::ops::test {

/// A tensor with its elements in row-major order, and how it was made.
struct Tensor {
  Shape shape;
  DType type;
  std::vector<Scalar> elements;
  /// Nothing: an input or a constant.
  std::optional<OpKind> kind;
  std::vector<Ref> operands;
  std::vector<int64_t> ints;
};

class EagerBuilder : public GradientBuilder {
public:
  shape::Sizes getShape(Ref value) override { return get(value).shape; }
  DType getType(Ref value) override { return get(value).type; }
  Ref create(OpKind kind, std::span<const Ref> operands, DType type,
             const shape::Sizes &ints) override;
  Ref createConst(double value, DType type, const shape::Sizes &shape) override;

  /// Makes an input of `type`; `values` are converted to it.
  Ref input(DType type, const Shape &shape, const std::vector<double> &values);

  static const Tensor &get(Ref value) {
    return *static_cast<const Tensor *>(value.handle);
  }
  static std::vector<double> values(Ref value);

  /// Returns the gradient of sum(seed * output) by each of `inputs`; zeros
  /// where `output` does not depend on one.
  std::vector<Ref> backward(Ref output, Ref seed, std::span<const Ref> inputs);

  /// The number of operations of `kind` made so far.
  int count(OpKind kind) const;
  /// The number of operations made so far, without constants.
  int countAll() const;

private:
  std::deque<Tensor> tensors;
};

} // namespace tinygrad::ops::test

#endif // TINYGRAD_UNITTESTS_OPS_EAGERBUILDER_H
