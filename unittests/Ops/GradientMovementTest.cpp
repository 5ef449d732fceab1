//===- GradientMovementTest.cpp - Gradients of movement ops ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Movement ops copy elements, so their gradients are sums of integers here and
// must be exact.
//
//===----------------------------------------------------------------------===//

#include "EagerBuilder.h"

#include "gtest/gtest.h"

#include <random>

using namespace tinygrad;
using namespace tinygrad::ops;
using namespace tinygrad::ops::test;

using Ints = std::vector<int64_t>;
using Values = std::vector<double>;

/// Returns a tensor of `shape` that holds 0, 1, 2, ...
static Ref count(EagerBuilder &builder, const Shape &shape) {
  Values values(*getNumElements(shape));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(i);
  return builder.input(DType::Float64, shape, values);
}

/// Compares the gradient of an op with a scatter: moving the numbers of the
/// elements shows where each element goes, and moving ones tells a pad from
/// element 0. Returns the number of ops in the gradient.
static int check(OpKind kind, const Shape &source, const Ints &ints) {
  SCOPED_TRACE(std::string(getInfo(kind).name) + " " + toString(source) + " " +
               toString(ints));
  EagerBuilder builder;
  Ref x = count(builder, source);
  Ref one = builder.createConst(1, DType::Float64, source);
  Ref moved = builder.movement(kind, x, ints);
  Values from = EagerBuilder::values(moved);
  Values isElement = EagerBuilder::values(builder.movement(kind, one, ints));

  Ref seed = count(builder, EagerBuilder::get(moved).shape);
  Values seeds = EagerBuilder::values(seed);
  Values expected(*getNumElements(source));
  for (size_t i = 0; i < from.size(); ++i)
    if (isElement[i] != 0)
      expected[static_cast<size_t>(from[i])] += seeds[i];

  int before = builder.countAll();
  Ref grad = builder.backward(moved, seed, {{x}})[0];
  EXPECT_EQ(builder.getShape(grad), source);
  EXPECT_EQ(EagerBuilder::values(grad), expected);
  return builder.countAll() - before;
}

TEST(GradientMovement, fewOps) {
  EXPECT_EQ(check(OpKind::Reshape, {2, 3}, {6}), 1);
  EXPECT_EQ(check(OpKind::Reshape, {2, 3}, {2, 3}), 0);
  EXPECT_EQ(check(OpKind::Permute, {2, 3, 4}, {2, 0, 1}), 1);
  EXPECT_EQ(check(OpKind::Permute, {2, 3}, {0, 1}), 0);
  EXPECT_EQ(check(OpKind::Expand, {1, 3}, {4, 3}), 1);
  EXPECT_EQ(check(OpKind::Expand, {2, 3}, {2, 3}), 0);
  EXPECT_EQ(check(OpKind::Expand, {1, 3}, {0, 3}), 1);
  EXPECT_EQ(check(OpKind::Pad, {2, 3}, {1, 0, 0, 2}), 1);
  EXPECT_EQ(check(OpKind::Pad, {2, 3}, {0, 0, 0, 0}), 0);
  EXPECT_EQ(check(OpKind::Shrink, {4, 3}, {1, 3, 0, 3}), 1);
  EXPECT_EQ(check(OpKind::Shrink, {4, 3}, {0, 4, 0, 3}), 0);
  EXPECT_EQ(check(OpKind::Shrink, {4}, {2, 2}), 1);
}

TEST(GradientMovement, stride) {
  EXPECT_EQ(check(OpKind::Stride, {4, 3}, {-1, 1}), 1);
  EXPECT_EQ(check(OpKind::Stride, {4, 3}, {1, 1}), 0);
  EXPECT_EQ(check(OpKind::Stride, {6}, {2}), 3) << "nothing to cut off";
  EXPECT_EQ(check(OpKind::Stride, {5}, {2}), 4);
  EXPECT_EQ(check(OpKind::Stride, {5}, {-2}), 5);
  EXPECT_EQ(check(OpKind::Stride, {5, 6}, {-2, 4}), 5);
  check(OpKind::Stride, {5, 1, 7}, {INT64_MIN, -3, INT64_MAX});
  check(OpKind::Stride, {0, 3}, {2, -2});

  std::mt19937 random(6);
  for (int i = 0; i < 500; ++i) {
    Shape source;
    Ints steps;
    for (size_t axis = 0, rank = random() % 4; axis < rank; ++axis) {
      source.push_back(random() % 6);
      steps.push_back(static_cast<int64_t>(random() % 7) - 3);
      if (steps.back() == 0)
        steps.back() = 1;
    }
    check(OpKind::Stride, source, steps);
    if (HasFailure())
      return;
  }
}

