//===- ElementwiseTest.cpp - Elementwise functions ------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <limits>
#include <numbers>

using namespace tinygrad;
using namespace tinygrad::test;

/// Compares a function of tensors with one of numbers.
static void checkUnary(Tensor (*fn)(const Tensor &), double (*expected)(double),
                       const std::vector<double> &inputs) {
  std::vector<double> values;
  for (double input : inputs)
    values.push_back(expected(input));
  Shape shape = {static_cast<int64_t>(inputs.size())};
  expectTensor(fn(Tensor(inputs)), shape, values, 1e-12);
  expectTensor(fn(Tensor(inputs).cast(DType::Float32)), shape, values, 1e-5);
}

TEST(Elementwise, unary_functions) {
  std::vector<double> any = {-2.5, -1, -0.25, 0, 0.25, 1, 3};
  std::vector<double> positive = {0.25, 0.5, 1, 2, 10};
  checkUnary(exp, [](double x) { return std::exp(x); }, any);
  checkUnary(exp2, [](double x) { return std::exp2(x); }, any);
  checkUnary(log, [](double x) { return std::log(x); }, positive);
  checkUnary(log2, [](double x) { return std::log2(x); }, positive);
  checkUnary(sin, [](double x) { return std::sin(x); }, any);
  checkUnary(cos, [](double x) { return std::cos(x); }, any);
  checkUnary(tan, [](double x) { return std::tan(x); }, any);
  checkUnary(sqrt, [](double x) { return std::sqrt(x); }, positive);
  checkUnary(rsqrt, [](double x) { return 1 / std::sqrt(x); }, positive);
  checkUnary(reciprocal, [](double x) { return 1 / x; }, positive);
  checkUnary(abs, [](double x) { return std::abs(x); }, any);
  checkUnary(neg, [](double x) { return -x; }, any);
  checkUnary(square, [](double x) { return x * x; }, any);
  checkUnary(sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, any);
  checkUnary(tanh, [](double x) { return std::tanh(x); }, any);
  checkUnary(relu, [](double x) { return std::max(x, 0.0); }, any);
  checkUnary(relu6, [](double x) { return std::clamp(x, 0.0, 6.0); },
             {-1, 3, 9});
  checkUnary(silu, [](double x) { return x / (1 + std::exp(-x)); }, any);
  checkUnary(sign, [](double x) { return (x > 0) - (x < 0) + 0.0; }, any);
  checkUnary(floor, [](double x) { return std::floor(x); }, any);
  checkUnary(ceil, [](double x) { return std::ceil(x); }, any);
  checkUnary(trunc, [](double x) { return std::trunc(x); }, any);
  checkUnary(
      gelu,
      [](double x) {
        return 0.5 * x *
               (1 + std::tanh(0.7978845608 * x * (1 + 0.044715 * x * x)));
      },
      any);
}

TEST(Elementwise, functions_with_factors) {
  Tensor x(std::vector<double>{-2, 0, 3});
  expectTensor(x.leakyrelu(0.1), {3}, {-0.2, 0, 3});
  expectTensor(x.clip(-1, 2), {3}, {-1, 0, 2});
  expectTensor(x.elu(), {3}, {std::exp(-2) - 1, 0, 3});
  expectTensor(x.softplus(), {3},
               {std::log1p(std::exp(-2)), std::log(2), std::log1p(std::exp(3))},
               1e-12);
  expectTensor(Tensor(std::vector<double>{1e4}).softplus(), {1}, {1e4});
}

TEST(Elementwise, integers_become_float32) {
  Tensor x(std::vector<int>{1, 4});
  EXPECT_EQ(x.sqrt().dtype(), DType::Float32);
  expectTensor(x.sqrt(), {2}, {1, 2});
}

TEST(Elementwise, binary_functions) {
  Tensor x(std::vector<float>{5, -3, 2}), y(std::vector<float>{2, 2, -4});
  expectTensor(x + y, {3}, {7, -1, -2});
  expectTensor(x - y, {3}, {3, -5, 6});
  expectTensor(x * y, {3}, {10, -6, -8});
  expectTensor(x / y, {3}, {2.5, -1.5, -0.5});
  expectTensor(x.maximum(y), {3}, {5, 2, 2});
  expectTensor(x.minimum(y), {3}, {2, -3, -4});
  expectTensor(x.mod(y), {3}, {1, -1, 2});
  expectTensor(
      Tensor(std::vector<float>{2, 3}).pow(Tensor(std::vector<float>{3, -1})),
      {2}, {8, 1.0 / 3});
  expectTensor(x.pow(2), {3}, {25, 9, 4});
  expectTensor(2.0 - x, {3}, {-3, 5, 0});
  expectTensor(10.0 / y, {3}, {5, 5, -2.5});
}

TEST(Elementwise, integer_arithmetic) {
  Tensor x(std::vector<int>{7, -7, 5}), y(std::vector<int>{2, 2, 0});
  EXPECT_EQ((x / y).dtype(), DType::Float32);
  expectTensor(x / y, {3}, {3.5, -3.5, INFINITY});
  expectTensor(x.mod(y), {3}, {1, -1, 0});
  expectTensor(x.bitwise_xor(y), {3}, {5, -5, 5});
  int lowest = std::numeric_limits<int>::min();
  expectTensor(Tensor(std::vector<int>{lowest}).minimum(5), {1},
               {static_cast<double>(lowest)});
  expectTensor(Tensor(std::vector<uint8_t>{0, 9}).minimum(5), {2}, {0, 5});
}

