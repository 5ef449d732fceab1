//===- SymbolicTrackerTest.cpp - Views of symbolic sizes --------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each movement makes of symbolic sizes, where views merge, and bindings.
//
//===----------------------------------------------------------------------===//

#include "SymbolicChain.h"
#include "TestUtils.h"

#include "gtest/gtest.h"

using namespace tinygrad::shape;

namespace {

class SymbolicTrackerTest : public ::testing::Test {
protected:
  static SymbolicShapeTracker make(SymbolicDims shape) {
    return SymbolicShapeTracker::fromShape(std::move(shape));
  }
  /// Writes the only view, or all of them.
  static std::string write(const SymbolicShapeTracker &tracker) {
    return tracker.getViews().size() == 1
               ? tracker.getViews().front().toString()
               : tracker.toString();
  }
  static std::string
  write(const std::vector<std::optional<IndexExpr>> &strides) {
    std::string text;
    for (const std::optional<IndexExpr> &stride : strides)
      text +=
          (text.empty() ? "" : ", ") + (stride ? stride->toString() : "none");
    return text;
  }
  static std::string write(const SymbolicAccess &access) {
    std::string text = access.index.toString();
    for (const auto &[expr, min, max] : access.conditions)
      text += ", " + min.toString() + " <= " + expr.toString() +
              " <= " + max.toString();
    return text;
  }

