//===- EngineMemoryTest.cpp - Runs that use up memory - c -----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "gtest/gtest.h"

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

namespace {

class EngineMemoryTest : public ::testing::TestWithParam<const char *> {
protected:
  /// Makes an engine whose device has `maxBytes`, 0 for no bound.
  void makeEngine(int64_t maxBytes) {
    Engine::Options options;
    options.device = GetParam();
    options.numThreads = 1;
    options.optLevel = 0;
    options.memory.maxBytes = maxBytes;
    engine = llvm::cantFail(Engine::create(options));
  }
  bool isCompiled() const { return std::string(GetParam()) != "INTERP"; }
  int64_t getLiveBytes() const {
    return engine->getDevice().getMemoryStatistics().liveBytes;
  }

  std::shared_ptr<Engine> engine;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, EngineMemoryTest,
                         ::testing::Values("INTERP", "CPU"),
                         [](const auto &info) { return info.param; });

/// The rows' sums of exp(x), where x is 64x256: a temporary of 64 KB.
static ops::Graph makeGraph() {
  GraphBuilder builder;
  int32_t x = builder.input(DType::Float32, {64, 256});
  int32_t exp = builder.op(ops::OpKind::Exp, {x});
  return builder.build({builder.op(ops::OpKind::ReduceSum, {exp}, {64, 1})});
}

static std::vector<HostTensor> makeInputs() {
  return {makeTensor(DType::Float32, {64, 256}, Values(64 * 256, 0.0))};
}

TEST_P(EngineMemoryTest, namesWhatDoesNotFitAndGivesAllBack) {
  // The input takes 65536 bytes, the result 256.
  makeEngine(65536 + 100);
  auto executable = llvm::cantFail(engine->compile(makeGraph()));
  std::vector<runtime::BufferRef> inputs =
      llvm::cantFail(toBuffers(*engine, makeInputs()));
  EXPECT_EQ(
      getError(executable->run(inputs)),
      std::string("cannot allocate ") +
          (isCompiled() ? "the result of kernel `r_64_256`" : "a tensor") +
          " of shape [64, 1]: not enough memory for 64 elements of "
          "float32 (256 bytes), 65536 bytes are live of at most 65636");
  EXPECT_EQ(getLiveBytes(), 65536);
  EXPECT_EQ(executable->getPeakBytes(), isCompiled() ? 65536 : 0);
  inputs.clear();
  EXPECT_EQ(getLiveBytes(), 0);
  if (!isCompiled())
    return;

  makeEngine(2 * 65536);
  executable = llvm::cantFail(engine->compile(makeGraph()));
  inputs = llvm::cantFail(toBuffers(*engine, makeInputs()));
  EXPECT_EQ(getError(executable->run(inputs)),
            "cannot allocate the result of kernel `e_64_256` of shape [64, "
            "256] with the other temporaries: not enough memory for 65536 "
            "elements of uint8 (65536 bytes), 65792 bytes are live of at most "
            "131072");
  EXPECT_EQ(getLiveBytes(), 65536);
}

TEST_P(EngineMemoryTest, runsWhereItJustFits) {
  makeEngine(2 * 65536 + 256);
  auto executable = llvm::cantFail(engine->compile(makeGraph()));
  std::vector<runtime::BufferRef> inputs =
      llvm::cantFail(toBuffers(*engine, makeInputs()));
  auto results = executable->run(inputs);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(getValues(llvm::cantFail(
                toTensors(*results, executable->getOutputs()))[0]),
            Values(64, 256.0));
  // Only the input and the result are left.
  EXPECT_EQ(getLiveBytes(), 65536 + 256);
}

TEST_P(EngineMemoryTest, failingCallbacksLeaveNothing) {
  makeEngine(0);
  engine->registerCallback(
      "f", [](std::span<const runtime::BufferRef>) -> llvm::Error {
        return llvm::createStringError("no luck");
      });
  GraphBuilder builder;
  int32_t x = builder.input(DType::Float32, {64});
  int32_t exp = builder.op(ops::OpKind::Exp, {x});
  int32_t made = builder.custom("f", {exp}, DType::Float32, {64});
  auto executable = llvm::cantFail(engine->compile(
      builder.build({builder.op(ops::OpKind::Add, {exp, made})})));
  std::vector<runtime::BufferRef> inputs = llvm::cantFail(
      toBuffers(*engine, {makeTensor(DType::Float32, {64}, Values(64, 1.0))}));
  int64_t before = getLiveBytes();
  EXPECT_PRED2(contains, getError(executable->run(inputs)), "no luck");
  EXPECT_EQ(getLiveBytes(), before);
}

TEST_P(EngineMemoryTest, whatIsAssignedInTheEndIsTheInput) {
  makeEngine(0);
  auto executable = llvm::cantFail(engine->compile(
      "func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, "
      "tensor<64xf32>) {\n"
      "  %0 = lazy.add %x, %x : tensor<64xf32>\n"
      "  %1 = lazy.assign %x, %0 : tensor<64xf32>\n"
      "  %2 = lazy.add %1, %x : tensor<64xf32>\n"
      "  %3 = lazy.assign %1, %2 : tensor<64xf32>\n"
      "  return %1, %3, %x : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>\n"
      "}\n",
      "assign.mlir", "main"));
  std::vector<runtime::BufferRef> inputs = llvm::cantFail(
      toBuffers(*engine, {makeTensor(DType::Float32, {64}, Values(64, 1.0))}));
  std::vector<runtime::BufferRef> results =
      llvm::cantFail(executable->run(inputs));
  EXPECT_NE(results[0], inputs[0]);
  EXPECT_EQ(results[1], inputs[0]);
  EXPECT_NE(results[2], inputs[0]);
  std::vector<HostTensor> tensors =
      llvm::cantFail(toTensors(results, executable->getOutputs()));
  EXPECT_EQ(getValues(tensors[0]), Values(64, 2.0));
  EXPECT_EQ(getValues(tensors[1]), Values(64, 3.0));
  EXPECT_EQ(getValues(tensors[2]), Values(64, 1.0));
  results.clear();
  EXPECT_EQ(getLiveBytes(), 256);
}

TEST_P(EngineMemoryTest, namesTheInputOfWhichNoCopyFits) {
  if (!isCompiled())
    return;
  // The input takes 65536 bytes, and so does the copy in case of a stop.
  makeEngine(65536 + 1024);
  auto executable = llvm::cantFail(
      engine->compile("func.func @main(%x: tensor<64x256xf32>) {\n"
                      "  %0 = lazy.add %x, %x : tensor<64x256xf32>\n"
                      "  %1 = lazy.assign %x, %0 : tensor<64x256xf32>\n"
                      "  return\n"
                      "}\n",
                      "assign.mlir", "main"));
  std::vector<runtime::BufferRef> inputs =
      llvm::cantFail(toBuffers(*engine, makeInputs()));
  std::stop_source cancel;
  EXPECT_EQ(getError(executable->run(inputs, {.stop = cancel.get_token()})),
            "cannot allocate a copy of input 0, which the program overwrites: "
            "not enough memory for 16384 elements of float32 (65536 bytes), "
            "65536 bytes are live of at most 66560");
  EXPECT_EQ(getLiveBytes(), 65536);
  EXPECT_EQ(getError(executable->run(inputs)), "");
}
