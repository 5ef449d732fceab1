//===- RunTest.cpp - Runs that are cancelled, fail or are watched ---------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "gtest/gtest.h"

#include <atomic>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

namespace {

/// Every test runs on both devices.
class RunTest : public ::testing::TestWithParam<const char *> {
protected:
  RunTest() {
    Engine::Options options;
    options.device = GetParam();
    options.numThreads = 2;
    options.onRun = [this](const RunRecord &record) {
      records.push_back(record);
    };
    engine = llvm::cantFail(Engine::create(options));
  }
  bool isCompiled() const { return std::string(GetParam()) != "INTERP"; }

  std::shared_ptr<Executable> compile(const std::string &text) {
    return llvm::cantFail(engine->compile(text, "test.mlir", "main"));
  }
  std::vector<runtime::BufferRef> makeBuffers(const std::vector<Values> &all) {
    std::vector<HostTensor> tensors;
    for (const Values &values : all)
      tensors.push_back(makeTensor(
          DType::Float32, {static_cast<int64_t>(values.size())}, values));
    return llvm::cantFail(toBuffers(*engine, tensors));
  }
  static Values read(runtime::Buffer &buffer) {
    std::vector<float> values(buffer.getNumElements());
    llvm::cantFail(buffer.copyOut(values.data(), buffer.getNumBytes()));
    return Values(values.begin(), values.end());
  }

