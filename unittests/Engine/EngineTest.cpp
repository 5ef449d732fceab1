//===- EngineTest.cpp - Compile and run graphs on each device - c ---------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "gtest/gtest.h"

#include <atomic>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

static std::string getCreateError(const Engine::Options &options) {
  return getError(Engine::create(options));
}

TEST(EngineOptionsTest, areChecked) {
  Engine::Options options;
  options.device = "TPU";
  EXPECT_EQ(getCreateError(options),
            "expects a device of `CPU`, `DISK`, `HOST`, `INTERP`, got `TPU`");
  options.device = "CPU";
  options.optLevel = -1;
  EXPECT_EQ(getCreateError(options),
            "expects an optimization level from 0 to 4, got -1");
  options.optLevel = 4;
  options.numThreads = -2;
  EXPECT_EQ(getCreateError(options),
            "expects a number of threads that is not negative, got -2");
  options.numThreads = 0;
  options.numCompileThreads = -1;
  EXPECT_EQ(getCreateError(options),
            "expects a number of threads to compile that is not negative, got "
            "-1");
  options.numCompileThreads = 0;
  options.maxCacheBytes = -1;
  EXPECT_EQ(getCreateError(options),
            "expects a cache's size that is not negative, got -1");
  options.maxCacheBytes = 0;
  options.maxSplitResults = -1;
  EXPECT_EQ(getCreateError(options),
            "expects a bound of split results that is not negative, got -1");
}

namespace {

/// Every test runs on both devices.
class EngineTest : public ::testing::TestWithParam<const char *> {
protected:
  EngineTest() {
    Engine::Options options;
    options.device = GetParam();
    options.numThreads = 2;
    options.profile = true;
    engine = llvm::cantFail(Engine::create(options));
  }
  bool isCompiled() const { return std::string(GetParam()) != "INTERP"; }

  /// (x + y) summed along the rows, and x + y.
  static ops::Graph makeSum() {
    GraphBuilder builder;
    int32_t x = builder.input(DType::Float32, {2, 3});
    int32_t y = builder.input(DType::Float32, {2, 3});
    int32_t sum = builder.op(ops::OpKind::Add, {x, y});
    return builder.build(
        {builder.op(ops::OpKind::ReduceSum, {sum}, {2, 1}), sum});
  }
  static std::vector<HostTensor> makeInputs() {
    return {makeTensor(DType::Float32, {2, 3}, {1, 2, 3, 4, 5, 6}),
            makeTensor(DType::Float32, {2, 3}, {6, 5, 4, 3, 2, 1})};
  }

