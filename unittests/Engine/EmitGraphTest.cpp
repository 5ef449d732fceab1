//===- EmitGraphTest.cpp - From graphs to the lazy dialect - c ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/EmitGraph.h"
#include "GraphBuilder.h"
#include "tinygrad/Pipelines/CheckNesting.h"

#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

/// Returns the text of the module of `graph`, or the error.
static std::string emit(const ops::Graph &graph) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = emitGraph(context, graph);
  if (!module)
    return llvm::toString(module.takeError());
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream);
  return text;
}

TEST(EmitGraphTest, emitsInOrder) {
  GraphBuilder builder;
  int32_t x = builder.input(DType::Float32, {2, 3});
  int32_t scale = builder.input(DType::Float32, {});
  int32_t wide =
      builder.op(ops::OpKind::Expand,
                 {builder.op(ops::OpKind::Reshape, {scale}, {1, 1})}, {2, 3});
  int32_t product = builder.op(ops::OpKind::Mul, {x, wide});
  int32_t sum = builder.op(ops::OpKind::ReduceSum, {product}, {2, 1});
  int32_t isZero = builder.op(
      ops::OpKind::CmpEq,
      {sum,
       builder.constant(ops::Scalar::fromDouble(DType::Float32, 0), {2, 1})},
      {}, DType::Bool);
  EXPECT_EQ(emit(builder.build({isZero, x, isZero})),
            R"mlir(module {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) -> (tensor<2x1xi1>, tensor<2x3xf32>, tensor<2x1xi1>) {
    %0 = lazy.reshape %arg1 : tensor<f32> -> tensor<1x1xf32>
    %1 = lazy.expand %0 : tensor<1x1xf32> -> tensor<2x3xf32>
    %2 = lazy.mul %arg0, %1 : tensor<2x3xf32>
    %3 = lazy.reduce_sum %2 : tensor<2x3xf32> -> tensor<2x1xf32>
    %4 = lazy.const dense<0.000000e+00> : tensor<2x1xf32>
    %5 = lazy.cmpeq %3, %4 : tensor<2x1xf32> -> tensor<2x1xi1>
    return %5, %arg0, %5 : tensor<2x1xi1>, tensor<2x3xf32>, tensor<2x1xi1>
  }
}
)mlir");
}

TEST(EmitGraphTest, emitsMovementAndLoads) {
  GraphBuilder builder;
  int32_t x = builder.input(DType::Int32, {4, 3});
  int32_t padded = builder.op(ops::OpKind::Pad, {x}, {1, 0, 0, 2});
  int32_t shrunk = builder.op(ops::OpKind::Shrink, {padded}, {1, 5, 0, 4});
  int32_t flipped = builder.op(ops::OpKind::Stride, {shrunk}, {-1, 2});
  int32_t moved = builder.op(ops::OpKind::Permute, {flipped}, {1, 0});
  int32_t viewed = builder.op(ops::OpKind::AsStrided, {moved}, {2, 2, 1, 3, 1});
  int32_t own = builder.op(ops::OpKind::Contiguous, {viewed});
  int32_t copy = builder.op(ops::OpKind::Copy, {own});
  int32_t drawn = builder.custom("rand", {copy}, DType::BFloat16, {5});
  std::string text = emit(builder.build({drawn}));
  for (const char *line :
       {"lazy.pad %arg0 low [1, 0] high [0, 2]",
        "lazy.shrink %0 begin [1, 0] end [5, 4]", "lazy.stride %1 [-1, 2]",
        "lazy.permute %2 [1, 0]", "lazy.as_strided %3 [1, 3] offset 1",
        "%5 = lazy.contiguous %4", "%6 = lazy.contiguous %5",
        "lazy.custom \"rand\"(%6) : (tensor<2x2xi32>) -> tensor<5xbf16>"})
    EXPECT_PRED2(contains, text, line);
}

TEST(EmitGraphTest, emitsAssignments) {
  GraphBuilder builder;
  int32_t x = builder.input(DType::Float32, {3});
  int32_t y = builder.op(ops::OpKind::Neg, {x});
  std::string text =
      emit(builder.build({builder.op(ops::OpKind::Assign, {x, y})}));
  EXPECT_PRED2(contains, text, "lazy.assign %arg0, %0 : tensor<3xf32>");
}

/// Returns the sum of `x` over its second axis, which is `extent`, and `x`
/// between zeros.
static ops::Graph makeSymbolicGraph(const shape::IndexExpr &extent) {
  ops::Graph graph;
  graph.inputs = {0};
  graph.outputs = {1, 2};
  graph.nodes.resize(3);
  graph.nodes[0].symbolicShape = {3, extent};
  graph.nodes[1].kind = ops::OpKind::ReduceSum;
  graph.nodes[1].operands = {0};
  graph.nodes[1].attributes.ints = graph.nodes[1].shape = {3, 1};
  graph.nodes[2].kind = ops::OpKind::Pad;
  graph.nodes[2].operands = {0};
  graph.nodes[2].symbolicInts = {0, 0, extent, 1};
  graph.nodes[2].symbolicShape = {3, extent * 2 + 1};
  return graph;
}

