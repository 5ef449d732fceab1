//===- CasesTest.cpp - What broke elsewhere ---------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views and index algebra that were wrong in tinygrad, TVM, MLX, LLVM: each row
// of a list of such cases is a test, with its input and with variants of its
// kind, against brute force.
//
//===----------------------------------------------------------------------===//

#include "IndexTable.h"
#include "RandomChain.h"
#include "TestUtils.h"

#include "gtest/gtest.h"
#include <algorithm>

using namespace tinygrad::shape;

namespace {

MovementOp reshape(Dims shape) {
  return {MovementOp::Kind::Reshape, std::move(shape), {}, {}};
}
MovementOp permute(Dims order) {
  return {MovementOp::Kind::Permute, std::move(order), {}, {}};
}
MovementOp expand(Dims shape) {
  return {MovementOp::Kind::Expand, std::move(shape), {}, {}};
}
MovementOp pad(Mask padding) {
  return {MovementOp::Kind::Pad, {}, std::move(padding), {}};
}
MovementOp shrink(Mask ranges) {
  return {MovementOp::Kind::Shrink, {}, std::move(ranges), {}};
}
MovementOp stride(Dims steps) {
  return {MovementOp::Kind::Stride, std::move(steps), {}, {}};
}

/// Returns `movements` on a tensor of `shape`, after checking all that the
/// tracker says of its elements by brute force.
ShapeTracker check(const Dims &shape,
                   const std::vector<MovementOp> &movements) {
  ShapeTracker tracker = ShapeTracker::fromShape(shape);
  IndexTable table = IndexTable::fromShape(shape);
  std::string text;
  for (const MovementOp &movement : movements) {
    tracker = apply(movement, tracker);
    table = table.apply(movement);
    text += toString(movement) + " ";
  }
  EXPECT_EQ(tracker.getShape(), table.shape) << text;
  EXPECT_EQ(getTable(tracker), table.indices) << text << tracker.toString();
  EXPECT_EQ(getAccessTable(tracker), table.indices)
      << text << tracker.toString();
  EXPECT_EQ(getTable(tracker.simplify()), table.indices)
      << text << tracker.toString();
  IndexTable back = IndexTable::fromShape(shape);
  for (const MovementOp &op : toMovementOps(tracker, shape))
    back = back.apply(op);
  EXPECT_EQ(back.indices, table.indices) << text << tracker.toString();
  if (findSingleView(table) && !table.indices.empty())
    EXPECT_EQ(tracker.getViews().size(), 1u) << text << tracker.toString();
  return tracker;
}

/// Returns all shapes of `count` elements and of `rank` axes.
std::vector<Dims> getShapes(int64_t count, size_t rank) {
  if (rank == 0)
    return count == 1 ? std::vector<Dims>{{}} : std::vector<Dims>{};
  std::vector<Dims> result;
  for (int64_t extent = 1; extent <= count; ++extent)
    if (count % extent == 0)
      for (Dims &shape : getShapes(count / extent, rank - 1)) {
        shape.push_back(extent);
        result.push_back(std::move(shape));
      }
  return result;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

TEST(CasesTest, R001MaskSplitByAReshapeAndJoined) {
  ShapeTracker tracker =
      check({2, 5, 5}, {pad({{2, 0}, {0, 0}, {0, 0}}), reshape({2, 2, 5, 5}),
                        reshape({4, 5, 5})});
  EXPECT_EQ(tracker, ShapeTracker::fromShape({2, 5, 5}).pad(
                         Mask{{2, 0}, {0, 0}, {0, 0}}));
  // Masks that end at a row of the split, and in the middle of one.
  for (int64_t rows = 1; rows <= 4; ++rows)
    for (int64_t before = 0; before <= 3; ++before)
      for (int64_t after = 0; after <= 3; ++after) {
        int64_t all = rows + before + after;
        MovementOp padded = pad({{before, after}, {0, 0}});
        for (const Dims &split : getShapes(all, 2)) {
          Dims inner = {split[0], split[1], 3};
          check({rows, 3}, {padded, reshape(inner), reshape({all, 3})});
          check({rows, 3}, {padded, reshape(inner), permute({1, 0, 2})});
        }
      }
}

TEST(CasesTest, R003MaskCutByAReshape) {
  check({1, 2}, {pad({{1, 0}, {0, 1}}), reshape({3, 2})});
  check({1, 2}, {pad({{1, 1}, {0, 2}}), reshape({4, 3})});
}

// Every shape up to 4x4, every padding by at most one per side, every reshape
// up to three axes, and back.
TEST(CasesTest, R003EveryMaskCutByEveryReshape) {
  for (int64_t rows = 1; rows <= 4; ++rows)
    for (int64_t columns = 1; columns <= 4; ++columns)
      for (int64_t sides = 0; sides < 16; ++sides) {
        Mask padding = {{sides & 1, sides >> 1 & 1},
                        {sides >> 2 & 1, sides >> 3 & 1}};
        Dims padded = {rows + padding[0].first + padding[0].second,
                       columns + padding[1].first + padding[1].second};
        ShapeTracker before =
            ShapeTracker::fromShape({rows, columns}).pad(padding);
        for (size_t rank = 0; rank <= 3; ++rank)
          for (const Dims &shape : getShapes(padded[0] * padded[1], rank)) {
            ShapeTracker tracker =
                check({rows, columns}, {pad(padding), reshape(shape)});
            EXPECT_EQ(tracker.reshape(padded), before) << tracker.toString();
          }
        ASSERT_FALSE(HasFailure());
      }
}

TEST(CasesTest, R005StrideOfAFlattenedTranspose) {
  ShapeTracker tracker =
      check({2, 3}, {permute({1, 0}), reshape({6}), stride({3})});
  EXPECT_EQ(getTable(tracker), (std::vector<int64_t>{0, 4}));
  for (int64_t rows = 1; rows <= 5; ++rows)
    for (int64_t columns = 1; columns <= 5; ++columns)
      for (int64_t step = -7; step <= 7; ++step)
        for (int64_t begin = 0; begin < 3; ++begin) {
          int64_t count = rows * columns;
          if (step != 0 && begin < count)
            check({rows, columns}, {permute({1, 0}), reshape({count}),
                                    shrink({{begin, count}}), stride({step})});
        }
}

TEST(CasesTest, R010MaskFlippedAndSplit) {
  for (int64_t rowStep : {-1, 1})
    for (int64_t columnStep : {-1, 1})
      for (int64_t below = 0; below <= 3; ++below)
        for (int64_t above = 0; above <= 2; ++above)
          for (const Dims &shape : getShapes(4 * (1 + above + below), 3))
            check({1, 4},
                  {pad({{above, below}, {0, 0}}), stride({rowStep, columnStep}),
                   reshape({1 + above + below, 1, 4}), reshape(shape)});
}

TEST(CasesTest, R011SlicesOfPaddingReadNothing) {
  ShapeTracker padded =
      ShapeTracker::fromShape({4, 4}).pad(Mask{{1, 2}, {3, 4}});
  for (const Mask &slice :
       {Mask{{0, 1}, {0, 11}}, Mask{{0, 7}, {1, 2}}, Mask{{6, 7}, {0, 11}},
        Mask{{5, 7}, {0, 2}}, Mask{{0, 1}, {0, 1}}, Mask{{0, 7}, {8, 9}}}) {
    ShapeTracker tracker = padded.shrink(slice);
    EXPECT_TRUE(tracker.getAccess().isNever()) << tracker.toString();
    EXPECT_EQ(tracker.getBufferSize(), 0);
  }
  // Every slice knows whether it reads anything, flattened and with gaps too.
  for (int64_t top = 0; top < 7; ++top)
    for (int64_t bottom = top + 1; bottom <= 7; ++bottom)
      for (int64_t left = 0; left < 11; ++left)
        for (int64_t right = left + 1; right <= 11; ++right) {
          ShapeTracker cut = padded.shrink(Mask{{top, bottom}, {left, right}});
          for (const ShapeTracker &tracker :
               {cut, cut.stride(Dims{2, -3}),
                cut.reshape(Dims{(bottom - top) * (right - left)})}) {
            std::vector<int64_t> table = getTable(tracker);
            EXPECT_EQ(tracker.getAccess().isNever(),
                      *std::max_element(table.begin(), table.end()) < 0)
                << tracker.toString();
          }
        }
}

TEST(CasesTest, R013NegativeStridesStayOneView) {
  EXPECT_EQ(check({7, 6}, {stride({-1, -1})}),
            ShapeTracker::fromViews({View::create({7, 6}, Dims{-6, -1}, 41)}));
  EXPECT_EQ(check({7, 6},
                  {stride({-1, 2}), shrink({{0, 7}, {0, 1}}), expand({7, 6})}),
            ShapeTracker::fromViews({View::create({7, 6}, Dims{-6, 0}, 36)}));
  for (int64_t rowStep = -3; rowStep <= 3; ++rowStep)
    for (int64_t columnStep = -3; columnStep <= 3; ++columnStep)
      for (int64_t again : {-2, -1, 2}) {
        if (rowStep == 0 || columnStep == 0)
          continue;
        ShapeTracker tracker =
            check({5, 4}, {stride({rowStep, columnStep}), permute({1, 0}),
                           stride({again, -1}), pad({{1, 0}, {0, 2}}),
                           stride({-1, again})});
        EXPECT_EQ(tracker.getViews().size(), 1u);
      }
}

//===----------------------------------------------------------------------===//
// Index algebra
//===----------------------------------------------------------------------===//

TEST(CasesTest, R015QuotientsOfNegativeNumbersRoundDown) {
  IndexExpr d1 = IndexExpr::variable(1, -5, 5);
  IndexExpr difference = d1 + (d1 + 2) * -1;
  EXPECT_EQ(difference.floorDiv(8).mod(8), IndexExpr::constant(7));
  for (int64_t value = -20; value <= 20; ++value)
    for (int64_t divisor = 1; divisor <= 9; ++divisor) {
      int64_t quotient = 0; // The largest whose multiple is not above.
      for (quotient = -20; (quotient + 1) * divisor <= value;)
        ++quotient;
      for (const IndexExpr &expr :
           {IndexExpr::constant(value), d1 * 3 + (d1 * -3 + value)}) {
        EXPECT_EQ(expr.floorDiv(divisor), IndexExpr::constant(quotient));
        EXPECT_EQ(expr.mod(divisor),
                  IndexExpr::constant(value - quotient * divisor));
      }
    }
}

TEST(CasesTest, R018QuotientsSimplifyToWhatTheyAre) {
  IndexExpr x = IndexExpr::variable(0, -10, 10);
  EXPECT_EQ((x * 10 + 5).floorDiv(10), x);
  EXPECT_EQ((x * 48 + 240).floorDiv(16), x * 3 + 15);
  IndexExpr y = IndexExpr::variable(1, -2, 3);
  for (int64_t factor = -12; factor <= 12; ++factor)
    for (int64_t constant = -7; constant <= 7; ++constant)
      for (int64_t divisor = 1; divisor <= 12; ++divisor) {
        IndexExpr sum = x * factor + y * 4 + constant;
        IndexExpr quotient = sum.floorDiv(divisor), rest = sum.mod(divisor);
        for (int64_t a = -10; a <= 10; ++a)
          for (int64_t b = -2; b <= 3; ++b) {
            int64_t value = factor * a + 4 * b + constant;
            int64_t expected =
                value / divisor - (value % divisor != 0 && value < 0);
            Dims values = {a, b};
            ASSERT_EQ(quotient.evaluate(values), expected) << sum.toString();
            ASSERT_EQ(rest.evaluate(values), value - expected * divisor);
          }
      }
}

/// Returns the least divisor in `expr`.
int64_t getLeastDivisor(const IndexExpr &expr) {
  int64_t least = std::numeric_limits<int64_t>::max();
  if (expr.getKind() == IndexExpr::Kind::FloorDiv ||
      expr.getKind() == IndexExpr::Kind::Mod)
    least = expr.getValue();
  if (expr.getKind() > IndexExpr::Kind::Variable)
    for (const IndexExpr &operand : expr.getOperands())
      least = std::min(least, getLeastDivisor(operand));
  return least;
}

// Division by 0 has no expression; what views divide by is an extent, and there
// are views of extent 0.
TEST(CasesTest, R020NoAccessDividesByZero) {
  ChainGenerator generator(20);
  int64_t divisionCount = 0, emptyCount = 0;
  for (int64_t chain = 0; chain < 5000; ++chain) {
    Dims shape = generator.makeShape();
    std::vector<View> views = {View::create(shape)};
    for (int64_t length = generator.pick(1, 5); length > 0; --length) {
      ShapeTracker next = apply(generator.makeMovement(shape, 96),
                                ShapeTracker::fromShape(shape));
      views.push_back(next.getViews().front());
      shape = next.getShape();
    }
    // Unmerged, so that views without elements are read through.
    IndexAccess access = ShapeTracker::fromViews(views).getAccess();
    int64_t least = getLeastDivisor(access.index);
    for (const IndexRange &range : access.conditions)
      least = std::min(least, getLeastDivisor(range.expr));
    ASSERT_GT(least, 0);
    divisionCount += least < std::numeric_limits<int64_t>::max();
    emptyCount += std::ranges::any_of(views, [](const View &view) {
      return std::ranges::find(view.getShape(), 0) != view.getShape().end();
    });
  }
  EXPECT_GT(divisionCount, 100);
  EXPECT_GT(emptyCount, 100);
}

TEST(CasesTest, R120QuotientsByMoreThan32Bits) {
  int64_t divisor = int64_t(1) << 40;
  EXPECT_EQ(IndexExpr::variable(0, 0, INT32_MAX).floorDiv(divisor),
            IndexExpr::constant(0));
  for (int64_t bits = 31; bits <= 62; ++bits)
    for (int64_t value : {int64_t(0), int64_t(1), (int64_t(1) << bits) - 1,
                          -(int64_t(1) << bits), int64_t(-1)}) {
      IndexExpr x = IndexExpr::variable(0, -(int64_t(1) << bits),
                                        (int64_t(1) << bits) - 1);
      for (int64_t shift : {31, 32, 33, 40, 61, 62}) {
        int64_t by = int64_t(1) << shift;
        Dims values = {value};
        EXPECT_EQ(x.floorDiv(by).evaluate(values), value >> shift);
        EXPECT_EQ(x.mod(by).evaluate(values), value & (by - 1));
      }
    }
}

//===----------------------------------------------------------------------===//
// Past 2^31, and zero size
//===----------------------------------------------------------------------===//

TEST(CasesTest, R022LastElementsPast32Bits) {
  for (int64_t side :
       {int64_t(1) << 16, (int64_t(1) << 16) + 1, int64_t(1) << 30}) {
    ShapeTracker tracker = ShapeTracker::fromShape({side})
                               .reshape(Dims{side, 1})
                               .expand(Dims{side, side})
                               .reshape(Dims{side * side});
    for (int64_t back = 1; back <= 3; ++back) {
      Dims position = {side * side - back};
      EXPECT_EQ(tracker.getIndex(position), side - 1);
      EXPECT_EQ(evaluateAccess(tracker.getAccess(), position), side - 1);
      // Backwards it is the first element, cut out it is one view.
      EXPECT_EQ(tracker.stride(Dims{-1}).getIndex(position), 0);
    }
    ShapeTracker last = tracker.shrink(Mask{{side * side - 3, side * side}});
    EXPECT_EQ(last,
              ShapeTracker::fromViews({View::create({3}, Dims{0}, side - 1)}));
  }
}

TEST(CasesTest, R024OffsetsPast4GiB) {
  for (int64_t begin : {(int64_t(1) << 31) - 1, int64_t(1) << 31,
                        (int64_t(1) << 32) + 5, int64_t(1) << 60}) {
    ShapeTracker cut = ShapeTracker::fromShape({begin + 12})
                           .shrink(Mask{{begin, begin + 12}})
                           .reshape(Dims{3, 4});
    ShapeTracker flipped = cut.permute(Dims{1, 0}).stride(Dims{-1, 1});
    ShapeTracker padded = flipped.pad(Mask{{1, 0}, {0, 2}});
    forEachPosition({4, 3}, [&](const Dims &at) {
      int64_t expected = begin + at[1] * 4 + (3 - at[0]);
      EXPECT_EQ(flipped.getIndex(at), expected);
      EXPECT_EQ(evaluateAccess(flipped.getAccess(), at), expected);
      EXPECT_EQ(padded.getIndex(Dims{at[0] + 1, at[1]}), expected);
    });
    EXPECT_EQ(cut.getIndexRange(), std::pair(begin, begin + 11));
    EXPECT_EQ(padded.getBufferSize(), begin + 12);
  }
}

TEST(CasesTest, R026NothingPaddedIsAllPadding) {
  ShapeTracker tracker = check({4, 4, 4}, {shrink({{0, 4}, {0, 0}, {0, 4}}),
                                           pad({{0, 0}, {0, 1}, {0, 0}})});
  EXPECT_TRUE(tracker.getAccess().isNever());
  EXPECT_EQ(tracker.getBufferSize(), 0);
  // Along each axis, seen in other shapes before and after.
  for (size_t axis = 0; axis < 3; ++axis)
    for (int64_t begin = 0; begin <= 2; ++begin)
      for (int64_t width = 1; width <= 2; ++width) {
        Dims shape = {2, 3, 4};
        Mask ranges = {{0, 2}, {0, 3}, {0, 4}}, padding(3, {0, 0});
        ranges[axis] = {begin, begin};
        padding[axis] = {width, 1};
        check(shape, {shrink(ranges), permute({2, 0, 1}), reshape({0}),
                      pad({{1, 2}}), reshape({3, 1}), expand({3, 2})});
        check(shape, {shrink(ranges), pad(padding), stride({1, -1, 2})});
        check(shape,
              {pad(padding), shrink(ranges), pad(padding), permute({1, 2, 0})});
      }
}

} // namespace
