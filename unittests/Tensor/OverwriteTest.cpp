//===- OverwriteTest.cpp - Variables that are written in place ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "tinygrad/Tensor/Lazy.h"
#include "tinygrad/Tensor/Optim.h"

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

/// Runs on a device of its own, whose memory is counted.
class Overwrite : public ::testing::TestWithParam<const char *> {
protected:
  Overwrite() : context(makeContext()), scope(context) {}

  static ContextRef makeContext(int64_t maxBytes = 0) {
    Context::Options options;
    options.device = GetParam();
    options.numThreads = 1;
    options.maxBytes = maxBytes;
    return Context::create(options);
  }
  int64_t getLiveBytes() const {
    return context->getMemoryStatistics().liveBytes;
  }
  /// Returns how many buffers `fn` makes.
  int64_t countBuffers(const std::function<void()> &fn) const {
    int64_t before = context->getMemoryStatistics().numAllocations;
    fn();
    return context->getMemoryStatistics().numAllocations - before;
  }

  ContextRef context;
  Context::Scope scope;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, Overwrite, ::testing::Values("INTERP", "CPU"),
                         [](const auto &info) { return info.param; });

TEST_P(Overwrite, writes_memory_that_is_looked_at) {
  std::optional<Tensor> x(std::vector<float>{1, 2});
  x->realize();
  MemoryView view(*x), second(*x);
  EXPECT_EQ(countBuffers([&] {
              x->assign(*x + 1);
              x->realize();
            }),
            0);
  EXPECT_EQ(view.getIdentity(), getBufferIdentity(*x));
  expectTensor(view.getTensor(), {2}, {2, 3});
  // A tensor that the view gave is one more that needs its value.
  Tensor kept = second.getTensor();
  EXPECT_EQ(countBuffers([&] {
              x->assign(*x * 2);
              x->realize();
            }),
            1);
  expectTensor(kept, {2}, {2, 3});
  expectTensor(*x, {2}, {4, 6});
  x.reset();
  expectTensor(view.getTensor(), {2}, {2, 3});
  EXPECT_THROW(MemoryView(kept + 1), Error);
}

TEST_P(Overwrite, takes_no_new_memory) {
  Tensor x(std::vector<float>{1, 2, 3, 4});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(countBuffers([&] {
                x.assign(x * 2 + 1);
                x.realize();
              }),
              0);
  // Two assigns before a realization, and one by an operator.
  EXPECT_EQ(countBuffers([&] {
              x.assign(x - 1);
              x -= 2;
              x.realize();
            }),
            0);
  expectTensor(x, {4}, {12, 20, 28, 36});
}

TEST_P(Overwrite, another_type_takes_other_memory) {
  Tensor x(std::vector<int32_t>{1, 2});
  x /= 2;
  expectTensor(x.realize(), {2}, {0.5, 1});
}

TEST_P(Overwrite, lazily_held_values_stay) {
  Tensor x(std::vector<float>{1, 2});
  Tensor doubled = x * 2;
  Tensor old = x.detach();
  x.assign(x + 10).realize();
  expectTensor(x, {2}, {11, 12});
  expectTensor(doubled, {2}, {2, 4});
  expectTensor(old, {2}, {1, 2});

  // Only a reader in the same realization is left: it reads first.
  Tensor tripled = x * 3;
  x.assign(x.flip(0) + x);
  realize({x, tripled});
  expectTensor(x, {2}, {23, 23});
  expectTensor(tripled, {2}, {33, 36});
}

TEST_P(Overwrite, shared_nodes_stay) {
  Tensor x(std::vector<float>{1, 2}), y(std::vector<float>{5, 6});
  x.assign(y);
  x.assign(x + 1).realize();
  expectTensor(y, {2}, {5, 6});
  expectTensor(x, {2}, {6, 7});

  Tensor old = x.detach();
  x.assign(y);
  y.assign(old);
  realize({x, y});
  expectTensor(x, {2}, {5, 6});
  expectTensor(y, {2}, {6, 7});
}

TEST_P(Overwrite, histories_stay) {
  Tensor x = Tensor(std::vector<float>{1, 2, 3}).requires_grad_();
  Tensor loss = (x * x).sum();
  loss.backward();
  Tensor grad = x.grad();
  {
    NoGradGuard noGrad;
    x.assign(x.detach() - 0.5 * x.grad());
    realize({x, loss});
  }
  expectTensor(x, {3}, {0, 0, 0});
  expectTensor(grad, {3}, {2, 4, 6});
  x.clearGrad();
  loss.backward();
  expectTensor(x.grad(), {3}, {2, 4, 6});
}

// The moments take one buffer each. The weights take a second one while the
// loss, which refers to them, is there.
TEST_P(Overwrite, optimizers_keep_their_state_in_place) {
  constexpr int64_t size = 64 * 64 * 4;
  Tensor weight(std::vector<float>(64 * 64, 0.5f), {64, 64});
  Tensor images(std::vector<float>(64 * 64, 1), {64, 64});
  optim::Adam optimizer({weight}, 0.01);
  auto step = [&] {
    optimizer.zero_grad();
    Tensor loss = images.matmul(weight).mean();
    loss.backward();
    optimizer.step();
  };
  step();
  step();
  EXPECT_EQ(getLiveBytes(), 4 * size);
  EXPECT_LT(context->getMemoryStatistics().peakBytes, 7 * size);
}

TEST_P(Overwrite, failures_change_nothing) {
  ContextRef small = makeContext(4 * 4096);
  Context::Scope inner(small);
  Tensor x(std::vector<float>(1024, 2));
  Tensor y(std::vector<float>(1024, 3));
  Tensor z = y * 3;
  x.assign(x + y);
  Tensor more = z + 1, most = z + 2;
  EXPECT_THROW(realize({x, z, more, most}), Error);
  EXPECT_EQ(small->getMemoryStatistics().liveBytes, 2 * 4096);
  EXPECT_EQ(x.toVector<float>(), std::vector<float>(1024, 5));
}
