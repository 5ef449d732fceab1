//===- ShapeRulesTest.cpp - Which shapes operations take ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/Graph.h"

#include "gtest/gtest.h"

using namespace tinygrad;
using namespace tinygrad::ops;

using Ints = std::vector<int64_t>;

static constexpr int64_t maxInt = INT64_MAX;

/// Returns the result's shape as text, or the sentence that rejects.
static std::string infer(OpKind kind, const std::vector<Shape> &shapes,
                         const Ints &ints = {}) {
  OpAttributes attributes;
  attributes.ints = ints;
  Shape result = {-7};
  std::string error;
  if (inferShape(kind, shapes, attributes, result, error)) {
    EXPECT_EQ(error, "");
    return toString(result);
  }
  EXPECT_EQ(result, Shape({-7})) << "a rejected op has no shape";
  return error;
}

TEST(Shape, text) {
  EXPECT_EQ(toString({}), "[]");
  EXPECT_EQ(toString({2}), "[2]");
  EXPECT_EQ(toString({2, -3, maxInt}), "[2, -3, 9223372036854775807]");
}

TEST(Shape, numElements) {
  EXPECT_EQ(getNumElements({}), 1);
  EXPECT_EQ(getNumElements({2, 3}), 6);
  EXPECT_EQ(getNumElements({2, 0, 3}), 0);
  EXPECT_EQ(getNumElements({maxElements - 1}), maxElements - 1);
  EXPECT_EQ(getNumElements({maxElements}), std::nullopt);
  EXPECT_EQ(getNumElements({maxInt, 2}), std::nullopt);
  EXPECT_EQ(getNumElements({maxInt, maxInt, 0}), 0);
  EXPECT_EQ(getNumElements({0, maxInt, maxInt}), 0);
  EXPECT_EQ(getNumElements({-1}), std::nullopt);
  EXPECT_EQ(getNumElements({0, -1}), std::nullopt);
}

TEST(ShapeRules, elementwise) {
  EXPECT_EQ(infer(OpKind::Neg, {{2, 3}}), "[2, 3]");
  EXPECT_EQ(infer(OpKind::Add, {{}, {}}), "[]");
  EXPECT_EQ(infer(OpKind::Add, {{0, 3}, {0, 3}}), "[0, 3]");
  EXPECT_EQ(infer(OpKind::Where, {{2}, {2}, {2}}), "[2]");
  EXPECT_EQ(infer(OpKind::Add, {{2, 3}, {3, 2}}),
            "expects operands of one shape, got [2, 3] and [3, 2]");
  EXPECT_EQ(infer(OpKind::Add, {{1, 3}, {3}}),
            "expects operands of one shape, got [1, 3] and [3]");
  EXPECT_EQ(infer(OpKind::Where, {{1}, {2}, {2}}),
            "expects operands of one shape, got [1] and [2]");
  EXPECT_EQ(infer(OpKind::Add, {{2}}), "expects 2 operands, got 1");
  EXPECT_EQ(infer(OpKind::Neg, {{2}, {2}}), "expects 1 operand, got 2");
  EXPECT_EQ(infer(OpKind::Neg, {{-2}}),
            "expects extents that are not negative, got [-2]");
  EXPECT_EQ(infer(OpKind::Neg, {{maxInt, 2}}),
            "expects fewer than 2^62 elements, got [9223372036854775807, 2]");
}

TEST(ShapeRules, reduce) {
  EXPECT_EQ(infer(OpKind::ReduceSum, {{2, 3}}, {1, 3}), "[1, 3]");
  EXPECT_EQ(infer(OpKind::ReduceMax, {{2, 3}}, {1, 1}), "[1, 1]");
  EXPECT_EQ(infer(OpKind::ReduceSum, {{2, 3}}, {2, 3}), "[2, 3]");
  EXPECT_EQ(infer(OpKind::ReduceSum, {{0, 3}}, {1, 3}), "[1, 3]");
  EXPECT_EQ(infer(OpKind::ReduceSum, {{}}, {}), "[]");
  EXPECT_EQ(infer(OpKind::ReduceSum, {{2, 3}}, {2}),
            "expects a shape of the source's rank, got [2, 3] and [2]");
  EXPECT_EQ(infer(OpKind::ReduceSum, {{2, 3}}, {2, 2}),
            "expects each axis to be kept or reduced to 1, got [2, 3] and "
            "[2, 2]");
  EXPECT_EQ(infer(OpKind::ReduceMax, {{2, 3}}, {0, 3}),
            "expects each axis to be kept or reduced to 1, got [2, 3] and "
            "[0, 3]");
}

