//===- CompileTest.cpp - Compilations that fail or are stopped ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "TemporaryFolder.h"

#include <thread>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

/// Returns a program of sums over rows, each with another number of them; those
/// at the places `failing` have a plan that cannot be obeyed. The sum at place
/// i begins in line 2 + 7 * i.
static std::string makeProgram(int numKernels,
                               const std::vector<int> &failing = {}) {
  std::string arguments, types, results, body;
  for (int i = 0; i < numKernels; ++i) {
    std::string number = std::to_string(i), rows = std::to_string(8 + i);
    std::string input = "tensor<" + rows + "x64xf32>";
    std::string output = "tensor<" + rows + "x1xf32>";
    arguments += (i ? ", %x" : "%x") + number + ": " + input;
    types += (i ? ", " : "") + output;
    results += (i ? ", %r" : "%r") + number;
    bool fails = std::ranges::count(failing, i) != 0;
    body += "  %r" + number + " = lazy.kernel @k" + number + " ins(%x" +
            number + " : " + input + ") outs(%e" + number + " : " + output +
            ")" + (fails ? " plan <parallel = [1], tile = [8]>" : "") +
            " {\n"
            "  ^bb0(%in: " +
            input + ", %out: " + output +
            "):\n"
            "    %0 = lazy.load %in <[" +
            rows + ", 64]> : " + input + " -> " + input +
            "\n"
            "    %1 = lazy.reduce_sum %0 : " +
            input + " -> " + output +
            "\n"
            "    lazy.store %1, %out <[" +
            rows + ", 1]> : " + output + ", " + output +
            "\n"
            "  } -> " +
            output + "\n  %e" + std::to_string(i + 1) +
            " = lazy.empty : tensor<" + std::to_string(9 + i) + "x1xf32>\n";
  }
  return "func.func @main(" + arguments + ") -> (" + types +
         ") { %e0 = lazy.empty : tensor<8x1xf32>\n" + body + "  return " +
         results + " : " + types + "\n}\n";
}

static std::shared_ptr<Engine> makeEngine(Engine::Options options) {
  options.numThreads = 1;
  return llvm::cantFail(Engine::create(options));
}

TEST(CompileTest, failsWithTheErrorOfTheFirstKernel) {
  std::string text = makeProgram(12, {5, 7, 11});
  for (int threads : {1, 2, 8}) {
    Engine::Options options;
    options.numCompileThreads = threads;
    std::shared_ptr<Engine> engine = makeEngine(options);
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(getError(engine->compile(text, "sums.mlir", "main")),
                "sums.mlir:37:9: error: 'lazy.kernel' op cannot obey the field "
                "`parallel` of its plan: axis 1 is reduced");
    EXPECT_EQ(getError(engine->compile(makeProgram(12), "sums.mlir", "main")),
              "");
  }
}

TEST(CompileTest, keepsNothingOfWhatFails) {
  TemporaryFolder folder;
  Engine::Options options;
  options.cacheDirectory = folder.getPath();
  options.numCompileThreads = 1;
  options.verifyPasses = true;
  std::string text = makeProgram(3, {2});
  EXPECT_NE(getError(makeEngine(options)->compile(text, "a.mlir", "main")), "");
  EXPECT_EQ(listFiles(folder.getPath()).size(), 2u);
  EXPECT_NE(getError(makeEngine(options)->compile(text, "a.mlir", "main")), "");
}

TEST(CompileTest, doesNotBeginWhereItWasCancelled) {
  TemporaryFolder folder;
  Engine::Options options;
  options.cacheDirectory = folder.getPath();
  std::shared_ptr<Engine> engine = makeEngine(options);
  std::stop_source source;
  source.request_stop();
  std::string text = makeProgram(3);
  EXPECT_EQ(
      getError(engine->compile(text, "a.mlir", "main", source.get_token())),
      "cancelled");
  EXPECT_TRUE(listFiles(folder.getPath()).empty());
  std::stop_source other;
  EXPECT_EQ(
      getError(engine->compile(text, "a.mlir", "main", other.get_token())), "");
  EXPECT_EQ(listFiles(folder.getPath()).size(), 4u);
}

TEST(CompileTest, isCancelledAtAnyTime) {
  std::string text = makeProgram(12);
  int numCancelled = 0;
  for (int i = 0; i < 10; ++i) {
    TemporaryFolder folder;
    Engine::Options options;
    options.cacheDirectory = folder.getPath();
    options.numCompileThreads = 1 + i % 3;
    std::shared_ptr<Engine> engine = makeEngine(options);
    std::stop_source source;
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(6 * i));
      source.request_stop();
    });
    std::string error =
        getError(engine->compile(text, "a.mlir", "main", source.get_token()));
    canceller.join();
    if (!error.empty()) {
      EXPECT_EQ(error, "cancelled");
      ++numCancelled;
    }
    for (const std::string &file : listFiles(folder.getPath()))
      EXPECT_TRUE(file.ends_with(".entry")) << file;
    // What was done is of use, and nothing of the rest is in the way.
    EXPECT_EQ(getError(engine->compile(text, "a.mlir", "main")), "");
    EXPECT_EQ(engine->getCompileStatistics().kernelsCompiled, 12);
  }
  EXPECT_GT(numCancelled, 0);
}
