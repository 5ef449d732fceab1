//===- ViewTest.cpp - Single views and their composition --------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Canonical forms, each movement on one view, and cases of compose.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "gtest/gtest.h"

using namespace tinygrad::shape;

namespace {

constexpr int64_t big = int64_t(1) << 40;

TEST(ViewTest, AxesOfOneElementHaveStrideZero) {
  EXPECT_EQ(View::create({1, 4, 1}).getStrides(), (Dims{0, 1, 0}));
  EXPECT_EQ(View::create({1, 4}, Dims{7, 2}).getStrides(), (Dims{0, 2}));
}

TEST(ViewTest, AFullMaskIsDropped) {
  View view = View::create({2, 3}, std::nullopt, 0, Mask{{0, 2}, {0, 3}});
  EXPECT_EQ(view, View::create({2, 3}));
  EXPECT_TRUE(view.isContiguous());
}

TEST(ViewTest, AMaskEmptyOnOneAxisIsEmptyOnAll) {
  View view = View::create({2, 3}, Dims{5, 7}, 9, Mask{{1, 1}, {0, 3}});
  EXPECT_EQ(view.toString(),
            "view<[2, 3], strides [0, 0], offset 0, mask [[0, 0], [0, 0]]>");
  EXPECT_EQ(view.getIndex(Dims{1, 1}), -1);
}

TEST(ViewTest, AMaskOfOnePositionMovesItsStrideToTheOffset) {
  View view = View::create({4, 3}, std::nullopt, 0, Mask{{2, 3}, {0, 3}});
  EXPECT_EQ(view.getStrides(), (Dims{0, 1}));
  EXPECT_EQ(view.getOffset(), 6);
}

TEST(ViewTest, MovementsOnOneAxisEach) {
  View view = View::create({2, 3});
  EXPECT_EQ(view.permute(Dims{1, 0}), View::create({3, 2}, Dims{1, 3}));
  EXPECT_EQ(View::create({1, 3}).expand(Dims{4, 3}),
            View::create({4, 3}, Dims{0, 1}));
  EXPECT_EQ(view.pad(Mask{{1, 0}, {0, 2}}),
            View::create({3, 5}, Dims{3, 1}, -3, Mask{{1, 3}, {0, 3}}));
  EXPECT_EQ(view.shrink(Mask{{0, 2}, {1, 3}}),
            View::create({2, 2}, Dims{3, 1}, 1));
  EXPECT_EQ(view.stride(Dims{-1, 2}), View::create({2, 2}, Dims{-3, 2}, 3));
}

TEST(ViewTest, NegativeStepFlipsBeforeItSkips) {
  // 0 1 2 3 flipped is 3 2 1 0; every second of it is 3 1.
  EXPECT_EQ(View::create({4}).stride(Dims{-2}), View::create({2}, Dims{-2}, 3));
  // The mask goes with the elements: 0 0 a b flipped is b a 0 0.
  EXPECT_EQ(View::create({2}).pad(Mask{{2, 0}}).stride(Dims{-1}),
            View::create({4}, Dims{-1}, 1, Mask{{0, 2}}));
}

TEST(ViewTest, AReshapeOfMergeableAxesIsOneView) {
  View flipped = View::create({2, 3}, Dims{-3, -1}, 5);
  EXPECT_EQ(flipped.reshape(Dims{6}), View::create({6}, Dims{-1}, 5));
  EXPECT_EQ(View::create({4, 6}, Dims{1, 4}).reshape(Dims{2, 2, 2, 3}),
            View::create({2, 2, 2, 3}, Dims{2, 1, 12, 4}));
  EXPECT_FALSE(View::create({2, 3}, Dims{1, 2}).reshape(Dims{6}));
}

TEST(ViewTest, AMaskGoesThroughAReshapeWhereItStaysABox) {
  View padded = View::create({2, 3}).pad(Mask{{1, 1}, {0, 0}});
  EXPECT_EQ(padded.reshape(Dims{12}),
            View::create({12}, Dims{1}, -3, Mask{{3, 9}}));
  EXPECT_FALSE(View::create({4}).pad(Mask{{1, 1}}).reshape(Dims{2, 3}));
  // One row, columns 1 to 3: an interval of the flat position.
  EXPECT_EQ(View::create({2}).pad(Mask{{5, 1}}).reshape(Dims{2, 4}),
            View::create({2, 4}, Dims{0, 1}, -1, Mask{{1, 2}, {1, 3}}));
  // The reference gives all zeros here.
  EXPECT_FALSE(
      View::create({1, 2}).pad(Mask{{1, 0}, {0, 1}}).reshape(Dims{3, 2}));
}

TEST(ViewTest, ComposeTrimsToTheOneStretchThatIsRead) {
  // Columns 2 and 3 of two rows of four; six positions meet them once.
  View inner = View::create({2, 4}, Dims{10, 1}, 0, Mask{{0, 2}, {2, 4}});
  EXPECT_EQ(compose(inner, View::create({6})),
            View::create({6}, Dims{1}, 0, Mask{{2, 4}}));
  // Eight positions meet them twice: no box.
  EXPECT_FALSE(compose(inner, View::create({8})));
  // A step over all masked columns reads nothing.
  EXPECT_EQ(compose(inner, View::create({2}, Dims{4}, 1)),
            View::create({2}, std::nullopt, 0, Mask{{0, 0}}));
  // A step that meets no masked column needs no mask.
  EXPECT_EQ(compose(inner, View::create({2}, Dims{4}, 2)),
            View::create({2}, Dims{10}, 2));
}

TEST(ViewTest, AxesThatReadOnePositionDoNotHinderAMerge) {
  View inner = View::create({4, 1, 3}).shrink(Mask{{1, 3}, {0, 1}, {0, 3}});
  EXPECT_EQ(inner.reshape(Dims{6}), View::create({6}, Dims{1}, 3));
  View padded = View::create({4, 1, 3}).pad(Mask{{0, 0}, {1, 0}, {0, 0}});
  EXPECT_EQ(compose(padded, View::create({4, 3}, Dims{6, 1}, 3)),
            View::create({4, 3}));
}

TEST(ViewTest, ViewsOfTwoToTheFortyElementsCompose) {
  View cube = View::create({1 << 14, 1 << 13, 1 << 13});
  View swapped = cube.permute(Dims{1, 2, 0});
  std::optional<View> flat = swapped.reshape(Dims{1 << 26, 1 << 14});
  ASSERT_TRUE(flat);
  EXPECT_EQ(*flat, View::create({1 << 26, 1 << 14}, Dims{1, 1 << 26}));
  EXPECT_EQ(flat->reshape(Dims{1 << 13, 1 << 13, 1 << 14}), swapped);
  View padded = View::create({big}).pad(Mask{{big, 0}});
  EXPECT_EQ(padded.reshape(Dims{2, big}),
            View::create({2, big}, Dims{0, 1}, 0, Mask{{1, 2}, {0, big}}));
  EXPECT_EQ(padded.stride(Dims{-1}).getIndex(Dims{0}), big - 1);
}

TEST(ViewTest, ShapesPastSixtyThreeBitsAreNotUndefined) {
  View wide = View::create({1, 1}).expand(Dims{big, big});
  EXPECT_EQ(wide.getIndex(Dims{big - 1, big - 1}), 0);
  EXPECT_FALSE(compose(wide, View::create({4})));
  EXPECT_EQ(compose(View::create({4}), View::create({big, big}, Dims{0, 0})),
            wide);
  // The largest numbers that have a position each.
  int64_t huge = int64_t(1) << 61;
  EXPECT_EQ(View::create({huge, 2}).reshape(Dims{2, huge}),
            View::create({2, huge}));
}

TEST(ViewTest, ZeroSizesTakeEveryMovement) {
  View empty = View::create({0, 3});
  EXPECT_TRUE(empty.isContiguous());
  EXPECT_EQ(empty.reshape(Dims{3, 0, 2}), View::create({3, 0, 2}));
  EXPECT_EQ(empty.pad(Mask{{1, 0}, {0, 0}}).getIndex(Dims{0, 2}), -1);
  EXPECT_TRUE(empty.pad(Mask{{1, 0}, {0, 0}})
                  .shrink(Mask{{0, 0}, {0, 3}})
                  .isContiguous());
  EXPECT_EQ(empty.stride(Dims{-2, -1}).getShape(), (Dims{0, 3}));
  EXPECT_EQ(compose(View::create({4}), empty), empty);
}

TEST(ViewTest, AScalarIsOneContiguousElement) {
  View scalar = View::create({});
  EXPECT_TRUE(scalar.isContiguous());
  EXPECT_EQ(scalar.getIndex({}), 0);
  EXPECT_EQ(scalar.reshape(Dims{1, 1}), View::create({1, 1}));
  EXPECT_EQ(scalar.toString(), "view<[], strides [], offset 0>");
  // A masked element has no place in a view without axes.
  View masked = View::create({1}, std::nullopt, 0, Mask{{0, 0}});
  EXPECT_FALSE(masked.reshape({}));
}

} // namespace
