//===- JitOverwriteTest.cpp - Captured steps that write in place ----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Engine.h"
#include "tinygrad/Runtime/Buffer.h"
#include "tinygrad/Tensor/Jit.h"
#include "tinygrad/Tensor/Optim.h"

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

class JitOverwrite : public ::testing::TestWithParam<const char *> {
protected:
  JitOverwrite() {
    engine::Engine::Options options;
    options.device = GetParam();
    options.numThreads = 1;
    options.memory.maxBytes = maxBytes;
    engine = llvm::cantFail(engine::Engine::create(options));
    context = Context::create(engine);
    scope.emplace(context);
  }
  static constexpr int64_t maxBytes = 1 << 20;

  /// Returns how many buffers `fn` makes.
  int64_t countBuffers(const std::function<void()> &fn) const {
    int64_t before = context->getMemoryStatistics().numAllocations;
    fn();
    return context->getMemoryStatistics().numAllocations - before;
  }

  std::shared_ptr<engine::Engine> engine;
  ContextRef context;
  std::optional<Context::Scope> scope;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, JitOverwrite,
                         ::testing::Values("INTERP", "CPU"),
                         [](const auto &info) { return info.param; });

static Tensor make(std::vector<float> values) {
  return Tensor(values).realize();
}

TEST_P(JitOverwrite, takes_no_new_memory) {
  Tensor weight = make({1, 2}), one = make({1, 1});
  TinyJit step([&](const Tensor &x) { weight.assign(weight * 2 + x); });
  double a = 1, b = 2;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(countBuffers([&] { step(one); }) == 0, i >= 2);
    std::tie(a, b) = std::pair(2 * a + 1, 2 * b + 1);
    expectTensor(weight, {2}, {a, b});
  }
}

TEST_P(JitOverwrite, a_training_step_needs_no_second_copy_of_the_weights) {
  constexpr int64_t size = 64 * 64 * 4;
  Tensor weight(std::vector<float>(64 * 64, 0.5f), {64, 64});
  Tensor images(std::vector<float>(64 * 64, 1), {64, 64});
  optim::Adam optimizer({weight}, 0.01);
  std::vector<float> losses, expected;
  TinyJit step([&](const Tensor &x) {
    optimizer.zero_grad();
    Tensor loss = (x.matmul(weight) - 1).square().mean();
    loss.backward();
    optimizer.step({loss});
    return loss;
  });
  for (int i = 0; i < 3; ++i)
    losses.push_back(step(images).item<float>());
  weight.clearGrad();
  // The images, the weight and its two moments.
  int64_t live = context->getMemoryStatistics().liveBytes;
  EXPECT_LT(live, 4 * size + 1024);
  // There is memory for the temporaries of a call, but not for weights.
  context->trim();
  int64_t room =
      GetParam() == std::string("CPU") ? 2 * size + size / 2 : size / 2;
  std::vector<Tensor> ballast;
  while (context->getMemoryStatistics().liveBytes + size + room <= maxBytes)
    ballast.push_back(Tensor::empty({64, 64}));
  for (int i = 0; i < 3; ++i)
    losses.push_back(step(images).item<float>());
  ballast.clear();
  EXPECT_EQ(context->getMemoryStatistics().liveBytes, live);

  Tensor plain(std::vector<float>(64 * 64, 0.5f), {64, 64});
  optim::Adam other({plain}, 0.01);
  for (int i = 0; i < 6; ++i) {
    other.zero_grad();
    Tensor loss = (images.matmul(plain) - 1).square().mean();
    loss.backward();
    other.step({loss});
    expected.push_back(loss.item<float>());
  }
  EXPECT_EQ(losses, expected);
  EXPECT_EQ(weight.toVector<float>(), plain.toVector<float>());
}

TEST_P(JitOverwrite, held_values_stay) {
  Tensor weight = make({1}), one = make({1});
  TinyJit step([&](const Tensor &x) { weight.assign(weight + x); });
  std::vector<Tensor> held, lazy;
  for (int i = 0; i < 6; ++i) {
    held.push_back(weight.detach());
    lazy.push_back(weight * 2);
    step(one);
  }
  for (int i = 0; i < 6; ++i) {
    expectTensor(held[i], {1}, {i + 1.0});
    expectTensor(lazy[i], {1}, {2 * (i + 1.0)});
  }
  expectTensor(weight, {1}, {7});
}

TEST_P(JitOverwrite, variables_that_share_a_value_and_inputs_stay) {
  Tensor weight = make({1}), other = make({5}), one = make({1});
  TinyJit step([&](const Tensor &x) { weight.assign(weight + x); });
  for (int i = 0; i < 3; ++i)
    step(one);
  other.assign(weight);
  step(one);
  expectTensor(other, {1}, {4});
  expectTensor(weight, {1}, {5});
  // The variable is the input, too.
  step(weight);
  expectTensor(weight, {1}, {10});
}

TEST_P(JitOverwrite, values_that_are_returned_stay) {
  Tensor weight = make({1}), one = make({1});
  TinyJit step([&](const Tensor &x) {
    Tensor old = weight.detach();
    weight.assign(weight + x);
    return std::vector<Tensor>{old, weight};
  });
  std::vector<std::vector<Tensor>> results;
  for (int i = 0; i < 5; ++i)
    results.push_back(step(one));
  for (int i = 0; i < 5; ++i) {
    expectTensor(results[i][0], {1}, {i + 1.0});
    expectTensor(results[i][1], {1}, {i + 2.0});
  }
}

TEST_P(JitOverwrite, swapped_variables_keep_their_values) {
  Tensor a = make({1}), b = make({10}), one = make({1});
  TinyJit step([&](const Tensor &x) {
    Tensor sum = a + x;
    a.assign(b);
    b.assign(sum);
  });
  double first = 1, second = 10;
  for (int i = 0; i < 5; ++i) {
    step(one);
    std::tie(first, second) = std::pair(second, first + 1);
    expectTensor(a, {1}, {first});
    expectTensor(b, {1}, {second});
  }
}

TEST_P(JitOverwrite, a_failed_call_changes_nothing) {
  bool isBroken = false;
  engine->registerCallback(
      "rand", [&](std::span<const runtime::BufferRef> buffers) -> llvm::Error {
        if (isBroken)
          return llvm::createStringError("no dice");
        float zero = 0;
        return buffers.back()->copyIn(&zero, sizeof(zero));
      });
  Tensor weight = make({1}), other = make({2}), one = make({1});
  // The draw may come after the first variable is overwritten.
  TinyJit step([&](const Tensor &x) {
    weight.assign(weight + x);
    other.assign(other + Tensor::rand({1}) + x);
  });
  for (int i = 0; i < 3; ++i)
    step(one);
  isBroken = true;
  EXPECT_THROW(step(one), Error);
  expectTensor(weight, {1}, {4});
  expectTensor(other, {1}, {5});
  isBroken = false;
  step(one);
  expectTensor(weight, {1}, {5});
  expectTensor(other, {1}, {6});
}