TEST(ShapeRules, reshape) {
  EXPECT_EQ(infer(OpKind::Reshape, {{2, 3}}, {6}), "[6]");
  EXPECT_EQ(infer(OpKind::Reshape, {{1}}, {}), "[]");
  EXPECT_EQ(infer(OpKind::Reshape, {{}}, {1, 1}), "[1, 1]");
  EXPECT_EQ(infer(OpKind::Reshape, {{0, 3}}, {5, 0}), "[5, 0]");
  EXPECT_EQ(infer(OpKind::Reshape, {{0}}, {maxInt, maxInt, 0}),
            "[9223372036854775807, 9223372036854775807, 0]");
  EXPECT_EQ(infer(OpKind::Reshape, {{2, 3}}, {7}),
            "expects the same number of elements, got [2, 3] and [7]");
  EXPECT_EQ(infer(OpKind::Reshape, {{0, 3}}, {}),
            "expects the same number of elements, got [0, 3] and []");
  EXPECT_EQ(infer(OpKind::Reshape, {{2, 3}}, {-2, -3}),
            "expects extents that are not negative, got [-2, -3]");
  // 2^32 * 2^32 is 0 in 64 bits, which is no reason to take it for empty.
  EXPECT_EQ(infer(OpKind::Reshape, {{0}}, {int64_t(1) << 32, int64_t(1) << 32}),
            "expects fewer than 2^62 elements, got [4294967296, 4294967296]");
}

TEST(ShapeRules, expand) {
  EXPECT_EQ(infer(OpKind::Expand, {{1, 3}}, {2, 3}), "[2, 3]");
  EXPECT_EQ(infer(OpKind::Expand, {{2, 3}}, {2, 3}), "[2, 3]");
  EXPECT_EQ(infer(OpKind::Expand, {{1, 3}}, {0, 3}), "[0, 3]");
  EXPECT_EQ(infer(OpKind::Expand, {{2, 3}}, {4, 3}),
            "expects only axes of size 1 to be expanded, got [2, 3] and "
            "[4, 3]");
  EXPECT_EQ(infer(OpKind::Expand, {{0, 3}}, {1, 3}),
            "expects only axes of size 1 to be expanded, got [0, 3] and "
            "[1, 3]");
  EXPECT_EQ(infer(OpKind::Expand, {{3}}, {2, 3}),
            "expects a shape of the source's rank, got [3] and [2, 3]");
  EXPECT_EQ(infer(OpKind::Expand, {{1}}, {-1}),
            "expects extents that are not negative, got [-1]");
  EXPECT_EQ(infer(OpKind::Expand, {{1, 2}}, {maxInt, 2}),
            "expects fewer than 2^62 elements, got [9223372036854775807, 2]");
}

TEST(ShapeRules, permute) {
  EXPECT_EQ(infer(OpKind::Permute, {{2, 3, 4}}, {2, 0, 1}), "[4, 2, 3]");
  EXPECT_EQ(infer(OpKind::Permute, {{}}, {}), "[]");
  EXPECT_EQ(infer(OpKind::Permute, {{2, 3}}, {0}),
            "expects 2 integers for a source of shape [2, 3], got [0]");
  for (const Ints &order : {Ints{0, 0}, Ints{0, 2}, Ints{-1, 0}})
    EXPECT_EQ(infer(OpKind::Permute, {{2, 3}}, order),
              "expects each axis of [2, 3] exactly once, got order " +
                  toString(order));
}

TEST(ShapeRules, pad) {
  EXPECT_EQ(infer(OpKind::Pad, {{2, 3}}, {1, 0, 0, 2}), "[3, 5]");
  EXPECT_EQ(infer(OpKind::Pad, {{0}}, {1, 1}), "[2]");
  EXPECT_EQ(infer(OpKind::Pad, {{2, 3}}, {1, 0}),
            "expects 4 integers for a source of shape [2, 3], got [1, 0]");
  EXPECT_EQ(infer(OpKind::Pad, {{2}}, {-1, 2}),
            "expects padding that is not negative, got [-1, 2] for a source "
            "of shape [2]");
  EXPECT_EQ(infer(OpKind::Pad, {{2}}, {maxInt, 0}),
            "expects fewer than 2^62 elements, got padding "
            "[9223372036854775807, 0] for a source of shape [2]");
  EXPECT_EQ(infer(OpKind::Pad, {{1, 4}}, {maxInt - 1, 0, 0, 0}),
            "expects fewer than 2^62 elements, got [9223372036854775807, 4]");
}

TEST(ShapeRules, shrink) {
  EXPECT_EQ(infer(OpKind::Shrink, {{4, 3}}, {1, 3, 0, 3}), "[2, 3]");
  EXPECT_EQ(infer(OpKind::Shrink, {{4}}, {4, 4}), "[0]");
  EXPECT_EQ(infer(OpKind::Shrink, {{4}}, {1}),
            "expects 2 integers for a source of shape [4], got [1]");
  for (const Ints &ranges : {Ints{-1, 2}, Ints{3, 2}, Ints{0, 5}, Ints{5, 5}})
    EXPECT_EQ(infer(OpKind::Shrink, {{4}}, ranges),
              "expects ranges inside the source's shape [4], got " +
                  toString(ranges));
}

