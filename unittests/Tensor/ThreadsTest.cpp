//===- ThreadsTest.cpp - Tensors in several threads -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Jit.h"
#include "tinygrad/Tensor/Optim.h"

#include "TensorTest.h"

#include <chrono>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::test;

static ContextRef makeContext() {
  Context::Options options;
  options.numThreads = 2;
  options.numCompileThreads = 2;
  return Context::create(options);
}

/// Calls `fn` with 0, 1, 2, 3, each in a thread of its own. Two of the threads
/// share a context.
static void inThreads(const std::function<void(int)> &fn) {
  ContextRef shared = makeContext();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      Context::Scope scope(i % 2 ? shared : makeContext());
      fn(i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// Trains `weight` for some steps, captured, and returns the last loss.
static float train(int seed) {
  Tensor::manual_seed(7);
  Tensor weight(makeNumbers(64 * 8, seed), {64, 8});
  optim::Adam optimizer({weight}, 0.01);
  TinyJit step([&](const Tensor &x) {
    optimizer.zero_grad();
    Tensor loss = (x.matmul(weight) - 1).square().mean();
    loss.backward();
    optimizer.step({loss});
    return loss;
  });
  Tensor x(makeNumbers(32 * 64, seed + 1), {32, 64});
  float loss = 0;
  for (int i = 0; i < 6; ++i)
    loss = step(x).item<float>();
  return loss;
}

TEST(Threads, train_networks_of_their_own) {
  std::vector<float> alone, together(4);
  for (int i = 0; i < 4; ++i)
    alone.push_back(train(i));
  inThreads([&](int i) { together[i] = train(i); });
  EXPECT_EQ(alone, together);
}

TEST(Threads, compile_the_same_graphs_at_once) {
  inThreads([](int) {
    for (int size = 1; size < 6; ++size) {
      Tensor x = Tensor::ones({size, 64}).contiguous();
      Tensor sum = (x + Tensor::rand({size, 64}) * 0).sum();
      EXPECT_EQ(sum.item(), size * 64);
    }
  });
}

TEST(Threads, read_one_realized_tensor) {
  Context::Scope scope(makeContext());
  ContextRef context = Context::getCurrent();
  Tensor x = Tensor(makeNumbers(4096), {64, 64}).realize();
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      Context::Scope inner(context);
      sums[i] = (x.matmul(x) + i).sum().item() - 4096 * i;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (double sum : sums)
    EXPECT_NEAR(sum, sums[0], 1e-6);
}

TEST(Threads, a_stop_comes_from_another_thread) {
  Context::Scope scope(makeContext());
  Tensor x = Tensor::ones({16}).contiguous().realize();
  std::stop_source source;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    source.request_stop();
  });
  StopGuard guard(source.get_token());
  // Steps without an end.
  expectError(
      [&] {
        for (;;) {
          x.assign(x * 0.5 + 1);
          x.realize();
        }
      },
      "realize: cancelled");
  stopper.join();
}

TEST(Threads, statistics_are_read_while_others_run) {
  ContextRef context = makeContext();
  std::jthread reader([context](std::stop_token stop) {
    while (!stop.stop_requested()) {
      context->getStatistics();
      context->getKernels();
      context->getMemoryStatistics();
      context->trim();
    }
  });
  Context::Scope scope(context);
  EXPECT_EQ(train(3), train(3));
}