TEST(Elementwise, nan_wins_in_max_and_min) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  Tensor x(std::vector<double>{nan, 1}), y(std::vector<double>{0, nan});
  expectTensor(x.maximum(y), {2}, {nan, nan});
  expectTensor(x.minimum(y), {2}, {nan, nan});
}

TEST(Elementwise, comparisons) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  Tensor x(std::vector<double>{1, 2, 3, nan}),
      y(std::vector<double>{2, 2, 2, 2});
  EXPECT_EQ((x < y).dtype(), DType::Bool);
  expectTensor(x < y, {4}, {1, 0, 0, 0});
  expectTensor(x > y, {4}, {0, 0, 1, 0});
  expectTensor(x <= y, {4}, {1, 1, 0, 0});
  expectTensor(x >= y, {4}, {0, 1, 1, 0});
  expectTensor(x == y, {4}, {0, 1, 0, 0});
  expectTensor(x != y, {4}, {1, 0, 1, 1});
  expectTensor(x.logical_not(), {4}, {0, 0, 0, 0});
}

TEST(Elementwise, broadcasting) {
  Tensor x(std::vector<float>{1, 2, 3}, {3, 1});
  Tensor y(std::vector<float>{10, 20});
  expectTensor(x + y, {3, 2}, {11, 21, 12, 22, 13, 23});
  expectTensor(Tensor::ones({2, 1, 2}) * y, {2, 1, 2}, {10, 20, 10, 20});
  expectTensor(Tensor::ones({0, 2}) * y, {0, 2}, {});
  expectError([&] { Tensor::ones({2, 3}) + Tensor::ones({4}); },
              "add: cannot broadcast [2, 3] and [4]");
  expectError([&] { Tensor::ones({2, 3}).where(Tensor::ones({2}), 0); },
              "where: cannot broadcast [2, 3], [2] and []");
}

TEST(Elementwise, promotion) {
  Tensor ints(std::vector<int>{1, 2});
  Tensor bytes(std::vector<uint8_t>{1, 2});
  Tensor floats(std::vector<float>{0.5, 1.5});
  EXPECT_EQ((ints + bytes).dtype(), DType::Int32);
  EXPECT_EQ((ints + floats).dtype(), DType::Float32);
  expectTensor(ints + floats, {2}, {1.5, 3.5});
}

TEST(Elementwise, bools_count_where_a_sign_comes_in) {
  Tensor x(std::vector<float>{-1, 0, 2});
  expectTensor((x > 0) - (x < 0), {3}, {-1, 0, 1});
  expectTensor(-(x > 0), {3}, {0, 0, -1});
  expectTensor(1 - (x > 0), {3}, {1, 1, 0});
  EXPECT_EQ((-(x > 0)).dtype(), DType::Int32);
}

TEST(Elementwise, where) {
  Tensor condition(std::vector<bool>{true, false, true});
  expectTensor(condition.where(Tensor(std::vector<float>{1, 2, 3}), 0), {3},
               {1, 0, 3});
  expectTensor(condition.where(1.5, -1.5), {3}, {1.5, -1.5, 1.5});
  // A condition of any type: true where it is not 0.
  expectTensor(Tensor(std::vector<float>{0.5, 0}).where(1, 2), {2}, {1, 2});
}

TEST(Elementwise, casts) {
  Tensor x(std::vector<float>{-1.7f, 2.9f, 300});
  expectTensor(x.cast(DType::Int32), {3}, {-1, 2, 300});
  expectTensor(x.cast(DType::Bool), {3}, {1, 1, 1});
  expectTensor(Tensor(std::vector<float>{1}).bitcast(DType::Int32), {1},
               {0x3F800000});
  expectError([&] { x.bitcast(DType::Int64); },
              "bitcast: expects types of equal width, got float32 and int64");
}

TEST(Elementwise, cosines_of_large_numbers) {
  std::vector<double> numbers = {0.5, -3, 3.9, 4.1, -100, 1e4, 1e6};
  for (DType type : {DType::Float16, DType::Float32, DType::Float64}) {
    Tensor x = Tensor(numbers).cast(type);
    std::vector<double> expected = x.toVector<double>();
    for (double &value : expected)
      value = std::isinf(value) ? NAN : std::cos(value);
    double tolerance = type == DType::Float16   ? 1e-3
                       : type == DType::Float32 ? 1e-6
                                                : 1e-9;
    expectTensor(x.cos(), {7}, expected, tolerance);
    auto sine = [](const Tensor &y) { return y.sin().sum(); };
    expectTensor(grad(sine)(x), {7}, expected, tolerance);
  }
}

TEST(Elementwise, lowest_integers_have_no_absolute_value) {
  expectTensor(Tensor(std::vector<int8_t>{-128, -5, 0, 127}).abs(), {4},
               {-128, 5, 0, 127});
  expectTensor(Tensor(std::vector<int32_t>{INT32_MIN}).abs(), {1},
               {static_cast<double>(INT32_MIN)});
}