TEST(ShapeRules, stride) {
  EXPECT_EQ(infer(OpKind::Stride, {{5, 6}}, {2, -1}), "[3, 6]");
  EXPECT_EQ(infer(OpKind::Stride, {{6, 0}}, {-4, 3}), "[2, 0]");
  EXPECT_EQ(infer(OpKind::Stride, {{1, 7}}, {INT64_MIN, maxInt}), "[1, 1]");
  EXPECT_EQ(infer(OpKind::Stride, {{maxElements - 1}}, {2}),
            "[2305843009213693952]");
  EXPECT_EQ(infer(OpKind::Stride, {{5}}, {0}),
            "expects steps that are not zero, got [0] for a source of shape "
            "[5]");
  EXPECT_EQ(infer(OpKind::Stride, {{5}}, {1, 1}),
            "expects 1 integer for a source of shape [5], got [1, 1]");
}

TEST(ShapeRules, asStrided) {
  auto outside = [](const Shape &source, const Shape &shape,
                    const Ints &strides, int64_t offset) {
    return "expects indices inside the source's shape " + toString(source) +
           ", got shape " + toString(shape) + ", strides " + toString(strides) +
           " and offset " + std::to_string(offset);
  };
  EXPECT_EQ(infer(OpKind::AsStrided, {{12}}, {3, 4, 4, 1, 0}), "[3, 4]");
  EXPECT_EQ(infer(OpKind::AsStrided, {{3, 4}}, {4, 3, 1, 4, 0}), "[4, 3]");
  EXPECT_EQ(infer(OpKind::AsStrided, {{4}}, {5, 0, 3}), "[5]");
  EXPECT_EQ(infer(OpKind::AsStrided, {{4}}, {4, -1, 3}), "[4]");
  EXPECT_EQ(infer(OpKind::AsStrided, {{4}}, {3}), "[]");
  EXPECT_EQ(infer(OpKind::AsStrided, {{0}}, {0, 1, 9}), "[0]")
      << "reads nothing";
  EXPECT_EQ(infer(OpKind::AsStrided, {{4}}, {4, 1}),
            "expects a shape, as many strides and an offset, got [4, 1]");
  EXPECT_EQ(infer(OpKind::AsStrided, {{4}}, {}),
            "expects a shape, as many strides and an offset, got []");
  EXPECT_EQ(infer(OpKind::AsStrided, {{4}}, {-1, 1, 0}),
            "expects extents that are not negative, got [-1]");
  EXPECT_EQ(infer(OpKind::AsStrided, {{4}}, {4, 1, 1}),
            outside({4}, {4}, {1}, 1));
  EXPECT_EQ(infer(OpKind::AsStrided, {{4}}, {4, -1, 2}),
            outside({4}, {4}, {-1}, 2));
  EXPECT_EQ(infer(OpKind::AsStrided, {{4}}, {1, 1, -1}),
            outside({4}, {1}, {1}, -1));
  EXPECT_EQ(infer(OpKind::AsStrided, {{0}}, {1, 1, 0}),
            outside({0}, {1}, {1}, 0));
  // Products and sums past 64 bits.
  EXPECT_EQ(infer(OpKind::AsStrided, {{4}}, {3, 3, maxInt, INT64_MIN, 0}),
            outside({4}, {3, 3}, {maxInt, INT64_MIN}, 0));
  int64_t half = int64_t(1) << 62;
  EXPECT_EQ(infer(OpKind::AsStrided, {{4}}, {5, 5, half, half, 0}),
            outside({4}, {5, 5}, {half, half}, 0));
}

TEST(ShapeRules, load) {
  EXPECT_EQ(infer(OpKind::Empty, {}, {2, 3}), "[2, 3]");
  EXPECT_EQ(infer(OpKind::Const, {}), "[]");
  EXPECT_EQ(infer(OpKind::Custom, {{2}, {3, 4}}, {5}), "[5]");
  EXPECT_EQ(infer(OpKind::Copy, {{2, 3}}), "[2, 3]");
  EXPECT_EQ(infer(OpKind::Contiguous, {{2, 3}}, {2, 3}), "[2, 3]");
  EXPECT_EQ(infer(OpKind::FromCPU, {{}}), "[]");
  EXPECT_EQ(infer(OpKind::Assign, {{2, 3}, {2, 3}}), "[2, 3]");
  EXPECT_EQ(infer(OpKind::Copy, {{2, 3}}, {3, 2}),
            "expects the source's shape [2, 3], got [3, 2]");
  EXPECT_EQ(infer(OpKind::Empty, {}, {-1}),
            "expects extents that are not negative, got [-1]");
  EXPECT_EQ(infer(OpKind::Empty, {{2}}, {2}), "expects 0 operands, got 1");
  EXPECT_EQ(infer(OpKind::Assign, {{2, 3}, {3, 2}}),
            "expects operands of one shape, got [2, 3] and [3, 2]");
}

// A caller may pass the same object as an operand's shape and the result.
TEST(ShapeRules, resultMayAliasOperand) {
  std::vector<Shape> shapes = {{2, 3}};
  OpAttributes attributes;
  attributes.ints = {1, 0};
  std::string error;
  ASSERT_TRUE(
      inferShape(OpKind::Permute, shapes, attributes, shapes[0], error));
  EXPECT_EQ(shapes[0], Shape({3, 2}));
}
