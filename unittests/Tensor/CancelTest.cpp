//===- CancelTest.cpp - Realizations that are stopped ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Engine.h"
#include "tinygrad/Runtime/Buffer.h"
#include "tinygrad/Tensor/Jit.h"
#include "tinygrad/Tensor/NN.h"

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

/// A context whose random numbers are zeros, and that does something each time
/// that they are drawn.
class Cancel : public ::testing::TestWithParam<const char *> {
protected:
  Cancel()
      : engine(makeEngine()), context(Context::create(engine)), scope(context) {
    engine->registerCallback(
        "rand",
        [this](std::span<const runtime::BufferRef> buffers) -> llvm::Error {
          ++numDraws;
          if (onDraw)
            onDraw();
          if (isBroken)
            return llvm::createStringError("no dice");
          runtime::Buffer &result = *buffers.back();
          std::vector<char> zeros(static_cast<size_t>(result.getNumBytes()));
          return result.copyIn(zeros.data(), result.getNumBytes());
        });
  }

  static std::shared_ptr<engine::Engine> makeEngine() {
    engine::Engine::Options options;
    options.device = GetParam();
    return llvm::cantFail(engine::Engine::create(options));
  }

  int numDraws = 0;
  bool isBroken = false;
  std::function<void()> onDraw;
  std::shared_ptr<engine::Engine> engine;
  ContextRef context;
  Context::Scope scope;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, Cancel, ::testing::Values("INTERP", "CPU"),
                         [](const auto &info) { return info.param; });

TEST_P(Cancel, a_stop_ends_compilations_and_runs) {
  Tensor x(std::vector<float>{1, 2});
  Tensor known = x + 1, other = x + 1, unknown = x * 3;
  known.realize();
  std::stop_source source;
  source.request_stop();
  {
    StopGuard guard(source.get_token());
    expectError([&] { unknown.realize(); }, "realize: cancelled");
    expectError([&] { other.toVector<float>(); }, "realize: cancelled");
    EXPECT_FALSE(unknown.isRealized());
    expectTensor(known, {2}, {2, 3});
  }
  expectTensor(unknown, {2}, {3, 6});
  expectTensor(other, {2}, {2, 3});
}

TEST_P(Cancel, guards_nest) {
  EXPECT_FALSE(StopGuard::getToken().stop_possible());
  std::stop_source outer, inner;
  StopGuard first(outer.get_token());
  {
    StopGuard second(inner.get_token());
    EXPECT_FALSE(StopGuard::getToken().stop_requested());
    outer.request_stop();
    EXPECT_TRUE(StopGuard::getToken().stop_requested());
  }
  EXPECT_TRUE(StopGuard::getToken().stop_requested());
  std::stop_source third;
  StopGuard guard(third.get_token());
  EXPECT_TRUE(StopGuard::getToken().stop_requested());
}

TEST_P(Cancel, a_stop_between_kernels_leaves_every_tensor) {
  Tensor weight(std::vector<float>{1, 2});
  Tensor zeros = Tensor::rand({2});
  weight.assign(weight + 1);
  std::stop_source source;
  onDraw = [&] { source.request_stop(); };
  StopGuard guard(source.get_token());
  Tensor sum = (zeros + 1).contiguous() + 1;
  expectError([&] { realize({weight, sum}); }, "realize: cancelled");
  EXPECT_FALSE(weight.isRealized());
  EXPECT_FALSE(sum.isRealized());
}

TEST_P(Cancel, a_stopped_call_changes_nothing) {
  Tensor weight = Tensor(std::vector<float>{1, 2}).realize();
  Tensor total = Tensor(std::vector<float>{0, 0}).realize();
  TinyJit step([&](const Tensor &x) {
    weight.assign(weight + x + Tensor::rand({2}));
    weight.realize();
    total.assign(total + (weight + Tensor::rand({2})).contiguous() * x);
  });
  Tensor x(std::vector<float>{1, 1});
  double expected = 0;
  for (int i = 0; i < 3; ++i) {
    step(x);
    expected += i + 2;
  }
  for (int stopAt : {1, 2}) {
    std::stop_source source;
    int64_t before = numDraws;
    onDraw = [&] {
      if (numDraws - before == stopAt)
        source.request_stop();
    };
    StopGuard guard(source.get_token());
    expectError([&] { step(x); }, "realize: cancelled");
    EXPECT_EQ(numDraws - before, stopAt);
  }
  expectTensor(weight, {2}, {4, 5});
  expectTensor(total, {2}, {expected, expected + 3});
  onDraw = nullptr;
  step(x);
  expectTensor(weight, {2}, {5, 6});
}

TEST_P(Cancel, a_stopped_capture_changes_nothing) {
  Tensor weight = Tensor(std::vector<float>{1, 2}).realize();
  TinyJit step(
      [&](const Tensor &x) { weight.assign(weight + x + Tensor::rand({2})); });
  Tensor x(std::vector<float>{1, 1});
  step(x);
  {
    std::stop_source source;
    source.request_stop();
    StopGuard guard(source.get_token());
    expectError([&] { step(x); }, "realize: cancelled");
  }
  EXPECT_FALSE(step.isCaptured());
  expectTensor(weight, {2}, {2, 3});
  step(x);
  step(x);
  EXPECT_TRUE(step.isCaptured());
  expectTensor(weight, {2}, {4, 5});
}

/// Returns random images of 2 channels.
static Tensor makeImages() { return Tensor::rand({2, 2, 3, 3}); }

TEST_P(Cancel, what_is_taken_along_is_taken_along_later) {
  TrainingGuard training;
  nn::BatchNorm2d norm(2);
  Tensor y = norm(makeImages());
  {
    std::stop_source source;
    source.request_stop();
    StopGuard guard(source.get_token());
    expectError([&] { y.realize(); }, "realize: cancelled");
    EXPECT_EQ(numDraws, 0);
  }
  y.realize();
  EXPECT_TRUE(norm.running_mean.isRealized());
}

TEST_P(Cancel, callbacks_of_what_failed_are_not_called_twice) {
  TrainingGuard training;
  nn::BatchNorm2d norm(2);
  Tensor y = norm(makeImages());
  isBroken = true;
  EXPECT_THROW(y.realize(), Error);
  EXPECT_EQ(numDraws, 1);
  isBroken = false;
  EXPECT_EQ(y.toVector<float>(), std::vector<float>(36, 0));
  EXPECT_EQ(numDraws, 2);
}
