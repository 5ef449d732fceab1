//===- SymbolicTest.cpp - One executable for many sizes -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "TemporaryFolder.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

namespace {

/// Every test runs on both devices.
class SymbolicTest : public ::testing::TestWithParam<const char *> {
protected:
  SymbolicTest() {
    Engine::Options options;
    options.device = GetParam();
    options.numThreads = 2;
    engine = llvm::cantFail(Engine::create(options));
  }

  /// The sums of the rows of x + 1, x itself, and how x lies in memory. With
  /// `size`, a number, in place of the variable.
  static std::string makeProgram(const std::string &size = "") {
    bool isSymbolic = size.empty();
    auto tensor = [&](const std::string &rows, const std::string &columns) {
      auto number = [&](const std::string &extent) {
        return extent != "i" ? extent : isSymbolic ? "?" : size;
      };
      auto expr = [](const std::string &extent) {
        return extent == "i" ? "#i" : extent;
      };
      std::string text =
          "tensor<" + number(rows) + "x" + number(columns) + "xf32";
      if (isSymbolic)
        text +=
            ", #lazy.type<dims = [" + expr(rows) + ", " + expr(columns) + "]>";
      return text + ">";
    };
    std::string x = tensor("i", "3"), t = tensor("3", "i");
    std::string sums = tensor("i", "1");
    return "#i = #lazy.variable<i, 1, 100>\n"
           "func.func @main(%x: " +
           x + (isSymbolic ? ", %n: index {lazy.variable = #i}" : "") +
           ") -> (" + sums + ", " + x + ", " + t +
           ") {\n"
           "  %c = lazy.const dense<1.0> : tensor<1x1xf32>\n"
           "  %e = lazy.expand %c : tensor<1x1xf32> -> " +
           x + "\n  %a = lazy.add %x, %e : " + x +
           "\n  %s = lazy.reduce_sum %a : " + x + " -> " + sums +
           "\n  %t = lazy.permute %x [1, 0] : " + x + " -> " + t +
           "\n  return %s, %x, %t : " + sums + ", " + x + ", " + t + "\n}\n";
  }

  std::shared_ptr<Executable> compile(const std::string &text) {
    return llvm::cantFail(engine->compile(text, "program.mlir", "main"));
  }

  std::vector<runtime::BufferRef> makeInput(int64_t rows) {
    Values values;
    for (int64_t i = 0; i < rows * 3; ++i)
      values.push_back(static_cast<double>(i % 17) - 8);
    return llvm::cantFail(
        toBuffers(*engine, {makeTensor(DType::Float32, {rows, 3}, values)}));
  }

  static std::vector<float> read(const runtime::BufferRef &buffer) {
    std::vector<float> values(buffer->getNumElements());
    llvm::cantFail(buffer->copyOut(values.data(), buffer->getNumBytes()));
    return values;
  }