  IndexExpr i = IndexExpr::variable("i", 1, 8);
  IndexExpr j = IndexExpr::variable("j", 1, 5);
  IndexExpr k = IndexExpr::variable("k", 0, 3);
};

//===----------------------------------------------------------------------===//
// Movements of one view
//===----------------------------------------------------------------------===//

TEST_F(SymbolicTrackerTest, ShapesAreRowMajor) {
  SymbolicShapeTracker tracker = make({i, 3, j});
  EXPECT_EQ(write(tracker), "view<[i, 3, j], strides [j * 3, j, 1], offset 0>");
  EXPECT_TRUE(tracker.isContiguous());
  EXPECT_TRUE(tracker.isSymbolic());
  EXPECT_EQ(toString(tracker.getVariables()), "[i, j]");
  EXPECT_EQ(tracker.getNumElements(), i * j * 3);
  EXPECT_EQ(write(tracker.getRealStrides()), "j * 3, j, 1");
  EXPECT_EQ(write(make({})), "view<[], strides [], offset 0>");
}

TEST_F(SymbolicTrackerTest, EachMovementOfOneView) {
  SymbolicShapeTracker x = make({i, 4});
  EXPECT_EQ(write(x.permute(Dims{1, 0})),
            "view<[4, i], strides [1, 4], offset 0>");
  EXPECT_EQ(write(make({1, 4}).expand({i, 4})),
            "view<[i, 4], strides [0, 1], offset 0>");
  EXPECT_EQ(write(x.shrink({{0, i}, {1, 3}})),
            "view<[i, 2], strides [4, 1], offset 1>");
  EXPECT_EQ(write(make({8, 4}).shrink({{k, k + 2}, {0, 4}})),
            "view<[2, 4], strides [4, 1], offset k * 4>");
  EXPECT_EQ(write(make({3, i, j}).shrink({{0, 3}, {i - 1, i}, {0, j}})),
            "view<[3, 1, j], strides [i * j, 0, 1], offset -j + i * j>");
  EXPECT_EQ(write(x.stride(Dims{-1, 2})),
            "view<[i, 2], strides [-4, 2], offset i * 4 - 4>");
  EXPECT_EQ(write(x.stride(Dims{2, 1})),
            "view<[(i + 1) floordiv 2, 4], strides [8, 1], offset 0>");
  EXPECT_EQ(write(x.pad({{1, j}, {0, 0}})),
            "view<[i + j + 1, 4], strides [4, 1], offset -4, "
            "mask [[1, i + 1], [0, 4]]>");
  EXPECT_EQ(write(x.stride(Dims{INT64_MIN, 1})),
            "view<[1, 4], strides [0, 1], offset i * 4 - 4>");
}

TEST_F(SymbolicTrackerTest, MovementsThatUndoEachOther) {
  SymbolicShapeTracker x = make({i, 3});
  EXPECT_EQ(x.permute(Dims{1, 0}).permute(Dims{1, 0}), x);
  EXPECT_EQ(x.pad({{j, 2}, {0, k}}).shrink({{j, i + j}, {0, 3}}), x);
  EXPECT_EQ(x.stride(Dims{-1, -1}).stride(Dims{-1, -1}), x);
  EXPECT_EQ(x.pad({{0, 0}, {0, 0}}), x);
}

TEST_F(SymbolicTrackerTest, MasksThatMeetInOneRange) {
  SymbolicShapeTracker x = make({3, i}).pad({{0, 0}, {0, j}});
  EXPECT_EQ(write(x), "view<[3, i + j], strides [i, 1], offset 0, "
                      "mask [[0, 3], [0, i]]>");
  EXPECT_EQ(write(x.getRealStrides()), "i, none");
  EXPECT_EQ(write(x.getRealStrides(/*ignoreValid=*/true)), "i, 1");
  // A flipped mask, one that is cut, one that is padded again.
  EXPECT_EQ(write(x.stride(Dims{1, -1})),
            "view<[3, i + j], strides [i, -1], offset i + j - 1, "
            "mask [[0, 3], [j, i + j]]>");
  EXPECT_EQ(write(x.shrink({{1, 2}, {0, i + 1}})),
            "view<[1, i + 1], strides [0, 1], offset i, "
            "mask [[0, 1], [0, i]]>");
  EXPECT_EQ(write(x.pad({{0, 0}, {k, 0}})),
            "view<[3, i + j + k], strides [i, 1], offset -k, "
            "mask [[0, 3], [k, i + k]]>");
  // Nothing but padding is left.
  EXPECT_EQ(write(x.shrink({{0, 3}, {i, i + j}})),
            "view<[3, j], strides [0, 0], offset 0, mask [[0, 0], [0, 0]]>");
}

TEST_F(SymbolicTrackerTest, AnExpandedPositionMayBeMasked) {
  // Whether the one element is read depends on the variable.
  IndexExpr bit = IndexExpr::variable("bit", 0, 1);
  SymbolicShapeTracker x =
      make({1}).pad({{0, i}}).shrink({{bit, bit + 1}}).expand({j});
  std::string error;
  for (int64_t value : {0, 1}) {
    auto bound = x.bind({{"bit", value}, {"i", 2}, {"j", 3}}, error);
    ASSERT_TRUE(bound);
    EXPECT_EQ(getTable(*bound->toStatic()),
              std::vector<int64_t>(3, value == 0 ? 0 : -1));
  }
}

TEST_F(SymbolicTrackerTest, CatByPads) {
  // Two arrays, one after the other: each is read in its part.
  SymbolicShapeTracker a = make({i, 4}).pad({{0, j}, {0, 0}});
  SymbolicShapeTracker b = make({j, 4}).pad({{i, 0}, {0, 0}});
  EXPECT_EQ(a.getShape(), b.getShape());
  EXPECT_EQ(write(a.getRealStrides(true)), "4, 1");
  EXPECT_EQ(write(b), "view<[i + j, 4], strides [4, 1], offset -i * 4, "
                      "mask [[i, i + j], [0, 4]]>");
  EXPECT_EQ(write(b.getAccess()), "d0 * 4 + d1 - i * 4, i <= d0 <= i + j - 1");
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

TEST_F(SymbolicTrackerTest, AContiguousViewTakesAnyShape) {
  SymbolicShapeTracker x = make({i, 4});
  EXPECT_EQ(x.reshape({i * 4}).reshape({4, i}), make({4, i}));
  EXPECT_EQ(x.reshape({1, i, 1, 4}).reshape({i, 4}), x);
  EXPECT_EQ(make({i, j}).reshape({j, i}).reshape({1, i * j}), make({1, i * j}));
  // The numbers agree only where i is 3, as it is.
  EXPECT_EQ(write(make({3, 4}).reshape({i.bind(3), 4})),
            "view<[i, 4], strides [4, 1], offset 0>");
}

TEST_F(SymbolicTrackerTest, AxesJoinAndSplit) {
  // Steps of two elements: not contiguous, but one axis.
  SymbolicShapeTracker x = make({i, j, 4, 2})
                               .shrink({{0, i}, {0, j}, {0, 4}, {1, 2}})
                               .reshape({i, j, 4});
  EXPECT_EQ(write(x), "view<[i, j, 4], strides [j * 8, 8, 2], offset 1>");
  EXPECT_EQ(write(x.reshape({i * j, 4})),
            "view<[i * j, 4], strides [8, 2], offset 1>");
  EXPECT_EQ(write(x.reshape({i * j * 4})),
            "view<[i * j * 4], strides [2], offset 1>");
  EXPECT_EQ(write(x.reshape({i * j * 4}).reshape({i, j * 4})),
            "view<[i, j * 4], strides [j * 8, 2], offset 1>");
  EXPECT_EQ(write(x.reshape({i * j, 2, 2})),
            "view<[i * j, 2, 2], strides [8, 4, 2], offset 1>");
  // A permuted axis splits, and its neighbour stays.
  EXPECT_EQ(write(make({i, j * 6}).permute(Dims{1, 0}).reshape({j, 6, i})),
            "view<[j, 6, i], strides [6, 1, j * 6], offset 0>");
  EXPECT_EQ(write(make({1, 1}).expand({i, j}).reshape({j, i})),
            "view<[j, i], strides [0, 0], offset 0>");
}

TEST_F(SymbolicTrackerTest, MasksJoinAndSplit) {
  SymbolicShapeTracker x = make({i, 6}).pad({{1, 0}, {0, 0}});
  EXPECT_EQ(write(x.reshape({i * 6 + 6})),
            "view<[i * 6 + 6], strides [1], offset -6, mask [[6, i * 6 + 6]]>");
  EXPECT_EQ(x.reshape({i * 6 + 6}).reshape({i + 1, 6}), x);
  EXPECT_EQ(write(x.reshape({i + 1, 2, 3})),
            "view<[i + 1, 2, 3], strides [6, 3, 1], offset -6, "
            "mask [[1, i + 1], [0, 2], [0, 3]]>");
  EXPECT_EQ(write(make({i}).pad({{0, i}}).reshape({2, i})),
            "view<[2, i], strides [0, 1], offset 0, mask [[0, 1], [0, i]]>");
}

TEST_F(SymbolicTrackerTest, WhatOneViewCannotSayTakesTwo) {
  SymbolicShapeTracker x = make({i, j}).permute(Dims{1, 0}).reshape({i * j});
  EXPECT_EQ(write(x), "shape_tracker<view<[j, i], strides [1, j], offset 0>, "
                      "view<[i * j], strides [1], offset 0>>");
  EXPECT_EQ(write(x.getAccess()), "j * (d0 mod i) + d0 floordiv i");
  EXPECT_EQ(write(x.getRealStrides()), "none");
  EXPECT_EQ(x.getBufferSize(), i * j);
  // The reshape is undone, also behind a flip.
  EXPECT_EQ(x.reshape({j, i}).permute(Dims{1, 0}), make({i, j}));
  EXPECT_EQ(write(x.stride(Dims{-1}).reshape({j, i})),
            "view<[j, i], strides [-1, -j], offset i * j - 1>");
}

TEST_F(SymbolicTrackerTest, MaskedRowsOfACacheKeepOneView) {
  // One row of a cache is written behind `start` others, and reshaped.
  IndexExpr start = IndexExpr::variable("start", 1, 128);
  SymbolicShapeTracker row = make({1, 1, 16, 64})
                                 .expand({2, 1, 16, 64})
                                 .pad({{0, 0}, {start, 0}, {0, 0}, {0, 0}});
  EXPECT_EQ(write(row.reshape({2, 1, start + 1, 16, 64})),
            "view<[2, 1, start + 1, 16, 64], strides [0, 0, 0, 64, 1], "
            "offset 0, mask [[0, 2], [0, 1], [start, start + 1], [0, 16], "
            "[0, 64]]>");
  EXPECT_EQ(write(row.reshape({2, start * 1024 + 1024})),
            "view<[2, start * 1024 + 1024], strides [0, 1], "
            "offset -start * 1024, "
            "mask [[0, 2], [start * 1024, start * 1024 + 1024]]>");
  // Two views that the reference reads strides of.
  auto two = SymbolicShapeTracker::fromViews(
      {SymbolicView::create({2, start + 1, 1, 1}, SymbolicDims{8, 1, 0, 0}, 0,
                            SymbolicMask{{0, 2}, {0, start}, {0, 1}, {0, 1}}),
       SymbolicView::create({2, start + 1})});
  EXPECT_EQ(write(two.getRealStrides()), "8, none");
  EXPECT_EQ(write(two.simplify()),
            "view<[2, start + 1], strides [8, 1], offset 0, "
            "mask [[0, 2], [0, start]]>");
}

//===----------------------------------------------------------------------===//
// Composition, bindings
//===----------------------------------------------------------------------===//

TEST_F(SymbolicTrackerTest, ComposeReadsThrough) {
  SymbolicShapeTracker inner = make({i, j}).permute(Dims{1, 0});
  SymbolicShapeTracker outer =
      make({j, i}).shrink({{0, j}, {1, i}}).pad({{k, 0}, {0, 0}});
  EXPECT_EQ(inner.compose(outer),
            inner.shrink({{0, j}, {1, i}}).pad({{k, 0}, {0, 0}}));
  EXPECT_EQ(make({i * j}).compose(outer), outer);
  EXPECT_EQ(inner.compose(make({j, i})), inner);
  // Both mask one axis.
  inner = make({8}).pad({{2, 2}});
  outer = make({12}).shrink({{0, i}}).pad({{0, j}});
  EXPECT_EQ(write(inner.compose(outer)),
            "view<[i + j], strides [1], offset -2, mask [[2, i]]>");
}

TEST_F(SymbolicTrackerTest, WithoutVariablesAllIsStatic) {
  ChainGenerator generator(3);
  for (int64_t chain = 0; chain < 500; ++chain) {
    ShapeTracker plain = ShapeTracker::fromShape(generator.makeShape());
    auto tracker = SymbolicShapeTracker::fromStatic(plain);
    for (int64_t length = generator.pick(1, 5); length > 0; --length) {
      MovementOp movement = generator.makeMovement(plain.getShape(), 64);
      plain = apply(movement, plain);
      SymbolicMovement same{movement.kind, {}, {}, {}};
      same.dims.assign(movement.ints.begin(), movement.ints.end());
      same.numbers = movement.ints;
      same.pairs.assign(movement.pairs.begin(), movement.pairs.end());
      tracker = apply(same, tracker);
    }
    ASSERT_EQ(tracker.toStatic(), plain);
    ASSERT_EQ(tracker, SymbolicShapeTracker::fromStatic(plain));
    ASSERT_EQ(tracker.toString(), plain.toString());
    ASSERT_FALSE(tracker.isSymbolic());
    ASSERT_EQ(tracker.isContiguous(), plain.isContiguous());
    ASSERT_EQ(tracker.getBufferSize(), IndexExpr(plain.getBufferSize()));
    ASSERT_EQ(write(tracker.getAccess()), toString(plain.getAccess()));
  }
}

TEST_F(SymbolicTrackerTest, BindAndUnbind) {
  SymbolicShapeTracker x =
      make({8, 4}).shrink({{i - 1, i}, {0, j - 1}}).pad({{0, 0}, {0, k}});
  std::string error;
  std::optional<SymbolicShapeTracker> bound =
      x.bind({{"i", 3}, {"k", 0}, {"unused", 7}}, error);
  ASSERT_TRUE(bound);
  EXPECT_EQ(write(*bound), "view<[1, j - 1], strides [0, 1], offset 8>");
  EXPECT_EQ(bound->toStatic(), std::nullopt);
  bound = x.bind({{"i", 3}, {"j", 5}, {"k", 2}}, error);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->toStatic()->toString(),
            "shape_tracker<view<[1, 6], strides [0, 1], offset 8, "
            "mask [[0, 1], [0, 4]]>>");
  EXPECT_FALSE(x.bind({{"i", 9}}, error));
  EXPECT_EQ(error, "expects `i` from 1 to 8, got 9");

  SymbolicShapeTracker y =
      make({8, 4}).shrink({{0, i.bind(3)}, {0, j.bind(2) - 1}});
  auto unbound = y.unbind();
  ASSERT_TRUE(unbound);
  EXPECT_EQ(unbound->first, make({8, 4}).shrink({{0, i}, {0, j - 1}}));
  EXPECT_EQ(unbound->second, (Bindings{{"i", 3}, {"j", 2}}));
  EXPECT_EQ(make({i.bind(3), i.bind(4)}).unbind(), std::nullopt);
}

TEST_F(SymbolicTrackerTest, BufferSizes) {
  EXPECT_EQ(make({i, j}).getBufferSize(), i * j);
  EXPECT_EQ(make({i, j}).stride(Dims{-1, 1}).getBufferSize(), i * j);
  EXPECT_EQ(make({k, 3}).getBufferSize(), k * 3);
  EXPECT_EQ(make({i, 4}).shrink({{0, 1}, {1, 3}}).getBufferSize(),
            IndexExpr(3));
  EXPECT_EQ(make({1, 4}).expand({i, 4}).getBufferSize(), IndexExpr(4));
  EXPECT_EQ(make({i}).pad({{2, j}}).getBufferSize(), i);
}

TEST_F(SymbolicTrackerTest, AccessesAtGivenPositions) {
  SymbolicShapeTracker x = make({i, j}).pad({{k, 0}, {0, 0}});
  IndexExpr row = IndexExpr::variable(7, i), column = IndexExpr::variable(8, j);
  // Past the padding nothing is masked.
  EXPECT_EQ(write(x.getAccess(std::vector{row + k, column})), "d8 + d7 * j");
  EXPECT_EQ(write(x.getAccess(std::vector{row, IndexExpr(0)})),
            "d7 * j - j * k, k <= d7 <= i + k - 1");
}

} // namespace
