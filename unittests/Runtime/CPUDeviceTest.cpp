//===- CPUDeviceTest.cpp - Tests of buffers and programs ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTestUtils.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::runtime;

namespace {

const char *addText = R"(
define void @add(ptr %out, ptr %a, ptr %b) {
  %x = load float, ptr %a
  %y = load float, ptr %b
  %sum = fadd float %x, %y
  store float %sum, ptr %out
  ret void
}
)";

class CPUDeviceTest : public testing::Test {
protected:
  DeviceRef device = llvm::cantFail(createCPUDevice(2));
};

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

TEST_F(CPUDeviceTest, BuffersKnowWhatTheyAre) {
  BufferRef buffer = llvm::cantFail(device->allocate(DType::Float16, 7));
  EXPECT_EQ(buffer->getType(), DType::Float16);
  EXPECT_EQ(buffer->getNumElements(), 7);
  EXPECT_EQ(buffer->getNumBytes(), 14);
  EXPECT_EQ(&buffer->getDevice(), device.get());
  EXPECT_EQ(device->getName(), "CPU");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->getHostPointer()) % 64, 0u);

  BufferRef empty = llvm::cantFail(device->allocate(DType::Float32, 0));
  EXPECT_EQ(empty->getNumBytes(), 0);
  EXPECT_NE(empty->getHostPointer(), nullptr);
  EXPECT_EQ(getMessage(empty->copyIn(nullptr, 0)), "");
  EXPECT_EQ(getMessage(empty->copyOut(nullptr, 0)), "");
}

TEST_F(CPUDeviceTest, BuffersOutliveTheirHandleOfTheDevice) {
  BufferRef buffer = llvm::cantFail(device->allocate(DType::Int32, 4));
  device.reset();
  int32_t values[4] = {1, 2, 3, 4};
  EXPECT_EQ(getMessage(buffer->copyIn(values, sizeof(values))), "");
}

TEST_F(CPUDeviceTest, FreedMemoryIsUsedAgain) {
  BufferRef buffer = llvm::cantFail(device->allocate(DType::Float32, 1000));
  void *memory = buffer->getHostPointer();
  buffer.reset();
  buffer = llvm::cantFail(device->allocate(DType::Int32, 1000));
  EXPECT_EQ(buffer->getHostPointer(), memory);
}

TEST_F(CPUDeviceTest, CopiesAreBounded) {
  BufferRef buffer = llvm::cantFail(device->allocate(DType::Int32, 2));
  int32_t in[3] = {1, 2, 3};
  int32_t out[3] = {};
  EXPECT_EQ(getMessage(buffer->copyIn(in, 8)), "");
  EXPECT_EQ(getMessage(buffer->copyOut(out, 8)), "");
  EXPECT_EQ(out[1], 2);
  EXPECT_EQ(getMessage(buffer->copyIn(in + 2, 4)), "");
  EXPECT_EQ(getMessage(buffer->copyOut(out, 4)), "");
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(getMessage(buffer->copyIn(in, 12)),
            "cannot copy 12 bytes to or from a buffer of 8");
  EXPECT_EQ(getMessage(buffer->copyOut(out, 9)),
            "cannot copy 9 bytes to or from a buffer of 8");
  EXPECT_EQ(getMessage(buffer->copyOut(out, -1)),
            "cannot copy -1 bytes to or from a buffer of 8");
  EXPECT_EQ(getMessage(buffer->copyIn(nullptr, 4)),
            "expects host memory for a copy, got null");
}

TEST_F(CPUDeviceTest, AbsurdSizesAreErrors) {
  EXPECT_EQ(getMessage(device->allocate(DType::Float32, -1)),
            "expects a number of elements that is not negative, got -1");
  for (int64_t n : {INT64_MAX, INT64_MAX / 4})
    EXPECT_EQ(getMessage(device->allocate(DType::Float64, n)),
              "not enough memory for " + std::to_string(n) +
                  " elements of float64, 0 bytes are live");
  EXPECT_EQ(getMessage(device->allocate(DType::Float64, int64_t(1) << 58)),
            "not enough memory for 288230376151711744 elements of float64 "
            "(2305843009213693952 bytes), 0 bytes are live");
  EXPECT_EQ(getMessage(createCPUDevice(-1)),
            "expects a number of threads that is not negative, got -1");
}

