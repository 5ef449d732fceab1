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
  void step(const std::vector<Tensor> &extra = {},
            Place place = Place::current());

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

/// Stochastic gradient descent: v becomes momentum*v + g, where g is the
/// gradient + weightDecay*parameter, and the parameter loses lr*v, or with
/// `nesterov` lr*(g + momentum*v). Source: `nn.optim.SGD`.
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

/// Adam with decoupled weight decay, whose step is scaled for each parameter by
/// the ratio of the norms of the parameter and of the step, where neither is 0.
/// Errors: throws Error unless b1 and b2 are in [0, 1) and eps is not negative.
/// Source: `nn.optim.LAMB`.
class LAMB : public Optimizer {
public:
  struct Options {
    double b1 = 0.9;
    double b2 = 0.999;
    double eps = 1e-6;
    double weightDecay = 0;
    /// Leaves the steps as they are: this is AdamW.
    bool adam = false;
  };
  LAMB(const std::vector<Tensor> &params, double lr, const Options &options);
  explicit LAMB(const std::vector<Tensor> &params, double lr = 0.001);

  /// The number of steps taken.
  int64_t getNumSteps() const { return numSteps; }

protected:
  void update() override;

private:
  Options options;
  int64_t numSteps = 0;
};

/// Adam with decoupled weight decay. Errors: as LAMB.
/// Source: `nn.optim.AdamW`.
class AdamW : public LAMB {
public:
  struct Options {
    double b1 = 0.9;
    double b2 = 0.999;
    double eps = 1e-8;
    double weightDecay = 0.01;
  };
  AdamW(const std::vector<Tensor> &params, double lr, const Options &options);
  explicit AdamW(const std::vector<Tensor> &params, double lr = 0.001);
};

/// AdamW without weight decay. Errors: as LAMB. Source: `nn.optim.Adam`.
class Adam : public AdamW {
public:
  explicit Adam(const std::vector<Tensor> &params, double lr = 0.001,
                double b1 = 0.9, double b2 = 0.999, double eps = 1e-8);
};

} // namespace tinygrad::optim

#endif // TINYGRAD_TENSOR_OPTIM_H
