//===- GradientTest.cpp - Gradients against differences -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First and second derivatives of every differentiable operation, by central
// differences in float64.
//
//===----------------------------------------------------------------------===//

#include "EagerBuilder.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>
#include <random>
#include <set>

using namespace tinygrad;
using namespace tinygrad::ops;
using namespace tinygrad::ops::test;

using Values = std::vector<double>;

namespace {

/// One operand: its shape, and the range of its elements.
struct Operand {
  Shape shape;
  double low = -2, high = 2;
  /// Elements may have either sign; only their size is in the range.
  bool isSymmetric = false;
};

struct Case {
  OpKind kind;
  std::vector<Operand> operands;
  std::vector<int64_t> ints;
};

} // namespace

static std::vector<Case> getCases() {
  Operand any = {{2, 3}}, positive = {{2, 3}, 0.5, 3};
  Operand nonZero = {{2, 3}, 0.5, 3, true};
  Operand cube = {{2, 3, 4}};
  return {
      {OpKind::Noop, {any}, {}},
      {OpKind::Exp2, {any}, {}},
      {OpKind::Log2, {positive}, {}},
      {OpKind::Exp, {any}, {}},
      {OpKind::Log, {positive}, {}},
      {OpKind::Cast, {any}, {}},
      {OpKind::Sin, {any}, {}},
      {OpKind::Sqrt, {positive}, {}},
      {OpKind::Recip, {nonZero}, {}},
      {OpKind::Neg, {any}, {}},
      {OpKind::Add, {any, any}, {}},
      {OpKind::Sub, {any, any}, {}},
      {OpKind::Mul, {any, any}, {}},
      {OpKind::Div, {any, nonZero}, {}},
      {OpKind::Max, {any, any}, {}},
      // Quotients between two integers, so that no difference crosses one.
      {OpKind::Mod, {{{2, 3}, 7.1, 7.9}, {{2, 3}, 2.4, 2.6, true}}, {}},
      {OpKind::Mod, {{{2, 3}, -0.9, -0.1}, {{2, 3}, 1, 2, true}}, {}},
      {OpKind::Pow, {positive, any}, {}},
      {OpKind::MulAcc, {any, any, any}, {}},
      {OpKind::Where, {{{2, 3}, 1, 2}, any, any}, {}},
      {OpKind::Where, {{{2, 3}, 0, 0}, any, any}, {}},
      {OpKind::ReduceSum, {cube}, {2, 1, 4}},
      {OpKind::ReduceSum, {cube}, {1, 1, 1}},
      {OpKind::ReduceSum, {cube}, {2, 3, 4}},
      {OpKind::ReduceMax, {cube}, {2, 1, 4}},
      {OpKind::ReduceMax, {cube}, {1, 3, 1}},
      {OpKind::ReduceMax, {cube}, {2, 3, 4}},
      {OpKind::Reshape, {cube}, {4, 6}},
      {OpKind::Permute, {cube}, {2, 0, 1}},
      {OpKind::Expand, {{{2, 1, 4}}}, {2, 3, 4}},
      {OpKind::Expand, {{{1}}}, {5}},
      {OpKind::Pad, {any}, {1, 0, 2, 1}},
      {OpKind::Shrink, {cube}, {0, 1, 1, 3, 0, 4}},
      {OpKind::Stride, {{{5, 6}}}, {2, -1}},
      {OpKind::Stride, {{{5, 6}}}, {-2, 4}},
      {OpKind::Stride, {{{5, 6}}}, {-9, 6}},
      {OpKind::AsStrided, {{{10}}}, {4, 3, 2, 1, 1}},
      {OpKind::AsStrided, {{{3, 4}}}, {2, 2, 3, -1, 4, 0, 3}},
      {OpKind::Copy, {any}, {}},
      {OpKind::Contiguous, {any}, {}},
      {OpKind::FromCPU, {any}, {}},
      {OpKind::Assign, {any, any}, {}},
  };
}

static Values draw(std::mt19937 &random, const Operand &operand) {
  std::uniform_real_distribution<double> distribution(operand.low,
                                                      operand.high);
  Values values(*getNumElements(operand.shape));
  for (double &value : values) {
    value = distribution(random);
    if (operand.isSymmetric && random() % 2)
      value = -value;
  }
  return values;
}

/// Compares `gradient`, of the function `evaluate` of `values`, with central
/// differences.
static void
checkDifferences(const Values &gradient, Values values,
                 const std::function<double(const Values &)> &evaluate) {
  ASSERT_EQ(gradient.size(), values.size());
  const double step = 1e-5;
  for (size_t i = 0; i < values.size(); ++i) {
    double value = values[i];
    values[i] = value + step;
    double above = evaluate(values);
    values[i] = value - step;
    double below = evaluate(values);
    values[i] = value;
    double difference = (above - below) / (2 * step);
    EXPECT_NEAR(gradient[i], difference, 1e-7 * (1 + std::fabs(difference)))
        << "element " << i << " of " << toString({(int64_t)values.size()});
  }
}

