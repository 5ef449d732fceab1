//===- GradientEdgesTest.cpp - Gradients at ties, zeros, NaN --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EagerBuilder.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::ops;
using namespace tinygrad::ops::test;

using Values = std::vector<double>;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static const double notANumber = std::numeric_limits<double>::quiet_NaN();

/// Returns the gradients of the sum of an elementwise op by its operands.
static std::vector<Values> differentiate(OpKind kind,
                                         const std::vector<Values> &values,
                                         DType type = DType::Float64) {
  EagerBuilder builder;
  std::vector<Ref> inputs;
  Shape shape = {static_cast<int64_t>(values[0].size())};
  inputs.reserve(values.size());
  for (const Values &operand : values)
    inputs.push_back(builder.input(type, shape, operand));
  Ref result = builder.create(kind, inputs, type, {});
  Ref one = builder.createConst(1, type, shape);
  std::vector<Values> grads;
  for (Ref grad : builder.backward(result, one, inputs))
    grads.push_back(EagerBuilder::values(grad));
  return grads;
}

TEST(GradientEdges, maxSharesTies) {
  auto grads = differentiate(
      OpKind::Max, {{1, 3, 2, 0.0, infinity}, {2, 1, 2, -0.0, infinity}});
  EXPECT_EQ(grads[0], Values({0, 1, 0.5, 0.5, 0.5}));
  EXPECT_EQ(grads[1], Values({1, 0, 0.5, 0.5, 0.5}));
  grads = differentiate(OpKind::Max, {{notANumber, 1}, {1, notANumber}});
  EXPECT_EQ(grads[0], Values({1, 1}));
  EXPECT_EQ(grads[1], Values({1, 1}));
}

static Values differentiateReduceMax(const Shape &shape, const Values &values,
                                     const Shape &reduced, DType type) {
  EagerBuilder builder;
  Ref x = builder.input(type, shape, values);
  Ref result = builder.reduce(OpKind::ReduceMax, x, reduced);
  Ref one = builder.createConst(1, type, reduced);
  return EagerBuilder::values(builder.backward(result, one, {{x}})[0]);
}

TEST(GradientEdges, reduceMaxSharesTies) {
  EXPECT_EQ(differentiateReduceMax({2, 3}, {1, 5, 5, 7, 0, 7}, {2, 1},
                                   DType::Float64),
            Values({0, 0.5, 0.5, 0.5, 0, 0.5}));
  EXPECT_EQ(
      differentiateReduceMax({4}, {0.0, -0.0, -1, 0.0}, {1}, DType::Float32),
      Values({1 / 3.f, 1 / 3.f, 0, 1 / 3.f}));
  EXPECT_EQ(
      differentiateReduceMax({2}, {-infinity, -infinity}, {1}, DType::Float64),
      Values({0.5, 0.5}));
  EXPECT_EQ(
      differentiateReduceMax({4}, {1, notANumber, 2, 3}, {1}, DType::Float64),
      Values({0.25, 0.25, 0.25, 0.25}));
  EXPECT_EQ(differentiateReduceMax({0, 2}, {}, {1, 2}, DType::Float64),
            Values());
  // More ties than a float16 can count: 1 / 70000 is a subnormal there.
  Values grads =
      differentiateReduceMax({70000}, Values(70000, 1.0), {1}, DType::Float16);
  EXPECT_NEAR(grads[0], 1.0 / 70000, 0x1p-25);
}

TEST(GradientEdges, sqrtAndReciprocals) {
  EXPECT_EQ(differentiate(OpKind::Sqrt, {{0, 4, infinity}})[0],
            Values({infinity, 0.25, 0}));
  EXPECT_EQ(differentiate(OpKind::Recip, {{0, infinity, -2}})[0],
            Values({-infinity, 0, -0.25}));
  EXPECT_EQ(differentiate(OpKind::Log, {{0, 2}})[0], Values({infinity, 0.5}));
  auto grads = differentiate(OpKind::Div, {{1, 1e200}, {0, 1e200}});
  EXPECT_EQ(grads[0], Values({infinity, 1e-200}));
  EXPECT_EQ(grads[1], Values({-infinity, -1e-200}))
      << "the square of 1e200 is not taken";
}

TEST(GradientEdges, powFollowsPyTorch) {
  Values x = {0, 0, 0, 0, 2, -2, 2, infinity, -2};
  Values y = {0, 2, 1, 0.5, 0, 3, -1, 0, 0};
  auto grads = differentiate(OpKind::Pow, {x, y});
  EXPECT_EQ(grads[0], Values({0, 0, 1, infinity, 0, 12, -0.25, 0, 0}));
  EXPECT_EQ(Values(grads[1].begin(), grads[1].begin() + 4),
            Values({0, 0, 0, 0}));
  EXPECT_DOUBLE_EQ(grads[1][4], std::log(2.0));
  EXPECT_TRUE(std::isnan(grads[1][5])) << "the logarithm of -2";
  EXPECT_DOUBLE_EQ(grads[1][6], std::log(2.0) / 2);
  EXPECT_EQ(grads[1][7], infinity);
  EXPECT_TRUE(std::isnan(grads[1][8]));

  grads = differentiate(OpKind::Pow, {{0}, {-1}});
  EXPECT_EQ(grads[0], Values({-infinity}));
  EXPECT_EQ(grads[1], Values({-infinity}));
  grads = differentiate(OpKind::Pow, {{notANumber}, {0}});
  EXPECT_EQ(grads[0], Values({0}));
}

