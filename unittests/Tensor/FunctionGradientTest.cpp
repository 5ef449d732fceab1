//===- FunctionGradientTest.cpp - Gradients of functions ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::test;

static Tensor cube(const Tensor &x) { return x * x * x; }

static Tensor makeDouble(const std::vector<double> &values) {
  return Tensor(values);
}

TEST(FunctionGradient, one_argument) {
  Tensor x = makeDouble({1, 2, 3});
  auto f = [](const Tensor &x) { return (x * x).sum(); };
  expectTensor(grad(f)(x), {3}, {2, 4, 6});
  auto [value, slope] = value_and_grad(f)(x);
  expectTensor(value, {}, {14});
  expectTensor(slope, {3}, {2, 4, 6});
  EXPECT_FALSE(x.requires_grad());
  EXPECT_FALSE(value.requires_grad());
  EXPECT_FALSE(slope.requires_grad());
}

TEST(FunctionGradient, choice_of_arguments) {
  auto f = [](const Tensor &x, const Tensor &y, const Tensor &z) {
    return (x * y).sum() + z.detach();
  };
  Tensor x = makeDouble({1, 2}), y = makeDouble({3, 4});
  expectTensor(grad(f, 1)(x, y, 5.0), {2}, {1, 2});
  expectTensor(grad(f, -2)(x, y, 5.0), {2}, {1, 2});
  std::vector<Tensor> both = grad(f, std::vector<int64_t>{1, 0})(x, y, 5.0);
  ASSERT_EQ(both.size(), 2u);
  expectTensor(both[0], {2}, {1, 2});
  expectTensor(both[1], {2}, {3, 4});
  // The same argument twice, and one that is not used.
  std::vector<Tensor> twice =
      value_and_grad(f, std::vector<int64_t>{0, 0, 2})(x, y, 5.0).second;
  expectTensor(twice[0], {2}, {3, 4});
  expectTensor(twice[1], {2}, {3, 4});
  expectTensor(twice[2], {}, {0});
  // One tensor as two arguments.
  expectTensor(grad(f)(x, x, 5.0), {2}, {1, 2});
}

TEST(FunctionGradient, of_itself) {
  auto identity = [](const Tensor &x) { return x; };
  expectTensor(grad(identity)(3.0), {}, {1});
  expectTensor(value_and_grad(identity)(3.0).first, {}, {3});
}

TEST(FunctionGradient, higher_orders_by_nesting) {
  Tensor x = Tensor(2.0).cast(DType::Float64);
  EXPECT_EQ(grad(cube)(x).item(), 12);
  EXPECT_EQ(grad(grad(cube))(x).item(), 12);
  EXPECT_EQ(grad(grad(grad(cube)))(x).item(), 6);
  EXPECT_EQ(grad(grad(grad(grad(cube))))(x).item(), 0);
  // d/dy of d/dx of x^2 y^3 is 2x * 3y^2.
  auto f = [](const Tensor &x, const Tensor &y) { return x * x * cube(y); };
  auto mixed = grad(grad(f, 0), 1);
  EXPECT_EQ(mixed(x, Tensor(3.0).cast(DType::Float64)).item(), 108);
}

TEST(FunctionGradient, second_orders_of_functions_with_rules_of_their_own) {
  using Fn = Tensor (*)(const Tensor &);
  struct Row {
    Fn fn;
    double at, second;
  };
  double s = 1 / (1 + std::exp(-0.5));
  const Row rows[] = {
      {sigmoid, 0.5, s * (1 - s) * (1 - 2 * s)},
      {[](const Tensor &x) { return softplus(x); }, 0.5, s * (1 - s)},
      {asinh, 0.5, -0.5 / std::pow(1.25, 1.5)},
      {atanh, 0.5, 1 / (0.75 * 0.75)},
      {relu, 0.5, 0},
      {exp, 0.5, std::exp(0.5)},
      {sqrt, 0.25, -0.25 / std::pow(0.25, 1.5)},
      {[](const Tensor &x) { return pow(x, 3.5); }, 0.5,
       3.5 * 2.5 * std::pow(0.5, 1.5)},
      {[](const Tensor &x) { return x.expand({3})[Tensor({1, 1})].sum() * x; },
       0.5, 4},
  };
  for (const Row &row : rows) {
    Tensor x = Tensor(row.at).cast(DType::Float64);
    auto f = [&](const Tensor &x) { return row.fn(x); };
    EXPECT_NEAR(grad(grad(f))(x).item(), row.second, 1e-9)
        << &row - rows << ". row";
  }
}

