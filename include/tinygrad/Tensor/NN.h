//===- NN.h - Layers --------------------------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers hold their tensors under tinygrad's names and are called like
// functions. `collect` names the tensors for State.h.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_NN_H
#define TINYGRAD_TENSOR_NN_H

#include "tinygrad/Tensor/State.h"
#include "tinygrad/Tensor/Tensor.h"

#include <optional>

namespace tinygrad::nn {

/// x.linear(weight.transpose(), bias). Shapes: weight [out, in], bias [out].
/// Source: `nn.Linear`.
class Linear {
public:
  Linear(int64_t inFeatures, int64_t outFeatures, bool hasBias = true);

  Tensor operator()(const Tensor &x) const;
  void collect(StateCollector &collector) const;

  Tensor weight;
  std::optional<Tensor> bias;
};

/// x.conv2d(weight, bias, options). Shapes: weight [out, in/groups, k, k],
/// bias [out]. Source: `nn.Conv2d`.
class Conv2d {
public:
  Conv2d(int64_t inChannels, int64_t outChannels,
         const std::vector<int64_t> &kernel, const ConvOptions &options = {},
         bool hasBias = true);

  Tensor operator()(const Tensor &x) const;
  void collect(StateCollector &collector) const;

  Tensor weight;
  std::optional<Tensor> bias;
  ConvOptions options;
};

/// Normalizes the channels of [N, C, H, W] by the batch's mean and variance
/// while training, else by the running ones, which the next realization after
/// a training call brings up to date. Source: `nn.BatchNorm2d`.
class BatchNorm2d {
public:
  explicit BatchNorm2d(int64_t channels, double eps = 1e-5,
                       double momentum = 0.1);

  Tensor operator()(const Tensor &x) const;
  void collect(StateCollector &collector) const;

  Tensor weight, bias;
  Tensor running_mean, running_var, num_batches_tracked;
  double eps, momentum;
};

} // namespace tinygrad::nn

#endif // TINYGRAD_TENSOR_NN_H
