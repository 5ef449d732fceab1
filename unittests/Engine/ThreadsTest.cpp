//===- ThreadsTest.cpp - Engines and executables in many threads ----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are checked here; races are found by running this program under
// ThreadSanitizer (the preset tsan).
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "gtest/gtest.h"

#include <atomic>
#include <functional>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

static constexpr int numThreads = 4;
static constexpr int numRuns = 25;
/// Enough elements for several tasks.
static constexpr int64_t numRows = 256, numColumns = 512;

static std::shared_ptr<Engine> makeEngine(const std::string &device = "CPU") {
  Engine::Options options;
  options.device = device;
  options.numThreads = 3;
  options.profile = true;
  return llvm::cantFail(Engine::create(options));
}

/// Several kernels with temporaries, of many tasks and of one.
static ops::Graph makeGraph() {
  GraphBuilder builder;
  int32_t x = builder.input(DType::Float32, {numRows, numColumns});
  int32_t y = builder.op(ops::OpKind::Contiguous,
                         {builder.op(ops::OpKind::Add, {x, x})});
  int32_t sums = builder.op(ops::OpKind::ReduceSum, {y}, {numRows, 1});
  int32_t total = builder.op(ops::OpKind::ReduceSum, {sums}, {1, 1});
  return builder.build({total, y});
}

/// Runs `executable` with all elements `value` and checks the results.
static void expectRuns(Engine &engine, Executable &executable, double value) {
  std::vector<runtime::BufferRef> inputs = llvm::cantFail(toBuffers(
      engine, {makeTensor(DType::Float32, {numRows, numColumns},
                          std::vector<double>(numRows * numColumns, value))}));
  auto results = executable.run(inputs);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  std::vector<HostTensor> tensors =
      llvm::cantFail(toTensors(*results, executable.getOutputs()));
  EXPECT_EQ(getValues(tensors[0]), (Values{2 * value * numRows * numColumns}));
  EXPECT_EQ(tensors[1].get(numColumns + 1).toDouble(), 2 * value);
}

/// Calls `work` with 0, 1, … at once.
static void runThreads(const std::function<void(int)> &work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < numThreads; ++t)
    threads.emplace_back(work, t);
  for (std::thread &thread : threads)
    thread.join();
}

TEST(ThreadsTest, shareAnExecutable) {
  std::shared_ptr<Engine> engine = makeEngine();
  std::shared_ptr<Executable> executable =
      llvm::cantFail(engine->compile(makeGraph()));
  runThreads([&](int t) {
    for (int i = 0; i < numRuns; ++i) {
      expectRuns(*engine, *executable, t + 1);
      executable->getKernels();
    }
  });
  EXPECT_EQ(executable->getKernels()[0].runs, numThreads * numRuns);
}

TEST(ThreadsTest, shareAnEngine) {
  for (const char *device : {"CPU", "INTERP"}) {
    std::shared_ptr<Engine> engine = makeEngine(device);
    runThreads([&](int t) {
      std::shared_ptr<Executable> executable =
          llvm::cantFail(engine->compile(makeGraph()));
      expectRuns(*engine, *executable, t + 1);
      engine->getCompileStatistics();
    });
    EXPECT_EQ(engine->getCompileStatistics().schedules, numThreads);
  }
}

TEST(ThreadsTest, haveTheirOwnEngines) {
  runThreads([&](int t) {
    std::shared_ptr<Engine> engine = makeEngine();
    std::shared_ptr<Executable> executable =
        llvm::cantFail(engine->compile(makeGraph()));
    for (int i = 0; i < 3; ++i)
      expectRuns(*engine, *executable, t + 1);
  });
}

TEST(ThreadsTest, cancelEachOther) {
  std::shared_ptr<Engine> engine = makeEngine();
  GraphBuilder builder;
  int32_t x = builder.input(DType::Float32, {16, 16});
  int32_t y = x;
  for (int i = 0; i < 500; ++i)
    y = builder.op(ops::OpKind::Contiguous,
                   {builder.op(ops::OpKind::Add, {y, x})});
  std::shared_ptr<Executable> executable =
      llvm::cantFail(engine->compile(builder.build({y})));
  std::vector<runtime::BufferRef> inputs = llvm::cantFail(toBuffers(
      *engine,
      {makeTensor(DType::Float32, {16, 16}, std::vector<double>(256, 1))}));

  std::stop_source cancel;
  std::atomic<int> numStarted = 0;
  std::thread canceller([&] {
    while (numStarted < numThreads)
      std::this_thread::yield();
    cancel.request_stop();
  });
  runThreads([&](int) {
    RunControl control;
    control.stop = cancel.get_token();
    ++numStarted;
    // It ends only because it is cancelled.
    std::string error;
    while (error.empty())
      error = getError(executable->run(inputs, control));
    EXPECT_EQ(error, "cancelled");
  });
  canceller.join();
  EXPECT_EQ(getError(executable->run(inputs)), "");
}
