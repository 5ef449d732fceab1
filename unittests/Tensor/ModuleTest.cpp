//===- ModuleTest.cpp - The compiler as a library -------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Module.h"
#include "TensorTest.h"
#include "tinygrad/Tensor/Jit.h"
#include "tinygrad/Tensor/Sharing.h"

#include "gmock/gmock.h"

using namespace tinygrad;
using namespace tinygrad::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

static const char sums[] = R"(
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %y = lazy.add %x, %x : tensor<2x3xf32>
  %r = lazy.reduce_sum %y : tensor<2x3xf32> -> tensor<2x1xf32>
  %e = lazy.neg %r : tensor<2x1xf32>
  return %r, %e : tensor<2x1xf32>, tensor<2x1xf32>
}
)";

static std::vector<Diagnostic> getDiagnostics(const std::function<void()> &fn) {
  try {
    fn();
  } catch (const Error &error) {
    return parseDiagnostics(error.getCompilerText());
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(Module, is_parsed_and_printed) {
  Module module = Module::parse(sums);
  EXPECT_THAT(module.print(), HasSubstr("lazy.reduce_sum"));
  EXPECT_THAT(module.print(), Not(HasSubstr("loc(")));
  EXPECT_THAT(module.print(true), HasSubstr("module.mlir\":3:"));
  EXPECT_EQ(Module::parse(module.print()).print(), module.print());
}

TEST(Module, goes_through_pipelines) {
  Module module = Module::parse(sums);
  Module scheduled = module.run("tinygrad-schedule");
  EXPECT_THAT(module.print(), Not(HasSubstr("lazy.kernel")));
  std::vector<ops::FunctionRecord> functions = scheduled.getFunctions();
  ASSERT_GE(functions.size(), 3u);
  EXPECT_EQ(functions[0].name, "main");
  EXPECT_FALSE(functions[0].isKernel);
  EXPECT_EQ(functions[0].callees[0], functions[1].name);
  EXPECT_TRUE(functions[1].isKernel);
  EXPECT_THAT(functions[1].text, HasSubstr("lazy.reduce_sum"));
  EXPECT_EQ(functions[1].flops, 12);
  EXPECT_EQ(functions[1].bytes, 32);
  // Passes on functions need no nesting, and may have it.
  for (const char *pipeline :
       {"lazy-schedule", "func.func(lazy-schedule)", " lazy-schedule , cse",
        "builtin.module(func.func(lazy-schedule))"})
    EXPECT_THAT(module.run(pipeline).print(), HasSubstr("lazy.kernel"))
        << pipeline;
  Module lowered = scheduled.run("tinygrad-to-loops,tinygrad-to-llvm");
  EXPECT_THAT(lowered.printLLVMIR(), HasSubstr("define void @r_2_3"));
  EXPECT_EQ(module.run("").print(), module.print());
}

TEST(Module, tells_where_the_text_is_wrong) {
  auto diagnostics = getDiagnostics([] {
    Module::parse("func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {\n"
                  "  %y = lazy.neg %x : tensor<2xf32>\n"
                  "  return %y : tensor<2xf32>\n}\n",
                  "wrong.mlir");
  });
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].severity, "error");
  EXPECT_EQ(diagnostics[0].file, "wrong.mlir");
  EXPECT_EQ(diagnostics[0].line, 3);
  EXPECT_EQ(diagnostics[0].column, 3);
  EXPECT_THAT(diagnostics[0].message, HasSubstr("return"));
}

TEST(Module, tells_which_pass_is_wrong) {
  Module module = Module::parse(sums);
  for (const char *pipeline :
       {"no-such-pass", "lazy-schedule{no-such-option=1}", "func.func(",
        "builtin.module(cse", "tinygrad-schedule{opt-level=x}", "a)b"}) {
    auto diagnostics = getDiagnostics([&] { module.run(pipeline); });
    ASSERT_FALSE(diagnostics.empty()) << pipeline;
    EXPECT_EQ(diagnostics[0].severity, "error") << pipeline;
  }
  EXPECT_FALSE(getDiagnostics([&] { module.printLLVMIR(); }).empty());
  EXPECT_FALSE(getDiagnostics([&] { module.compile("other"); }).empty());
}