  std::shared_ptr<Engine> engine;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, EngineTest,
                         ::testing::Values("INTERP", "CPU"),
                         [](const auto &info) { return info.param; });

TEST_P(EngineTest, runsGraphs) {
  auto results = runGraph(*engine, makeSum(), makeInputs());
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(getValues((*results)[0]), (Values{21, 21}));
  EXPECT_EQ(getValues((*results)[1]), (Values{7, 7, 7, 7, 7, 7}));
}

TEST_P(EngineTest, runsText) {
  auto executable =
      engine->compile("func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                      "  return %x : tensor<2xf32>\n"
                      "}\n"
                      "func.func @twice(%x: tensor<2xi16>) -> tensor<2xi16> {\n"
                      "  %r = lazy.add %x, %x : tensor<2xi16>\n"
                      "  return %r : tensor<2xi16>\n"
                      "}\n",
                      "twice.mlir", "twice");
  ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
  auto inputs =
      toBuffers(*engine, {makeTensor(DType::Int16, {2}, {3, -20000})});
  auto results = (*executable)->run(llvm::cantFail(std::move(inputs)));
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(getValues(llvm::cantFail(
                toTensors(*results, (*executable)->getOutputs()))[0]),
            (Values{6, 25536}));
}

TEST_P(EngineTest, passesInputsOnAndCopiesRepeatedOutputs) {
  GraphBuilder builder;
  int32_t x = builder.input(DType::Float32, {2});
  int32_t y = builder.op(ops::OpKind::Neg, {x});
  auto executable = engine->compile(builder.build({y, x, y}));
  ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
  std::vector<runtime::BufferRef> inputs = llvm::cantFail(
      toBuffers(*engine, {makeTensor(DType::Float32, {2}, {1, 2})}));
  auto results = (*executable)->run(inputs);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ((*results)[1], inputs[0]);
  EXPECT_NE((*results)[0], (*results)[2]);
  std::vector<HostTensor> tensors =
      llvm::cantFail(toTensors(*results, (*executable)->getOutputs()));
  EXPECT_EQ(getValues(tensors[0]), (Values{-1, -2}));
  EXPECT_EQ(getValues(tensors[1]), (Values{1, 2}));
  EXPECT_EQ(getValues(tensors[2]), (Values{-1, -2}));
}

// %a in place, %b where it is read reversed, %c and %d change places, %e
// becomes a constant and is needed after that.
TEST_P(EngineTest, overwritesInputsThatAreAssigned) {
  auto executable = engine->compile(
      "func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>,\n"
      "    %c: tensor<2xf32>, %d: tensor<2xf32>, %e: tensor<2xf32>)\n"
      "    -> (tensor<2xf32>, tensor<2xf32>) {\n"
      "  %0 = lazy.add %a, %b : tensor<2xf32>\n"
      "  %a1 = lazy.assign %a, %0 : tensor<2xf32>\n"
      "  %1 = lazy.stride %b [-1] : tensor<2xf32> -> tensor<2xf32>\n"
      "  %2 = lazy.add %b, %1 : tensor<2xf32>\n"
      "  %b1 = lazy.assign %b, %2 : tensor<2xf32>\n"
      "  %c1 = lazy.assign %c, %d : tensor<2xf32>\n"
      "  %d1 = lazy.assign %d, %c : tensor<2xf32>\n"
      "  %3 = lazy.const dense<7.0> : tensor<2xf32>\n"
      "  %e1 = lazy.assign %e, %3 : tensor<2xf32>\n"
      "  %4 = lazy.sub %e1, %e : tensor<2xf32>\n"
      "  return %4, %a : tensor<2xf32>, tensor<2xf32>\n"
      "}\n",
      "assign.mlir", "main");
  ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
  std::vector<HostTensor> tensors;
  for (double i = 1; i < 10; i += 2)
    tensors.push_back(makeTensor(DType::Float32, {2}, {i, i + 1}));
  std::vector<runtime::BufferRef> inputs =
      llvm::cantFail(toBuffers(*engine, tensors));
  auto results = (*executable)->run(inputs);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  tensors = llvm::cantFail(toTensors(*results, (*executable)->getOutputs()));
  EXPECT_EQ(getValues(tensors[0]), (Values{-2, -3}));
  EXPECT_EQ(getValues(tensors[1]), (Values{1, 2}));
  tensors = llvm::cantFail(toTensors(inputs, (*executable)->getInputs()));
  EXPECT_EQ(getValues(tensors[0]), (Values{4, 6}));
  EXPECT_EQ(getValues(tensors[1]), (Values{7, 7}));
  EXPECT_EQ(getValues(tensors[2]), (Values{7, 8}));
  EXPECT_EQ(getValues(tensors[3]), (Values{5, 6}));
  EXPECT_EQ(getValues(tensors[4]), (Values{7, 7}));
}

TEST_P(EngineTest, returnsConstantsViewsAndNothing) {
  GraphBuilder builder;
  int32_t x = builder.input(DType::Int32, {2, 3});
  int32_t c = builder.constant(ops::Scalar::fromInt(DType::UInt8, 200), {2, 2});
  int32_t moved = builder.op(ops::OpKind::Permute, {x}, {1, 0});
  int32_t same = builder.op(ops::OpKind::Reshape, {x}, {6});
  int32_t none = builder.op(ops::OpKind::Shrink, {x}, {1, 1, 0, 3});
  int32_t sum = builder.op(ops::OpKind::ReduceSum, {none}, {1, 3});
  auto results =
      runGraph(*engine, builder.build({c, moved, same, none, sum}),
               {makeTensor(DType::Int32, {2, 3}, {1, 2, 3, 4, 5, 6})});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(getValues((*results)[0]), (Values{200, 200, 200, 200}));
  EXPECT_EQ(getValues((*results)[1]), (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(getValues((*results)[2]), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(getValues((*results)[3]).empty());
  EXPECT_EQ(getValues((*results)[4]), (Values{0, 0, 0}));

  auto nothing = runGraph(*engine, {}, {});
  ASSERT_TRUE(bool(nothing)) << llvm::toString(nothing.takeError());
  EXPECT_TRUE(nothing->empty());
}

TEST_P(EngineTest, checksInputs) {
  auto executable = engine->compile(makeSum());
  ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
  auto run = [&](std::vector<HostTensor> tensors) {
    std::vector<runtime::BufferRef> buffers =
        llvm::cantFail(toBuffers(*engine, tensors));
    return getError((*executable)->run(buffers));
  };
  HostTensor good = makeInputs()[0];
  EXPECT_EQ(run({good}), "expects 2 inputs, got 1");
  EXPECT_EQ(run({good, makeTensor(DType::Float32, {5}, {1, 2, 3, 4, 5})}),
            "expects input 1 of 6 float32, got 5 float32");
  EXPECT_EQ(run({makeTensor(DType::Int32, {6}, {1, 2, 3, 4, 5, 6}), good}),
            "expects input 0 of 6 float32, got 6 int32");
  std::vector<runtime::BufferRef> buffers =
      llvm::cantFail(toBuffers(*engine, {good}));
  buffers.push_back(nullptr);
  EXPECT_EQ(getError((*executable)->run(buffers)),
            "expects a buffer for input 1, got nothing");
  std::shared_ptr<Engine> other = llvm::cantFail(Engine::create({}));
  buffers[1] = llvm::cantFail(toBuffers(*other, {good}))[0];
  EXPECT_EQ(getError((*executable)->run(buffers)),
            "expects input 1 on the engine's device, got one on `CPU`");
}

TEST_P(EngineTest, callsBack) {
  GraphBuilder builder;
  int32_t x = builder.input(DType::Float32, {2});
  int32_t doubled = builder.op(ops::OpKind::Add, {x, x});
  int32_t made = builder.custom("reverse", {doubled}, DType::Float32, {2});
  ops::Graph graph = builder.build({builder.op(ops::OpKind::Neg, {made})});
  EXPECT_PRED2(contains, getError(engine->compile(graph)),
               "op expects a callback `reverse`, but none is registered");

  engine->registerCallback(
      "reverse",
      [](std::span<const runtime::BufferRef> buffers) -> llvm::Error {
        float values[2];
        if (llvm::Error error = buffers[0]->copyOut(values, sizeof(values)))
          return error;
        if (values[0] < 0)
          return llvm::createStringError("expects no negative value");
        std::swap(values[0], values[1]);
        return buffers[1]->copyIn(values, sizeof(values));
      });
  auto results =
      runGraph(*engine, graph, {makeTensor(DType::Float32, {2}, {1, 2})});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(getValues(results->front()), (Values{-4, -2}));
  EXPECT_PRED2(contains,
               getError(runGraph(*engine, graph,
                                 {makeTensor(DType::Float32, {2}, {-1, 2})})),
               "expects no negative value");
}

TEST_P(EngineTest, reportsDiagnostics) {
  EXPECT_EQ(
      getError(engine->compile("func.func @f() { return }", "f.mlir", "g")),
      "f.mlir: error: expects a function `g`");
  EXPECT_PRED2(contains,
               getError(engine->compile(
                   "func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {\n"
                   "  %r = lazy.reshape %x : tensor<2xf32> -> tensor<3xf32>\n"
                   "  return %r : tensor<3xf32>\n"
                   "}",
                   "f.mlir", "f")),
               "f.mlir:2:8: error: 'lazy.reshape' op ");
  ops::Graph graph = makeSum();
  graph.nodes[2].operands = {0, 9};
  EXPECT_EQ(getError(engine->compile(graph)),
            "node 2 (`lazy.add`): expects operands before itself, got node 9");
}

TEST_P(EngineTest, keepsStatistics) {
  EXPECT_EQ(engine->getCompileStatistics().schedules, 0);
  GraphBuilder builder;
  int32_t x = builder.input(DType::Float32, {8, 16});
  int32_t y = builder.op(ops::OpKind::Mul, {x, x});
  auto executable = engine->compile(
      builder.build({builder.op(ops::OpKind::ReduceSum, {y}, {8, 1})}));
  ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
  std::vector<runtime::BufferRef> inputs = llvm::cantFail(toBuffers(
      *engine,
      {makeTensor(DType::Float32, {8, 16}, std::vector<double>(128, 0.5))}));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(getError((*executable)->run(inputs)), "");
  EXPECT_EQ(engine->getCompileStatistics().schedules, 1);
  EXPECT_GT(engine->getCompileStatistics().seconds, 0);
  std::vector<KernelStatistics> kernels = (*executable)->getKernels();
  EXPECT_EQ(engine->getCompileStatistics().kernels,
            static_cast<int64_t>(kernels.size()));
  if (!isCompiled())
    return;
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_FALSE(kernels[0].name.empty());
  EXPECT_EQ(kernels[0].runs, 3);
  EXPECT_GT(kernels[0].seconds, 0);
  EXPECT_EQ(kernels[0].flops, 2 * 8 * 16);
  EXPECT_EQ(kernels[0].bytes, 4 * (8 * 16 + 8));
}

TEST_P(EngineTest, worksInSeveralThreads) {
  auto shared = engine->compile(makeSum());
  ASSERT_TRUE(bool(shared)) << llvm::toString(shared.takeError());
  std::atomic<int> numRight = 0;
  constexpr int numThreads = 4, numRuns = 20;
  std::vector<std::thread> threads;
  for (int t = 0; t < numThreads; ++t)
    threads.emplace_back([&, t] {
      // One executable for all, and one that this thread compiles.
      auto own = engine->compile(makeSum());
      if (!own)
        return llvm::consumeError(own.takeError());
      for (int i = 0; i < numRuns; ++i) {
        double value = t * 100 + i;
        std::vector<runtime::BufferRef> inputs = llvm::cantFail(toBuffers(
            *engine,
            {makeTensor(DType::Float32, {2, 3}, std::vector<double>(6, value)),
             makeTensor(DType::Float32, {2, 3}, {0, 0, 0, 0, 0, 0})}));
        Executable &executable = i % 2 ? **own : **shared;
        auto results = executable.run(inputs);
        if (!results) {
          llvm::consumeError(results.takeError());
          continue;
        }
        std::vector<HostTensor> tensors =
            llvm::cantFail(toTensors(*results, executable.getOutputs()));
        numRight +=
            getValues(tensors[0]) == std::vector<double>{3 * value, 3 * value};
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numRight, numThreads * numRuns);
}