// x^2 at 0 has the second derivative 2, and x^1 has 0: no 0 * inf on the way.
TEST(GradientEdges, secondDerivativeOfPowAtZero) {
  EagerBuilder builder;
  Ref x = builder.input(DType::Float64, {3}, {0, 0, 0});
  Ref y = builder.input(DType::Float64, {3}, {2, 1, 0});
  Ref one = builder.createConst(1, DType::Float64, Shape{3});
  Ref result = builder.binary(OpKind::Pow, x, y);
  Ref first = builder.backward(result, one, {{x}})[0];
  EXPECT_EQ(EagerBuilder::values(first), Values({0, 1, 0}));
  Ref second = builder.backward(first, one, {{x}})[0];
  EXPECT_EQ(EagerBuilder::values(second), Values({2, 0, 0}));
}

TEST(GradientEdges, modTakesQuotientAsConstant) {
  auto grads =
      differentiate(OpKind::Mod, {{7, -7, 7, 1, 4}, {2, 2, -2, infinity, 2}});
  EXPECT_EQ(grads[0], Values({1, 1, 1, 1, 1}));
  EXPECT_EQ(grads[1], Values({-3, 3, 3, 0, -2}));
}

TEST(GradientEdges, halfTypes) {
  // 1 + 2^-10 is a float16; its square is rounded, and so is the gradient.
  auto grads =
      differentiate(OpKind::Mul, {{3, 1}, {1 + 0x1p-10, 2}}, DType::Float16);
  EXPECT_EQ(grads[0], Values({1 + 0x1p-10, 2}));
  EXPECT_EQ(grads[1], Values({3, 1}));
}

TEST(GradientEdges, castsPassGradientsInTheOperandsType) {
  EagerBuilder builder;
  Ref x = builder.input(DType::Float16, {1}, {2});
  Ref wide = builder.cast(x, DType::Float32);
  Ref seed = builder.input(DType::Float32, {1}, {1 + 0x1p-11});
  Ref grad = builder.backward(wide, seed, {{x}})[0];
  EXPECT_EQ(builder.getType(grad), DType::Float16);
  EXPECT_EQ(EagerBuilder::values(grad), Values({1}));
  EXPECT_EQ(builder.cast(x, DType::Float16).handle, x.handle);
}

/// Returns for which operands the rule gives a gradient.
static std::vector<bool>
findGradients(OpKind kind, const std::vector<DType> &types, DType type) {
  EagerBuilder builder;
  std::vector<Ref> operands;
  operands.reserve(types.size());
  for (DType operand : types)
    operands.push_back(builder.createConst(1, operand, Shape{2}));
  Ref result = builder.create(kind, operands, type, {});
  Ref grad = builder.createConst(1, type, Shape{2});
  std::vector<bool> flows;
  for (const auto &part : gradient(builder, kind, {}, operands, result, grad))
    flows.push_back(part.has_value());
  return flows;
}

TEST(GradientEdges, whereNoneFlows) {
  using enum DType;
  using Flows = std::vector<bool>;
  EXPECT_EQ(findGradients(OpKind::Where, {Bool, Float32, Float32}, Float32),
            Flows({false, true, true}));
  EXPECT_EQ(findGradients(OpKind::Where, {Float32, Float32, Float32}, Float32),
            Flows({false, true, true}));
  EXPECT_EQ(findGradients(OpKind::Where, {Float32, Int32, Int32}, Int32),
            Flows({false, false, false}));
  EXPECT_EQ(findGradients(OpKind::Add, {Int32, Int32}, Int32),
            Flows({false, false}));
  EXPECT_EQ(findGradients(OpKind::Cast, {Int32}, Float32), Flows({false}));
  EXPECT_EQ(findGradients(OpKind::Cast, {Float32}, Int32), Flows({false}));
  EXPECT_EQ(findGradients(OpKind::Cast, {Float32}, BFloat16), Flows({true}));
  EXPECT_EQ(findGradients(OpKind::Bitcast, {Float32}, Float32), Flows({false}));
  EXPECT_EQ(findGradients(OpKind::Not, {Bool}, Bool), Flows({false}));
  EXPECT_EQ(findGradients(OpKind::CmpLt, {Float32, Float32}, Float32),
            Flows({false, false}));
  EXPECT_EQ(findGradients(OpKind::CmpEq, {Float32, Float32}, Bool),
            Flows({false, false}));
}
