//===- ShapeTrackerTest.cpp - Chains of views -------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses, real strides, sizes and equivalence by example.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "gtest/gtest.h"

using namespace tinygrad::shape;

namespace {

/// A [rows, columns] buffer, transposed and flattened: two views.
ShapeTracker flattenTransposed(int64_t rows, int64_t columns) {
  return ShapeTracker::fromShape({rows, columns})
      .permute(Dims{1, 0})
      .reshape(Dims{rows * columns});
}

TEST(ShapeTrackerTest, AccessOfOneViewIsAffine) {
  ShapeTracker tracker = ShapeTracker::fromShape({2, 3}).permute(Dims{1, 0});
  EXPECT_EQ(toString(tracker.getAccess()), "d0 + d1 * 3");
}

TEST(ShapeTrackerTest, AccessOfTwoViewsSplitsTheFlatPosition) {
  EXPECT_EQ(toString(flattenTransposed(3, 4).getAccess()),
            "d0 floordiv 3 + (d0 mod 3) * 4");
}

TEST(ShapeTrackerTest, MasksAreConditionsOnTheAxes) {
  ShapeTracker tracker =
      ShapeTracker::fromShape({2, 3}).pad(Mask{{1, 0}, {0, 2}});
  EXPECT_EQ(toString(tracker.getAccess()),
            "d0 * 3 + d1 - 3, 1 <= d0 <= 2, 0 <= d1 <= 2");
}

TEST(ShapeTrackerTest, ConditionsThatBoundsProveAreDropped) {
  ShapeTracker tracker = ShapeTracker::fromShape({6}).pad(Mask{{2, 2}});
  std::vector<IndexExpr> inside{IndexExpr::variable(0, 0, 5) + 2};
  EXPECT_EQ(toString(tracker.getAccess(inside)), "d0");
  std::vector<IndexExpr> leftPart{IndexExpr::variable(0, 0, 5)};
  EXPECT_EQ(toString(tracker.getAccess(leftPart)), "d0 - 2, 2 <= d0 <= 5");
  std::vector<IndexExpr> outside{IndexExpr::variable(0, 8, 9)};
  EXPECT_TRUE(tracker.getAccess(outside).isNever());
}

TEST(ShapeTrackerTest, AnAccessIsSimplifiedUnderItsConditions) {
  // Row 1 alone is read: no division is left in it.
  ShapeTracker tracker =
      flattenTransposed(3, 4).pad(Mask{{3, 3}}).reshape(Dims{6, 3});
  ShapeTracker row = tracker.shrink(Mask{{0, 2}, {0, 3}});
  EXPECT_EQ(toString(row.getAccess()), "d1 * 4, 1 <= d0 <= 1");
}

TEST(ShapeTrackerTest, AMaskBehindAReshapeIsACondition) {
  ShapeTracker tracker =
      ShapeTracker::fromShape({4}).pad(Mask{{1, 1}}).reshape(Dims{2, 3});
  ASSERT_EQ(tracker.getViews().size(), 2u);
  EXPECT_EQ(toString(tracker.getAccess()),
            "d0 * 3 + d1 - 1, 1 <= d0 * 3 + d1 <= 4");
}

TEST(ShapeTrackerTest, WhatReadsNothingHasOneFalseCondition) {
  ShapeTracker tracker =
      ShapeTracker::fromShape({3}).pad(Mask{{3, 0}}).shrink(Mask{{0, 2}});
  EXPECT_TRUE(tracker.getAccess().isNever());
  EXPECT_EQ(evaluateAccess(tracker.getAccess(), {1}), -1);
  EXPECT_EQ(tracker.getBufferSize(), 0);
  EXPECT_TRUE(ShapeTracker::fromShape({0, 2}).getAccess().isNever());
}

TEST(ShapeTrackerTest, RealStridesOfAnAxisThatIsSplitAreUnknown) {
  ShapeTracker tracker = ShapeTracker::fromShape({2, 3, 4})
                             .permute(Dims{1, 0, 2})
                             .reshape(Dims{6, 4});
  using Strides = std::vector<std::optional<int64_t>>;
  EXPECT_EQ(tracker.getRealStrides(), (Strides{std::nullopt, 1}));
  ShapeTracker padded = tracker.pad(Mask{{0, 0}, {1, 1}});
  EXPECT_EQ(padded.getRealStrides(), (Strides{std::nullopt, std::nullopt}));
  EXPECT_EQ(padded.getRealStrides(/*ignoreValid=*/true),
            (Strides{std::nullopt, 1}));
}

TEST(ShapeTrackerTest, BufferSizeCountsWhatIsRead) {
  EXPECT_EQ(ShapeTracker::fromShape({5}).pad(Mask{{2, 9}}).getBufferSize(), 5);
  EXPECT_EQ(ShapeTracker::fromShape({5}).shrink(Mask{{1, 3}}).getBufferSize(),
            3);
  EXPECT_EQ(ShapeTracker::fromShape({0}).getBufferSize(), 0);
  EXPECT_EQ(flattenTransposed(3, 4).getBufferSize(), 12);
}

TEST(ShapeTrackerTest, IndexRangeUsesMasksOfAllViews) {
  using Range = std::pair<int64_t, int64_t>;
  auto range = [](std::vector<View> views) {
    return ShapeTracker::fromViews(std::move(views)).getIndexRange();
  };
  View flat = View::create({24});
  EXPECT_EQ(range({View::create({5}, Dims{-2}, 9)}), Range(1, 9));
  EXPECT_EQ(range({View::create({3, 4}, Dims{4, 1}, -5, Mask{{1, 3}, {1, 4}})}),
            Range(0, 6));
  // The mask in the middle bounds the sum that goes into the first view.
  View middle = View::create({12}, Dims{1}, 3, Mask{{2, 7}});
  EXPECT_EQ(range({flat, middle, View::create({3, 4})}), Range(5, 9));
  View twice = View::create({24}, Dims{-2}, 47);
  EXPECT_EQ(range({twice, middle, View::create({3, 4})}), Range(29, 37));
  // The last view alone reads nothing, or reaches what is masked.
  EXPECT_EQ(range({flat, View::create({2}, Dims{0}, 0, Mask{{0, 0}})}),
            std::nullopt);
  EXPECT_EQ(range({flat, middle, View::create({2}, Dims{1}, 8)}), std::nullopt);
  EXPECT_EQ(range({flat, View::create({0, 2})}), std::nullopt);
}

TEST(ShapeTrackerTest, LaterMovementsUndoAViewThatWasPushed) {
  ShapeTracker tracker = flattenTransposed(3, 4);
  ASSERT_EQ(tracker.getViews().size(), 2u);
  EXPECT_EQ(tracker.reshape(Dims{4, 3}).permute(Dims{1, 0}),
            ShapeTracker::fromShape({3, 4}));
  EXPECT_EQ(tracker.shrink(Mask{{3, 6}}),
            ShapeTracker::fromViews({View::create({3}, Dims{4}, 1)}));
}

TEST(ShapeTrackerTest, ThreeViewsMergeWhereNoTwoDo) {
  // (p mod 12) mod 6 is p mod 6, and that is the column.
  ShapeTracker tracker = ShapeTracker::fromViews(
      {View::create({2, 2, 3}, Dims{0, 3, 1}),
       View::create({2, 3, 6, 2}, Dims{0, 0, 2, 1}), View::create({12, 6})});
  EXPECT_FALSE(compose(tracker.getViews()[0], tracker.getViews()[1]));
  EXPECT_FALSE(compose(tracker.getViews()[1], tracker.getViews()[2]));
  EXPECT_EQ(tracker.simplify(),
            ShapeTracker::fromViews({View::create({12, 6}, Dims{0, 1})}));
}

TEST(ShapeTrackerTest, QuotientsThatCancelOutLeaveOneView) {
  // Rows that repeat, read across one boundary of rows: 3, 4, 5.
  ShapeTracker repeated = ShapeTracker::fromShape({2, 1, 4})
                              .expand(Dims{2, 2, 4})
                              .reshape(Dims{16});
  EXPECT_EQ(repeated.shrink(Mask{{7, 10}}),
            ShapeTracker::fromViews({View::create({3}, Dims{1}, 3)}));
  EXPECT_EQ(repeated.shrink(Mask{{6, 14}}).getViews().size(), 2u);
  // Every fourth of rows of three that repeat four times: 0, 1, 2, 3, …
  EXPECT_EQ(ShapeTracker::fromShape({4, 1, 3})
                .expand(Dims{4, 4, 3})
                .reshape(Dims{12, 4})
                .shrink(Mask{{0, 12}, {0, 1}}),
            ShapeTracker::fromViews({View::create({12, 1}, Dims{1, 0})}));
}

TEST(ShapeTrackerTest, EquivalentChainsOfManyElements) {
  // Past the size up to which tables are compared.
  ShapeTracker a = flattenTransposed(300, 400);
  ShapeTracker b = ShapeTracker::fromViews(
      {View::create({400, 300}, Dims{1, 400}), View::create({400, 3, 100}),
       View::create({120000})});
  EXPECT_TRUE(a.isEquivalent(b));
  EXPECT_FALSE(a.isEquivalent(a.stride(Dims{-1})));
  EXPECT_FALSE(a.isEquivalent(ShapeTracker::fromShape({120000})));
  EXPECT_FALSE(a.isEquivalent(ShapeTracker::fromShape({300, 400})));
}

TEST(ShapeTrackerTest, OneFunctionWrittenInTwoWaysIsEquivalent) {
  // The same diagonal-free gather, cut into rows of 5 and of 7 positions.
  ShapeTracker a = ShapeTracker::fromViews(
      {View::create({30, 70}, Dims{1, 30}), View::create({2100})});
  ShapeTracker b = ShapeTracker::fromViews(
      {View::create({30, 5, 14}, Dims{1, 420, 30}), View::create({2100})});
  EXPECT_TRUE(a.isEquivalent(b));
}

TEST(ShapeTrackerTest, TwoToTheFortyElementsThroughTwoViews) {
  int64_t side = int64_t(1) << 20;
  ShapeTracker tracker = flattenTransposed(side, side);
  EXPECT_EQ(tracker.getNumElements(), side * side);
  EXPECT_EQ(tracker.getIndex(Dims{side + 3}), 3 * side + 1);
  EXPECT_EQ(tracker.getAccess().index.evaluate(Dims{side + 3}), 3 * side + 1);
  EXPECT_EQ(tracker.getBufferSize(), side * side);
  EXPECT_EQ(tracker.reshape(Dims{side, side}).permute(Dims{1, 0}),
            ShapeTracker::fromShape({side, side}));
  EXPECT_EQ(ShapeTracker::fromShape({1, 1})
                .expand(Dims{side * side, side * side})
                .getNumElements(),
            std::numeric_limits<int64_t>::max());
}

TEST(ShapeTrackerTest, PrintsItsViews) {
  EXPECT_EQ(flattenTransposed(2, 3).toString(),
            "shape_tracker<view<[3, 2], strides [1, 3], offset 0>, view<[6], "
            "strides [1], offset 0>>");
}

// The padding's distance in the buffer passes 64 bits; what is read does not.
TEST(ShapeTrackerTest, paddingFarFromTheBuffer) {
  ShapeTracker tracker = ShapeTracker::fromShape({2, int64_t(1) << 40})
                             .shrink(Mask{{0, 2}, {5, 6}})
                             .pad(Mask{{int64_t(1) << 24, 0}, {0, 0}});
  EXPECT_EQ(tracker.getIndexRange(),
            std::pair(int64_t(5), (int64_t(1) << 40) + 5));
  EXPECT_EQ(tracker.getBufferSize(), (int64_t(1) << 40) + 6);
  for (const View &view : tracker.getViews())
    EXPECT_TRUE(view.hasSmallIndices());
  // Undone, it is one view again.
  tracker =
      tracker.shrink(Mask{{int64_t(1) << 24, (int64_t(1) << 24) + 2}, {0, 1}});
  EXPECT_EQ(tracker.getViews().size(), 1u);
}

TEST(ShapeTrackerTest, AnAxisWithinWholeStepsOfTheMaskHasAStride) {
  auto read = [](int64_t end) {
    return ShapeTracker::fromViews(
        {View::create({2048}, Dims{1}, 0, Mask{{0, end}}),
         View::create({16, 32, 4})});
  };
  using Strides = std::vector<std::optional<int64_t>>;
  // 128 * i + 4 * j + k < 512 is i < 4.
  EXPECT_EQ(read(512).getRealStrides(), (Strides{std::nullopt, 4, 1}));
  EXPECT_EQ(read(510).getRealStrides(),
            (Strides{std::nullopt, std::nullopt, std::nullopt}));
}

} // namespace