TEST(Module, is_compiled_and_called) {
  CompiledFunction function = Module::parse(sums).compile();
  Tensor x(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  for (int i = 0; i < 2; ++i) {
    std::vector<Tensor> results = function({x + i});
    ASSERT_EQ(results.size(), 2u);
    expectTensor(results[0], {2, 1}, {12. + 6 * i, 30. + 6 * i});
    expectTensor(results[1], {2, 1}, {-12. - 6 * i, -30. - 6 * i});
  }
  EXPECT_EQ(function.getInputs().at(0).shape, (Shape{2, 3}));
  EXPECT_EQ(function.getResults().size(), 2u);
  EXPECT_FALSE(function.getKernels().empty());
  expectError([&] { function({}); }, "call: expects 1 inputs, got 0");
  expectError([&] { function({x.T()}); },
              "call: expects input 0 to be float32 [2, 3], got float32 [3, 2]");
  expectError([&] { function({x}, {{"i", 1}}); },
              "call: expects values for variables of the program, got one for "
              "'i'");
}

TEST(Module, an_input_that_is_assigned_is_copied) {
  CompiledFunction function = Module::parse(R"(
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %s = lazy.add %x, %y : tensor<2xf32>
  %a = lazy.assign %x, %s : tensor<2xf32>
  return %a : tensor<2xf32>
}
)")
                                  .compile();
  Tensor x(std::vector<float>{1, 2}), y(std::vector<float>{10, 20});
  expectTensor(function({x, y})[0], {2}, {11, 22});
  expectTensor(x, {2}, {1, 2});
}

TEST(Module, is_traced_from_tensors) {
  Tensor x(std::vector<float>{1, 2}), y(std::vector<float>{3, 4}),
      w(std::vector<float>{5, 6});
  Tensor result = (y - x) * w;
  Module module = Module::trace({result, x}, {x, y});
  EXPECT_FALSE(result.isRealized());
  std::vector<Tensor> results = module.compile()({x, y, w});
  expectTensor(results[0], {2}, {10, 12});
  expectTensor(results[1], {2}, {1, 2});
  // Inputs need not be used.
  Module unused = Module::trace({x + 1}, {y, x});
  expectTensor(unused.compile()({y, x})[0], {2}, {2, 3});
  expectTensor(Module::trace({Tensor::ones({2})}).compile()({})[0], {2},
               {1, 1});
  expectError([&] { Module::trace({result}, {x + 1}); },
              "trace: expects inputs that are computed, as by realize");
  expectError([&] { Module::trace({result}, {x, x}); },
              "trace: expects each input to be a tensor of its own");
}

TEST(Module, a_result_shares_no_memory_of_others) {
  CompiledFunction same = Module::parse("func.func @main(%x: tensor<2xf32>) -> "
                                        "tensor<2xf32> {\n"
                                        "  return %x : tensor<2xf32>\n}\n")
                              .compile();
  Tensor x(std::vector<float>{1, 2});
  auto *elements = static_cast<float *>(shareElements(x).memory.get());
  Tensor result = same({x})[0];
  elements[0] = 9;
  expectTensor(result, {2}, {1, 2});
}

TEST(Diagnostics, are_read_from_text) {
  auto diagnostics = parseDiagnostics("a:b.mlir:3:14: error: x: note: y\n"
                                      "more\nnote: see there\nname: error: z");
  ASSERT_EQ(diagnostics.size(), 3u);
  EXPECT_EQ(diagnostics[0].file, "a:b.mlir");
  EXPECT_EQ(diagnostics[0].line, 3);
  EXPECT_EQ(diagnostics[0].column, 14);
  EXPECT_EQ(diagnostics[0].message, "x: note: y\nmore");
  EXPECT_EQ(diagnostics[1].severity, "note");
  EXPECT_EQ(diagnostics[1].file, "");
  EXPECT_EQ(diagnostics[2].file, "name");
  EXPECT_EQ(parseDiagnostics("plain")[0].message, "plain");
  EXPECT_TRUE(parseDiagnostics("").empty());
}
