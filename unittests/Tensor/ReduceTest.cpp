//===- ReduceTest.cpp - Functions along axes ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <limits>

using namespace tinygrad;
using namespace tinygrad::test;

static Tensor makeMatrix() {
  return Tensor(std::vector<float>{3, 1, 2, -1, 5, 0}, {2, 3});
}

TEST(Reduce, sum) {
  Tensor x = makeMatrix();
  expectTensor(x.sum(), {}, {10});
  expectTensor(x.sum(0), {3}, {2, 6, 2});
  expectTensor(x.sum(-1), {2}, {6, 4});
  expectTensor(x.sum(1, true), {2, 1}, {6, 4});
  expectTensor(x.sum({0, 1}, true), {1, 1}, {10});
  expectTensor(Tensor::zeros({0, 2}).sum(0), {2}, {0, 0});
  expectError([&] { x.sum(2); },
              "sum: expects an axis of a tensor with 2 axes, got 2");
  expectError([&] { x.sum({0, -2}); },
              "sum: expects each axis once, got [0, -2]");
}

TEST(Reduce, narrow_types_are_widened) {
  Tensor bools = Tensor::ones({300}, DType::Bool);
  EXPECT_EQ(bools.sum().dtype(), DType::Int32);
  EXPECT_EQ(bools.sum().item<int>(), 300);
  EXPECT_EQ(Tensor::full({300}, 200, DType::UInt8).sum().item<int>(), 60000);
  EXPECT_EQ(Tensor::full({300}, -100, DType::Int8).sum().item<int>(), -30000);
  EXPECT_EQ(Tensor::ones({3}, DType::Int64).sum().dtype(), DType::Int64);
}

TEST(Reduce, max_and_min) {
  Tensor x = makeMatrix();
  expectTensor(x.max(), {}, {5});
  expectTensor(x.max(0), {3}, {3, 5, 2});
  expectTensor(x.min(1), {2}, {1, -1});
  expectTensor(x.min(1, true), {2, 1}, {1, -1});
  int lowest = std::numeric_limits<int>::min();
  EXPECT_EQ(Tensor(std::vector<int>{3, lowest}).min().item<int>(), lowest);
  EXPECT_EQ(Tensor(std::vector<uint8_t>{3, 0, 255}).min().item<int>(), 0);
  EXPECT_FALSE(Tensor(std::vector<bool>{true, false}).min().item<bool>());
  expectError([] { Tensor::zeros({0, 2}).max(0); },
              "max: expects axes that are not empty, got shape [0, 2]");
}

TEST(Reduce, mean_var_std) {
  Tensor x = makeMatrix();
  expectTensor(x.mean(), {}, {10.0 / 6});
  expectTensor(x.mean(1), {2}, {2, 4.0 / 3});
  expectTensor(Tensor(std::vector<int>{1, 2}).mean(), {}, {1.5});
  expectTensor(Tensor::ones({4}, DType::Bool).mean(), {}, {1});
  expectTensor(x.var(1), {2}, {1, 31.0 / 3});
  expectTensor(x.std(1), {2}, {1, std::sqrt(31.0 / 3)});
  expectTensor(x.var(1, false, 0), {2}, {2.0 / 3, 62.0 / 9});
}

TEST(Reduce, softmax_of_a_scalar) {
  expectTensor(Tensor(3.0).softmax(), {}, {1});
  expectTensor(Tensor(3.0).log_softmax(0), {}, {0});
  expectError([] { Tensor(3.0).softmax(1); },
              "softmax: expects an axis of a tensor with 0 axes, got 1");
}

TEST(Reduce, softmax) {
  Tensor x(std::vector<double>{1, 2, 3, 1000, 1000, 0}, {2, 3});
  double total = std::exp(1) + std::exp(2) + std::exp(3);
  expectTensor(x.softmax(), {2, 3},
               {std::exp(1) / total, std::exp(2) / total, std::exp(3) / total,
                0.5, 0.5, 0},
               1e-12);
  expectTensor(x.log_softmax(), {2, 3},
               {1 - std::log(total), 2 - std::log(total), 3 - std::log(total),
                -std::log(2), -std::log(2), -1000 - std::log(2)},
               1e-12);
  expectTensor(x.softmax(0).sum(0), {3}, {1, 1, 1}, 1e-12);
}

