//===- TensorNetwork.cpp - Functions of neural networks -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::detail;

Tensor tinygrad::dropout(const Tensor &x, double p) {
  if (!(p >= 0 && p <= 1))
    throw Error("dropout",
                "expects a probability from 0 to 1, got " + std::to_string(p));
  if (!isTraining() || p == 0)
    return x;
  if (p == 1)
    return x * 0.0;
  // Drawn in the context of `x`, whichever is current.
  Context::Scope scope(x.getContext());
  Tensor isKept = Tensor::rand(x.shape()) >= p;
  return where(isKept, x, 0.0) * (1 / (1 - p));
}

Tensor tinygrad::batchnorm(const Tensor &x, const Tensor &weight,
                           const Tensor &bias, const Tensor &mean,
                           const Tensor &invstd) {
  if (x.ndim() < 2)
    throw Error("batchnorm",
                "expects an input of shape [N, C, ..], got " +
                    ops::toString(x.shape()),
                {x.shape()});
  Shape shape(x.shape().size(), 1);
  shape[1] = x.shape()[1];
  Tensor centered = x - reshape(mean, shape);
  return centered * reshape(weight, shape) * reshape(invstd, shape) +
         reshape(bias, shape);
}

Tensor tinygrad::layernorm(const Tensor &x, const Axes &axes, double eps) {
  Tensor centered = x - mean(x, axes, true);
  return centered * rsqrt(mean(square(centered), axes, true) + eps);
}

Tensor tinygrad::one_hot(const Tensor &labels, int64_t count) {
  if (isFloat(labels.dtype()))
    throw Error("one_hot", "expects labels of an integer type, got " +
                               std::string(getName(labels.dtype())));
  Context::Scope scope(labels.getContext());
  return equal(unsqueeze(labels, -1), Tensor::arange(count));
}

Tensor tinygrad::sparse_categorical_crossentropy(const Tensor &x,
                                                 const Tensor &labels,
                                                 int64_t ignoreIndex) {
  const char *name = "sparse_categorical_crossentropy";
  if (x.ndim() == 0 ||
      labels.shape() != Shape(x.shape().begin(), x.shape().end() - 1))
    throw Error(name,
                "expects labels of the logits' shape without its last axis, "
                "got " +
                    ops::toString(x.shape()) + " and " +
                    ops::toString(labels.shape()),
                {x.shape(), labels.shape()});
  if (isFloat(labels.dtype()))
    throw Error(name, "expects labels of an integer type, got " +
                          std::string(getName(labels.dtype())));
  Tensor counts = labels != ignoreIndex;
  Tensor isLabel = one_hot(labels, x.shape(-1));
  // Bools multiply as "and". A probability of 0 elsewhere does no harm, as its
  // logarithm is not multiplied by 0 but left out.
  Tensor isWanted = isLabel * unsqueeze(counts, -1);
  Tensor logs = log_softmax(x, -1);
  return sum(where(isWanted, -logs, 0.0)) / sum(counts).cast(logs.dtype());
}

Tensor tinygrad::binary_crossentropy(const Tensor &x, const Tensor &y) {
  return mean(-y * log(x) - (1.0 - y) * log(1.0 - x));
}

Tensor tinygrad::binary_crossentropy_logits(const Tensor &x, const Tensor &y) {
  return mean(relu(x) - y * x + log(1.0 + exp(-abs(x))));
}
