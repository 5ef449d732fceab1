//===- ContractionTest.cpp - Contractions against the interpreter ---------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix products and convolutions of many sizes, types and views on the CPU,
// compared with the interpreter. Sizes straddle the tiles and blocks.
//
//===----------------------------------------------------------------------===//

#include "ErrorBounds.h"
#include "GraphBuilder.h"
#include "RandomGraph.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace tinygrad;
using namespace tinygrad::test;
using ops::OpKind;

namespace {

/// What a case varies.
struct Options {
  DType type = DType::Float32;
  int64_t batch = 1, rows, columns, products;
  bool transposesLeft = false, transposesRight = false;
  /// Zeros around the left factor, cut from its product axis.
  bool pads = false;
  /// Operations before the product and after the sum.
  bool hasPrologue = false, hasEpilogue = false;
};

/// Builds a sum of products of matrices [batch, rows, products] and
/// [batch, products, columns].
ops::Graph buildProduct(const Options &o) {
  GraphBuilder b;
  int64_t inner = o.pads ? o.products - 2 : o.products;
  ops::Shape leftShape = {o.batch, o.rows, inner};
  ops::Shape rightShape = {o.batch, o.products, o.columns};
  if (o.transposesLeft)
    std::swap(leftShape[1], leftShape[2]);
  if (o.transposesRight)
    std::swap(rightShape[1], rightShape[2]);
  int32_t left = b.input(o.type, leftShape);
  int32_t right = b.input(o.type, rightShape);
  if (o.transposesLeft)
    left = b.op(OpKind::Permute, {left}, {0, 2, 1});
  if (!o.transposesRight)
    right = b.op(OpKind::Permute, {right}, {0, 2, 1});
  if (o.pads)
    left = b.op(OpKind::Pad, {left}, {0, 0, 0, 0, 1, 1});
  ops::Shape all = {o.batch, o.rows, o.columns, o.products};
  left = b.op(OpKind::Reshape, {left}, {o.batch, o.rows, 1, o.products});
  left = b.op(OpKind::Expand, {left}, all);
  right = b.op(OpKind::Reshape, {right}, {o.batch, 1, o.columns, o.products});
  right = b.op(OpKind::Expand, {right}, all);
  if (o.hasPrologue)
    left = b.op(OpKind::Neg, {left});
  int32_t product = b.op(OpKind::Mul, {left, right});
  int32_t sum =
      b.op(OpKind::ReduceSum, {product}, {o.batch, o.rows, o.columns, 1});
  int32_t result = b.op(OpKind::Reshape, {sum}, {o.batch, o.rows, o.columns});
  if (o.hasEpilogue) {
    int32_t bias = b.input(o.type, {o.columns});
    bias = b.op(OpKind::Reshape, {bias}, {1, 1, o.columns});
    bias = b.op(OpKind::Expand, {bias}, {o.batch, o.rows, o.columns});
    result = b.op(OpKind::Add, {result, bias});
    result = b.op(OpKind::Max, {result, bias});
  }
  return b.build({result});
}

/// Builds a convolution of [batch, channels, size, size] by `window` squares.
ops::Graph buildConvolution(int64_t batch, int64_t channels, int64_t outputs,
                            int64_t size, int64_t window) {
  GraphBuilder b;
  int64_t places = size - window + 1;
  int32_t image = b.input(DType::Float32, {batch, channels, size, size});
  int32_t weight = b.input(DType::Float32, {outputs, channels, window, window});
  image = b.op(OpKind::Reshape, {image}, {batch * channels * size * size});
  // Window (i, j) at place (y, x) begins at row y + i and column x + j.
  ops::Shape all = {batch, outputs, places, places, channels, window, window};
  std::vector<int64_t> ints = {batch,    1,      places, places,
                               channels, window, window, channels * size * size,
                               0,        size,   1,      size * size,
                               size,     1,      0};
  image = b.op(OpKind::AsStrided, {image}, ints);
  image = b.op(OpKind::Expand, {image}, all);
  weight = b.op(OpKind::Reshape, {weight},
                {1, outputs, 1, 1, channels, window, window});
  weight = b.op(OpKind::Expand, {weight}, all);
  int32_t product = b.op(OpKind::Mul, {image, weight});
  int32_t sum = b.op(OpKind::ReduceSum, {product},
                     {batch, outputs, places, places, 1, 1, 1});
  return b.build(
      {b.op(OpKind::Reshape, {sum}, {batch, outputs, places, places})});
}

std::shared_ptr<engine::Engine> makeEngine(const char *device) {
  engine::Engine::Options options;
  options.verifyPasses = true;
  options.device = device;
  return llvm::cantFail(engine::Engine::create(options));
}

/// Runs `graph` on both devices; returns what is wrong, or nothing.
std::string runBoth(const ops::Graph &graph, int64_t seed) {
  Random random(seed);
  std::vector<engine::HostTensor> inputs;
  for (int32_t input : graph.inputs) {
    // Small numbers: a product that overflows alone need not do so in a fused
    // step.
    const ops::GraphNode &node = graph.nodes[input];
    std::vector<double> elements(*ops::getNumElements(node.shape));
    for (double &element : elements)
      element = static_cast<double>(random.between(-16, 16)) / 4;
    inputs.push_back(makeTensor(node.type, node.shape, elements));
  }
  ops::Graph all = graph;
  all.outputs.resize(graph.nodes.size());
  std::iota(all.outputs.begin(), all.outputs.end(), 0);
  auto values = runGraph(*makeEngine("INTERP"), all, inputs);
  if (!values)
    return llvm::toString(values.takeError());
  std::vector<double> bounds = computeErrorBounds(graph, *values);
  auto results = runGraph(*makeEngine("CPU"), graph, inputs);
  if (!results)
    return llvm::toString(results.takeError());
  int32_t node = graph.outputs[0];
  return compareTensors((*results)[0], (*values)[node], bounds[node]);
}

constexpr DType types[] = {DType::Float32,  DType::Float64, DType::Float16,
                           DType::BFloat16, DType::Int32,   DType::UInt8,
                           DType::Int64,    DType::Bool};

} // namespace

