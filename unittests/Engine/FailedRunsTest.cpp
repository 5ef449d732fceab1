//===- FailedRunsTest.cpp - What runs leave behind - c --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceBuffers.h"
#include "GraphBuilder.h"
#include "TemporaryFolder.h"
#include "ToyDevice.h"
#include "tinygrad/Engine/Engine.h"

#include "gtest/gtest.h"

#include <atomic>
#include <stdexcept>
#include <stop_token>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

namespace {

/// The tests run with each of the engine's own devices.
class FailedRunsTest : public ::testing::TestWithParam<std::string> {
protected:
  FailedRunsTest() {
    Engine::Options options;
    options.device = GetParam();
    options.numThreads = 2;
    options.devices["TOY"] = toy::ToyDevice::create;
    engine = llvm::cantFail(Engine::create(options));
    engine->registerCallback(
        "fail", [](std::span<const runtime::BufferRef>) -> llvm::Error {
          return llvm::createStringError("no such luck");
        });
  }

  std::string getFile(const std::string &name) const {
    return folder.getPath() + "/" + name;
  }
  /// Compiles `main` of a module in which `!host`, `!toy`, `!a` and `!b` are
  /// vectors of four floats, the last two in files.
  std::shared_ptr<Executable> compile(const std::string &text) {
    return llvm::cantFail(
        engine->compile("!cpu = tensor<4xf32>\n" + makeType("host", 4, "HOST") +
                            makeType("toy", 4, "TOY:1") +
                            makeType("a", 4, "DISK:" + getFile("a")) +
                            makeType("b", 4, "DISK:" + getFile("b")) + text,
                        "failed.mlir", "main"));
  }

