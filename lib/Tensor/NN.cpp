//===- NN.cpp - Layers ----------------------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/NN.h"

#include "ContextImpl.h"

#include <cmath>

using namespace tinygrad;
using namespace tinygrad::nn;

/// Makes weights with the distribution of tinygrad's layers. The first extent
/// is the number of results.
static Tensor makeWeight(const Shape &shape) {
  return Tensor::kaiming_uniform(shape, std::sqrt(5.0)).requires_grad_();
}

/// Makes a bias for results that sum as many products as `weight` has per
/// result.
static std::optional<Tensor> makeBias(const Tensor &weight, bool hasBias) {
  if (!hasBias)
    return std::nullopt;
  double bound = std::sqrt(static_cast<double>(weight.shape(0)) /
                           static_cast<double>(weight.numel()));
  return Tensor::uniform({weight.shape(0)}, -bound, bound).requires_grad_();
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

Linear::Linear(int64_t inFeatures, int64_t outFeatures, bool hasBias)
    : weight(makeWeight({outFeatures, inFeatures})),
      bias(makeBias(weight, hasBias)) {}

Tensor Linear::operator()(const Tensor &x) const {
  Tensor columns = weight.transpose();
  return bias ? x.linear(columns, *bias) : x.linear(columns);
}

void Linear::collect(StateCollector &collector) const {
  collector.add("weight", weight);
  if (bias)
    collector.add("bias", *bias);
}

//===----------------------------------------------------------------------===//
// Conv2d
//===----------------------------------------------------------------------===//

static Shape getFilterShape(int64_t inChannels, int64_t outChannels,
                            const std::vector<int64_t> &kernel,
                            int64_t groups) {
  if (groups < 1 || inChannels % groups || kernel.empty())
    throw Error("Conv2d", "expects a kernel, and channels that " +
                              std::to_string(groups) +
                              " groups share evenly, got " +
                              ops::toString(kernel) + " and " +
                              std::to_string(inChannels));
  Shape shape = {outChannels, inChannels / groups};
  // One entry holds for both axes.
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  if (kernel.size() == 1)
    shape.push_back(kernel[0]);
  return shape;
}

Conv2d::Conv2d(int64_t inChannels, int64_t outChannels,
               const std::vector<int64_t> &kernel, const ConvOptions &options,
               bool hasBias)
    : weight(makeWeight(
          getFilterShape(inChannels, outChannels, kernel, options.groups))),
      bias(makeBias(weight, hasBias)), options(options) {}

Tensor Conv2d::operator()(const Tensor &x) const {
  return bias ? x.conv2d(weight, *bias, options) : x.conv2d(weight, options);
}

void Conv2d::collect(StateCollector &collector) const {
  collector.add("weight", weight);
  if (bias)
    collector.add("bias", *bias);
}

//===----------------------------------------------------------------------===//
// BatchNorm2d
//===----------------------------------------------------------------------===//

BatchNorm2d::BatchNorm2d(int64_t channels, double eps, double momentum)
    : weight(Tensor::ones({channels}).requires_grad_()),
      bias(Tensor::zeros({channels}).requires_grad_()),
      running_mean(Tensor::zeros({channels}).requires_grad_(false)),
      running_var(Tensor::ones({channels}).requires_grad_(false)),
      num_batches_tracked(
          Tensor::zeros({1}, DType::Int64).requires_grad_(false)),
      eps(eps), momentum(momentum) {}

Tensor BatchNorm2d::operator()(const Tensor &x) const {
  if (!isTraining())
    return x.batchnorm(weight, bias, running_mean, (running_var + eps).rsqrt());
  if (x.ndim() != 4)
    throw Error("BatchNorm2d",
                "expects an input of shape [N, C, H, W], got " +
                    ops::toString(x.shape()),
                {x.shape()});
  Tensor mean = x.mean({0, 2, 3});
  Tensor centered = x - mean.reshape({1, -1, 1, 1});
  Tensor variance = centered.square().mean({0, 2, 3});
  {
    NoGradGuard noGrad;
    // The running variance is that of the population, not of the batch.
    double count = static_cast<double>(x.numel() / x.shape(1));
    double ratio = count / std::max(count - 1, 1.0);
    running_mean.assign((1 - momentum) * running_mean +
                        momentum * mean.detach());
    running_var.assign((1 - momentum) * running_var +
                       momentum * ratio * variance.detach());
    num_batches_tracked.assign(num_batches_tracked + 1);
    detail::realizeLater({running_mean, running_var, num_batches_tracked});
  }
  return x.batchnorm(weight, bias, mean, (variance + eps).rsqrt());
}

void BatchNorm2d::collect(StateCollector &collector) const {
  collector.add("weight", weight);
  collector.add("bias", bias);
  collector.add("running_mean", running_mean);
  collector.add("running_var", running_var);
  collector.add("num_batches_tracked", num_batches_tracked);
}