TEST(EmitGraphTest, emitsVariables) {
  auto i = shape::IndexExpr::variable("i", 1, 10);
  ops::Graph graph = makeSymbolicGraph(i);
  std::string text = emit(graph);
  for (const char *part :
       {"#i = #lazy.variable<i, 1, 10>", "%arg0: index {lazy.variable = #i}",
        "%arg1: tensor<3x?xf32, #lazy.type<dims = [3, #i]>>",
        "lazy.reduce_sum %arg1", "lazy.pad %arg1 low [0, #i] high [0, 1]"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;

  EXPECT_EQ(emit(makeSymbolicGraph(i.bind(3))),
            "node 0 (input): expects free variables, got `i`, which is bound");
  EXPECT_EQ(emit(makeSymbolicGraph(i - 5)),
            "node 0 (input): cannot prove that `i - 5` is not negative in [3, "
            "i - 5]");
  graph.nodes[2].symbolicShape = {3, i};
  EXPECT_EQ(emit(graph), "node 2 (`lazy.pad`): expects result shape [3, i * 2 "
                         "+ 1], got [3, i]");
  graph.nodes[2].symbolicShape = {3, shape::IndexExpr::variable("i", 1, 5) * 2 +
                                         1};
  EXPECT_EQ(emit(graph),
            "node 2 (`lazy.pad`): expects one range for variable `i`");
}

TEST(EmitGraphTest, emptyGraph) {
  EXPECT_PRED2(contains, emit({}), "func.func @main() {\n    return");
}

//===----------------------------------------------------------------------===//
// Graphs that are not valid
//===----------------------------------------------------------------------===//

namespace {

/// A graph of one addition of two inputs, to be damaged.
class BadGraphTest : public ::testing::Test {
protected:
  BadGraphTest() {
    int32_t x = builder.input(DType::Float32, {2});
    int32_t y = builder.input(DType::Float32, {2});
    graph = builder.build({builder.op(ops::OpKind::Add, {x, y})});
  }
  GraphBuilder builder;
  ops::Graph graph;
};

} // namespace

TEST_F(BadGraphTest, inputs) {
  graph.inputs = {0, 7};
  EXPECT_EQ(emit(graph), "expects inputs that are nodes, got node 7 of 3");
  graph.inputs = {0, -1};
  EXPECT_EQ(emit(graph), "expects inputs that are nodes, got node -1 of 3");
  graph.inputs = {0, 2};
  EXPECT_EQ(emit(graph),
            "node 2 (`lazy.add`): expects an input to have no operation");
  graph.inputs = {0, 0};
  EXPECT_EQ(emit(graph), "node 0 (input): expects an input to be listed once");
  graph.inputs = {0};
  EXPECT_EQ(emit(graph),
            "node 1 (input): expects an input to be listed in the inputs");
}

TEST_F(BadGraphTest, outputs) {
  graph.outputs = {3};
  EXPECT_EQ(emit(graph), "expects outputs that are nodes, got node 3 of 3");
}

TEST_F(BadGraphTest, operands) {
  graph.nodes[2].operands = {0, 2};
  EXPECT_EQ(emit(graph), "node 2 (`lazy.add`): expects operands before itself, "
                         "got node 2");
  graph.nodes[2].operands = {0, -3};
  EXPECT_EQ(emit(graph), "node 2 (`lazy.add`): expects operands before itself, "
                         "got node -3");
  graph.nodes[2].operands = {0};
  EXPECT_EQ(emit(graph), "node 2 (`lazy.add`): expects 2 operands, got 1");
}

TEST_F(BadGraphTest, shapesAndTypes) {
  graph.nodes[2].shape = {3};
  EXPECT_EQ(emit(graph),
            "node 2 (`lazy.add`): expects result shape [2], got [3]");
  graph.nodes[2].shape = {2};
  graph.nodes[2].type = DType::Int8;
  EXPECT_PRED2(contains, emit(graph), "node 2 (`lazy.add`): ");
  graph.nodes[1].shape = {-2};
  EXPECT_EQ(emit(graph), "node 1 (input): expects extents that are not "
                         "negative and a number of elements that fits in 62 "
                         "bits, got [-2]");
}

TEST_F(BadGraphTest, attributes) {
  graph.nodes[2] = {ops::OpKind::Pad, {0}, {4}, DType::Float32, {{1}, {}, {}}};
  EXPECT_PRED2(contains, emit(graph), "node 2 (`lazy.pad`): ");
  graph.nodes[2] = {ops::OpKind::AsStrided, {0}, {4}, DType::Float32, {}};
  EXPECT_PRED2(contains, emit(graph), "node 2 (`lazy.as_strided`): ");
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

TEST(ParseSourceTest, countsNesting) {
  auto check = [](const std::string &text) {
    return llvm::toString(checkNesting(text, "f.mlir"));
  };
  std::string deep(256, '(');
  EXPECT_EQ(check(deep), "");
  EXPECT_EQ(check("\n " + deep + "["),
            "f.mlir:2:258: error: expects brackets nested no deeper than 256");
  EXPECT_EQ(check(deep + ")("), "");
  // A bracket of another kind closes nothing.
  EXPECT_NE(check(deep + "]("), "");
  EXPECT_NE(check(std::string(257, '<')), "");
  EXPECT_NE(check(std::string(257, '{')), "");
  EXPECT_EQ(check("// " + deep + "(\n\"" + deep + "(\\\"(\" // \"\n" + deep),
            "");
  EXPECT_NE(check("\"(\n" + deep + "("), "");
  // What only looks like brackets.
  EXPECT_EQ(check(deep.substr(1) + "<->>()"), "");
  std::string comparisons;
  for (int i = 0; i < 300; ++i)
    comparisons += "d0 <= d1, ";
  EXPECT_EQ(check(comparisons), "");
}
