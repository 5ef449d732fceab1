//===- JitFailureTest.cpp - Captured steps that fail ----------------------===//
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

#include <stdexcept>

using namespace tinygrad;
using namespace tinygrad::test;

static Tensor make(std::vector<float> values) { return Tensor(values); }

namespace {

/// A context whose random numbers are zeros, and may run out.
struct Dice {
  bool areLost = false;
  std::shared_ptr<engine::Engine> engine =
      llvm::cantFail(engine::Engine::create(engine::Engine::Options()));
  ContextRef context = Context::create(engine);
  Context::Scope scope{context};

  Dice() {
    engine->registerCallback(
        "rand",
        [this](std::span<const runtime::BufferRef> buffers) -> llvm::Error {
          if (areLost)
            return llvm::createStringError("no dice");
          runtime::Buffer &result = *buffers.back();
          std::vector<char> zeros(static_cast<size_t>(result.getNumBytes()));
          return result.copyIn(zeros.data(), result.getNumBytes());
        });
  }
};

} // namespace

TEST(JitFailure, a_failed_call_changes_nothing) {
  Dice dice;
  Tensor weight = make({1, 2}).realize();
  TinyJit step([&](const Tensor &x) {
    weight.assign(weight + x + Tensor::rand({2}));
    return weight * 2;
  });
  for (int i = 0; i < 3; ++i)
    step(make({1, 1}));
  expectTensor(weight, {2}, {4, 5});
  dice.areLost = true;
  Tensor x = make({1, 1});
  try {
    step(x);
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(error.getCompilerText().find("no dice"), std::string::npos);
  }
  expectTensor(weight, {2}, {4, 5});
  expectTensor(x, {2}, {1, 1});
}

TEST(JitFailure, a_failed_capture_changes_nothing) {
  Dice dice;
  Tensor weight = make({1, 2}).realize(), number(1.0f);
  enum { Nothing, Reads, Throws } failure = Nothing;
  TinyJit step([&](const Tensor &x) {
    Tensor(x).assign(x + 1);
    weight.assign(weight + x + Tensor::rand({2}));
    weight.assign(weight * number);
    if (failure != Nothing)
      number.assign(Tensor(5.0f));
    if (failure == Reads)
      weight.sum().item();
    if (failure == Throws)
      throw std::runtime_error("had enough");
    return weight * 2;
  });
  Tensor x = make({0, 0});
  step(x);
  expectTensor(weight, {2}, {2, 3});
  expectTensor(x, {2}, {1, 1});
  failure = Reads;
  EXPECT_THROW(step(x), Error);
  failure = Throws;
  EXPECT_THROW(step(x), std::runtime_error);
  failure = Nothing;
  dice.areLost = true;
  EXPECT_THROW(step(x), Error);
  EXPECT_FALSE(step.isCaptured());
  expectTensor(weight, {2}, {2, 3});
  expectTensor(x, {2}, {1, 1});
  expectTensor(number, {}, {1});
  dice.areLost = false;
  for (int i = 0; i < 2; ++i)
    expectTensor(step(make({0, 0})), {2}, {6.0 + 2 * i, 8.0 + 2 * i});
  EXPECT_TRUE(step.isCaptured());
}

TEST(JitFailure, a_failed_call_is_no_step_of_an_optimizer) {
  Dice dice;
  std::vector<std::vector<float>> weights;
  for (bool fails : {false, true}) {
    Tensor weight = make({1, 2});
    optim::Adam adam({weight}, 0.1);
    TinyJit step([&](const Tensor &x) {
      adam.zero_grad();
      ((weight + Tensor::rand({2})) * x).square().sum().backward();
      adam.step();
    });
    for (int i = 0; i < 5; ++i) {
      Tensor x = make({1, static_cast<float>(i)});
      // The second call captures, the others after it repeat.
      if (fails && i > 0) {
        dice.areLost = true;
        EXPECT_THROW(step(x), Error);
        dice.areLost = false;
      }
      EXPECT_EQ(adam.getNumSteps(), i);
      step(x);
    }
    weights.push_back(weight.toVector<float>());
  }
  EXPECT_EQ(weights[0], weights[1]);
}

TEST(JitFailure, runs_what_reads_values_at_each_call) {
  Tensor total = make({0}), x = make({1, 2});
  int calls = 0;
  TinyJit reads([&](const Tensor &x) {
    ++calls;
    total.assign(total + x.sum());
    return x * x.sum().item();
  });
  reads.allowReads();
  for (float i = 0; i < 4; ++i)
    expectTensor(reads(make({i, 2})), {2}, {i * (i + 2), 2 * (i + 2)});
  expectTensor(total, {1}, {6 + 8});
  EXPECT_EQ(calls, 4);
  EXPECT_TRUE(reads.readsValues());
  EXPECT_FALSE(reads.isCaptured());
  reads.reset();
  EXPECT_FALSE(reads.readsValues());
  expectTensor(reads(x), {2}, {3, 6});
}

TEST(JitFailure, refuses_what_it_cannot_repeat) {
  Tensor x = make({1, 2});
  TinyJit reads([](const Tensor &x) { return x * x.sum().item(); });
  reads(x);
  expectError([&] { reads(x); },
              "TinyJit: cannot capture a function that reads values of "
              "tensors; return them instead");
  TinyJit frozen([](const Tensor &x) { return x * Tensor::parameter(0.5); });
  frozen(x);
  expectError([&] { frozen(x); },
              "TinyJit: cannot capture a parameter whose next value is not "
              "known; make it an input, or let it read its value from a "
              "function");
  // An error ends the capture.
  EXPECT_FALSE(frozen.isCaptured());
  expectTensor(x * x.sum().item(), {2}, {3, 6});
}

TEST(JitFailure, what_was_moved_away_is_not_called) {
  TinyJit step([](const Tensor &x) { return x + 1; });
  Tensor x = make({1});
  for (int i = 0; i < 3; ++i)
    step(x);
  TinyJit other = std::move(step);
  EXPECT_TRUE(other.isCaptured());
  expectTensor(other(x), {1}, {2});
  EXPECT_FALSE(step.isCaptured());
  EXPECT_EQ(step.getNumKernels(), 0);
  step.reset();
  expectError([&] { step(x); },
              "TinyJit: cannot call what was moved to another TinyJit");
}
