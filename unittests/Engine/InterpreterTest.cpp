//===- InterpreterTest.cpp - The interpreter on graphs - c ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Interpreter.h"
#include "GraphBuilder.h"
#include "tinygrad/Engine/ParseSource.h"
#include "tinygrad/InitAll.h"

#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Interprets the function `main` of `text`.
static llvm::Expected<std::vector<HostTensor>>
run(llvm::StringRef text, const std::vector<HostTensor> &inputs,
    const InterpreterCallback &callback = {}) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = parseSource(context, text, "test.mlir");
  if (!module)
    return module.takeError();
  auto function = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
  return interpret(function, inputs, callback);
}

/// The values of the one result of a function that must run.
static std::vector<double> evaluate(llvm::StringRef text,
                                    const std::vector<HostTensor> &inputs) {
  auto results = run(text, inputs);
  if (!results) {
    ADD_FAILURE() << llvm::toString(results.takeError());
    return {};
  }
  EXPECT_EQ(results->size(), 1u);
  return getValues(results->front());
}

static HostTensor floats(ops::Shape shape, const std::vector<double> &values) {
  return makeTensor(DType::Float32, std::move(shape), values);
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

TEST(InterpreterTest, maximumIsNaNWhereEitherIs) {
  std::vector<double> values = evaluate(
      "func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>)\n"
      "    -> tensor<4xf32> {\n"
      "  %r = lazy.max %a, %b : tensor<4xf32>\n"
      "  return %r : tensor<4xf32>\n"
      "}",
      {floats({4}, {NAN, 1, -0.0, -infinity}), floats({4}, {1, NAN, 0.0, -3})});
  ASSERT_EQ(values.size(), 4u);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_FALSE(std::signbit(values[2]));
  EXPECT_EQ(values[3], -3);
}

TEST(InterpreterTest, integerDivisionIsTotal) {
  HostTensor a = makeTensor(DType::Int8, {5}, {7, -7, -128, 5, -5});
  HostTensor b = makeTensor(DType::Int8, {5}, {-2, 2, -1, 0, 0});
  EXPECT_EQ(evaluate("func.func @main(%a: tensor<5xi8>, %b: tensor<5xi8>)\n"
                     "    -> tensor<5xi8> {\n"
                     "  %r = lazy.div %a, %b : tensor<5xi8>\n"
                     "  return %r : tensor<5xi8>\n"
                     "}",
                     {a, b}),
            (Values{-3, -3, -128, 0, 0}));
  EXPECT_EQ(evaluate("func.func @main(%a: tensor<5xi8>, %b: tensor<5xi8>)\n"
                     "    -> tensor<5xi8> {\n"
                     "  %r = lazy.mod %a, %b : tensor<5xi8>\n"
                     "  return %r : tensor<5xi8>\n"
                     "}",
                     {a, b}),
            (Values{1, -1, 0, 0, 0}));
}

TEST(InterpreterTest, whereTakesAnyCondition) {
  EXPECT_EQ(
      evaluate("func.func @main(%c: tensor<3xf32>, %a: tensor<3xi16>,\n"
               "                %b: tensor<3xi16>) -> tensor<3xi16> {\n"
               "  %r = lazy.where %c, %a, %b : tensor<3xf32>, tensor<3xi16>\n"
               "  return %r : tensor<3xi16>\n"
               "}",
               {floats({3}, {NAN, -0.0, 0.5}),
                makeTensor(DType::Int16, {3}, {1, 2, 3}),
                makeTensor(DType::Int16, {3}, {4, 5, 6})}),
      (Values{1, 5, 3}));
}

TEST(InterpreterTest, comparisonMayKeepTheType) {
  EXPECT_EQ(
      evaluate("func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>)\n"
               "    -> tensor<2xf32> {\n"
               "  %r = lazy.cmplt %a, %b : tensor<2xf32> -> tensor<2xf32>\n"
               "  return %r : tensor<2xf32>\n"
               "}",
               {floats({2}, {1, 2}), floats({2}, {2, 1})}),
      (Values{1, 0}));
}

TEST(InterpreterTest, castsSaturateAndBitcastsKeepBits) {
  EXPECT_EQ(evaluate("func.func @main(%a: tensor<4xf32>) -> tensor<4xui8> {\n"
                     "  %r = lazy.cast %a : tensor<4xf32> -> tensor<4xui8>\n"
                     "  return %r : tensor<4xui8>\n"
                     "}",
                     {floats({4}, {-1, 300, NAN, 2.9})}),
            (Values{0, 255, 0, 2}));
  EXPECT_EQ(
      evaluate("func.func @main(%a: tensor<2xf32>) -> tensor<2xui32> {\n"
               "  %r = lazy.bitcast %a : tensor<2xf32> -> tensor<2xui32>\n"
               "  return %r : tensor<2xui32>\n"
               "}",
               {floats({2}, {1, -0.0})}),
      (Values{0x3F800000, 0x80000000}));
}

//===----------------------------------------------------------------------===//
// Reduces
//===----------------------------------------------------------------------===//

TEST(InterpreterTest, reducesAnyAxes) {
  HostTensor x = floats({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_EQ(evaluate("func.func @main(%x: tensor<2x2x3xf32>)\n"
                     "    -> tensor<1x2x1xf32> {\n"
                     "  %r = lazy.reduce_sum %x : tensor<2x2x3xf32>\n"
                     "      -> tensor<1x2x1xf32>\n"
                     "  return %r : tensor<1x2x1xf32>\n"
                     "}",
                     {x}),
            (Values{30, 48}));
  EXPECT_EQ(evaluate("func.func @main(%x: tensor<2x2x3xf32>)\n"
                     "    -> tensor<2x1x3xf32> {\n"
                     "  %r = lazy.reduce_max %x : tensor<2x2x3xf32>\n"
                     "      -> tensor<2x1x3xf32>\n"
                     "  return %r : tensor<2x1x3xf32>\n"
                     "}",
                     {x}),
            (Values{4, 5, 6, 10, 11, 12}));
}

TEST(InterpreterTest, reducesOfNothingGiveTheIdentity) {
  EXPECT_EQ(evaluate("func.func @main(%x: tensor<2x0xf32>)\n"
                     "    -> tensor<2x1xf32> {\n"
                     "  %r = lazy.reduce_sum %x : tensor<2x0xf32>\n"
                     "      -> tensor<2x1xf32>\n"
                     "  return %r : tensor<2x1xf32>\n"
                     "}",
                     {floats({2, 0}, {})}),
            (Values{0, 0}));
  EXPECT_EQ(evaluate("func.func @main(%x: tensor<2x0xf16>)\n"
                     "    -> tensor<2x1xf16> {\n"
                     "  %r = lazy.reduce_max %x : tensor<2x0xf16>\n"
                     "      -> tensor<2x1xf16>\n"
                     "  return %r : tensor<2x1xf16>\n"
                     "}",
                     {makeTensor(DType::Float16, {2, 0}, {})}),
            (Values{-infinity, -infinity}));
  EXPECT_EQ(evaluate("func.func @main(%x: tensor<0x2xi8>)\n"
                     "    -> tensor<0x1xi8> {\n"
                     "  %r = lazy.reduce_max %x : tensor<0x2xi8>\n"
                     "      -> tensor<0x1xi8>\n"
                     "  return %r : tensor<0x1xi8>\n"
                     "}",
                     {makeTensor(DType::Int8, {0, 2}, {})}),
            Values());
}

TEST(InterpreterTest, halfSumsAreKeptInFloat32) {
  // In f16, 2048 + 1 is 2048 again.
  std::vector<double> values(65, 1);
  values[0] = 2048;
  EXPECT_EQ(evaluate("func.func @main(%x: tensor<65xf16>)\n"
                     "    -> tensor<1xf16> {\n"
                     "  %r = lazy.reduce_sum %x : tensor<65xf16>\n"
                     "      -> tensor<1xf16>\n"
                     "  return %r : tensor<1xf16>\n"
                     "}",
                     {makeTensor(DType::Float16, {65}, values)}),
            (Values{2112}));
}

TEST(InterpreterTest, integerSumsWrap) {
  EXPECT_EQ(evaluate("func.func @main(%x: tensor<3xui8>) -> tensor<1xui8> {\n"
                     "  %r = lazy.reduce_sum %x : tensor<3xui8>\n"
                     "      -> tensor<1xui8>\n"
                     "  return %r : tensor<1xui8>\n"
                     "}",
                     {makeTensor(DType::UInt8, {3}, {200, 100, 3})}),
            (Values{47}));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

TEST(InterpreterTest, movesElements) {
  HostTensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  auto move = [&](llvm::StringRef op, llvm::StringRef type) {
    return evaluate(("func.func @main(%x: tensor<2x3xf32>) -> " + type +
                     " {\n  %r = lazy." + op + " : tensor<2x3xf32> -> " + type +
                     "\n  return %r : " + type + "\n}")
                        .str(),
                    {x});
  };
  EXPECT_EQ(move("reshape %x", "tensor<3x2xf32>"), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(move("permute %x [1, 0]", "tensor<3x2xf32>"),
            (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(move("pad %x low [0, 1] high [1, 0]", "tensor<3x4xf32>"),
            (Values{0, 1, 2, 3, 0, 4, 5, 6, 0, 0, 0, 0}));
  EXPECT_EQ(move("shrink %x begin [1, 0] end [2, 2]", "tensor<1x2xf32>"),
            (Values{4, 5}));
  EXPECT_EQ(move("stride %x [-1, 2]", "tensor<2x2xf32>"), (Values{4, 6, 1, 3}));
  EXPECT_EQ(move("as_strided %x [1, 2] offset 1", "tensor<2x2xf32>"),
            (Values{2, 4, 3, 5}));
  EXPECT_EQ(move("shrink %x begin [2, 0] end [2, 3]", "tensor<0x3xf32>"),
            Values());
  EXPECT_EQ(evaluate("func.func @main(%x: tensor<2x1xf32>)\n"
                     "    -> tensor<2x3xf32> {\n"
                     "  %r = lazy.expand %x : tensor<2x1xf32>\n"
                     "      -> tensor<2x3xf32>\n"
                     "  return %r : tensor<2x3xf32>\n"
                     "}",
                     {floats({2, 1}, {1, 2})}),
            (Values{1, 1, 1, 2, 2, 2}));
}

TEST(InterpreterTest, readsMaskedViews) {
  HostTensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  // Transposed, with a column of zeros before and behind.
  EXPECT_EQ(
      evaluate("func.func @main(%x: tensor<2x3xf32>) -> tensor<3x4xf32> {\n"
               "  %r = lazy.view %x <[3, 4], strides = [1, 3], offset = -3,\n"
               "      mask = [[0, 3], [1, 3]]>\n"
               "      : tensor<2x3xf32> -> tensor<3x4xf32>\n"
               "  return %r : tensor<3x4xf32>\n"
               "}",
               {x}),
      (Values{0, 1, 4, 0, 0, 2, 5, 0, 0, 3, 6, 0}));
  // Two views, a mask in the inner one: padded, then read backwards.
  EXPECT_EQ(
      evaluate("func.func @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {\n"
               "  %r = lazy.view %x <[2, 5], strides = [3, 1], offset = -1,\n"
               "      mask = [[0, 2], [1, 4]], then [6], strides = [-1],\n"
               "      offset = 8> : tensor<2x3xf32> -> tensor<6xf32>\n"
               "  return %r : tensor<6xf32>\n"
               "}",
               {x}),
      (Values{6, 5, 4, 0, 0, 3}));
  // Nothing is read.
  EXPECT_EQ(evaluate("func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {\n"
                     "  %r = lazy.view %x <[2], mask = [[0, 0]]>\n"
                     "      : tensor<2x3xf32> -> tensor<2xf32>\n"
                     "  return %r : tensor<2xf32>\n"
                     "}",
                     {x}),
            (Values{0, 0}));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

TEST(InterpreterTest, makesTensors) {
  auto results = run(
      "func.func @main() -> (tensor<2xf32>, tensor<3xi1>, tensor<f64>,\n"
      "                      tensor<0xbf16>) {\n"
      "  %e = lazy.empty : tensor<2xf32>\n"
      "  %c = lazy.const dense<true> : tensor<3xi1>\n"
      "  %s = lazy.const dense<2.5> : tensor<f64>\n"
      "  %t = lazy.contiguous %s : tensor<f64>\n"
      "  %z = lazy.const dense<1.0> : tensor<0xbf16>\n"
      "  return %e, %c, %t, %z : tensor<2xf32>, tensor<3xi1>, tensor<f64>,\n"
      "      tensor<0xbf16>\n"
      "}",
      {});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(getValues((*results)[0]), (Values{0, 0}));
  EXPECT_EQ(getValues((*results)[1]), (Values{1, 1, 1}));
  EXPECT_EQ(getValues((*results)[2]), (Values{2.5}));
  EXPECT_EQ(getValues((*results)[3]), Values());
}

TEST(InterpreterTest, callsBack) {
  const char *text =
      "func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {\n"
      "  %r = lazy.custom \"sum\" (%x) : (tensor<2xf32>) -> tensor<3xf32>\n"
      "  return %r : tensor<3xf32>\n"
      "}";
  auto callback = [](llvm::StringRef name, llvm::ArrayRef<HostTensor> operands,
                     const HostTensor &result) -> llvm::Error {
    EXPECT_EQ(name, "sum");
    double sum = 0;
    for (double value : getValues(operands[0]))
      sum += value;
    if (sum < 0)
      return llvm::createStringError("sums below 0 are not wanted");
    for (int64_t i = 0; i < result.getNumElements(); ++i)
      result.set(i, ops::Scalar::fromDouble(DType::Float32, sum + i));
    return llvm::Error::success();
  };
  auto results = run(text, {floats({2}, {3, 4})}, callback);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(getValues(results->front()), (Values{7, 8, 9}));
  EXPECT_EQ(getError(run(text, {floats({2}, {-3, 0})}, callback)),
            "test.mlir:2:8: error: 'lazy.custom' op sums below 0 are not "
            "wanted");
  EXPECT_PRED2(contains, getError(run(text, {floats({2}, {3, 4})})),
               "op expects a callback `sum`, but none is registered");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(InterpreterTest, namesWhatItDoesNotKnow) {
  EXPECT_EQ(getError(run("func.func @main() {\n"
                         "  %c = arith.constant 1 : i32\n"
                         "  return\n"
                         "}",
                         {})),
            "test.mlir:2:8: error: 'arith.constant' op is not interpretable");
  EXPECT_PRED2(contains, getError(run("func.func private @main()", {})),
               "op expects a body");
  EXPECT_PRED2(contains,
               getError(run("func.func @main(%x: tensor<2xf32>) {\n"
                            "  return\n"
                            "}",
                            {})),
               "op expects 1 arguments, got 0");
  EXPECT_PRED2(contains,
               getError(run("func.func @main(%x: tensor<2xf32>) {\n"
                            "  return\n"
                            "}",
                            {floats({3}, {1, 2, 3})})),
               "op expects argument 0 of type tensor<2xf32>, got float32 "
               "[3]");
  EXPECT_PRED2(contains,
               getError(run("func.func @main() {\n"
                            "  call @main() : () -> ()\n"
                            "  return\n"
                            "}",
                            {})),
               "op expects calls nested no deeper than 16");
}

TEST(InterpreterTest, reportsThatMemoryRanOut) {
  EXPECT_PRED2(
      contains,
      getError(run("func.func @main() -> tensor<4000000000x1000000000xf64> {\n"
                   "  %r = lazy.empty : tensor<4000000000x1000000000xf64>\n"
                   "  return %r : tensor<4000000000x1000000000xf64>\n"
                   "}",
                   {})),
      "test.mlir:2:8: error: 'lazy.empty' op");
}

TEST(InterpreterTest, isIterative) {
  // A chain as long as a program of many steps.
  std::string text = "func.func @main(%x0: tensor<2xi32>) -> tensor<2xi32> {\n";
  constexpr int length = 20000;
  for (int i = 0; i < length; ++i)
    text += "%x" + std::to_string(i + 1) + " = lazy.add %x" +
            std::to_string(i) + ", %x0 : tensor<2xi32>\n";
  text += "return %x" + std::to_string(length) + " : tensor<2xi32>\n}";
  EXPECT_EQ(evaluate(text, {makeTensor(DType::Int32, {2}, {1, -2})}),
            (Values{length + 1, -2 * (length + 1)}));
}