  std::shared_ptr<Engine> engine;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, SymbolicTest,
                         ::testing::Values("INTERP", "CPU"),
                         [](const auto &info) { return info.param; });

TEST_P(SymbolicTest, oneExecutableServesEveryValue) {
  std::shared_ptr<Executable> symbolic = compile(makeProgram());
  for (int64_t rows : {1, 2, 7, 64, 100}) {
    std::shared_ptr<Executable> bound =
        compile(makeProgram(std::to_string(rows)));
    std::vector<runtime::BufferRef> input = makeInput(rows);
    auto results = symbolic->run(input, {.variables = {{"i", rows}}});
    ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
    auto expected = llvm::cantFail(bound->run(input));
    ASSERT_EQ(results->size(), 3u);
    for (size_t i = 0; i < 3; ++i)
      EXPECT_EQ(read((*results)[i]), read(expected[i])) << rows << ", " << i;
    // An input is passed on.
    EXPECT_EQ((*results)[1], input[0]);
  }
}

TEST_P(SymbolicTest, saysWhatItTakes) {
  std::shared_ptr<Executable> executable = compile(makeProgram());
  ASSERT_EQ(executable->getVariables().size(), 1u);
  EXPECT_EQ(executable->getVariables()[0].name, "i");
  EXPECT_EQ(executable->getVariables()[0].min, 1);
  EXPECT_EQ(executable->getVariables()[0].max, 100);
  ASSERT_EQ(executable->getInputs().size(), 1u);
  EXPECT_EQ(executable->getInputs()[0].shape, (ops::Shape{100, 3}));
  EXPECT_EQ(executable->getInputs()[0].getShape({{"i", 4}}),
            (ops::Shape{4, 3}));
  EXPECT_EQ(executable->getOutputs()[2].getShape({{"i", 4}}),
            (ops::Shape{3, 4}));
}

TEST_P(SymbolicTest, checksValues) {
  std::shared_ptr<Executable> executable = compile(makeProgram());
  std::vector<runtime::BufferRef> input = makeInput(4);
  EXPECT_EQ(getError(executable->run(input)),
            "expects a value for variable 'i'");
  EXPECT_EQ(getError(executable->run(input, {.variables = {{"i", 0}}})),
            "expects variable 'i' in [1, 100], got 0");
  EXPECT_EQ(getError(executable->run(input, {.variables = {{"i", 101}}})),
            "expects variable 'i' in [1, 100], got 101");
  EXPECT_EQ(
      getError(executable->run(input, {.variables = {{"i", 4}, {"k", 4}}})),
      "expects values for variables of the program, got one for 'k'");
  EXPECT_EQ(getError(executable->run(input, {.variables = {{"i", 5}}})),
            "expects input 0 of 15 float32, got 12 float32");
}

// What an engine keeps on disk serves all values, too.
TEST_P(SymbolicTest, startsWarm) {
  TemporaryFolder folder;
  Engine::Options options;
  options.device = GetParam();
  options.numThreads = 1;
  options.cacheDirectory = folder.getPath();
  std::vector<runtime::BufferRef> input;
  std::vector<std::vector<float>> sums;
  for (int64_t rows : {70, 3}) {
    engine = llvm::cantFail(Engine::create(options));
    std::shared_ptr<Executable> executable = compile(makeProgram());
    bool isWarm = rows == 3 && std::string(GetParam()) == "CPU";
    EXPECT_EQ(engine->getCompileStatistics().warmSchedules, isWarm);
    auto results =
        executable->run(makeInput(rows), {.variables = {{"i", rows}}});
    ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
    sums.push_back(read((*results)[0]));
  }
  // Row r holds (3 * r + c) % 17 - 7 at c, with 1 added.
  ASSERT_EQ(sums[0].size(), 70u);
  EXPECT_EQ(sums[1], (std::vector<float>{-18, -9, 0}));
  EXPECT_EQ(std::vector<float>(sums[0].begin(), sums[0].begin() + 3), sums[1]);
}

// The input is overwritten, and comes back as the result.
TEST_P(SymbolicTest, assignsInPlace) {
  std::shared_ptr<Executable> executable = compile(
      "#i = #lazy.variable<i, 1, 100>\n"
      "!x = tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>\n"
      "func.func @main(%n: index {lazy.variable = #i}, %x: !x) -> !x {\n"
      "  %0 = lazy.neg %x : !x\n"
      "  %1 = lazy.assign %x, %0 : !x\n"
      "  return %1 : !x\n"
      "}\n");
  for (int64_t rows : {1, 5}) {
    std::vector<runtime::BufferRef> input = makeInput(rows);
    std::vector<float> expected = read(input[0]);
    for (float &value : expected)
      value = -value;
    auto results = executable->run(input, {.variables = {{"i", rows}}});
    ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
    EXPECT_EQ((*results)[0], input[0]);
    EXPECT_EQ(read(input[0]), expected);
  }
}

// A run lays out its temporaries for its own sizes: never more than the peak.
TEST_P(SymbolicTest, takesTheMemoryOfItsSizes) {
  std::shared_ptr<Executable> executable =
      compile("#i = #lazy.variable<i, 1, 1000000>\n"
              "!x = tensor<?xf32, #lazy.type<dims = [#i]>>\n"
              "func.func @main(%n: index {lazy.variable = #i}, %x: !x) -> "
              "tensor<1xf32> {\n"
              "  %0 = lazy.sin %x : !x\n"
              "  %1 = lazy.contiguous %0 : !x\n"
              "  %2 = lazy.reduce_max %1 : !x -> tensor<1xf32>\n"
              "  %3 = lazy.expand %2 : tensor<1xf32> -> !x\n"
              "  %4 = lazy.sub %1, %3 : !x\n"
              "  %5 = lazy.reduce_sum %4 : !x -> tensor<1xf32>\n"
              "  return %5 : tensor<1xf32>\n"
              "}\n");
  if (std::string(GetParam()) == "CPU") {
    EXPECT_GE(executable->getPeakBytes(), 4000000);
    EXPECT_LE(executable->getPeakBytes(), 4000100);
  }
  std::vector<runtime::BufferRef> input = llvm::cantFail(
      toBuffers(*engine, {makeTensor(DType::Float32, {3}, {0, 1, 2})}));
  auto results = executable->run(input, {.variables = {{"i", 3}}});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_NEAR(read((*results)[0])[0], std::sin(1.0) - 2 * std::sin(2.0), 1e-6);
}
