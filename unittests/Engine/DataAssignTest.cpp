//===- DataAssignTest.cpp - Assigns on devices that hold data only --------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceBuffers.h"
#include "GraphBuilder.h"
#include "TemporaryFolder.h"
#include "tinygrad/Engine/Engine.h"

#include "gtest/gtest.h"

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

namespace {

class DataAssignTest : public ::testing::TestWithParam<std::string> {
protected:
  DataAssignTest() {
    Engine::Options options;
    options.device = GetParam();
    engine = llvm::cantFail(Engine::create(options));
  }

  /// Runs `main` of a module in which `!host` and `!file` are vectors of four
  /// floats, `!host_part` and `!file_part` of two.
  llvm::Expected<std::vector<runtime::BufferRef>>
  run(const std::string &text, const std::vector<runtime::BufferRef> &inputs) {
    auto executable = engine->compile(
        makeType("host", 4, "HOST") + makeType("host_part", 2, "HOST") +
            makeType("file", 4, file) + makeType("file_part", 2, file) + text,
        "assign.mlir", "main");
    if (!executable)
      return executable.takeError();
    return (*executable)->run(inputs);
  }

  TemporaryFolder folder;
  std::string file = "DISK:" + folder.getPath() + "/file";
  std::shared_ptr<Engine> engine;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, DataAssignTest,
                         ::testing::Values("INTERP", "CPU"),
                         [](const auto &info) { return info.param; });

TEST_P(DataAssignTest, assignsOnTheHost) {
  std::vector<runtime::BufferRef> inputs = {
      makeBuffer(*engine, "HOST", {1, 2, 3, 4}),
      makeBuffer(*engine, "", {5, 6, 7, 8})};
  auto results = llvm::cantFail(run(R"(
    func.func @main(%h: !host, %x: tensor<4xf32>) -> (!host, tensor<4xf32>) {
      %n = lazy.neg %x : tensor<4xf32>
      %c = lazy.copy %n : tensor<4xf32> -> !host
      %0 = lazy.assign %h, %c : !host
      %1 = lazy.copy %h : !host -> tensor<4xf32>
      return %0, %1 : !host, tensor<4xf32>
    })",
                                    inputs));
  EXPECT_EQ(results[0], inputs[0]);
  EXPECT_EQ(readFloats(*inputs[0]), (Floats{-5, -6, -7, -8}));
  EXPECT_EQ(readFloats(*results[1]), (Floats{1, 2, 3, 4}));
}

TEST_P(DataAssignTest, swapsOnTheHost) {
  std::vector<runtime::BufferRef> inputs = {
      makeBuffer(*engine, "HOST", {1, 2, 3, 4}),
      makeBuffer(*engine, "HOST", {5, 6, 7, 8})};
  llvm::cantFail(run(R"(
    func.func @main(%x: !host, %y: !host) {
      %0 = lazy.assign %x, %y : !host
      %1 = lazy.assign %y, %x : !host
      return
    })",
                     inputs));
  EXPECT_EQ(readFloats(*inputs[0]), (Floats{5, 6, 7, 8}));
  EXPECT_EQ(readFloats(*inputs[1]), (Floats{1, 2, 3, 4}));
}

// The second part gets what the host held before.
TEST_P(DataAssignTest, assignsPartsOfTheHost) {
  std::vector<runtime::BufferRef> inputs = {
      makeBuffer(*engine, "HOST", {1, 2, 3, 4}),
      makeBuffer(*engine, "", {5, 6})};
  auto results = llvm::cantFail(run(R"(
    func.func @main(%h: !host, %x: tensor<2xf32>) -> (!host_part, !host) {
      %s = lazy.shrink %h begin [1] end [3] : !host -> !host_part
      %c = lazy.copy %x : tensor<2xf32> -> !host_part
      %0 = lazy.assign %s, %c : !host_part
      %t = lazy.shrink %h begin [2] end [4] : !host -> !host_part
      %1 = lazy.assign %t, %s : !host_part
      return %0, %h : !host_part, !host
    })",
                                    inputs));
  EXPECT_EQ(readFloats(*inputs[0]), (Floats{1, 5, 2, 3}));
  EXPECT_EQ(readFloats(*results[0]), (Floats{5, 6}));
}

TEST_P(DataAssignTest, assignsPartsOfAFile) {
  std::vector<runtime::BufferRef> inputs = {
      makeBuffer(*engine, file, {1, 2, 3, 4}), makeBuffer(*engine, "", {5, 6})};
  llvm::cantFail(run(R"(
    func.func @main(%f: !file, %x: tensor<2xf32>) {
      %s = lazy.shrink %f begin [2] end [4] : !file -> !file_part
      %c = lazy.copy %x : tensor<2xf32> -> !file_part
      %0 = lazy.assign %s, %c : !file_part
      %t = lazy.shrink %f begin [0] end [2] : !file -> !file_part
      %1 = lazy.assign %t, %s : !file_part
      return
    })",
                     inputs));
  EXPECT_EQ(readFloats(*inputs[0]), (Floats{3, 4, 5, 6}));
}

TEST_P(DataAssignTest, restoresWhatItHasOverwritten) {
  engine->registerCallback(
      "fail", [](std::span<const runtime::BufferRef>) -> llvm::Error {
        return llvm::createStringError("no such luck");
      });
  std::vector<runtime::BufferRef> inputs = {
      makeBuffer(*engine, "HOST", {1, 2, 3, 4}),
      makeBuffer(*engine, file, {1, 2, 3, 4}),
      makeBuffer(*engine, "", {5, 6, 7, 8})};
  EXPECT_PRED2(contains,
               getError(run(R"(
    func.func @main(%h: !host, %f: !file, %x: tensor<4xf32>) -> tensor<4xf32> {
      %c = lazy.copy %x : tensor<4xf32> -> !host
      %0 = lazy.assign %h, %c : !host
      %d = lazy.copy %x : tensor<4xf32> -> !file
      %1 = lazy.assign %f, %d : !file
      %2 = lazy.custom "fail"(%0) : (!host) -> tensor<4xf32>
      return %2 : tensor<4xf32>
    })",
                            inputs)),
               "no such luck");
  EXPECT_EQ(readFloats(*inputs[0]), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(readFloats(*inputs[1]), (Floats{1, 2, 3, 4}));
}