TEST(CPUDeviceMemoryTest, IsCountedAndGivenBack) {
  MemoryOptions options;
  options.maxIdleBytes = 4096;
  DeviceRef device = llvm::cantFail(createCPUDevice(1, options));
  BufferRef buffer = llvm::cantFail(device->allocate(DType::Float32, 256));
  EXPECT_EQ(device->getMemoryStatistics().liveBytes, 1024);
  buffer.reset();
  MemoryStatistics statistics = device->getMemoryStatistics();
  EXPECT_EQ(statistics.liveBytes, 0);
  EXPECT_EQ(statistics.idleBytes, 1024);
  EXPECT_EQ(statistics.peakBytes, 1024);
  buffer = llvm::cantFail(device->allocate(DType::Int32, 256));
  statistics = device->getMemoryStatistics();
  EXPECT_EQ(statistics.idleBytes, 0);
  EXPECT_EQ(statistics.numAllocations, 2);
  EXPECT_EQ(statistics.numReuses, 1);
  buffer.reset();
  // More than may be kept.
  llvm::cantFail(device->allocate(DType::Int32, 2048));
  EXPECT_EQ(device->getMemoryStatistics().idleBytes, 1024);
  device->trim();
  EXPECT_EQ(device->getMemoryStatistics().idleBytes, 0);
  EXPECT_EQ(device->getMemoryStatistics().peakBytes, 8192);
}

