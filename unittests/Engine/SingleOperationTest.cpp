//===- SingleOperationTest.cpp - Each operation on each type - c ----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One operation alone, on the edges of its types: the compiled result has the
// interpreter's bits, but for functions of libm, which may differ by a few
// units in the last place.
//
//===----------------------------------------------------------------------===//

#include "ErrorBounds.h"
#include "RandomGraph.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;
using ops::OpKind;

namespace {

/// Every test runs for one type.
class SingleOperationTest : public ::testing::TestWithParam<int> {
protected:
  DType getType() const { return static_cast<DType>(GetParam()); }
  /// Runs `graph` on both devices and compares all outputs.
  void compare(const ops::Graph &graph, const std::vector<HostTensor> &inputs);
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Types, SingleOperationTest,
                         ::testing::Range(0, numDTypes), [](const auto &info) {
                           return std::string(
                               getName(static_cast<DType>(info.param)));
                         });

/// Returns values at the edges of `type` and some in the middle.
static std::vector<ops::Scalar> makeEdges(DType type) {
  std::vector<ops::Scalar> edges;
  if (isFloat(type)) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (double value : {0.0,  1.0,   0.5,   1.5,     2.0,     3.0,     0.1,
                         7.25, 100.0, 255.5, 40000.0, 65504.0, 3e9,     1e19,
                         3e38, 1e300, 6e-8,  1e-40,   1e-300,  infinity})
      for (double sign : {1.0, -1.0})
        edges.push_back(ops::Scalar::fromDouble(type, sign * value));
    edges.push_back(ops::Scalar::fromDouble(type, std::nan("")));
    return edges;
  }
  for (int64_t value : {0, 1, 2, 3, 5, 7, 10, 100})
    for (int64_t sign : {1, -1})
      edges.push_back(ops::Scalar::fromInt(type, sign * value));
  // The smallest and the largest of a signed and of an unsigned type.
  int unused = 64 - 8 * getByteWidth(type);
  uint64_t top = ~uint64_t(0) >> unused;
  for (uint64_t value : {top, top >> 1, (top >> 1) + 1})
    edges.push_back(ops::Scalar::fromUInt(type, value));
  return edges;
}

/// Returns each pair of edges: the first or the second of them.
static HostTensor makePairs(const std::vector<ops::Scalar> &edges,
                            bool isSecond) {
  auto count = static_cast<int64_t>(edges.size());
  HostTensor tensor =
      llvm::cantFail(HostTensor::create(edges[0].getType(), {count * count}));
  for (int64_t i = 0; i < count * count; ++i)
    tensor.set(i, edges[isSecond ? i % count : i / count]);
  return tensor;
}

void SingleOperationTest::compare(const ops::Graph &graph,
                                  const std::vector<HostTensor> &inputs) {
  std::vector<HostTensor> results[2];
  for (bool isCompiled : {false, true}) {
    Engine::Options options;
    options.verifyPasses = true;
    options.device = isCompiled ? "CPU" : "INTERP";
    options.numThreads = 1;
    auto engine = llvm::cantFail(Engine::create(options));
    auto values = runGraph(*engine, graph, inputs);
    ASSERT_TRUE(bool(values)) << llvm::toString(values.takeError());
    results[isCompiled] = std::move(*values);
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const ops::GraphNode &node = graph.nodes[graph.outputs[i]];
    for (int64_t k = 0; k < results[0][i].getNumElements(); ++k) {
      ops::Scalar expected = results[0][i].get(k), got = results[1][i].get(k);
      double a = got.toDouble(), b = expected.toDouble();
      if (std::isnan(a) && std::isnan(b))
        continue;
      // Sums here are of values that no order of additions rounds.
      if (isExact(*node.kind, node.type) || node.kind == OpKind::ReduceSum) {
        EXPECT_TRUE(got.isIdentical(expected))
            << "lazy." << ops::getInfo(*node.kind).name << " to "
            << getName(node.type) << ": expects " << b << ", got " << a
            << " at position " << k;
        continue;
      }
      // As many units as the documentation of Ops/ allows, on both sides.
      double unit =
          std::ldexp(std::abs(b), node.type == DType::Float16    ? -10
                                  : node.type == DType::BFloat16 ? -7
                                  : node.type == DType::Float32  ? -23
                                                                 : -52);
      double smallest = node.type == DType::Float16   ? std::ldexp(1, -24)
                        : node.type == DType::Float64 ? std::ldexp(1, -1074)
                                                      : std::ldexp(1, -133);
      EXPECT_TRUE(a == b || std::abs(a - b) <= 2 * unit + 2 * smallest)
          << "lazy." << ops::getInfo(*node.kind).name << " to "
          << getName(node.type) << ": expects " << b << ", got " << a
          << " at position " << k;
    }
  }
}

TEST_P(SingleOperationTest, elementwise) {
  std::vector<ops::Scalar> edges = makeEdges(getType());
  HostTensor left = makePairs(edges, false), right = makePairs(edges, true);
  GraphBuilder builder;
  int32_t x = builder.input(getType(), left.getShape());
  int32_t y = builder.input(getType(), left.getShape());
  std::vector<int32_t> outputs;
  for (int k = static_cast<int>(OpKind::Noop);
       k <= static_cast<int>(OpKind::Where); ++k) {
    auto kind = static_cast<OpKind>(k);
    if (kind == OpKind::Cast || kind == OpKind::Bitcast)
      continue;
    std::vector<int32_t> operands(ops::getInfo(kind).arity, y);
    operands[0] = x;
    std::vector<DType> types(operands.size(), getType());
    std::string error;
    for (DType result : {getType(), DType::Bool}) {
      bool isRepeated = result == DType::Bool && getType() == DType::Bool;
      if (ops::verifyTypes(kind, types, result, error))
        outputs.push_back(builder.op(kind, operands, {}, result));
      if (isRepeated)
        break;
    }
  }
  compare(builder.build(outputs), {left, right});
}

TEST_P(SingleOperationTest, conversions) {
  std::vector<ops::Scalar> edges = makeEdges(getType());
  HostTensor values = makePairs(edges, false);
  GraphBuilder builder;
  int32_t x = builder.input(getType(), values.getShape());
  std::vector<int32_t> outputs;
  for (int t = 0; t < numDTypes; ++t) {
    auto type = static_cast<DType>(t);
    outputs.push_back(builder.op(OpKind::Cast, {x}, {}, type));
    std::string error;
    if (ops::verifyTypes(OpKind::Bitcast, {getType()}, type, error))
      outputs.push_back(builder.op(OpKind::Bitcast, {x}, {}, type));
  }
  compare(builder.build(outputs), {values});
}

TEST_P(SingleOperationTest, reducesOfExactValues) {
  // Small integers: every order of additions gives the same sum.
  constexpr int64_t rows = 7, columns = 67;
  HostTensor values =
      llvm::cantFail(HostTensor::create(getType(), {rows, columns}));
  for (int64_t i = 0; i < values.getNumElements(); ++i)
    values.set(i, ops::Scalar::fromInt(getType(), i * 5 % 7 - 3));
  GraphBuilder builder;
  int32_t x = builder.input(getType(), {rows, columns});
  std::vector<int32_t> outputs;
  for (OpKind kind : {OpKind::ReduceSum, OpKind::ReduceMax})
    for (const ops::Shape &shape :
         {ops::Shape{rows, 1}, ops::Shape{1, columns}, ops::Shape{1, 1}})
      outputs.push_back(builder.op(kind, {x}, shape));
  compare(builder.build(outputs), {values});
}
