//===- CacheTest.cpp - Repeated graphs compile nothing --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/NN.h"
#include "tinygrad/Tensor/Optim.h"

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::test;

/// Returns the number of graphs that the current context has compiled.
static int64_t countCompiled() {
  return Context::getCurrent()->getStatistics().misses;
}

/// Expects `fn` to compile as many graphs as said.
static void expectCompiles(int64_t expected, const std::function<void()> &fn) {
  int64_t before = countCompiled();
  fn();
  EXPECT_EQ(countCompiled() - before, expected);
}

class Cache : public testing::Test {
protected:
  static Context::Options getOptions() {
    Context::Options options;
    options.device = "INTERP";
    return options;
  }

  /// A context of the test's own, in which nothing is compiled yet.
  ContextRef context = Context::create(getOptions());
  Context::Scope scope{context};
};

TEST_F(Cache, the_same_structure_compiles_once) {
  auto compute = [](float value) {
    return (Tensor(std::vector<float>{value, 1}) * 2 + 1).sum().item();
  };
  expectCompiles(1, [&] {
    EXPECT_EQ(compute(1), 6);
    EXPECT_EQ(compute(5), 14);
  });
  EXPECT_EQ(context->getStatistics().hits, 1);
}

TEST_F(Cache, what_differs_compiles) {
  Tensor x(std::vector<float>{1, 2}), y(std::vector<float>{3, 4});
  expectCompiles(1, [&] { (x + y).realize(); });
  // One buffer twice is another graph than two buffers.
  expectCompiles(1, [&] { expectTensor(x + x, {2}, {2, 4}); });
  expectCompiles(0, [&] { expectTensor(y + y, {2}, {6, 8}); });
  expectCompiles(0, [&] { expectTensor(y + x, {2}, {4, 6}); });
  expectCompiles(1, [&] { (x - y).realize(); });
  expectCompiles(1, [&] { (x + 1.0).realize(); });
  expectCompiles(1, [&] { (x + 2.0).realize(); });
  expectCompiles(1, [&] { (x * -0.0).realize(); });
  expectCompiles(1, [&] { (x * 0.0).realize(); });
  expectCompiles(1, [&] { (x.reshape({2, 1}) + 2.0).realize(); });
  expectCompiles(1, [&] { (x.cast(DType::Float64) + 2.0).realize(); });
  expectCompiles(1, [&] { realize({x * 3, x + 3}); });
  expectCompiles(1, [&] { realize({x + 3, x * 3}); });
}

TEST_F(Cache, parameters_are_no_constants) {
  Tensor x(std::vector<float>{1, 2});
  expectCompiles(1, [&] {
    for (double value : {1.0, 2.0, 3.0})
      expectTensor(x * Tensor::parameter(value), {2}, {value, 2 * value});
  });
  expectTensor(Tensor::parameter(7, DType::Int32), {}, {7});
}

TEST_F(Cache, realized_tensors_run_nothing) {
  Tensor x = (Tensor(std::vector<float>{1, 2}) + 1).realize();
  EXPECT_TRUE(x.isRealized());
  EXPECT_TRUE(x.detach().isRealized());
  expectCompiles(0, [&] {
    x.realize();
    x.detach().realize();
    x.toVector<float>();
    x.contiguous().realize();
  });
}

TEST_F(Cache, an_output_may_be_another_ones_input) {
  Tensor x(std::vector<float>{1, 2});
  Tensor y = x + 1;
  Tensor z = y * 2;
  realize({z, y, z, x});
  expectTensor(y, {2}, {2, 3});
  expectTensor(z, {2}, {4, 6});
}

TEST_F(Cache, a_thousand_steps_with_a_schedule_and_dropout) {
  TrainingGuard training;
  Tensor::manual_seed(3);
  nn::Linear first(4, 8), second(8, 3);
  nn::BatchNorm2d norm(8);
  std::vector<Tensor> params = {first.weight, *first.bias,  second.weight,
                                *second.bias, *norm.weight, *norm.bias};
  optim::Adam adam(params, 0.01);
  std::vector<double> losses;
  int64_t afterSecond = 0;
  for (int step = 0; step < 1000; ++step) {
    adam.lr = 0.01 / (1 + 0.001 * step);
    adam.zero_grad();
    std::vector<float> data;
    std::vector<int> labels;
    for (double number : makeNumbers(6 * 4, step + 1))
      data.push_back(static_cast<float>(number));
    for (int i = 0; i < 6; ++i)
      labels.push_back(data[4 * i] > 0 ? 2 : data[4 * i + 1] > 0);
    Tensor hidden = first(Tensor(data, {6, 4})).relu().dropout(0.3);
    hidden = norm(hidden.reshape({6, 8, 1, 1})).reshape({6, 8});
    Tensor loss =
        second(hidden).sparse_categorical_crossentropy(Tensor(labels));
    loss.backward();
    adam.step({loss});
    losses.push_back(loss.item());
    if (step == 1)
      afterSecond = countCompiled();
  }
  EXPECT_EQ(countCompiled(), afterSecond);
  EXPECT_EQ(norm.num_batches_tracked.item(), 1000);
  // It learns, too.
  double early = 0, late = 0;
  for (int i = 0; i < 50; ++i) {
    early += losses[i];
    late += losses[950 + i];
  }
  EXPECT_LT(late, 0.8 * early);
}

TEST(Kernels, are_counted) {
  Context::Options options = Context::readEnvironment();
  if (options.device == "INTERP")
    GTEST_SKIP() << "the interpreter runs no kernels";
  ContextRef context = Context::create(options);
  Context::Scope scope(context);
  Tensor x(std::vector<float>{1, 2});
  for (int i = 0; i < 3; ++i)
    (x + i * 0.0).realize();
  std::vector<Context::KernelSummary> kernels = context->getKernels();
  ASSERT_FALSE(kernels.empty());
  EXPECT_EQ(kernels[0].runs, 3);
}
