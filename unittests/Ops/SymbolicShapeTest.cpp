//===- SymbolicShapeTest.cpp - Shape rules for symbolic sizes -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/SymbolicShape.h"

#include "tinygrad/Ops/Graph.h"

#include "gtest/gtest.h"

#include <random>

using namespace tinygrad;
using namespace tinygrad::ops;
using shape::IndexExpr;
using shape::SymbolicDims;

namespace {

class SymbolicShapeTest : public ::testing::Test {
protected:
  /// Returns the result's shape as text, or the sentence that rejects.
  static std::string infer(OpKind kind, const std::vector<SymbolicDims> &shapes,
                           const SymbolicDims &ints = {}) {
    SymbolicDims result = {-7};
    std::string error;
    if (inferSymbolicShape(kind, shapes, ints, result, error)) {
      EXPECT_EQ(error, "");
      return shape::toString(result);
    }
    EXPECT_EQ(result, SymbolicDims{-7}) << "a rejected op has no shape";
    return error;
  }

  IndexExpr i = IndexExpr::variable("i", 1, 8);
  IndexExpr j = IndexExpr::variable("j", 1, 5);
  IndexExpr k = IndexExpr::variable("k", -1, 3);
  IndexExpr big = IndexExpr::variable("big", 1, INT64_MAX);
};

TEST_F(SymbolicShapeTest, elementwise) {
  EXPECT_EQ(infer(OpKind::Neg, {{i, 3}}), "[i, 3]");
  EXPECT_EQ(infer(OpKind::Add, {{i * j, 3}, {j * i, 3}}), "[i * j, 3]");
  EXPECT_EQ(infer(OpKind::Add, {{i, 3}, {j, 3}}),
            "cannot prove that [i, 3] and [j, 3] are one shape");
  EXPECT_EQ(infer(OpKind::Add, {{i, 3}, {i}}),
            "cannot prove that [i, 3] and [i] are one shape");
  EXPECT_EQ(infer(OpKind::Add, {{i}}), "expects 2 operands, got 1");
  EXPECT_EQ(infer(OpKind::Neg, {{k, 3}}),
            "cannot prove that `k` is not negative in [k, 3]");
  EXPECT_EQ(infer(OpKind::Neg, {{big, 2}}),
            "cannot prove that [big, 2] has fewer than 2^62 elements");
  EXPECT_EQ(infer(OpKind::Neg, {{big, 0}}), "[big, 0]");
}

TEST_F(SymbolicShapeTest, reduce) {
  EXPECT_EQ(infer(OpKind::ReduceSum, {{i, 3}}, {1, 3}), "[1, 3]");
  EXPECT_EQ(infer(OpKind::ReduceMax, {{i, 3}}, {i, 1}), "[i, 1]");
  EXPECT_EQ(infer(OpKind::ReduceSum, {{i, 3}}, {j, 3}),
            "cannot prove that each axis is kept or reduced to 1 from [i, 3] "
            "to [j, 3]");
  EXPECT_EQ(infer(OpKind::ReduceSum, {{i, 3}}, {i}),
            "expects a shape of the source's rank, got [i, 3] and [i]");
}

TEST_F(SymbolicShapeTest, reshape) {
  EXPECT_EQ(infer(OpKind::Reshape, {{i, j + 1, 4}}, {i * 4, j + 1}),
            "[i * 4, j + 1]");
  EXPECT_EQ(infer(OpKind::Reshape, {{i, j}}, {i * j * 1, 1}), "[i * j, 1]");
  EXPECT_EQ(infer(OpKind::Reshape, {{i, 4}}, {j, 4}),
            "cannot prove that [i, 4] and [j, 4] have the same number of "
            "elements");
  EXPECT_EQ(infer(OpKind::Reshape, {{i}}, {k}),
            "cannot prove that `k` is not negative in [k]");
  // A bound variable stands for its value here.
  EXPECT_EQ(infer(OpKind::Reshape, {{3, 4}}, {i.bind(3), 4}), "[i, 4]");
  EXPECT_EQ(infer(OpKind::Reshape, {{3, 4}}, {i.bind(2), 4}),
            "cannot prove that [3, 4] and [i, 4] have the same number of "
            "elements");
}

TEST_F(SymbolicShapeTest, expandAndPermute) {
  EXPECT_EQ(infer(OpKind::Expand, {{1, i}}, {j, i}), "[j, i]");
  EXPECT_EQ(infer(OpKind::Expand, {{i, 1}}, {j, 1}),
            "cannot prove that only axes of size 1 are expanded from [i, 1] to "
            "[j, 1]");
  EXPECT_EQ(infer(OpKind::Expand, {{i}}, {i, 1}),
            "expects a shape of the source's rank, got [i] and [i, 1]");
  EXPECT_EQ(infer(OpKind::Permute, {{i, 3}}, {1, 0}), "[3, i]");
  EXPECT_EQ(infer(OpKind::Permute, {{i, 3}}, {i, 0}),
            "expects each axis of [i, 3] exactly once, got order [i, 0]");
  EXPECT_EQ(infer(OpKind::Permute, {{i, 3}}, {0, 0}),
            "expects each axis of [i, 3] exactly once, got order [0, 0]");
  EXPECT_EQ(infer(OpKind::Permute, {{i, 3}}, {0}),
            "expects 2 integers for a source of shape [i, 3], got [0]");
}

TEST_F(SymbolicShapeTest, padAndShrink) {
  EXPECT_EQ(infer(OpKind::Pad, {{3, i}}, {0, 0, j, 2}), "[3, i + j + 2]");
  EXPECT_EQ(infer(OpKind::Pad, {{3}}, {0, k}),
            "cannot prove that the padding `k` is not negative for a source of "
            "shape [3]");
  EXPECT_EQ(infer(OpKind::Pad, {{INT64_MAX / 4}}, {big, INT64_MAX}),
            "cannot prove that there are fewer than 2^62 elements, with "
            "padding [big, 9223372036854775807] for a source of shape "
            "[2305843009213693951]");
  EXPECT_EQ(infer(OpKind::Shrink, {{8, i}}, {i - 1, i, 0, i}), "[1, i]");
  EXPECT_EQ(infer(OpKind::Shrink, {{i * j}}, {j - 1, i * j}),
            "[-j + i * j + 1]");
  EXPECT_EQ(infer(OpKind::Shrink, {{7}}, {0, i}),
            "cannot prove that 0 <= 0 <= i <= 7, a range of the source's shape "
            "[7]");
  EXPECT_EQ(infer(OpKind::Shrink, {{i}}, {j, i}),
            "cannot prove that 0 <= j <= i <= i, a range of the source's shape "
            "[i]");
  EXPECT_EQ(infer(OpKind::Shrink, {{8}}, {k, 8}),
            "cannot prove that 0 <= k <= 8 <= 8, a range of the source's shape "
            "[8]");
}

TEST_F(SymbolicShapeTest, stride) {
  EXPECT_EQ(infer(OpKind::Stride, {{i, j}}, {2, -1}),
            "[(i + 1) floordiv 2, j]");
  EXPECT_EQ(infer(OpKind::Stride, {{i, j}}, {INT64_MIN, INT64_MAX}), "[1, 1]");
  EXPECT_EQ(infer(OpKind::Stride, {{i}}, {0}),
            "expects steps that are not zero, got [0] for a source of shape "
            "[i]");
  EXPECT_EQ(infer(OpKind::Stride, {{i}}, {j}),
            "expects steps that are not zero, got [j] for a source of shape "
            "[i]");
}

TEST_F(SymbolicShapeTest, asStrided) {
  // A diagonal; a flip; a window.
  EXPECT_EQ(infer(OpKind::AsStrided, {{i, i}}, {i, i + 1, 0}), "[i]");
  EXPECT_EQ(infer(OpKind::AsStrided, {{i, j}}, {i, j, -j, 1, i * j - j}),
            "[i, j]");
  EXPECT_EQ(infer(OpKind::AsStrided, {{8}}, {i, 1, 0}), "[i]");
  EXPECT_EQ(infer(OpKind::AsStrided, {{8}}, {i, 1, 1}),
            "cannot prove that indices are inside the source's shape [8], with "
            "shape [i], strides [1] and offset 1");
  EXPECT_EQ(infer(OpKind::AsStrided, {{8}}, {i, 0, 1, 1, 99}), "[i, 0]");
  EXPECT_EQ(infer(OpKind::AsStrided, {{8}}, {i, INT64_MIN, 0}),
            "cannot prove that indices are inside the source's shape [8], with "
            "shape [i], strides [-9223372036854775808] and offset 0");
  EXPECT_EQ(infer(OpKind::AsStrided, {{i}}, {i, 1}),
            "expects a shape, as many strides and an offset, got [i, 1]");
}

TEST_F(SymbolicShapeTest, load) {
  EXPECT_EQ(infer(OpKind::Empty, {}, {i, 3}), "[i, 3]");
  EXPECT_EQ(infer(OpKind::Const, {}, {k}),
            "cannot prove that `k` is not negative in [k]");
  EXPECT_EQ(infer(OpKind::Contiguous, {{i, 3}}), "[i, 3]");
  EXPECT_EQ(infer(OpKind::Copy, {{i, 3}}, {i, 3}), "[i, 3]");
  EXPECT_EQ(infer(OpKind::Copy, {{i, 3}}, {j, 3}),
            "cannot prove that [j, 3] is the source's shape [i, 3]");
  EXPECT_EQ(infer(OpKind::Assign, {{i, 3}, {i, 3}}), "[i, 3]");
}

TEST_F(SymbolicShapeTest, withoutVariablesItIsInferShape) {
  std::mt19937_64 engine(5);
  auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() % uint64_t(high - low + 1));
  };
  int64_t acceptedCount = 0;
  for (int64_t round = 0; round < 20000; ++round) {
    auto kind = static_cast<OpKind>(pick(0, numOpKinds - 1));
    int64_t rank = pick(0, 2);
    std::vector<Shape> shapes(std::max(getInfo(kind).arity, 0));
    for (Shape &shape : shapes)
      for (int64_t axis = 0; axis < rank; ++axis)
        shape.push_back(pick(0, 9) ? pick(1, 2) : pick(-1, 3));
    OpAttributes attributes;
    for (int64_t count = pick(0, 2 * rank + 1); count > 0; --count)
      attributes.ints.push_back(pick(-1, 2));
    std::vector<SymbolicDims> same;
    for (const Shape &shape : shapes)
      same.emplace_back(shape.begin(), shape.end());

    Shape expected;
    std::string error;
    bool accepts = inferShape(kind, shapes, attributes, expected, error);
    acceptedCount += accepts;
    EXPECT_EQ(
        infer(kind, same, {attributes.ints.begin(), attributes.ints.end()}),
        accepts ? toString(expected) : error);
  }
  EXPECT_GT(acceptedCount, 2000);
}

} // namespace
