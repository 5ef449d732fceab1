//===- OptimTest.cpp - Optimizers -----------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Optim.h"

#include "TorchValues.h"

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
// PyTorch's values
//===----------------------------------------------------------------------===//

/// Makes the optimizer that a case of the file describes.
static std::unique_ptr<optim::Optimizer>
makeOptimizer(const Json &entry, const std::vector<Tensor> &params) {
  const Json &given = entry["options"];
  double lr = given["lr"];
  std::string name = entry["name"];
  if (name == "SGD") {
    optim::SGD::Options options;
    options.momentum = given.value("momentum", options.momentum);
    options.weightDecay = given.value("weight_decay", options.weightDecay);
    options.nesterov = given.value("nesterov", options.nesterov);
    return std::make_unique<optim::SGD>(params, lr, options);
  }
  if (name == "Adam")
    return std::make_unique<optim::Adam>(params, lr, given.value("b1", 0.9),
                                         given.value("b2", 0.999),
                                         given.value("eps", 1e-8));
  auto fill = [&](auto options) {
    options.b1 = given.value("b1", options.b1);
    options.b2 = given.value("b2", options.b2);
    options.eps = given.value("eps", options.eps);
    options.weightDecay = given.value("wd", options.weightDecay);
    return options;
  };
  if (name == "AdamW")
    return std::make_unique<optim::AdamW>(params, lr,
                                          fill(optim::AdamW::Options()));
  EXPECT_EQ(name, "LAMB");
  return std::make_unique<optim::LAMB>(params, lr,
                                       fill(optim::LAMB::Options()));
}

TEST(Optim, steps_have_the_values_of_pytorch_and_of_lamb_s_paper) {
  Json values = readTorchValues()["optimizers"];
  EXPECT_EQ(values["cases"].size(), 12u);
  for (const Json &entry : values["cases"]) {
    SCOPED_TRACE(entry["name"].get<std::string>() + entry["options"].dump());
    std::vector<Tensor> params;
    for (const Json &start : values["starts"])
      params.push_back(readTensor(start, DType::Float64));
    std::unique_ptr<optim::Optimizer> optimizer = makeOptimizer(entry, params);
    for (size_t step = 0; step < entry["steps"].size(); ++step) {
      optimizer->zero_grad();
      Tensor loss = Tensor::zeros({}, DType::Float64);
      for (size_t i = 0; i < params.size(); ++i)
        loss = loss + (params[i] *
                       readTensor(values["grads"][step][i], DType::Float64))
                          .sum();
      loss.backward();
      optimizer->step();
      for (size_t i = 0; i < params.size(); ++i)
        expectEntry(params[i], entry["steps"][step][i], 1e-8);
    }
  }
}

TEST(Optim, factors_out_of_range) {
  Tensor x = Tensor::ones({2});
  expectError([&] { optim::Adam({x}, 0.1, 1.0); },
              "LAMB: expects factors b1 and b2 in [0, 1), got 1.000000");
  expectError([&] { optim::Adam({x}, 0.1, 0.9, std::nan("")); },
              "LAMB: expects factors b1 and b2 in [0, 1), got nan");
  expectError([&] { optim::Adam({x}, 0.1, 0.9, 0.999, -1); },
              "LAMB: expects an eps that is not negative, got -1.000000");
}