  std::vector<RunRecord> records;
  std::shared_ptr<Engine> engine;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, RunTest, ::testing::Values("INTERP", "CPU"),
                         [](const auto &info) { return info.param; });

/// An optimizer's step whose end depends on a callback: %w and %m are
/// overwritten before `check` sees the new %w.
static const char *stepText =
    "func.func @main(%w: tensor<4xf32>, %m: tensor<4xf32>, %g: tensor<4xf32>)\n"
    "    -> tensor<4xf32> {\n"
    "  %0 = lazy.add %m, %g : tensor<4xf32>\n"
    "  %m1 = lazy.assign %m, %0 : tensor<4xf32>\n"
    "  %1 = lazy.sub %w, %m1 : tensor<4xf32>\n"
    "  %w1 = lazy.assign %w, %1 : tensor<4xf32>\n"
    "  %2 = lazy.custom \"check\"(%w1) : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  %3 = lazy.mul %2, %m1 : tensor<4xf32>\n"
    "  return %3 : tensor<4xf32>\n"
    "}\n";

TEST_P(RunTest, aFailedStepLeavesItsInputsAsTheyWere) {
  bool mustFail = true;
  std::vector<std::weak_ptr<runtime::Buffer>> seen;
  engine->registerCallback(
      "check", [&](std::span<const runtime::BufferRef> buffers) -> llvm::Error {
        // The step is in its middle: %w is overwritten.
        EXPECT_EQ(read(*buffers[0]), (Values{-4, -4, -4, -4}));
        seen.assign(buffers.begin(), buffers.end());
        if (mustFail)
          return llvm::createStringError("expects a better day");
        return buffers[1]->copyIn(buffers[0]->getHostPointer(), 16);
      });
  std::shared_ptr<Executable> step = compile(stepText);
  std::vector<runtime::BufferRef> inputs =
      makeBuffers({{1, 2, 3, 4}, {1, 1, 1, 1}, {4, 5, 6, 7}});
  EXPECT_PRED2(contains, getError(step->run(inputs)), "expects a better day");
  EXPECT_EQ(read(*inputs[0]), (Values{1, 2, 3, 4}));
  EXPECT_EQ(read(*inputs[1]), (Values{1, 1, 1, 1}));
  EXPECT_TRUE(records.empty());
  // What the run allocated is gone; what lives is the input, if it was seen.
  for (const std::weak_ptr<runtime::Buffer> &buffer : seen) {
    runtime::BufferRef left = buffer.lock();
    EXPECT_TRUE(!left || left == inputs[0]);
  }

  mustFail = false;
  auto results = step->run(inputs);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(read(*results->front()), (Values{-20, -24, -28, -32}));
  if (isCompiled()) {
    EXPECT_EQ(read(*inputs[0]), (Values{-4, -4, -4, -4}));
    EXPECT_EQ(read(*inputs[1]), (Values{5, 6, 7, 8}));
  }
}

TEST_P(RunTest, isCancelledBetweenKernels) {
  std::stop_source cancel;
  bool wasCalled = false;
  engine->registerCallback(
      "check", [&](std::span<const runtime::BufferRef> buffers) -> llvm::Error {
        wasCalled = true;
        cancel.request_stop();
        return buffers[1]->copyIn(buffers[0]->getHostPointer(), 16);
      });
  std::shared_ptr<Executable> step = compile(stepText);
  std::vector<runtime::BufferRef> inputs =
      makeBuffers({{1, 2, 3, 4}, {1, 1, 1, 1}, {4, 5, 6, 7}});
  RunControl control;
  control.stop = cancel.get_token();
  EXPECT_PRED2(contains, getError(step->run(inputs, control)), "cancelled");
  EXPECT_TRUE(wasCalled);
  EXPECT_EQ(read(*inputs[0]), (Values{1, 2, 3, 4}));
  EXPECT_EQ(read(*inputs[1]), (Values{1, 1, 1, 1}));

  wasCalled = false;
  EXPECT_PRED2(contains, getError(step->run(inputs, control)), "cancelled");
  EXPECT_FALSE(wasCalled);
  EXPECT_EQ(getError(step->run(inputs)), "");
}

TEST_P(RunTest, isRecorded) {
  const char *text =
      "func.func @main(%x: tensor<8x16xf32>) -> tensor<8x1xf32> {\n"
      "  %y = lazy.mul %x, %x : tensor<8x16xf32>\n"
      "  %r = lazy.reduce_sum %y : tensor<8x16xf32> -> tensor<8x1xf32>\n"
      "  return %r : tensor<8x1xf32>\n"
      "}\n";
  std::shared_ptr<Executable> executable = compile(text);
  std::vector<runtime::BufferRef> inputs = makeBuffers({Values(128, 0.5)});
  for (size_t i = 1; i <= 2; ++i) {
    ASSERT_EQ(getError(executable->run(inputs)), "");
    ASSERT_EQ(records.size(), i);
  }
  EXPECT_GT(records[1].seconds, 0);
  if (!isCompiled()) {
    EXPECT_TRUE(records[1].kernels.empty());
    return;
  }
  ASSERT_EQ(records[1].kernels.size(), 1u);
  const KernelRecord &kernel = records[1].kernels[0];
  EXPECT_EQ(kernel.name, "r_8_16");
  EXPECT_EQ(kernel.device, "CPU");
  EXPECT_GT(kernel.seconds, 0);
  EXPECT_LE(kernel.seconds, records[1].seconds);
  EXPECT_EQ(kernel.flops, 2 * 8 * 16);
  EXPECT_EQ(kernel.bytes, 4 * (8 * 16 + 8));
  EXPECT_FALSE(kernel.isFromCache);
  // The engine has it still.
  ASSERT_EQ(getError(compile(text)->run(inputs)), "");
  EXPECT_TRUE(records[2].kernels[0].isFromCache);
}

// Temporaries of many sizes live for different times, and share memory.
TEST_P(RunTest, keepsTemporariesApart) {
  GraphBuilder builder;
  std::vector<int32_t> rows;
  auto force = [&](int32_t x) {
    return builder.op(ops::OpKind::Contiguous, {x});
  };
  int32_t x = builder.input(DType::Float32, {64});
  int32_t total = x;
  for (int64_t i = 1; i <= 40; ++i) {
    int64_t size = 1 + i * 7 % 64;
    int32_t part = force(builder.op(ops::OpKind::Shrink, {x}, {0, size}));
    part = force(builder.op(ops::OpKind::Add, {part, part}));
    rows.push_back(builder.op(ops::OpKind::Pad, {part}, {0, 64 - size}));
    // Some are read soon, some late.
    if (i % 3 == 0) {
      total = force(builder.op(ops::OpKind::Add, {total, rows.front()}));
      rows.erase(rows.begin());
    }
  }
  for (int32_t row : rows)
    total = force(builder.op(ops::OpKind::Add, {total, row}));
  auto results =
      runGraph(*engine, builder.build({total}),
               {makeTensor(DType::Float32, {64}, std::vector<double>(64, 1))});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  Values expected(64, 1);
  for (int64_t i = 1; i <= 40; ++i)
    for (int64_t k = 0; k < 1 + i * 7 % 64; ++k)
      expected[k] += 2;
  EXPECT_EQ(getValues(results->front()), expected);
}

TEST_P(RunTest, runsAThousandSmallKernels) {
  GraphBuilder builder;
  int32_t x = builder.input(DType::Float32, {16, 16});
  int32_t y = x;
  for (int i = 0; i < 1000; ++i)
    y = builder.op(ops::OpKind::Contiguous,
                   {builder.op(ops::OpKind::Add, {y, x})});
  auto results = runGraph(
      *engine, builder.build({y}),
      {makeTensor(DType::Float32, {16, 16}, std::vector<double>(256, 1))});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(getValues(results->front()), Values(256, 1001));
  ASSERT_EQ(records.size(), 1u);
  if (isCompiled()) {
    EXPECT_EQ(records[0].kernels.size(), 1000u);
  }
}
