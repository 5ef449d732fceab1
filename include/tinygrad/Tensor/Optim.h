//===- Optim.h - Optimizers -------------------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_OPTIM_H
#define TINYGRAD_TENSOR_OPTIM_H

#include "tinygrad/Tensor/Tensor.h"

#include <functional>
#include <vector>

namespace tinygrad::optim {

/// What optimizers share. The learning rate and all factors that change from
/// step to step are parameters of the graph: steps that are built alike are
/// compiled once.
class Optimizer {
public:
  virtual ~Optimizer() = default;

  /// The learning rate of the next step; may be changed at any time.
  double lr;

  /// Forgets the gradients of all parameters.
  void zero_grad();
  /// Changes the parameters by their gradients, in one graph with `extra`,
  /// such as the loss.
  /// Errors: throws Error if a parameter has no gradient, and what
  /// tinygrad::realize throws.
  void step(const std::vector<Tensor> &extra = {});

  const std::vector<Tensor> &getParameters() const { return params; }

protected:
  /// Takes each tensor of `params` once; those whose gradients are not
  /// specified are asked for theirs, those without are left out.
  Optimizer(const std::vector<Tensor> &params, double lr);

  /// Assigns new values to parameters and to what the optimizer keeps.
  virtual void update() = 0;

  /// Makes a tensor of zeros for each parameter.
  std::vector<Tensor> makeState() const;
  /// Returns what `read` returns as a parameter of a graph, in the type of
  /// `like`. A captured step asks again at each call.
  static Tensor makeFactor(std::function<double()> read, const Tensor &like);

  std::vector<Tensor> params;
  /// The tensors that are carried from step to step.
  std::vector<Tensor> state;
};

/// Stochastic gradient descent. Source: `nn.optim.SGD`.
class SGD : public Optimizer {
public:
  struct Options {
    double momentum = 0;
    double weightDecay = 0;
    bool nesterov = false;
  };
  SGD(const std::vector<Tensor> &params, double lr, const Options &options);
  explicit SGD(const std::vector<Tensor> &params, double lr = 0.001);

protected:
  void update() override;

private:
  Options options;
};

/// Adam with decoupled weight decay. Source: `nn.optim.AdamW`.
class AdamW : public Optimizer {
public:
  struct Options {
    double b1 = 0.9;
    double b2 = 0.999;
    double eps = 1e-8;
    double weightDecay = 0.01;
  };
  AdamW(const std::vector<Tensor> &params, double lr, const Options &options);
  explicit AdamW(const std::vector<Tensor> &params, double lr = 0.001);

  /// The number of steps taken.
  int64_t getNumSteps() const { return numSteps; }

protected:
  void update() override;

private:
  Options options;
  int64_t numSteps = 0;
};

/// AdamW without weight decay. Source: `nn.optim.Adam`.
class Adam : public AdamW {
public:
  explicit Adam(const std::vector<Tensor> &params, double lr = 0.001,
                double b1 = 0.9, double b2 = 0.999, double eps = 1e-8);
};

} // namespace tinygrad::optim

#endif // TINYGRAD_TENSOR_OPTIM_H