TEST(ContractionTest, products_of_many_sizes) {
  Random random(7);
  auto pick = [&](int64_t limit) { return random.below(limit); };
  for (int64_t i = 0; i < 60; ++i) {
    Options o;
    o.type = types[pick(std::size(types))];
    o.batch = 1 + pick(3);
    o.rows = 4 + pick(28);
    o.columns = 4 + pick(40);
    o.products = 4 + pick(24);
    o.transposesLeft = pick(2);
    o.transposesRight = pick(2);
    o.pads = pick(2);
    o.hasPrologue = pick(2) && o.type != DType::Bool;
    o.hasEpilogue = pick(2);
    EXPECT_EQ(runBoth(buildProduct(o), i), "")
        << getName(o.type) << " " << o.batch << " x " << o.rows << " x "
        << o.columns << " x " << o.products << ", seed " << i;
  }
}

// More products than one block holds: the sums go through memory.
TEST(ContractionTest, many_products) {
  for (DType type : {DType::Float32, DType::Int32, DType::BFloat16}) {
    Options o;
    o.type = type;
    o.rows = 13;
    o.columns = 21;
    o.products = 1031;
    o.hasEpilogue = true;
    EXPECT_EQ(runBoth(buildProduct(o), 1), "") << getName(type);
  }
}

TEST(ContractionTest, convolutions) {
  EXPECT_EQ(runBoth(buildConvolution(2, 3, 5, 9, 3), 1), "");
  EXPECT_EQ(runBoth(buildConvolution(1, 1, 8, 12, 5), 2), "");
  EXPECT_EQ(runBoth(buildConvolution(3, 4, 16, 6, 3), 3), "");
}
