//===- TensorNetwork.cpp - Functions of neural networks -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <algorithm>
#include <cmath>

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
  Tensor isKept = Tensor::rand(x.shape()).to(x.device()) >= p;
  return where(isKept, x, 0.0) * (1 / (1 - p));
}

Tensor tinygrad::batchnorm(const Tensor &x, const std::optional<Tensor> &weight,
                           const std::optional<Tensor> &bias,
                           const Tensor &mean, const Tensor &invstd) {
  if (x.ndim() < 2)
    throw Error("batchnorm",
                "expects an input of shape [N, C, ..], got " +
                    ops::toString(x.shape()),
                {x.shape()});
  Shape shape(x.shape().size(), 1);
  shape[1] = x.shape()[1];
  auto align = [&](const Tensor &value) {
    if (value.numel() != shape[1])
      throw Error("batchnorm",
                  "expects one value for each channel of shape " +
                      ops::toString(x.shape()) + ", got shape " +
                      ops::toString(value.shape()),
                  {x.shape(), value.shape()});
    return reshape(value, shape);
  };
  Tensor result = x - align(mean);
  if (weight)
    result = result * align(*weight);
  result = result * (invstd.ndim() == 1 ? align(invstd) : invstd);
  return bias ? result + align(*bias) : result;
}

Tensor tinygrad::scaled_dot_product_attention(
    const Tensor &x, const Tensor &key, const Tensor &value,
    const std::optional<Tensor> &attn_mask, double dropout_p, bool is_causal) {
  const char *name = "scaled_dot_product_attention";
  if (x.ndim() < 2 || key.ndim() < 2 || value.ndim() < 2 ||
      x.shape(-1) != key.shape(-1) || key.shape(-2) != value.shape(-2))
    throw Error(name,
                "expects shapes [.., L, E], [.., S, E] and [.., S, V], got " +
                    ops::toString(x.shape()) + ", " +
                    ops::toString(key.shape()) + " and " +
                    ops::toString(value.shape()),
                {x.shape(), key.shape(), value.shape()});
  if (is_causal && attn_mask)
    throw Error(name, "expects a mask or is_causal, got both");
  double scale = std::sqrt(static_cast<double>(x.shape(-1)));
  Tensor scores = dot(x, transpose(key, -2, -1)) / scale;
  std::optional<Tensor> mask = attn_mask;
  if (is_causal)
    mask = unsqueeze(makeRange(x, 0, x.shape(-2)), 1) >=
           makeRange(x, 0, key.shape(-2));
  if (mask) {
    Shape shape = broadcastShapes(name, {scores.shape(), mask->shape()});
    if (shape != scores.shape())
      throw Error(name,
                  "expects a mask that broadcasts to the scores' shape " +
                      ops::toString(scores.shape()) + ", got " +
                      ops::toString(mask->shape()),
                  {scores.shape(), mask->shape()});
    scores = mask->dtype() == DType::Bool ? where(*mask, scores, -INFINITY)
                                          : scores + *mask;
  }
  return dot(dropout(softmax(scores, -1), dropout_p), value);
}

Tensor tinygrad::layernorm(const Tensor &x, const Axes &axes, double eps) {
  Tensor centered = x - mean(x, axes, true);
  return centered * rsqrt(mean(square(centered), axes, true) + eps);
}

Tensor tinygrad::one_hot(const Tensor &labels, int64_t count) {
  if (isFloat(labels.dtype()))
    throw Error("one_hot", "expects labels of an integer type, got " +
                               std::string(getName(labels.dtype())));
  return equal(unsqueeze(labels, -1), makeRange(labels, 0, count));
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
  return mean(softplus(x) - y * x);
}
