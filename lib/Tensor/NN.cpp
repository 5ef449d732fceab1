//===- NN.cpp - Layers ----------------------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/NN.h"

#include "ContextImpl.h"
#include "Helpers.h"

#include <algorithm>
#include <cmath>

using namespace tinygrad;
using namespace tinygrad::nn;
using tinygrad::detail::PlaceScope;

/// Makes weights with the distribution of tinygrad's layers. All extents but
/// the first are multiplied to the number of products per result.
static Tensor makeWeight(const Shape &shape) {
  return Tensor::kaiming_uniform(shape, std::sqrt(5.0)).requires_grad_();
}

/// Makes a bias of `count` numbers for results that sum as many products as
/// `weight` has per extent of its first axis.
static std::optional<Tensor> makeBias(const Tensor &weight, int64_t count,
                                      bool hasBias) {
  if (!hasBias)
    return std::nullopt;
  double bound = std::sqrt(static_cast<double>(weight.shape(0)) /
                           static_cast<double>(weight.numel()));
  return Tensor::uniform({count}, -bound, bound).requires_grad_();
}

/// Makes `shape`'s numbers, all `value`, that want a gradient; nothing unless
/// `isWanted`.
static std::optional<Tensor> makeFilled(const Shape &shape, double value,
                                        bool isWanted) {
  if (!isWanted)
    return std::nullopt;
  return Tensor::full(shape, value).requires_grad_();
}

/// Returns `shape` with `count` as the only extent that is not 1, at `axis`.
static Shape makeShapeAlong(size_t rank, size_t axis, int64_t count) {
  Shape shape(rank, 1);
  shape[axis] = count;
  return shape;
}

