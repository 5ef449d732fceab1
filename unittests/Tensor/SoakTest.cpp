//===- SoakTest.cpp - Memory stays flat over many steps -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Jit.h"
#include "tinygrad/Tensor/NN.h"
#include "tinygrad/Tensor/Optim.h"

#include "TensorTest.h"

#include <malloc.h>

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

/// What a process has in use.
struct Usage {
  runtime::MemoryStatistics memory;
  int64_t numGraphs = 0;
  /// Bytes of the heap.
  int64_t heapBytes = 0;
};

/// A small model, with all that changes from step to step: dropout, the state
/// of Adam, an input of the step.
class Soak : public testing::Test {
protected:
  static Context::Options getOptions() {
    Context::Options options;
    options.numThreads = 1;
    return options;
  }

  Tensor step(const Tensor &x) {
    optimizer.zero_grad();
    Tensor hidden = first(x).relu().dropout(0.25);
    Tensor loss = (second(hidden) - x).square().mean();
    loss.backward();
    optimizer.step({loss});
    return loss;
  }

  Usage getUsage() const {
    struct mallinfo2 info = mallinfo2();
    return {context->getMemoryStatistics(), context->getStatistics().misses,
            static_cast<int64_t>(info.uordblks + info.hblkhd)};
  }

  /// Runs 10,000 steps, and compares what is used after the first 1,000 and at
  /// the end.
  template <typename StepT>
  void check(StepT run) {
    Usage before, after;
    for (int i = 0; i < 10000; ++i) {
      Tensor x(std::vector<float>(64, static_cast<float>(i % 7)), {4, 16});
      float loss = run(x).template item<float>();
      ASSERT_TRUE(loss >= 0) << "at step " << i;
      if (i == 1000)
        before = getUsage();
      else if (i == 9999)
        after = getUsage();
    }
    EXPECT_EQ(after.numGraphs, before.numGraphs);
    EXPECT_EQ(after.memory.liveBytes, before.memory.liveBytes);
    EXPECT_EQ(after.memory.peakBytes, before.memory.peakBytes);
    EXPECT_EQ(after.memory.idleBytes, before.memory.idleBytes);
    // Eight bytes a step would be more.
    EXPECT_LE(after.heapBytes, before.heapBytes + 64 * 1024);
  }

  ContextRef context = Context::create(getOptions());
  Context::Scope scope{context};
  nn::Linear first{16, 32}, second{32, 16};
  optim::Adam optimizer{
      {first.weight, *first.bias, second.weight, *second.bias}, 1e-3};
};

} // namespace

TEST_F(Soak, of_graphs) {
  TrainingGuard training;
  check([&](const Tensor &x) { return step(x); });
}

TEST_F(Soak, of_captured_steps) {
  TrainingGuard training;
  TinyJit captured([&](const Tensor &x) { return step(x); });
  check([&](const Tensor &x) { return captured(x); });
}