TEST(Reduce, softmax_along_several_axes) {
  Tensor x(std::vector<float>{0, 0, 0, 0}, {2, 2});
  expectTensor(x.softmax({0, 1}), {2, 2}, {0.25, 0.25, 0.25, 0.25});
  expectTensor(x.log_softmax({0, 1}).exp(), {2, 2}, {0.25, 0.25, 0.25, 0.25});
}

TEST(Reduce, argmax) {
  Tensor x(std::vector<float>{1, 5, 5, 7, 2, 0}, {2, 3});
  EXPECT_EQ(x.argmax().dtype(), DType::Int32);
  expectTensor(x.argmax(), {}, {3});
  expectTensor(x.argmax(1), {2}, {1, 0});
  expectTensor(x.argmax(0, true), {1, 3}, {1, 0, 0});
  expectTensor(x.argmin(1), {2}, {0, 2});
  expectError([&] { x.argmin(2); },
              "argmin: expects an axis of a tensor with 2 axes, got 2");
  expectTensor(Tensor(std::vector<int>{3, 1, 1}).argmin(), {}, {1});
  double nan = std::numeric_limits<double>::quiet_NaN();
  expectTensor(Tensor(std::vector<double>{1, nan, 3}).argmax(), {}, {1});
}

TEST(Reduce, cross_entropy) {
  std::vector<double> logits = makeNumbers(12);
  std::vector<int> labels = {2, 0, -1, 1};
  double total = 0;
  for (int i : {0, 1, 3}) {
    double sum = 0;
    for (int c = 0; c < 3; ++c)
      sum += std::exp(logits[3 * i + c]);
    total += std::log(sum) - logits[3 * i + labels[i]];
  }
  Tensor x(logits, {4, 3});
  expectTensor(x.sparse_categorical_crossentropy(Tensor(labels)), {},
               {total / 3}, 1e-12);
  expectError(
      [&] { x.sparse_categorical_crossentropy(Tensor::arange(3)); },
      "sparse_categorical_crossentropy: expects labels of the logits' shape "
      "without its last axis, got [4, 3] and [3]");
  expectTensor(Tensor(std::vector<int>{1, 0}).one_hot(3), {2, 3},
               {0, 1, 0, 1, 0, 0});
}

TEST(Reduce, binary_cross_entropy) {
  Tensor x(std::vector<double>{0.5, -1}), y(std::vector<double>{1, 0});
  double a = -std::log(1 / (1 + std::exp(-0.5)));
  double b = -std::log(1 - 1 / (1 + std::exp(1)));
  expectTensor(x.binary_crossentropy_logits(y), {}, {(a + b) / 2}, 1e-12);
  expectTensor(x.sigmoid().binary_crossentropy(y), {}, {(a + b) / 2}, 1e-12);
}

TEST(Reduce, layernorm) {
  Tensor x = makeMatrix();
  Tensor y = x.layernorm();
  expectTensor(y.mean(1), {2}, {0, 0}, 1e-5);
  expectTensor(y.var(1, false, 0), {2}, {1, 1}, 1e-4);
}

// numpy and PyTorch take axis 0 and -1 of a scalar.
TEST(Reduce, scalars) {
  Tensor x(3.0);
  for (int64_t axis : {0, -1}) {
    expectTensor(x.sum(axis), {}, {3});
    expectTensor(x.max(axis, true), {}, {3});
    expectTensor(x.mean(axis), {}, {3});
    expectTensor(x.std(axis, false, 0), {}, {0});
    expectTensor(x.argmax(axis), {}, {0});
    expectTensor(x.softmax(axis), {}, {1});
    expectTensor(x.log_softmax(axis), {}, {0});
  }
  expectError([&] { x.sum(1); },
              "sum: expects an axis of a tensor with 0 axes, got 1");
  expectError([&] { x.sum({0, -1}); },
              "sum: expects each axis once, got [0, -1]");
}