static double dot(const Values &x, const Values &y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i)
    sum += x[i] * y[i];
  return sum;
}

namespace {

/// The gradients of sum(seed * op(operands)), and the builder that has them.
struct Evaluation {
  EagerBuilder builder;
  std::vector<Ref> inputs;
  Ref result, seed;

  Evaluation(const Case &test, const std::vector<Values> &values,
             const Values &seedValues) {
    inputs.reserve(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      inputs.push_back(
          builder.input(DType::Float64, test.operands[i].shape, values[i]));
    result = builder.create(test.kind, inputs, DType::Float64, test.ints);
    if (!seedValues.empty())
      seed = builder.input(DType::Float64, EagerBuilder::get(result).shape,
                           seedValues);
  }

  std::vector<Ref> backward() { return builder.backward(result, seed, inputs); }
};

} // namespace

TEST(Gradient, everyOpAgainstDifferences) {
  std::mt19937 random(4);
  std::set<OpKind> tested;
  for (const Case &test : getCases()) {
    SCOPED_TRACE(std::string(getInfo(test.kind).name) + " " +
                 toString(test.ints));
    tested.insert(test.kind);
    std::vector<Values> values;
    values.reserve(test.operands.size());
    for (const Operand &operand : test.operands)
      values.push_back(draw(random, operand));
    Shape shape = EagerBuilder::get(Evaluation(test, values, {}).result).shape;
    Values seed = draw(random, {shape});

    Evaluation evaluation(test, values, seed);
    std::vector<Ref> grads = evaluation.backward();
    for (size_t i = 0; i < values.size(); ++i) {
      // The condition of where gets no gradient, and a step could turn it.
      if (test.kind == OpKind::Where && i == 0)
        continue;
      SCOPED_TRACE("operand " + std::to_string(i));
      checkDifferences(EagerBuilder::values(grads[i]), values[i],
                       [&](const Values &changed) {
                         std::vector<Values> all = values;
                         all[i] = changed;
                         Evaluation at(test, all, {});
                         return dot(EagerBuilder::values(at.result), seed);
                       });
    }
  }
  for (int i = 0; i < numOpKinds; ++i) {
    OpKind kind = static_cast<OpKind>(i);
    EXPECT_EQ(isDifferentiable(kind), tested.count(kind) != 0)
        << getInfo(kind).name;
  }
}

// The gradient of the gradient, by each operand and by the seed: rules may only
// build ops that have rules.
TEST(Gradient, secondDerivativesAgainstDifferences) {
  std::mt19937 random(5);
  for (const Case &test : getCases()) {
    SCOPED_TRACE(std::string(getInfo(test.kind).name) + " " +
                 toString(test.ints));
    std::vector<Values> values, directions;
    for (const Operand &operand : test.operands) {
      values.push_back(draw(random, operand));
      directions.push_back(draw(random, {operand.shape}));
    }
    Shape shape = EagerBuilder::get(Evaluation(test, values, {}).result).shape;
    Values seed = draw(random, {shape});

    // sum over operands of direction * gradient, as a function of all inputs.
    auto project = [&](Evaluation &evaluation) {
      EagerBuilder &builder = evaluation.builder;
      std::vector<Ref> grads = evaluation.backward();
      Ref sum = builder.createConst(0, DType::Float64, Shape{1});
      for (size_t i = 0; i < grads.size(); ++i) {
        Ref direction = builder.input(DType::Float64, test.operands[i].shape,
                                      directions[i]);
        Ref product = builder.binary(OpKind::Mul, grads[i], direction);
        Shape ones(test.operands[i].shape.size(), 1);
        product = builder.reduce(OpKind::ReduceSum, product, ones);
        product = builder.movement(OpKind::Reshape, product, Shape{1});
        sum = builder.binary(OpKind::Add, sum, product);
      }
      return sum;
    };

    Evaluation evaluation(test, values, seed);
    Ref sum = project(evaluation);
    std::vector<Ref> sources = evaluation.inputs;
    sources.push_back(evaluation.seed);
    Ref one = evaluation.builder.createConst(1, DType::Float64, Shape{1});
    std::vector<Ref> seconds = evaluation.builder.backward(sum, one, sources);

    for (size_t i = 0; i < sources.size(); ++i) {
      if (test.kind == OpKind::Where && i == 0)
        continue;
      bool isSeed = i == values.size();
      SCOPED_TRACE(isSeed ? "seed" : "operand " + std::to_string(i));
      checkDifferences(EagerBuilder::values(seconds[i]),
                       isSeed ? seed : values[i], [&](const Values &changed) {
                         std::vector<Values> all = values;
                         if (!isSeed)
                           all[i] = changed;
                         Evaluation at(test, all, isSeed ? changed : seed);
                         return EagerBuilder::values(project(at))[0];
                       });
    }
  }
}
