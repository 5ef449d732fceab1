//===- LayoutTest.cpp - Shapes and views, symbolic or not -----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Shape/Layout.h"

#include "gtest/gtest.h"

using namespace tinygrad::shape;

static IndexExpr makeVariable() { return IndexExpr::variable("i", 1, 10); }

TEST(SizesTest, areNumbersWherePossible) {
  IndexExpr i = makeVariable();
  Sizes numbers(SymbolicDims{3, i - i + 4});
  EXPECT_FALSE(numbers.isSymbolic());
  EXPECT_EQ(numbers, Sizes(Dims{3, 4}));
  Sizes symbolic(SymbolicDims{3, i});
  EXPECT_TRUE(symbolic.isSymbolic());
  EXPECT_FALSE(symbolic == numbers);
  EXPECT_EQ(symbolic.getLargest(), (Dims{3, 10}));
  EXPECT_EQ(symbolic.permute(Dims{1, 0}), Sizes(SymbolicDims{i, 3}));
}

TEST(SizesTest, visitTwoAsOneKind) {
  auto add = [](const auto &a, const auto &b) -> Sizes {
    std::decay_t<decltype(a)> sum;
    for (size_t axis = 0; axis < a.size(); ++axis)
      sum.push_back(a[axis] + b[axis]);
    return sum;
  };
  IndexExpr i = makeVariable();
  Sizes numbers(Dims{1, 2}), symbolic(SymbolicDims{i, 5});
  EXPECT_EQ(Sizes::visit(numbers, numbers, add), Sizes(Dims{2, 4}));
  EXPECT_EQ(Sizes::visit(numbers, symbolic, add),
            Sizes(SymbolicDims{i + 1, 7}));
}

TEST(LayoutTest, isPlainWithoutVariables) {
  IndexExpr i = makeVariable();
  Layout layout = Layout::fromShape(SymbolicDims{i, 3});
  EXPECT_TRUE(layout.isSymbolic());
  EXPECT_TRUE(layout.isContiguous());
  EXPECT_FALSE(layout.isMasked());
  // A row is there for all values.
  Layout row = layout.shrink(Dims{0, 1, 0, 3});
  EXPECT_FALSE(row.isSymbolic());
  EXPECT_TRUE(row.hasShape(Dims{1, 3}));
  EXPECT_EQ(row.getTracker(), ShapeTracker::fromShape({1, 3}));
}

TEST(LayoutTest, movesAsTrackersDo) {
  IndexExpr i = makeVariable();
  Layout layout = Layout::fromShape(Dims{3, 1});
  Layout padded = layout.expand(SymbolicDims{3, i}).pad(Dims{0, 0, 1, 0});
  EXPECT_TRUE(padded.isMasked());
  EXPECT_TRUE(padded.hasShape(SymbolicDims{3, i + 1}));
  EXPECT_FALSE(padded.isContiguous());
  EXPECT_EQ(padded.getLargest(),
            layout.expand(Dims{3, 10}).pad(Dims{0, 0, 1, 0}).getTracker());
}

TEST(LayoutTest, comparesSizes) {
  IndexExpr i = makeVariable();
  Layout layout = Layout::fromShape(SymbolicDims{i, 3});
  EXPECT_TRUE(layout.hasSizeOf(Layout::fromShape(SymbolicDims{i * 3})));
  EXPECT_FALSE(layout.hasSizeOf(Layout::fromShape(Dims{3, 3})));
  EXPECT_TRUE(
      Layout::fromShape(Dims{6}).hasSizeOf(Layout::fromShape(Dims{2, 3})));
  EXPECT_TRUE(
      layout.isEquivalent(layout.permute(Dims{1, 0}).permute(Dims{1, 0})));
  EXPECT_FALSE(layout.isEquivalent(layout.stride(Dims{1, -1})));
}