TEST(GradientMovement, asStridedWithoutOverlapNeedsNoSum) {
  EXPECT_EQ(check(OpKind::AsStrided, {12}, {3, 4, 4, 1, 0}), 1) << "a reshape";
  EXPECT_EQ(check(OpKind::AsStrided, {3, 4}, {3, 4, 4, 1, 0}), 0);
  // A transposition: permute; of a flat source: permute, reshape.
  EXPECT_EQ(check(OpKind::AsStrided, {3, 4}, {4, 3, 1, 4, 0}), 1);
  EXPECT_EQ(check(OpKind::AsStrided, {12}, {4, 3, 1, 4, 0}), 2);
  // A flip: the axis turned back.
  EXPECT_EQ(check(OpKind::AsStrided, {4}, {4, -1, 3}), 1);
  // Each second element: reshape, pad, reshape, shrink, pad.
  EXPECT_LE(check(OpKind::AsStrided, {9}, {4, 2, 1}), 5);
  // A diagonal.
  EXPECT_LE(check(OpKind::AsStrided, {4, 4}, {4, 5, 0}), 6);
  // Expanded axes: one sum.
  EXPECT_EQ(check(OpKind::AsStrided, {3}, {2, 3, 0, 1, 0}), 2);
  EXPECT_EQ(check(OpKind::AsStrided, {3}, {0, 1, 99}), 0) << "reads nothing";
  check(OpKind::AsStrided, {2, 2}, {3});
}

// The windows of a two-dimensional convolution with steps 2 and 1: each pair
// of axes that overlap needs one sum, over the three elements of a window.
TEST(GradientMovement, asStridedWindows) {
  EagerBuilder builder;
  Ref x = count(builder, {1, 9, 7});
  Ints ints = {4, 5, 3, 3, 14, 1, 7, 1, 0};
  Ref windows = builder.movement(OpKind::AsStrided, x, ints);
  Ref seed = builder.createConst(1, DType::Float64, Shape{4, 5, 3, 3});
  builder.backward(windows, seed, {{x}});
  EXPECT_EQ(builder.count(OpKind::ReduceSum), 2);
  check(OpKind::AsStrided, {1, 9, 7}, ints);
}

TEST(GradientMovement, asStridedRandom) {
  std::mt19937 random(7);
  int numSums = 0;
  for (int i = 0; i < 3000; ++i) {
    size_t rank = random() % 5;
    Shape shape, strides;
    int64_t low = 0, high = 0;
    for (size_t axis = 0; axis < rank; ++axis) {
      shape.push_back(random() % 4 + (random() % 8 != 0));
      strides.push_back(static_cast<int64_t>(random() % 13) - 6);
      int64_t reach = strides.back() * std::max<int64_t>(shape.back() - 1, 0);
      (reach < 0 ? low : high) += reach;
    }
    Ints ints = shape;
    ints.insert(ints.end(), strides.begin(), strides.end());
    int64_t before = random() % 3;
    ints.push_back(before - low);
    int64_t size = before + high - low + 1 + random() % 3;
    Shape source = {size};
    if (size % 3 == 0)
      source = {3, size / 3};
    numSums += check(OpKind::AsStrided, source, ints) > 0;
    if (HasFailure())
      return;
  }
  EXPECT_GT(numSums, 1000);
}

// More axes than the search over orders takes on.
TEST(GradientMovement, asStridedOfHighRank) {
  Ints ints(13, 2);
  int64_t reach = 0;
  for (size_t i = 0; i < 13; ++i) {
    ints.push_back(int64_t(1) << (i % 5));
    reach += ints.back();
  }
  ints.push_back(0);
  check(OpKind::AsStrided, {reach + 1}, ints);
}
