//===- OptimTest.cpp - Optimizers and layers ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Optim.h"
#include "tinygrad/Tensor/NN.h"

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::test;

/// Takes three steps down x^2 + y with the optimizer that `make` makes, at
/// learning rates that change, and compares with `step(x, grad, rate)`.
static void checkSteps(
    const std::function<std::unique_ptr<optim::Optimizer>(const Tensor &)>
        &make,
    const std::function<double(double x, double grad, double rate)> &step) {
  Tensor x(std::vector<double>{1.5});
  std::unique_ptr<optim::Optimizer> optimizer = make(x);
  double expected = 1.5;
  for (double rate : {0.1, 0.05, 0.2}) {
    optimizer->lr = rate;
    optimizer->zero_grad();
    (x * x).sum().backward();
    optimizer->step();
    expected = step(expected, 2 * expected, rate);
    EXPECT_NEAR(x.item(), expected, 1e-12);
  }
}

TEST(Optim, sgd) {
  checkSteps(
      [](const Tensor &x) {
        return std::make_unique<optim::SGD>(std::vector<Tensor>{x}, 0.1);
      },
      [](double x, double grad, double rate) { return x - rate * grad; });
}

TEST(Optim, sgd_with_momentum_and_weight_decay) {
  for (bool nesterov : {false, true}) {
    double momentum = 0;
    checkSteps(
        [&](const Tensor &x) {
          optim::SGD::Options options;
          options.momentum = 0.9;
          options.weightDecay = 0.01;
          options.nesterov = nesterov;
          return std::make_unique<optim::SGD>(std::vector<Tensor>{x}, 0.1,
                                              options);
        },
        [&](double x, double grad, double rate) {
          grad += 0.01 * x;
          momentum = 0.9 * momentum + grad;
          return x - rate * (nesterov ? grad + 0.9 * momentum : momentum);
        });
  }
}

TEST(Optim, adam_and_adamw) {
  for (double weightDecay : {0.0, 0.02}) {
    double m = 0, v = 0;
    int t = 0;
    checkSteps(
        [&](const Tensor &x) -> std::unique_ptr<optim::Optimizer> {
          if (weightDecay == 0)
            return std::make_unique<optim::Adam>(std::vector<Tensor>{x});
          optim::AdamW::Options options;
          options.weightDecay = weightDecay;
          return std::make_unique<optim::AdamW>(std::vector<Tensor>{x}, 0.1,
                                                options);
        },
        [&](double x, double grad, double rate) {
          ++t;
          m = 0.9 * m + 0.1 * grad;
          v = 0.999 * v + 0.001 * grad * grad;
          double up = m / (1 - std::pow(0.9, t)) /
                      (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
          return x - rate * (up + weightDecay * x);
        });
  }
}

TEST(Optim, parameters_are_chosen) {
  Tensor wanted = Tensor::ones({2}), fixed = Tensor::ones({2});
  fixed.requires_grad_(false);
  optim::SGD sgd({wanted, fixed, wanted, Tensor::arange(2)});
  EXPECT_EQ(sgd.getParameters().size(), 1u);
  EXPECT_TRUE(wanted.requires_grad());
  expectError([&] { sgd.step(); },
              "step: expects every parameter to have a gradient, got one "
              "without, of shape [2]");
  expectError([&] { optim::SGD({fixed}); },
              "Optimizer: expects a tensor that requires a gradient");
}

TEST(Optim, parameters_of_two_types) {
  Tensor x = Tensor::ones({2}), y = Tensor::ones({2}, DType::Float64);
  optim::Adam adam({x, y}, 0.1);
  (x.sum().cast(DType::Float64) + y.sum()).backward();
  adam.step();
  expectTensor(x, {2}, {0.9, 0.9}, 1e-6);
  expectTensor(y, {2}, {0.9, 0.9}, 1e-7);
}

TEST(Optim, extra_tensors_are_realized_in_the_same_graph) {
  Tensor x = Tensor::ones({2});
  optim::SGD sgd({x}, 0.5);
  Tensor loss = (x * x).sum();
  loss.backward();
  int64_t before = x.getContext()->getStatistics().misses;
  sgd.step({loss});
  EXPECT_TRUE(loss.isRealized());
  EXPECT_EQ(loss.item(), 2);
  EXPECT_EQ(x.getContext()->getStatistics().misses, before + 1);
  expectTensor(x, {2}, {0, 0});
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

TEST(Layers, linear) {
  Tensor::manual_seed(1);
  nn::Linear layer(3, 2);
  EXPECT_EQ(layer.weight.shape(), (Shape{2, 3}));
  Tensor x(std::vector<float>{1, 2, 3}, {1, 3});
  std::vector<double> w = layer.weight.toVector<double>(),
                      b = layer.bias->toVector<double>();
  expectTensor(
      layer(x), {1, 2},
      {w[0] + 2 * w[1] + 3 * w[2] + b[0], w[3] + 2 * w[4] + 3 * w[5] + b[1]});
  for (double value : w)
    EXPECT_LE(std::abs(value), 1 / std::sqrt(3.0));
}

TEST(Layers, conv2d) {
  ConvOptions options;
  options.padding = {1};
  options.groups = 2;
  nn::Conv2d layer(4, 6, {3}, options);
  EXPECT_EQ(layer.weight.shape(), (Shape{6, 2, 3, 3}));
  EXPECT_EQ(layer(Tensor::ones({2, 4, 5, 5})).shape(), (Shape{2, 6, 5, 5}));
  expectError([&] { nn::Conv2d(3, 6, {3}, options); },
              "Conv2d: expects a kernel, and channels that 2 groups share "
              "evenly, got [3] and 3");
}

TEST(Layers, batchnorm) {
  nn::BatchNorm2d norm(2);
  std::vector<double> numbers = makeNumbers(2 * 2 * 3);
  Tensor x(std::vector<float>(numbers.begin(), numbers.end()), {2, 2, 3, 1});
  double mean = 0, variance = 0;
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 3; ++i)
      mean += numbers[n * 6 + i] / 6;
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 3; ++i)
      variance += std::pow(numbers[n * 6 + i] - mean, 2) / 6;
  {
    TrainingGuard training;
    Tensor y = norm(x);
    expectTensor(y.getitem({0, 0, 0, 0}), {},
                 {(numbers[0] - mean) / std::sqrt(variance + 1e-5)}, 1e-5);
    // The running values came with it.
    EXPECT_TRUE(norm.running_mean.isRealized());
  }
  EXPECT_NEAR(norm.running_mean.toVector<double>()[0], 0.1 * mean, 1e-6);
  EXPECT_NEAR(norm.running_var.toVector<double>()[0],
              0.9 + 0.1 * variance * 6 / 5, 1e-6);
  EXPECT_EQ(norm.num_batches_tracked.item(), 1);
  expectTensor(norm(x).getitem({0, 0, 0, 0}), {},
               {(numbers[0] - 0.1 * mean) /
                std::sqrt(0.9 + 0.1 * variance * 6 / 5 + 1e-5)},
               1e-5);
  EXPECT_FALSE(norm.running_mean.requires_grad());
}

TEST(Layers, sequential) {
  nn::Linear layer(2, 2);
  Tensor x = Tensor::ones({1, 2});
  expectTensor(x.sequential({layer, relu}), {1, 2},
               layer(x).relu().toVector<double>());
}