/// Throws Error in the name of `name` for an input of the wrong shape.
[[noreturn]] static void failInput(const char *name, const std::string &wanted,
                                   const Tensor &x) {
  throw Error(name,
              "expects an input of shape " + wanted + ", got " +
                  ops::toString(x.shape()),
              {x.shape()});
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

Linear::Linear(int64_t inFeatures, int64_t outFeatures, bool hasBias)
    : weight(makeWeight({outFeatures, inFeatures})),
      bias(makeBias(weight, outFeatures, hasBias)) {}

Tensor Linear::operator()(const Tensor &x, Place place) const {
  PlaceScope scope(place);
  if (x.ndim() == 0 || x.shape(-1) != weight.shape(1))
    failInput("Linear", "[.., " + std::to_string(weight.shape(1)) + "]", x);
  Tensor columns = weight.transpose();
  return bias ? x.linear(columns, *bias) : x.linear(columns);
}

void Linear::collect(StateCollector &collector) const {
  collector.add("weight", weight);
  collector.add("bias", bias);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Returns the shape of filters for `rank` axes: all of the `first` channels
/// and those of the `grouped` ones that are in one group.
static Shape getFilterShape(const char *name, int64_t first, int64_t grouped,
                            const std::vector<int64_t> &kernel, int64_t groups,
                            size_t rank) {
  bool isRight = !kernel.empty() && kernel.size() <= rank && first > 0 &&
                 grouped > 0 && groups > 0 && first % groups == 0 &&
                 grouped % groups == 0;
  for (int64_t extent : kernel)
    isRight &= extent > 0;
  if (!isRight)
    throw Error(name, "expects a kernel, and channels that " +
                          std::to_string(groups) +
                          " groups share evenly, got " + ops::toString(kernel) +
                          ", " + std::to_string(first) + " and " +
                          std::to_string(grouped) + " channels");
  Shape shape = {first, grouped / groups};
  // One entry holds for all axes.
  for (size_t i = 0; i < rank; ++i)
    shape.push_back(kernel[kernel.size() == 1 ? 0 : i]);
  return shape;
}

Conv2d::Conv2d(const Shape &weightShape, const ConvOptions &options,
               bool hasBias)
    : weight(makeWeight(weightShape)),
      bias(makeBias(weight, weightShape[0], hasBias)), options(options) {}

Conv2d::Conv2d(int64_t inChannels, int64_t outChannels,
               const std::vector<int64_t> &kernel, const ConvOptions &options,
               bool hasBias)
    : Conv2d(getFilterShape("Conv2d", outChannels, inChannels, kernel,
                            options.groups, 2),
             options, hasBias) {}

Tensor Conv2d::operator()(const Tensor &x, Place place) const {
  PlaceScope scope(place);
  return bias ? x.conv2d(weight, *bias, options) : x.conv2d(weight, options);
}

void Conv2d::collect(StateCollector &collector) const {
  collector.add("weight", weight);
  collector.add("bias", bias);
}

Conv1d::Conv1d(int64_t inChannels, int64_t outChannels, int64_t kernel,
               const ConvOptions &options, bool hasBias)
    : Conv2d(getFilterShape("Conv1d", outChannels, inChannels, {kernel},
                            options.groups, 1),
             options, hasBias) {}

ConvTranspose2d::ConvTranspose2d(const Shape &weightShape,
                                 const ConvTransposeOptions &options,
                                 bool hasBias)
    : weight(makeWeight(weightShape)),
      bias(makeBias(weight, weightShape[1] * options.groups, hasBias)),
      options(options) {}

ConvTranspose2d::ConvTranspose2d(int64_t inChannels, int64_t outChannels,
                                 const std::vector<int64_t> &kernel,
                                 const ConvTransposeOptions &options,
                                 bool hasBias)
    : ConvTranspose2d(getFilterShape("ConvTranspose2d", inChannels, outChannels,
                                     kernel, options.groups, 2),
                      options, hasBias) {}

Tensor ConvTranspose2d::operator()(const Tensor &x, Place place) const {
  PlaceScope scope(place);
  return bias ? x.conv_transpose2d(weight, *bias, options)
              : x.conv_transpose2d(weight, options);
}

void ConvTranspose2d::collect(StateCollector &collector) const {
  collector.add("weight", weight);
  collector.add("bias", bias);
}

ConvTranspose1d::ConvTranspose1d(int64_t inChannels, int64_t outChannels,
                                 int64_t kernel,
                                 const ConvTransposeOptions &options,
                                 bool hasBias)
    : ConvTranspose2d(getFilterShape("ConvTranspose1d", inChannels, outChannels,
                                     {kernel}, options.groups, 1),
                      options, hasBias) {}

//===----------------------------------------------------------------------===//
// BatchNorm2d
//===----------------------------------------------------------------------===//

BatchNorm2d::BatchNorm2d(int64_t channels, double eps, bool affine,
                         bool trackRunningStats, double momentum)
    : weight(makeFilled({channels}, 1, affine)),
      bias(makeFilled({channels}, 0, affine)),
      running_mean(Tensor::zeros({channels}).requires_grad_(false)),
      running_var(Tensor::ones({channels}).requires_grad_(false)),
      num_batches_tracked(
          Tensor::zeros({1}, DType::Int64).requires_grad_(false)),
      eps(eps), momentum(momentum), trackRunningStats(trackRunningStats) {}

Tensor BatchNorm2d::operator()(const Tensor &x, Place place) const {
  PlaceScope scope(place);
  if (x.ndim() != 4 || x.shape(1) != running_mean.shape(0))
    failInput("BatchNorm2d",
              "[N, " + std::to_string(running_mean.shape(0)) + ", H, W]", x);
  // Expanded first, so that it is no kernel of its own.
  if (!isTraining())
    return x.batchnorm(
        weight, bias, running_mean,
        (running_var.reshape({1, -1, 1, 1}).expand(x.shape()) + eps).rsqrt());
  Tensor mean = x.mean({0, 2, 3});
  Tensor centered = x - mean.reshape({1, -1, 1, 1});
  Tensor variance = centered.square().mean({0, 2, 3});
  if (trackRunningStats) {
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

//===----------------------------------------------------------------------===//
// Norms of one example
//===----------------------------------------------------------------------===//

LayerNorm::LayerNorm(const Shape &normalizedShape, double eps,
                     bool elementwiseAffine)
    : weight(makeFilled(normalizedShape, 1, elementwiseAffine)),
      bias(makeFilled(normalizedShape, 0, elementwiseAffine)),
      normalizedShape(normalizedShape), eps(eps) {
  if (normalizedShape.empty())
    throw Error("LayerNorm", "expects the shape of at least one axis");
}

Tensor LayerNorm::operator()(const Tensor &x, Place place) const {
  PlaceScope scope(place);
  const Shape &shape = x.shape();
  size_t count = normalizedShape.size();
  if (shape.size() < count ||
      !std::equal(normalizedShape.begin(), normalizedShape.end(),
                  shape.end() - static_cast<ptrdiff_t>(count)))
    failInput("LayerNorm", "[.., " + ops::toString(normalizedShape).substr(1),
              x);
  std::vector<int64_t> axes;
  for (size_t i = 0; i < count; ++i)
    axes.push_back(-1 - static_cast<int64_t>(i));
  Tensor normalized = x.layernorm(axes, eps);
  return weight ? normalized * *weight + *bias : normalized;
}

void LayerNorm::collect(StateCollector &collector) const {
  collector.add("weight", weight);
  collector.add("bias", bias);
}

LayerNorm2d::LayerNorm2d(int64_t channels, double eps, bool elementwiseAffine)
    : LayerNorm({channels}, eps, elementwiseAffine) {}

Tensor LayerNorm2d::operator()(const Tensor &x, Place place) const {
  PlaceScope scope(place);
  if (x.ndim() != 4 || x.shape(1) != normalizedShape[0])
    failInput("LayerNorm2d",
              "[N, " + std::to_string(normalizedShape[0]) + ", H, W]", x);
  return LayerNorm::operator()(x.permute({0, 2, 3, 1})).permute({0, 3, 1, 2});
}

GroupNorm::GroupNorm(int64_t numGroups, int64_t numChannels, double eps,
                     bool affine)
    : weight(makeFilled({numChannels}, 1, affine)),
      bias(makeFilled({numChannels}, 0, affine)), numGroups(numGroups),
      numChannels(numChannels), eps(eps) {
  if (numGroups <= 0 || numChannels % numGroups)
    throw Error("GroupNorm",
                "expects channels that " + std::to_string(numGroups) +
                    " groups share evenly, got " + std::to_string(numChannels));
}

Tensor GroupNorm::operator()(const Tensor &x, Place place) const {
  PlaceScope scope(place);
  if (x.ndim() < 2 || x.shape(1) != numChannels)
    failInput("GroupNorm", "[N, " + std::to_string(numChannels) + ", ..]", x);
  // Not -1, which cannot be inferred where there are no elements.
  int64_t count = numChannels / numGroups;
  for (int64_t i = 2; i < x.ndim(); ++i)
    count *= x.shape(i);
  Tensor normalized = x.reshape({x.shape(0), numGroups, count})
                          .layernorm(-1, eps)
                          .reshape(x.shape());
  if (!weight)
    return normalized;
  Shape shape = makeShapeAlong(x.shape().size(), 1, numChannels);
  return normalized * weight->reshape(shape) + bias->reshape(shape);
}

void GroupNorm::collect(StateCollector &collector) const {
  collector.add("weight", weight);
  collector.add("bias", bias);
}

InstanceNorm::InstanceNorm(int64_t numFeatures, double eps, bool affine)
    : GroupNorm(numFeatures, numFeatures, eps, affine) {}

//===----------------------------------------------------------------------===//
// Embedding
//===----------------------------------------------------------------------===//

Embedding::Embedding(int64_t vocabularySize, int64_t embedSize)
    : weight(Tensor::glorot_uniform({vocabularySize, embedSize})
                 .requires_grad_()) {}

Tensor nn::embed(const Tensor &weight, const Tensor &indices) {
  if (indices.dtype() == DType::Bool)
    throw Error("Embedding", "expects indices that are numbers, got bool");
  // Floats of tinygrad's programs: a cast that is no kernel of its own.
  Tensor positions = isFloat(indices.dtype())
                         ? detail::castImplicitly(indices, DType::Int32)
                         : indices;
  // Compared at each element, so that no mask is stored: the kernel skips the
  // rows that are not asked for. Selected rather than multiplied by 0: those
  // may have infinities.
  Shape shape = indices.shape();
  shape.insert(shape.end(), {weight.shape(0), weight.shape(1)});
  Tensor everywhere = positions.unsqueeze(-1).unsqueeze(-1).expand(shape);
  Tensor rows = detail::makeRange(indices, 0, weight.shape(0)).unsqueeze(-1);
  return where(everywhere == rows, weight, 0.0).sum(-2);
}

Tensor Embedding::operator()(const Tensor &indices, Place place) const {
  PlaceScope scope(place);
  return embed(weight, indices);
}

void Embedding::collect(StateCollector &collector) const {
  collector.add("weight", weight);
}

//===----------------------------------------------------------------------===//
// Recurrent cells
//===----------------------------------------------------------------------===//

RecurrentCell::RecurrentCell(int64_t numGates, int64_t inputSize,
                             int64_t hiddenSize, bool hasBias)
    : weight_ih(Tensor::zeros({0})), weight_hh(weight_ih) {
  if (inputSize <= 0 || hiddenSize <= 0)
    throw Error("RecurrentCell", "expects positive sizes, got " +
                                     std::to_string(inputSize) + " and " +
                                     std::to_string(hiddenSize));
  double bound = 1 / std::sqrt(static_cast<double>(hiddenSize));
  auto draw = [&](const Shape &shape) {
    return Tensor::uniform(shape, -bound, bound).requires_grad_();
  };
  int64_t numRows = numGates * hiddenSize;
  weight_ih = draw({numRows, inputSize});
  weight_hh = draw({numRows, hiddenSize});
  if (hasBias) {
    bias_ih = draw({numRows});
    bias_hh = draw({numRows});
  }
}

void RecurrentCell::collect(StateCollector &collector) const {
  collector.add("weight_ih", weight_ih);
  collector.add("weight_hh", weight_hh);
  collector.add("bias_ih", bias_ih);
  collector.add("bias_hh", bias_hh);
}

void RecurrentCell::check(const char *name, const Tensor &x,
                          const Tensor &hidden) const {
  if (x.ndim() != 2 || x.shape(1) != weight_ih.shape(1))
    failInput(name, "[N, " + std::to_string(weight_ih.shape(1)) + "]", x);
  Shape wanted = {x.shape(0), weight_hh.shape(1)};
  if (hidden.shape() != wanted)
    throw Error(name,
                "expects a hidden state of shape " + ops::toString(wanted) +
                    ", got " + ops::toString(hidden.shape()),
                {x.shape(), hidden.shape()});
}

Tensor RecurrentCell::makeHidden(const char *name, const Tensor &x) const {
  if (x.ndim() != 2)
    failInput(name, "[N, " + std::to_string(weight_ih.shape(1)) + "]", x);
  return Tensor::zeros({x.shape(0), weight_hh.shape(1)}, weight_hh.dtype());
}

static Tensor applyWeight(const Tensor &x, const Tensor &weight,
                          const std::optional<Tensor> &bias) {
  return bias ? x.linear(weight.transpose(), *bias)
              : x.linear(weight.transpose());
}

Tensor RecurrentCell::applyToInput(const Tensor &x) const {
  return applyWeight(x, weight_ih, bias_ih);
}

Tensor RecurrentCell::applyToHidden(const Tensor &hidden) const {
  return applyWeight(hidden, weight_hh, bias_hh);
}

RNNCell::RNNCell(int64_t inputSize, int64_t hiddenSize, bool hasBias,
                 Nonlinearity nonlinearity)
    : RecurrentCell(1, inputSize, hiddenSize, hasBias),
      nonlinearity(nonlinearity) {}

Tensor RNNCell::operator()(const Tensor &x, const Tensor &hidden,
                           Place place) const {
  PlaceScope scope(place);
  check("RNNCell", x, hidden);
  Tensor sum = applyToInput(x) + applyToHidden(hidden);
  return nonlinearity == Nonlinearity::Tanh ? sum.tanh() : sum.relu();
}

Tensor RNNCell::operator()(const Tensor &x, Place place) const {
  PlaceScope scope(place);
  return (*this)(x, makeHidden("RNNCell", x));
}

LSTMCell::LSTMCell(int64_t inputSize, int64_t hiddenSize, bool hasBias)
    : RecurrentCell(4, inputSize, hiddenSize, hasBias) {}

LSTMCell::State LSTMCell::operator()(const Tensor &x, const State &state,
                                     Place place) const {
  PlaceScope scope(place);
  check("LSTMCell", x, state.h);
  check("LSTMCell", x, state.c);
  std::vector<Tensor> gates =
      (applyToInput(x) + applyToHidden(state.h)).chunk(4, 1);
  Tensor c =
      gates[1].sigmoid() * state.c + gates[0].sigmoid() * gates[2].tanh();
  return {gates[3].sigmoid() * c.tanh(), c};
}

LSTMCell::State LSTMCell::operator()(const Tensor &x, Place place) const {
  PlaceScope scope(place);
  Tensor zeros = makeHidden("LSTMCell", x);
  return (*this)(x, {zeros, zeros});
}

GRUCell::GRUCell(int64_t inputSize, int64_t hiddenSize, bool hasBias)
    : RecurrentCell(3, inputSize, hiddenSize, hasBias) {}

Tensor GRUCell::operator()(const Tensor &x, const Tensor &hidden,
                           Place place) const {
  PlaceScope scope(place);
  check("GRUCell", x, hidden);
  std::vector<Tensor> added = applyToInput(x).chunk(3, 1),
                      kept = applyToHidden(hidden).chunk(3, 1);
  Tensor r = (added[0] + kept[0]).sigmoid(), z = (added[1] + kept[1]).sigmoid();
  Tensor n = (added[2] + r * kept[2]).tanh();
  return (1.0 - z) * n + z * hidden;
}

Tensor GRUCell::operator()(const Tensor &x, Place place) const {
  PlaceScope scope(place);
  return (*this)(x, makeHidden("GRUCell", x));
}
