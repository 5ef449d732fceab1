//===- LaunchBenchmark.cpp - What it costs to run what is compiled --------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Engine.h"
#include "tinygrad/Tensor/Jit.h"

#include "benchmark/benchmark.h"

#include <time.h>

using namespace tinygrad;

/// Makes a context of one thread: small kernels gain nothing from more.
static ContextRef makeContext() {
  Context::Options options;
  options.numThreads = 1;
  return Context::create(options);
}

/// Adds one `count` times, in a kernel of its own each time.
static Tensor addOnes(Tensor x, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    x = (x + 1).contiguous();
  return x;
}

/// The time that this thread ran: others may use the machine, too.
static double getThreadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

/// Returns `x` after `count` operations, which make one kernel.
static Tensor buildChain(const Tensor &x, int64_t count) {
  Tensor y = x;
  for (int64_t i = 0; i < count; ++i)
    y = y + x;
  return y;
}

/// Building an expression graph alone.
static void BM_BuildGraph(benchmark::State &state) {
  Context::Scope scope(makeContext());
  Tensor x = Tensor::full({16}, 1).contiguous().realize();
  for (auto _ : state)
    benchmark::DoNotOptimize(buildChain(x, state.range(0)));
}
BENCHMARK(BM_BuildGraph)->Arg(1)->Arg(10)->Arg(100)->Arg(1000);

/// From an expression graph that was compiled before to its value: the graph is
/// looked up, and its kernel runs. Building it and giving it back do not count.
static void BM_RepeatedGraph(benchmark::State &state) {
  Context::Scope scope(makeContext());
  Tensor x = Tensor::full({16}, 1).contiguous().realize();
  constexpr int batch = 100;
  for (auto _ : state) {
    std::vector<Tensor> graphs;
    for (int i = 0; i < batch; ++i)
      graphs.push_back(buildChain(x, state.range(0)));
    double begin = getThreadSeconds();
    for (const Tensor &graph : graphs)
      graph.realize();
    state.SetIterationTime((getThreadSeconds() - begin) / batch);
  }
}
BENCHMARK(BM_RepeatedGraph)
    ->Arg(1)
    ->Arg(10)
    ->Arg(100)
    ->UseManualTime()
    ->Iterations(200);

/// A step of `count` small kernels, its graph built each time.
static void BM_SmallKernels(benchmark::State &state) {
  Context::Scope scope(makeContext());
  Tensor x = Tensor::full({16, 16}, 1).contiguous().realize();
  for (auto _ : state)
    addOnes(x, state.range(0)).realize();
}
BENCHMARK(BM_SmallKernels)->Arg(1)->Arg(1000)->Unit(benchmark::kMicrosecond);

/// The same step, captured.
static void BM_CapturedStep(benchmark::State &state) {
  Context::Scope scope(makeContext());
  Tensor x = Tensor::full({16, 16}, 1).contiguous().realize();
  TinyJit step([&](const Tensor &x) { return addOnes(x, state.range(0)); });
  step(x);
  step(x);
  Tensor y = x;
  for (auto _ : state)
    y = step(x);
  state.counters["kernels"] = double(step.getNumKernels());
  if (y.toVector<float>()[255] != float(state.range(0) + 1))
    state.SkipWithError("the result is wrong");
}
BENCHMARK(BM_CapturedStep)->Arg(1)->Arg(1000)->Unit(benchmark::kMicrosecond);

/// A compiled schedule of `count` small kernels, as the engine runs it.
static void BM_CompiledSchedule(benchmark::State &state) {
  ops::Graph graph;
  ops::OpAttributes none;
  auto add = [&](std::optional<ops::OpKind> kind,
                 std::vector<int32_t> operands) {
    graph.nodes.push_back(
        {kind, std::move(operands), {16, 16}, DType::Float32, none});
    return static_cast<int32_t>(graph.nodes.size() - 1);
  };
  int32_t x = add(std::nullopt, {}), y = x;
  for (int64_t i = 0; i < state.range(0); ++i)
    y = add(ops::OpKind::Contiguous, {add(ops::OpKind::Add, {y, x})});
  graph.inputs = {x};
  graph.outputs = {y};

  engine::Engine::Options options;
  options.numThreads = 1;
  std::shared_ptr<engine::Engine> engine =
      llvm::cantFail(engine::Engine::create(options));
  std::shared_ptr<engine::Executable> executable =
      llvm::cantFail(engine->compile(graph));
  runtime::BufferRef input =
      llvm::cantFail(engine->getDevice().allocate(DType::Float32, 256));
  std::vector<float> ones(256, 1);
  llvm::cantFail(input->copyIn(ones.data(), 1024));
  runtime::BufferRef result;
  for (auto _ : state)
    result = llvm::cantFail(executable->run({&input, 1}))[0];
  state.counters["kernels"] = double(executable->getKernels().size());
  llvm::cantFail(result->copyOut(ones.data(), 1024));
  if (ones[255] != float(state.range(0) + 1))
    state.SkipWithError("the result is wrong");
}
BENCHMARK(BM_CompiledSchedule)
    ->Arg(1)
    ->Arg(1000)
    ->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
