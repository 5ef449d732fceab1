//===- MemoryTest.cpp - What tensors take ---------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Jit.h"
#include "tinygrad/Tensor/Optim.h"

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::test;

static ContextRef makeContext(int64_t maxBytes) {
  Context::Options options;
  options.numThreads = 1;
  options.maxBytes = maxBytes;
  return Context::create(options);
}

TEST(Memory, running_out_is_an_error_that_names_the_tensor) {
  ContextRef context = makeContext(3 * 4096);
  Context::Scope scope(context);
  Tensor x(std::vector<float>(1024, 2));
  Tensor y(std::vector<float>(1024, 3), {32, 32});
  Tensor product = x.reshape({32, 32}).matmul(y) + 1;
  Tensor sum = product + y;
  int64_t before = context->getMemoryStatistics().liveBytes;
  EXPECT_EQ(before, 2 * 4096);
  expectError([&] { Tensor(std::vector<double>(1024), {2, 512}); },
              "tensor: cannot allocate a tensor of shape [2, 512]\nnot "
              "enough memory for 1024 elements of float64 (8192 bytes), 8192 "
              "bytes are live of at most 12288");
  // The product takes the last 4096 bytes, and is dropped again.
  expectError(
      [&] { realize({product, sum}); },
      "realize: cannot run the graph\ncannot allocate the result of "
      "kernel `r_32_32_32` of shape [32, 32, 1]: not enough memory for 1024 "
      "elements of float32 (4096 bytes), 12288 bytes are live of at "
      "most 12288");
  EXPECT_EQ(context->getMemoryStatistics().liveBytes, before);
  EXPECT_FALSE(product.isRealized());
  // One alone fits.
  EXPECT_EQ(product.toVector<float>(), std::vector<float>(1024, 32 * 6 + 1));
}

TEST(Memory, is_kept_and_given_back) {
  ContextRef context = makeContext(0);
  Context::Scope scope(context);
  {
    Tensor x(std::vector<float>(1024, 2));
  }
  EXPECT_EQ(context->getMemoryStatistics().idleBytes, 4096);
  context->trim();
  EXPECT_EQ(context->getMemoryStatistics().idleBytes, 0);
  EXPECT_EQ(context->getMemoryStatistics().liveBytes, 0);
  EXPECT_EQ(context->getMemoryStatistics().peakBytes, 4096);
}

// The memory of a step is that of the step before.
TEST(Memory, steps_take_what_the_first_ones_took) {
  ContextRef context = makeContext(0);
  Context::Scope scope(context);
  Tensor weight(std::vector<float>(1024, 0.5f), {32, 32});
  Tensor images(std::vector<float>(1024, 1), {32, 32});
  optim::Adam optimizer({weight}, 0.01);
  auto step = [&] {
    optimizer.zero_grad();
    Tensor loss = images.matmul(weight).relu().mean();
    loss.backward();
    optimizer.step({loss});
  };
  for (int i = 0; i < 3; ++i)
    step();
  runtime::MemoryStatistics first = context->getMemoryStatistics();
  for (int i = 0; i < 20; ++i)
    step();
  runtime::MemoryStatistics last = context->getMemoryStatistics();
  EXPECT_EQ(last.liveBytes, first.liveBytes);
  EXPECT_EQ(last.peakBytes, first.peakBytes);
  EXPECT_EQ(last.idleBytes, first.idleBytes);
  // All of it was there before.
  EXPECT_EQ(last.numAllocations - first.numAllocations,
            last.numReuses - first.numReuses);
}

TEST(Memory, a_captured_step_holds_no_values_of_variables) {
  ContextRef context = Context::create(Context::Options());
  Context::Scope scope(context);
  constexpr int64_t count = 1 << 20;
  Tensor total = Tensor::full({count}, 1).contiguous().realize();
  TinyJit step([&](const Tensor &x) { total.assign(total + x); });
  for (float i = 0; i < 4; ++i)
    step(Tensor(std::vector<float>{i}));
  expectTensor(total.shrink({{0, 1}}), {1}, {7});
  EXPECT_LT(context->getMemoryStatistics().liveBytes, 5 * count);
}

TEST(Memory, a_variable_that_a_captured_step_replaces_is_asked_for_again) {
  Tensor value(std::vector<float>{1});
  TinyJit step([&](const Tensor &x) {
    value = Tensor(std::vector<float>{2});
    return x + value;
  });
  Tensor x(std::vector<float>{1});
  for (int i = 0; i < 4; ++i) {
    expectTensor(step(x), {1}, {3});
    value = Tensor(std::vector<float>{5});
  }
}