TEST(CPUDeviceMemoryTest, IsBounded) {
  MemoryOptions options;
  options.maxBytes = 4096;
  DeviceRef device = llvm::cantFail(createCPUDevice(1, options));
  BufferRef half = llvm::cantFail(device->allocate(DType::Float32, 512));
  EXPECT_EQ(getMessage(device->allocate(DType::Float32, 513)),
            "not enough memory for 513 elements of float32 (2052 bytes), 2048 "
            "bytes are live of at most 4096");
  EXPECT_EQ(device->getMemoryStatistics().liveBytes, 2048);
  EXPECT_EQ(device->getMemoryStatistics().peakBytes, 2048);
  // What is kept makes room.
  half.reset();
  BufferRef whole = llvm::cantFail(device->allocate(DType::Float32, 1024));
  EXPECT_EQ(device->getMemoryStatistics().idleBytes, 0);
  EXPECT_EQ(getMessage(device->allocate(DType::Bool, 0)),
            "not enough memory for 0 elements of bool (0 bytes), 4096 bytes "
            "are live of at most 4096");

  options.maxBytes = -1;
  EXPECT_EQ(getMessage(createCPUDevice(1, options)),
            "expects a `maxBytes` that is not negative, got -1");
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

TEST_F(CPUDeviceTest, TwoPlusThreeIsFive) {
  ProgramRef add = llvm::cantFail(device->compile("add", {{}, addText}));
  BufferRef buffers[] = {makeBuffer<float>(*device, {0.0f}),
                         makeBuffer<float>(*device, {2.0f}),
                         makeBuffer<float>(*device, {3.0f})};
  EXPECT_EQ(getMessage(add->launch(buffers)), "");
  EXPECT_EQ(readBuffer<float>(*buffers[0]), std::vector<float>{5.0f});
  EXPECT_EQ(getMessage(device->synchronize()), "");

  // A program holds its device, and one buffer may be passed twice.
  device.reset();
  BufferRef twice[] = {buffers[0], buffers[0], buffers[0]};
  EXPECT_EQ(getMessage(add->launch(twice, /*numTasks=*/10)), "");
  EXPECT_EQ(readBuffer<float>(*buffers[0]), std::vector<float>{10.0f});
}

TEST_F(CPUDeviceTest, LaunchChecksItsBuffers) {
  ProgramRef add = llvm::cantFail(device->compile("add", {{}, addText}));
  BufferRef one = makeBuffer<float>(*device, {1.0f});
  BufferRef two[] = {one, one};
  EXPECT_EQ(getMessage(add->launch(two)),
            "program `add` takes 3 buffers, got 2");
  EXPECT_EQ(getMessage(add->launch({})),
            "program `add` takes 3 buffers, got 0");
  BufferRef withNull[] = {one, nullptr, one};
  EXPECT_EQ(getMessage(add->launch(withNull)),
            "program `add` got a null buffer");
  DeviceRef other = llvm::cantFail(createCPUDevice(1));
  BufferRef mixed[] = {one, one, makeBuffer<float>(*other, {1.0f})};
  EXPECT_EQ(getMessage(add->launch(mixed)),
            "program `add` got a buffer of another device, `CPU`");
  BufferRef three[] = {one, one, one};
  EXPECT_EQ(getMessage(add->launch(three, -1)),
            "expects a number of tasks that is not negative, got -1");
}

TEST_F(CPUDeviceTest, SeveralFunctionsOfOneText) {
  std::string names[] = {"second", "first"};
  std::vector<ProgramRef> programs =
      llvm::cantFail(device->compileAll(names, {{}, R"(
define internal void @store(ptr %out, i32 %value) {
  store i32 %value, ptr %out
  ret void
}
define void @first(ptr %out) {
  call void @store(ptr %out, i32 1)
  ret void
}
define void @second(ptr %out, ptr %other) {
  call void @store(ptr %other, i32 2)
  ret void
}
)"}));
  ASSERT_EQ(programs.size(), 2u);
  BufferRef out = makeBuffer<int32_t>(*device, {0});
  BufferRef other = makeBuffer<int32_t>(*device, {0});
  BufferRef both[] = {out, other};
  EXPECT_EQ(getMessage(programs[0]->launch(both)), "");
  // The code stays while one program is left.
  programs[0].reset();
  EXPECT_EQ(getMessage(programs[1]->launch({both, 1})), "");
  EXPECT_EQ(readBuffer<int32_t>(*out)[0], 1);
  EXPECT_EQ(readBuffer<int32_t>(*other)[0], 2);
}

TEST_F(CPUDeviceTest, ProgramsOfOneNameDoNotMeet) {
  auto makeText = [](int value) {
    return "define void @f(ptr %p) {\n store i32 " + std::to_string(value) +
           ", ptr %p\n ret void\n}\n";
  };
  ProgramRef one = llvm::cantFail(device->compile("f", {{}, makeText(1)}));
  ProgramRef two = llvm::cantFail(device->compile("f", {{}, makeText(2)}));
  BufferRef out[] = {makeBuffer<int32_t>(*device, {0})};
  EXPECT_EQ(getMessage(two->launch(out)), "");
  EXPECT_EQ(readBuffer<int32_t>(*out[0])[0], 2);
  EXPECT_EQ(getMessage(one->launch(out)), "");
  EXPECT_EQ(readBuffer<int32_t>(*out[0])[0], 1);
}

TEST_F(CPUDeviceTest, ProgramsCallLibmAndThePool) {
  ProgramRef program = llvm::cantFail(device->compile("f", {{}, R"(
@table = private constant [2 x double] [double 2.0, double 0.5]
declare double @pow(double, double)
declare double @llvm.exp.f64(double)
declare i32 @atoi(ptr)
declare void @tg_parallel_for(i64, ptr, ptr)
@text = private constant [3 x i8] c"42\00"
define internal void @task(ptr %ctx, i64 %begin, i64 %end) {
  %n = sub i64 %end, %begin
  atomicrmw add ptr %ctx, i64 %n seq_cst
  ret void
}
define void @f(ptr %out, ptr %in, ptr %count) {
  %x = load double, ptr %in
  %i = fptoui double %x to i64
  %p = getelementptr [2 x double], ptr @table, i64 0, i64 %i
  %e = load double, ptr %p
  %y = call double @pow(double %e, double 3.0)
  %z = call double @llvm.exp.f64(double %x)
  %n = call i32 @atoi(ptr @text)
  %m = sitofp i32 %n to double
  store double %y, ptr %out
  %out1 = getelementptr double, ptr %out, i64 1
  store double %z, ptr %out1
  %out2 = getelementptr double, ptr %out, i64 2
  store double %m, ptr %out2
  call void @tg_parallel_for(i64 1000, ptr @task, ptr %count)
  ret void
}
)"}));
  BufferRef buffers[] = {makeBuffer<double>(*device, {0.0, 0.0, 0.0}),
                         makeBuffer<double>(*device, {0.0}),
                         makeBuffer<int64_t>(*device, {0})};
  EXPECT_EQ(getMessage(program->launch(buffers)), "");
  EXPECT_EQ(readBuffer<double>(*buffers[0]),
            (std::vector<double>{8.0, 1.0, 42.0}));
  EXPECT_EQ(readBuffer<int64_t>(*buffers[2])[0], 1000);
}

TEST_F(CPUDeviceTest, ProgramsConvertHalves) {
  // By name: the host may have instructions for it.
  ProgramRef program = llvm::cantFail(device->compile("f", {{}, R"(
declare float @__extendhfsf2(half)
declare half @__truncsfhf2(float)
declare half @__truncdfhf2(double)
declare bfloat @__truncsfbf2(float)
define void @f(ptr %out, ptr %in, ptr %bits) {
  %h = load half, ptr %in
  %f = call float @__extendhfsf2(half %h)
  store float %f, ptr %out
  %h1 = call half @__truncsfhf2(float %f)
  store half %h1, ptr %bits
  %d = fpext half %h to double
  %h2 = call half @__truncdfhf2(double %d)
  %bits1 = getelementptr i16, ptr %bits, i64 1
  store half %h2, ptr %bits1
  %b = call bfloat @__truncsfbf2(float %f)
  %bits2 = getelementptr i16, ptr %bits, i64 2
  store bfloat %b, ptr %bits2
  ret void
}
)"}));
  BufferRef buffers[] = {makeBuffer<float>(*device, {0.0f}),
                         makeBuffer<uint16_t>(*device, {0x3e00}),
                         makeBuffer<uint16_t>(*device, {0, 0, 0})};
  EXPECT_EQ(getMessage(program->launch(buffers)), "");
  EXPECT_EQ(readBuffer<float>(*buffers[0])[0], 1.5f);
  EXPECT_EQ(readBuffer<uint16_t>(*buffers[2]),
            (std::vector<uint16_t>{0x3e00, 0x3e00, 0x3fc0}));
}

TEST_F(CPUDeviceTest, ThreadsCompileAndRunAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> numGood{0};
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 10; ++round) {
        // Every other text is bad: its error must be its own.
        std::string name = "f" + std::to_string(thread * 100 + round);
        std::string callee = round % 2 ? "missing_" + name : "expf";
        std::string text = "declare float @" + callee +
                           "(float)\ndefine void @" + name +
                           "(ptr %p) {\n %x = load float, ptr %p\n"
                           " %y = call float @" +
                           callee +
                           "(float %x)\n store float %y, ptr %p\n"
                           " ret void\n}\n";
        llvm::Expected<ProgramRef> program = device->compile(name, {{}, text});
        if (round % 2) {
          numGood += getMessage(std::move(program)) ==
                     "symbol `" + callee + "` is not defined";
          continue;
        }
        if (!program) {
          ADD_FAILURE() << getMessage(std::move(program));
          continue;
        }
        BufferRef buffers[] = {makeBuffer<float>(*device, {0.0f})};
        llvm::cantFail((*program)->launch(buffers));
        numGood += readBuffer<float>(*buffers[0])[0] == 1.0f;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numGood, 40);
}

} // namespace