TEST(FunctionGradient, penalty_on_a_gradient) {
  // The gradient by w of |d(w x^2)/dx|^2 = 4 w^2 x^2 is 8 w x^2.
  auto loss = [](const Tensor &w) {
    auto inner = [&](const Tensor &x) { return (w * x * x).sum(); };
    return grad(inner)(makeDouble({1, 2})).square().sum();
  };
  expectTensor(grad(loss)(Tensor(3.0).cast(DType::Float64)), {}, {120});
}

TEST(FunctionGradient, leaves_gradients_of_variables_alone) {
  Tensor w = makeDouble({2}).requires_grad_();
  auto f = [&](const Tensor &x) { return (w * x * x).sum(); };
  Tensor slope = grad(f)(makeDouble({3}));
  expectTensor(slope, {1}, {12});
  EXPECT_FALSE(w.hasGrad());
  // But its value has the variable in its history.
  slope.sum().backward();
  expectTensor(w.grad(), {1}, {6});
  // An argument that wants a gradient itself.
  auto square = [](const Tensor &x) { return (x * x).sum(); };
  w.clearGrad();
  grad(square)(w).sum().backward();
  expectTensor(w.grad(), {1}, {2});
}

TEST(FunctionGradient, without_history_outside) {
  Tensor w = makeDouble({2}).requires_grad_();
  Tensor::no_grad off;
  auto f = [&](const Tensor &x) { return (w * x * x).sum(); };
  auto [value, slope] = value_and_grad(f)(makeDouble({3}));
  expectTensor(slope, {1}, {12});
  EXPECT_FALSE(value.requires_grad());
  EXPECT_FALSE(slope.requires_grad());
  EXPECT_FALSE((w * 2).requires_grad());
}

TEST(FunctionGradient, of_users_functions) {
  Function cubed;
  cubed.forward = [](const std::vector<Tensor> &in) { return cube(in[0]); };
  cubed.backward = [](const std::vector<Tensor> &in, const Tensor &,
                      const Tensor &grad) {
    return std::vector<std::optional<Tensor>>{grad * 3.0 * in[0] * in[0]};
  };
  auto f = [&](const Tensor &x) { return cubed.apply({x}); };
  Tensor x = Tensor(2.0).cast(DType::Float64);
  EXPECT_EQ(grad(f)(x).item(), 12);
  EXPECT_EQ(grad(grad(f))(x).item(), 12);
}

TEST(FunctionGradient, errors) {
  expectError([] { grad(cube)(makeDouble({1, 2})); },
              "grad: expects a function that returns one element of a float "
              "type, got shape [2] of float64");
  expectError([] { grad(cube, 1)(1.0); },
              "grad: expects the number of one of 1 arguments, got 1");
  expectError([] { grad(cube)(1); },
              "grad: expects an argument of a float type, got int32");
  auto whole = [](const Tensor &x) { return x.cast(DType::Int32); };
  expectError([&] { grad(whole)(1.0); },
              "grad: expects a function that returns one element of a float "
              "type, got shape [] of int32");
}

TEST(FunctionGradient, backward_that_fails_changes_nothing) {
  Function wrong;
  wrong.forward = [](const std::vector<Tensor> &in) { return in[0] * 2; };
  wrong.backward = [](const std::vector<Tensor> &, const Tensor &,
                      const Tensor &) -> std::vector<std::optional<Tensor>> {
    throw Error("wrong", "expects nothing");
  };
  Tensor x = makeDouble({1}).requires_grad_(), y = makeDouble({1});
  y.requires_grad_();
  Tensor loss = (wrong.apply({x}) + y * y).sum();
  expectError([&] { loss.backward(); }, "wrong: expects nothing");
  EXPECT_FALSE(x.hasGrad());
  EXPECT_FALSE(y.hasGrad());
}

TEST(FunctionGradient, deepwalk_lists_what_was_computed) {
  Tensor x = makeDouble({1}).requires_grad_();
  EXPECT_TRUE(makeDouble({1}).deepwalk().empty());
  EXPECT_TRUE(x.deepwalk().empty());
  std::vector<Tensor> nodes = (x * x + x).sum().deepwalk();
  ASSERT_GE(nodes.size(), 3u);
  expectTensor(nodes.front(), {1}, {1});
  expectTensor(nodes.back(), {}, {2});
}

TEST(FunctionGradient, of_users_functions_with_parts_missing) {
  Tensor x({1.0f, 2.0f});
  Function empty, ahead;
  ahead.forward = [](const std::vector<Tensor> &in) { return in[0] * 2; };
  expectError([&] { empty.apply({x}); },
              "Function: expects a function `forward`, got none");
  expectTensor(ahead.apply({x}), {2}, {2, 4});
  auto loss = [&](const Tensor &y) { return ahead.apply({y}).sum(); };
  expectError([&] { grad(loss)(x); },
              "Function: expects a function `backward` where a gradient flows, "
              "got none");
}