  TemporaryFolder folder;
  std::shared_ptr<Engine> engine;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, FailedRunsTest,
                         ::testing::Values("INTERP", "CPU", "TOY"),
                         [](const auto &info) { return info.param; });

// All of one input and a part of another, on devices of other memory.
TEST_P(FailedRunsTest, assignsOnAllDevices) {
  auto executable = compile(R"(
    func.func @main(%t: !toy, %x: !cpu) -> (!toy, !cpu) {
      %s = lazy.shrink %t begin [1] end [3] : !toy -> tensor<2xf32, #lazy.type<device = "TOY:1">>
      %n = lazy.neg %s : tensor<2xf32, #lazy.type<device = "TOY:1">>
      %0 = lazy.assign %s, %n : tensor<2xf32, #lazy.type<device = "TOY:1">>
      %d = lazy.add %t, %t : !toy
      %c = lazy.copy %t : !toy -> !cpu
      %1 = lazy.assign %x, %c : !cpu
      return %d, %1 : !toy, !cpu
    })");
  std::vector<runtime::BufferRef> inputs = {
      makeBuffer(*engine, "TOY:1", {1, 2, 3, 4}),
      makeBuffer(*engine, "", {9, 9, 9, 9})};
  auto results = llvm::cantFail(executable->run(inputs));
  EXPECT_EQ(readFloats(*results[0]), (Floats{2, 4, 6, 8}));
  EXPECT_EQ(results[1], inputs[1]);
  EXPECT_EQ(readFloats(*inputs[0]), (Floats{1, -2, -3, 4}));
  EXPECT_EQ(readFloats(*inputs[1]), (Floats{1, 2, 3, 4}));
}

TEST_P(FailedRunsTest, returnsAnAssignedInputOfAnotherDevice) {
  auto executable = compile(R"(
    func.func @main(%t: !toy) -> !toy {
      %n = lazy.neg %t : !toy
      %0 = lazy.assign %t, %n : !toy
      return %0 : !toy
    })");
  std::vector<runtime::BufferRef> inputs = {
      makeBuffer(*engine, "TOY:1", {1, 2, 3, 4})};
  auto results = llvm::cantFail(executable->run(inputs));
  EXPECT_EQ(results[0], inputs[0]);
  EXPECT_EQ(readFloats(*inputs[0]), (Floats{-1, -2, -3, -4}));
}

// An input that is overwritten before and one after the callback.
TEST_P(FailedRunsTest, restoresInputsWhereACallbackThrows) {
  bool throwsText = false;
  engine->registerCallback(
      "throw", [&](std::span<const runtime::BufferRef>) -> llvm::Error {
        if (throwsText)
          throw std::runtime_error("no such luck");
        throw 1;
      });
  auto executable = compile(R"(
    func.func @main(%x: !cpu, %y: !cpu) -> !cpu {
      %n = lazy.neg %x : !cpu
      %0 = lazy.assign %x, %n : !cpu
      %c = lazy.custom "throw"(%0) : (!cpu) -> !cpu
      %1 = lazy.assign %y, %c : !cpu
      return %1 : !cpu
    })");
  std::vector<runtime::BufferRef> inputs = {
      makeBuffer(*engine, "", {1, 2, 3, 4}),
      makeBuffer(*engine, "", {5, 6, 7, 8})};
  auto getError = [&] {
    return llvm::toString(executable->run(inputs).takeError());
  };
  EXPECT_PRED2(contains, getError(), "callback `throw` has thrown");
  throwsText = true;
  EXPECT_PRED2(contains, getError(),
               "callback `throw` has thrown: no such luck");
  EXPECT_EQ(readFloats(*inputs[0]), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(readFloats(*inputs[1]), (Floats{5, 6, 7, 8}));
}

namespace {

/// Stops what it watches at the question `number`.
class StopAt : public Watch {
public:
  explicit StopAt(int number) : number(number) {}
  int numAsked = 0;

protected:
  bool check(const Progress &progress) override {
    EXPECT_EQ(progress.stage, Progress::Stage::Run);
    return numAsked++ == number;
  }

private:
  const int number;
};

} // namespace

TEST_P(FailedRunsTest, asksUntilAnInputIsOverwritten) {
  auto executable = compile(R"(
    func.func @main(%x: !cpu, %y: !cpu, %z: !cpu) -> !cpu {
      %a = lazy.neg %x : !cpu
      %b = lazy.contiguous %a : !cpu
      %c = lazy.add %b, %b : !cpu
      %d = lazy.contiguous %c : !cpu
      %0 = lazy.assign %x, %d : !cpu
      %e = lazy.add %y, %d : !cpu
      %1 = lazy.assign %y, %e : !cpu
      %f = lazy.mul %z, %d : !cpu
      %2 = lazy.assign %z, %f : !cpu
      return %2 : !cpu
    })");
  int numStopped = 0, numFinished = 0;
  for (int number = 0;; ++number) {
    std::vector<runtime::BufferRef> inputs;
    for (int i = 0; i < 3; ++i)
      inputs.push_back(makeBuffer(*engine, "", {1, 2, 3, 4}));
    StopAt watch(number);
    auto results = executable->run(inputs, {.watch = &watch});
    if (!results) {
      EXPECT_EQ(llvm::toString(results.takeError()), "cancelled");
      for (const runtime::BufferRef &input : inputs)
        EXPECT_EQ(readFloats(*input), (Floats{1, 2, 3, 4}));
      EXPECT_TRUE(watch.isStopped());
      ++numStopped;
      continue;
    }
    EXPECT_EQ(readFloats(*inputs[0]), (Floats{-2, -4, -6, -8}));
    EXPECT_EQ(readFloats(*inputs[1]), (Floats{-1, -2, -3, -4}));
    EXPECT_EQ(readFloats(*inputs[2]), (Floats{-2, -8, -18, -32}));
    // It was asked less often than it waits for.
    if (!watch.isStopped())
      break;
    ++numFinished;
  }
  EXPECT_GT(numStopped, 1);
  // The interpreter overwrites at its end, and there are copies where kernels
  // of a device may fail.
  EXPECT_EQ(numFinished > 1, GetParam() == "CPU");
}

TEST_P(FailedRunsTest, compilesNothingAfterAStop) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(llvm::toString(engine
                               ->compile("func.func @main(%x: tensor<4xf32>) "
                                         "-> tensor<4xf32> {\n"
                                         "  return %x : tensor<4xf32>\n"
                                         "}\n",
                                         "stop.mlir", "main", stop.get_token())
                               .takeError()),
            "cancelled");
}

TEST_P(FailedRunsTest, boundsTheMemoryOfTheHost) {
  Engine::Options options;
  options.device = GetParam();
  options.devices["TOY"] = toy::ToyDevice::create;
  options.memory.maxBytes = 1 << 20;
  std::shared_ptr<Engine> bounded = llvm::cantFail(Engine::create(options));
  runtime::DeviceRef host = llvm::cantFail(bounded->getDevice("HOST"));
  runtime::BufferRef first =
      llvm::cantFail(host->allocate(DType::UInt8, 1 << 19));
  EXPECT_PRED2(contains, getError(host->allocate(DType::UInt8, 1 << 20)),
               "not enough memory for 1048576 elements of uint8");
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

// The copy to a file comes first in the program, the failure after it.
TEST_P(FailedRunsTest, makesNoFileWhereTheRunFails) {
  auto executable = compile(R"(
    func.func @main(%x: !cpu, %y: !cpu) -> (!a, !b, !cpu, !cpu) {
      %a = lazy.copy %x : !cpu -> !a
      %n = lazy.neg %x : !cpu
      %b = lazy.copy %n : !cpu -> !b
      %0 = lazy.assign %y, %n : !cpu
      %c = lazy.custom "fail"(%n) : (!cpu) -> !cpu
      return %a, %b, %c, %0 : !a, !b, !cpu, !cpu
    })");
  std::vector<runtime::BufferRef> inputs = {
      makeBuffer(*engine, "", {1, 2, 3, 4}),
      makeBuffer(*engine, "", {5, 6, 7, 8})};
  writeBytes(getFile("b"), "short");
  std::stop_source cancel;
  auto getError = [&] {
    return llvm::toString(
        executable->run(inputs, {.stop = cancel.get_token()}).takeError());
  };
  EXPECT_PRED2(contains, getError(), "no such luck");
  cancel.request_stop();
  EXPECT_EQ(getError(), "cancelled");
  EXPECT_FALSE(std::filesystem::exists(getFile("a")));
  EXPECT_EQ(readBytes(getFile("b")), "short");
  // A run that ends well writes both.
  cancel = {};
  engine->registerCallback(
      "fail", [](std::span<const runtime::BufferRef> buffers) {
        return runtime::copyBuffer(*buffers[0], 0, *buffers.back());
      });
  auto results =
      llvm::cantFail(executable->run(inputs, {.stop = cancel.get_token()}));
  EXPECT_EQ(readFloats(*results[0]), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(readFloats(*results[1]), (Floats{-1, -2, -3, -4}));
  EXPECT_EQ(std::filesystem::file_size(getFile("a")), 16u);
  EXPECT_EQ(std::filesystem::file_size(getFile("b")), 16u);
}

// The copy is of what the input held before.
TEST_P(FailedRunsTest, copiesToAFileBeforeTheSourceIsOverwritten) {
  auto executable = compile(R"(
    func.func @main(%x: !cpu) -> (!a, !a, !cpu) {
      %a = lazy.copy %x : !cpu -> !a
      %n = lazy.neg %x : !cpu
      %0 = lazy.assign %x, %n : !cpu
      return %a, %a, %0 : !a, !a, !cpu
    })");
  auto results = llvm::cantFail(
      executable->run({{makeBuffer(*engine, "", {1, 2, 3, 4})}}));
  EXPECT_EQ(readFloats(*results[0]), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(readFloats(*results[1]), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(readFloats(*results[2]), (Floats{-1, -2, -3, -4}));
}

// An input is overwritten, then a file cannot be made.
TEST_P(FailedRunsTest, restoresInputsWhereAFileCannotBeMade) {
  auto executable = compile(R"(
    func.func @main(%x: !cpu, %y: !cpu) -> (!a, !cpu) {
      %n = lazy.neg %x : !cpu
      %0 = lazy.assign %x, %n : !cpu
      %a = lazy.copy %n : !cpu -> !a
      return %a, %0 : !a, !cpu
    })");
  std::filesystem::create_directory(getFile("a"));
  runtime::BufferRef x = makeBuffer(*engine, "", {1, 2, 3, 4});
  EXPECT_PRED2(contains, llvm::toString(executable->run({{x, x}}).takeError()),
               "cannot write `" + getFile("a") + "`");
  EXPECT_EQ(readFloats(*x), (Floats{1, 2, 3, 4}));
}

// Results that are filled before the step that fails: one that a callback
// reads, one of a callback, a copy of what is overwritten later, and one of two
// that are filled last.
TEST_P(FailedRunsTest, takesFilesBack) {
  engine->registerCallback(
      "fill", [](std::span<const runtime::BufferRef> buffers) -> llvm::Error {
        llvm::cantFail(runtime::copyBuffer(*buffers[0], 0, *buffers.back()));
        return llvm::createStringError("no such luck");
      });
  std::string texts[] = {
      R"(func.func @main(%x: !cpu) -> (!a, !cpu) {
           %a = lazy.copy %x : !cpu -> !a
           %c = lazy.custom "fail"(%a) : (!a) -> !cpu
           return %a, %c : !a, !cpu
         })",
      R"(func.func @main(%x: !cpu) -> !a {
           %a = lazy.custom "fill"(%x) : (!cpu) -> !a
           return %a : !a
         })",
      R"(func.func @main(%x: !cpu) -> (!a, !cpu, !cpu) {
           %a = lazy.copy %x : !cpu -> !a
           %n = lazy.neg %x : !cpu
           %0 = lazy.assign %x, %n : !cpu
           %c = lazy.custom "fail"(%0) : (!cpu) -> !cpu
           return %a, %0, %c : !a, !cpu, !cpu
         })",
      R"(func.func @main(%x: !cpu) -> (!a, !b) {
           %a = lazy.copy %x : !cpu -> !a
           %n = lazy.neg %x : !cpu
           %b = lazy.copy %n : !cpu -> !b
           return %a, %b : !a, !b
         })"};
  std::filesystem::create_directory(getFile("b"));
  for (const std::string &text : texts) {
    auto executable = compile(text);
    for (std::string before : {"", "short", "longer than what is written"}) {
      std::filesystem::remove(getFile("a"));
      if (!before.empty())
        writeBytes(getFile("a"), before);
      runtime::BufferRef x = makeBuffer(*engine, "", {1, 2, 3, 4});
      EXPECT_NE(getError(executable->run({{x}})), "");
      EXPECT_EQ(readFloats(*x), (Floats{1, 2, 3, 4}));
      if (before.empty())
        EXPECT_FALSE(std::filesystem::exists(getFile("a"))) << text;
      else
        EXPECT_EQ(readBytes(getFile("a")), before) << text;
    }
  }
  // Nothing is left beside them.
  std::filesystem::remove(getFile("a"));
  std::filesystem::remove(getFile("b"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.getPath()));
}

// Two results in one file: what was written last is there.
TEST_P(FailedRunsTest, writesTwoResultsIntoOneFile) {
  auto executable = compile(R"(
    !part = tensor<2xf32, #lazy.type<device = "DISK:)" +
                            getFile("a") + R"(">>
    func.func @main(%x: !cpu, %y: tensor<2xf32>) -> (!a, !part) {
      %a = lazy.copy %x : !cpu -> !a
      %b = lazy.copy %y : tensor<2xf32> -> !part
      return %a, %b : !a, !part
    })");
  std::vector<runtime::BufferRef> inputs = {
      makeBuffer(*engine, "", {1, 2, 3, 4}), makeBuffer(*engine, "", {5, 6})};
  auto results = llvm::cantFail(executable->run(inputs));
  EXPECT_EQ(readFloats(*results[0]), (Floats{5, 6, 3, 4}));
  EXPECT_EQ(readFloats(*results[1]), (Floats{5, 6}));
  // Both are the file.
  llvm::cantFail(results[1]->copyIn(Floats{7}.data(), 4));
  EXPECT_EQ(readFloats(*results[0]), (Floats{7, 6, 3, 4}));
}
