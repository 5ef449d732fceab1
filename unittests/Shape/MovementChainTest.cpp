//===- MovementChainTest.cpp - Views as movement operations -----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations made from views, by example and against brute force.
//
//===----------------------------------------------------------------------===//

#include "IndexTable.h"
#include "RandomChain.h"
#include "TestUtils.h"

#include "gtest/gtest.h"

using namespace tinygrad::shape;

namespace {

/// Returns the operations that make `tracker` from a tensor of shape `source`,
/// as text, and checks them by their composition.
std::string write(const ShapeTracker &tracker, const Dims &source) {
  ShapeTracker result = ShapeTracker::fromShape(source);
  std::vector<MovementOp> ops = toMovementOps(tracker, source);
  for (const MovementOp &op : ops) {
    Dims shape = op.getShape(result.getShape());
    result = apply(op, result);
    EXPECT_EQ(result.getShape(), shape);
  }
  EXPECT_EQ(result, tracker.simplify());
  return toString(ops);
}

std::string write(View view, const Dims &source) {
  return write(ShapeTracker::fromViews({std::move(view)}), source);
}

//===----------------------------------------------------------------------===//
// Examples
//===----------------------------------------------------------------------===//

TEST(MovementChainTest, OneOperationComesBackAsOne) {
  ShapeTracker x = ShapeTracker::fromShape({2, 3, 4});
  Dims source = {2, 3, 4};
  EXPECT_EQ(write(x, source), "");
  EXPECT_EQ(write(x.reshape(Dims{6, 4}), source), "reshape[6, 4]");
  EXPECT_EQ(write(x.permute(Dims{2, 0, 1}), source), "permute[2, 0, 1]");
  EXPECT_EQ(write(x.pad(Mask{{1, 0}, {0, 2}, {0, 0}}), source),
            "pad[[1, 0], [0, 2], [0, 0]]");
  EXPECT_EQ(write(x.stride(Dims{1, -1, 1}), source), "stride[1, -1, 1]");
  EXPECT_EQ(write(ShapeTracker::fromShape({1, 3}).expand(Dims{4, 3}), {1, 3}),
            "expand[4, 3]");
}

TEST(MovementChainTest, AScalarIsAShrink) {
  EXPECT_EQ(write(View::create({}, Dims{}, 4), {6}),
            "shrink[[4, 5]] reshape[]");
}

TEST(MovementChainTest, AnOffsetAndGapsAreAShrinkAndAStride) {
  EXPECT_EQ(write(View::create({3}, Dims{2}, 1), {12}),
            "shrink[[1, 6]] stride[2]");
  // Backwards from the last.
  EXPECT_EQ(write(View::create({3}, Dims{-2}, 5), {12}),
            "shrink[[1, 6]] stride[-2]");
}

TEST(MovementChainTest, RowsMayBeginBeforeTheView) {
  // Rows from 2 on would end past the 12 elements.
  EXPECT_EQ(write(View::create({3, 2}, Dims{4, 1}, 2), {12}),
            "reshape[3, 4] shrink[[0, 3], [2, 4]]");
}

TEST(MovementChainTest, RowsThatEndPastTheTensorArePadded) {
  EXPECT_EQ(write(View::create({2, 2}, Dims{3, 1}), {5}),
            "pad[[0, 1]] reshape[2, 3] shrink[[0, 2], [0, 2]]");
}

TEST(MovementChainTest, StepsNeedNotDivideEachOther) {
  EXPECT_EQ(write(View::create({3, 2}, Dims{7, 4}), {21}),
            "reshape[3, 7] shrink[[0, 3], [0, 5]] stride[1, 4]");
}

TEST(MovementChainTest, OverlapIsAnExpandReadInLongerRows) {
  EXPECT_EQ(write(View::create({3, 3}, Dims{1, 1}), {5}),
            "reshape[1, 5] expand[3, 5] reshape[15] pad[[0, 3]] reshape[3, 6] "
            "shrink[[0, 3], [0, 3]]");
}

TEST(MovementChainTest, OverlapOfTooManyElementsIsAsStrided) {
  int64_t extent = (int64_t(1) << 31) - 1;
  View view = View::create({extent, extent}, Dims{1, 1});
  EXPECT_EQ(write(view, {2 * extent - 1}), "as_strided " + view.toString());
  // Where the copies fit it is not.
  EXPECT_EQ(
      write(View::create({extent / 2, extent / 2}, Dims{1, 1}), {extent - 1})
          .find("as_strided"),
      std::string::npos);
}

TEST(MovementChainTest, NothingReadIsPaddingAroundNothing) {
  EXPECT_EQ(
      write(View::create({2, 3}, Dims{3, 1}, 0, Mask{{0, 0}, {0, 0}}), {6}),
      "shrink[[0, 0]] reshape[0, 0] pad[[0, 2], [0, 3]]");
  EXPECT_EQ(write(View::create({2, 0}), {6}), "shrink[[0, 0]] reshape[2, 0]");
  // Beside an axis without elements others may be of any size.
  int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(write(View::create({most, 0, most}), {0}),
            "reshape[" + std::to_string(most) + ", 0, " + std::to_string(most) +
                "]");
}

TEST(MovementChainTest, EachViewReadsTheOneBefore) {
  ShapeTracker tracker =
      ShapeTracker::fromShape({2, 3}).permute(Dims{1, 0}).reshape(Dims{6});
  ASSERT_EQ(tracker.getViews().size(), 2u);
  EXPECT_EQ(write(tracker, {6}), "reshape[2, 3] permute[1, 0] reshape[6]");
}

TEST(MovementChainTest, NumberOfElementsDoesNotCount) {
  auto count = [](int64_t scale) {
    ShapeTracker tracker = ShapeTracker::fromShape({6 * scale, 10 * scale})
                               .permute(Dims{1, 0})
                               .reshape(Dims{60 * scale * scale})
                               .stride(Dims{-3})
                               .pad(Mask{{1, 2}});
    return toMovementOps(tracker, {6 * scale, 10 * scale}).size();
  };
  EXPECT_EQ(count(1), count(1 << 20));
}

//===----------------------------------------------------------------------===//
// Against brute force
//===----------------------------------------------------------------------===//

/// Expects that operations from `tracker` make `expected` of a tensor of
/// `source` element by element. Returns them.
std::vector<MovementOp> check(const ShapeTracker &tracker, const Dims &source,
                              const IndexTable &expected) {
  std::vector<MovementOp> ops = toMovementOps(tracker, source);
  IndexTable table = IndexTable::fromShape(source);
  bool wasReshape = false;
  for (const MovementOp &op : ops) {
    IndexTable next = table.apply(op);
    bool isReshape = op.kind == MovementOp::Kind::Reshape;
    EXPECT_FALSE(isReshape && wasReshape);
    EXPECT_TRUE(next.shape != table.shape || next.indices != table.indices ||
                op.kind == MovementOp::Kind::Permute ||
                op.kind == MovementOp::Kind::Stride);
    wasReshape = isReshape;
    table = std::move(next);
  }
  EXPECT_EQ(table.shape, expected.shape);
  EXPECT_EQ(table.indices, expected.indices)
      << tracker.toString() << " as " << toString(ops);
  return ops;
}

TEST(MovementChainTest, ChainsComeBackWithoutAsStrided) {
  constexpr int64_t chainCount = 20000, maxElements = 96;
  ChainGenerator generator(492);
  int64_t differentCount = 0;
  for (int64_t chain = 0; chain < chainCount; ++chain) {
    IndexTable table = IndexTable::fromShape(generator.makeShape());
    Dims source = table.shape;
    ShapeTracker tracker = ShapeTracker::fromShape(source);
    std::vector<View> unmerged = {View::create(source)};
    for (int64_t length = generator.pick(1, 6); length > 0; --length) {
      MovementOp movement = generator.makeMovement(table.shape, maxElements);
      unmerged.push_back(
          apply(movement, ShapeTracker::fromShape(table.shape)).getViews()[0]);
      table = table.apply(movement);
      tracker = apply(movement, tracker);
    }
    ShapeTracker result = ShapeTracker::fromShape(source);
    for (const MovementOp &op : check(tracker, source, table)) {
      ASSERT_NE(op.kind, MovementOp::Kind::AsStrided) << tracker.toString();
      result = apply(op, result);
    }
    // From the flat buffer, as large as need be, and with each view apart.
    check(tracker, {tracker.getBufferSize()}, table);
    check(ShapeTracker::fromViews(unmerged), source, table);
    ASSERT_FALSE(HasFailure()) << tracker.toString();
    if (table.indices.empty())
      continue;
    ASSERT_EQ(result.getViews().size(), tracker.getViews().size());
    differentCount += result != tracker;
  }
  // Composed again they are the same views, but for lists of views that can be
  // written in several ways: with axes of extent 1, or flipped twice.
  EXPECT_LE(differentCount, 100);
}

TEST(MovementChainTest, AnyViewComesBack) {
  ChainGenerator generator(7);
  int64_t overlapCount = 0;
  for (int64_t round = 0; round < 20000; ++round) {
    Dims shape(generator.pick(0, 4)), strides;
    Mask mask;
    int64_t offset = generator.pick(0, 3), last = 0;
    for (int64_t &extent : shape) {
      extent = generator.pick(0, 30) == 0 ? 0 : generator.pick(1, 4);
      strides.push_back(generator.pick(-7, 7));
      mask.emplace_back(generator.pick(0, 1), extent - generator.pick(0, 1));
      int64_t reach = strides.back() * std::max<int64_t>(extent - 1, 0);
      offset -= std::min<int64_t>(reach, 0);
      last += std::max<int64_t>(reach, 0);
    }
    int64_t size = last + offset + 1 + generator.pick(0, 3);
    View view =
        View::create(shape, strides, offset,
                     generator.pick(0, 1) ? std::optional(mask) : std::nullopt);
    ShapeTracker tracker = ShapeTracker::fromViews({view});
    IndexTable expected{shape, getTable(tracker)};
    std::vector<MovementOp> ops = check(tracker, {size}, expected);
    for (size_t i = 1; i < ops.size(); ++i)
      overlapCount += ops[i - 1].kind == MovementOp::Kind::Expand &&
                      ops[i].kind == MovementOp::Kind::Reshape;
    ASSERT_FALSE(HasFailure()) << view.toString();
  }
  EXPECT_GT(overlapCount, 100);
}

} // namespace
