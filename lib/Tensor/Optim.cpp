//===- Optim.cpp - Optimizers ---------------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Optim.h"

#include "Capture.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace tinygrad;
using namespace tinygrad::detail;
using namespace tinygrad::optim;

//===----------------------------------------------------------------------===//
// Optimizer
//===----------------------------------------------------------------------===//

Optimizer::Optimizer(const std::vector<Tensor> &tensors, double lr) : lr(lr) {
  for (const Tensor &tensor : tensors) {
    bool isKnown = std::ranges::any_of(params, [&](const Tensor &other) {
      return other.getImpl() == tensor.getImpl();
    });
    if (isKnown)
      continue;
    if (!tensor.isGradSpecified() && isFloat(tensor.dtype()))
      tensor.requires_grad_();
    if (tensor.requires_grad())
      params.push_back(tensor);
  }
  if (params.empty())
    throw Error("Optimizer", "expects a tensor that requires a gradient");
  // Else the first step would compute them again, in a graph of its own.
  realize(params);
}

void Optimizer::zero_grad() {
  for (const Tensor &param : params)
    param.clearGrad();
}

void Optimizer::step(const std::vector<Tensor> &extra, Place place) {
  PlaceScope scope(place);
  for (const Tensor &param : params)
    if (!param.hasGrad())
      throw Error("step",
                  "expects every parameter to have a gradient, got one "
                  "without, of shape " +
                      ops::toString(param.shape()),
                  {param.shape()});
  NoGradGuard noGrad;
  update();
  std::vector<Tensor> tensors = params;
  tensors.insert(tensors.end(), state.begin(), state.end());
  tensors.insert(tensors.end(), extra.begin(), extra.end());
  realize(tensors);
}

std::vector<Tensor> Optimizer::makeState() const {
  // Each has a buffer of its own from the start: the first step is the same
  // graph as those that follow.
  std::vector<Tensor> result;
  for (const Tensor &param : params) {
    Context::Scope scope(param.getContext());
    std::vector<char> bytes(
        static_cast<size_t>(param.numel() * getByteWidth(param.dtype())));
    result.push_back(
        Tensor::fromMemory(bytes.data(), param.shape(), param.dtype()));
  }
  return result;
}

Tensor Optimizer::makeFactor(std::function<double()> read, const Tensor &like) {
  Context::Scope scope(like.getContext());
  return Tensor::parameter(std::move(read), like.dtype());
}

//===----------------------------------------------------------------------===//
// SGD
//===----------------------------------------------------------------------===//

SGD::SGD(const std::vector<Tensor> &params, double lr, const Options &options)
    : Optimizer(params, lr), options(options) {
  if (options.momentum != 0)
    state = makeState();
}

SGD::SGD(const std::vector<Tensor> &params, double lr)
    : SGD(params, lr, Options()) {}

void SGD::update() {
  std::map<DType, Tensor> rates;
  for (size_t i = 0; i < params.size(); ++i) {
    const Tensor &param = params[i];
    const Tensor &rate =
        rates
            .try_emplace(param.dtype(),
                         makeFactor([this] { return lr; }, param))
            .first->second;
    Tensor grad = param.grad();
    if (options.weightDecay != 0)
      grad = grad + options.weightDecay * param.detach();
    if (options.momentum != 0) {
      state[i].assign(options.momentum * state[i] + grad);
      grad = options.nesterov ? grad + options.momentum * state[i] : state[i];
    }
    param.assign(param.detach() - grad * rate);
  }
}

//===----------------------------------------------------------------------===//
// LAMB
//===----------------------------------------------------------------------===//

LAMB::LAMB(const std::vector<Tensor> &params, double lr, const Options &options)
    : Optimizer(params, lr), options(options) {
  for (double b : {options.b1, options.b2})
    if (!(b >= 0 && b < 1))
      throw Error("LAMB", "expects factors b1 and b2 in [0, 1), got " +
                              std::to_string(b));
  if (!(options.eps >= 0))
    throw Error("LAMB", "expects an eps that is not negative, got " +
                            std::to_string(options.eps));
  // The first moments, then the second ones.
  state = makeState();
  std::vector<Tensor> second = makeState();
  state.insert(state.end(), second.begin(), second.end());
}

LAMB::LAMB(const std::vector<Tensor> &params, double lr)
    : LAMB(params, lr, Options()) {}

/// Returns the ratio of the norms of `value` and `up`, 1 where one is 0.
static Tensor makeTrustRatio(const Tensor &value, const Tensor &up) {
  Tensor norm = value.square().sum().sqrt(), upNorm = up.square().sum().sqrt();
  Tensor isRatio = (norm > 0.0) * (upNorm > 0.0);
  return where(isRatio, norm / upNorm, 1.0);
}

void LAMB::update() {
  ++numSteps;
  repeatAtEachCall([this] { ++numSteps; }, [this] { --numSteps; });
  // Makes the factor that takes the bias of a mean with decay `b` away.
  auto makeCorrection = [this](double b, const Tensor &param) {
    return makeFactor(
        [this, b] {
          return 1 / (1 - std::pow(b, static_cast<double>(numSteps)));
        },
        param);
  };
  struct Factors {
    Tensor rate, first, second;
  };
  std::map<DType, Factors> factorsByType;
  for (size_t i = 0; i < params.size(); ++i) {
    const Tensor &param = params[i];
    auto found = factorsByType.find(param.dtype());
    if (found == factorsByType.end()) {
      Factors made = {
          makeFactor([this] { return lr; }, param),
          makeCorrection(options.b1, param),
          makeCorrection(options.b2, param),
      };
      found = factorsByType.emplace(param.dtype(), made).first;
    }
    const Factors &factors = found->second;
    const Tensor &m = state[i], &v = state[params.size() + i];
    Tensor grad = param.grad();
    m.assign(options.b1 * m + (1 - options.b1) * grad);
    v.assign(options.b2 * v + (1 - options.b2) * (grad * grad));
    Tensor up = m * factors.first / (sqrt(v * factors.second) + options.eps);
    if (options.weightDecay != 0)
      up = up + options.weightDecay * param.detach();
    if (!options.adam)
      up = up * makeTrustRatio(param.detach(), up);
    param.assign(param.detach() - factors.rate * up);
  }
}

//===----------------------------------------------------------------------===//
// Adam
//===----------------------------------------------------------------------===//

/// Returns the options of LAMB that make it AdamW.
static LAMB::Options makeLAMBOptions(const AdamW::Options &options) {
  return {options.b1, options.b2, options.eps, options.weightDecay,
          /*adam=*/true};
}

AdamW::AdamW(const std::vector<Tensor> &params, double lr,
             const Options &options)
    : LAMB(params, lr, makeLAMBOptions(options)) {}

AdamW::AdamW(const std::vector<Tensor> &params, double lr)
    : AdamW(params, lr, Options()) {}

/// Returns the options of AdamW that make it Adam.
static AdamW::Options makeAdamOptions(double b1, double b2, double eps) {
  AdamW::Options options;
  options.b1 = b1;
  options.b2 = b2;
  options.eps = eps;
  options.weightDecay = 0;
  return options;
}

Adam::Adam(const std::vector<Tensor> &params, double lr, double b1, double b2,
           double eps)
    : AdamW(params, lr, makeAdamOptions(b1, b2, eps)) {}
