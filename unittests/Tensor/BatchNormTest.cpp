//===- BatchNormTest.cpp - Statistics that are carried along --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Jit.h"
#include "tinygrad/Tensor/NN.h"

#include "TensorTest.h"

#include <thread>

using namespace tinygrad;
using namespace tinygrad::test;

static Tensor makeImages(unsigned seed) {
  return Tensor(makeNumbers(36, seed), {2, 2, 3, 3}).cast(DType::Float32);
}

TEST(BatchNorm, statistics_are_computed_with_what_they_come_from) {
  TrainingGuard training;
  nn::BatchNorm2d norm(2);
  Tensor y = norm(makeImages(1));
  expectTensor(Tensor(std::vector<float>{1, 2}) + 1, {2}, {2, 3});
  EXPECT_FALSE(norm.running_mean.isRealized());
  y.realize();
  EXPECT_TRUE(norm.running_mean.isRealized());
  EXPECT_TRUE(norm.running_var.isRealized());
  EXPECT_TRUE(norm.num_batches_tracked.isRealized());
}

TEST(BatchNorm, threads_of_one_context_train_networks_of_their_own) {
  auto train = [](unsigned seed, int numSteps) {
    TrainingGuard training;
    nn::BatchNorm2d norm(2);
    for (int i = 0; i < numSteps; ++i)
      norm(makeImages(seed)).sum().item();
    EXPECT_EQ(norm.num_batches_tracked.item<int64_t>(), numSteps);
    return norm.running_mean.toVector<float>();
  };
  std::vector<std::vector<float>> alone, together(4);
  for (unsigned i = 0; i < 4; ++i)
    alone.push_back(train(i, 50));
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([&, i] { together[i] = train(i, 50); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(alone, together);
}

TEST(BatchNorm, a_captured_step_repeats_it_with_weights_not_yet_computed) {
  TrainingGuard training;
  nn::BatchNorm2d norm(2), plain(2);
  TinyJit step([&](const Tensor &x) { return norm(x).sum(); });
  for (unsigned i = 0; i < 5; ++i) {
    step(makeImages(i));
    plain(makeImages(i)).sum().item();
  }
  EXPECT_EQ(norm.num_batches_tracked.item<int64_t>(), 5);
  EXPECT_EQ(norm.running_mean.toVector<float>(),
            plain.running_mean.toVector<float>());
}

TEST(BatchNorm, statistics_that_do_not_fit_are_left_alone) {
  Context::Options options;
  options.maxBytes = 1 << 20;
  ContextRef context = Context::create(options);
  Context::Scope scope(context);
  TrainingGuard training;
  nn::BatchNorm2d norm(2);
  Tensor x(std::vector<float>{1, 2});
  Tensor image = makeImages(1).realize();
  {
    // A megabyte of products that are summed, and no room for it.
    Tensor big = Tensor::ones({2, 2, 512, 256}).contiguous();
    Tensor y = norm(big);
    EXPECT_THROW(y.realize(), Error);
    expectTensor(x + 1, {2}, {2, 3});
  }
  // Statistics that follow from those.
  for (int i = 0; i < 2; ++i) {
    Tensor y = norm(image);
    EXPECT_EQ(y.toVector<float>().size(), 36u);
  }
  EXPECT_THROW(norm.running_mean.realize(), Error);
}
