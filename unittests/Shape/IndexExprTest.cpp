//===- IndexExprTest.cpp - Simplification of index expressions --*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the simplifier finds, and that it never changes a value.
//
//===----------------------------------------------------------------------===//

#include "RandomChain.h"
#include "TestUtils.h"

#include "gtest/gtest.h"

using namespace tinygrad::shape;

namespace {

IndexExpr var(int64_t id, int64_t min, int64_t max) {
  return IndexExpr::variable(id, min, max);
}

TEST(IndexExprTest, DivisionByBoundsNeedsNoDivision) {
  IndexExpr x = var(0, -10, 10);
  EXPECT_EQ((x * 10 + 5).floorDiv(10), x);
  EXPECT_EQ((x * 10 + 5).mod(10), IndexExpr::constant(5));
  EXPECT_EQ((x * 48 + 240).floorDiv(16), x * 3 + 15);
  EXPECT_EQ(var(0, 0, 7).floorDiv(8), IndexExpr::constant(0));
  EXPECT_EQ(var(0, 8, 15).mod(8), var(0, 8, 15) + -8);
  // Two values are on one line even where they wrap around.
  EXPECT_EQ((var(0, 0, 1) * 2 + 4).mod(5), var(0, 0, 1) * -3 + 4);
}

TEST(IndexExprTest, TermsThatCancelLeaveAConstant) {
  IndexExpr d1 = var(1, 0, 100);
  IndexExpr difference = d1 + (d1 + 2) * -1;
  EXPECT_EQ(difference, IndexExpr::constant(-2));
  EXPECT_EQ(difference.floorDiv(8).mod(8), IndexExpr::constant(7));
}

TEST(IndexExprTest, DivisionRoundsDownForNegativeNumbers) {
  for (int64_t value = -9; value <= 9; ++value) {
    int64_t quotient = IndexExpr::constant(value).floorDiv(4).getValue();
    int64_t remainder = IndexExpr::constant(value).mod(4).getValue();
    EXPECT_EQ(quotient * 4 + remainder, value);
    EXPECT_TRUE(remainder >= 0 && remainder < 4);
  }
}

TEST(IndexExprTest, NestedDivisionsOpen) {
  IndexExpr x = var(0, 0, 999), y = var(1, 0, 5);
  EXPECT_EQ(x.floorDiv(2).floorDiv(3), x.floorDiv(6));
  EXPECT_EQ(x.mod(12).mod(6), x.mod(6));
  EXPECT_EQ((x.mod(12) * 3 + y).mod(4), (x * 3 + y).mod(4));
  EXPECT_EQ((x * 6 + y).floorDiv(12), x.floorDiv(2));
  EXPECT_EQ((x * 6 + y).mod(12), x.mod(2) * 6 + y);
  EXPECT_EQ((x * 4 + 6).floorDiv(10), (x * 2 + 3).floorDiv(5));
  EXPECT_EQ((x.floorDiv(3) + y).floorDiv(5), (x + y * 3).floorDiv(15));
}

TEST(IndexExprTest, QuotientAndRemainderJoin) {
  IndexExpr x = var(0, 0, 999);
  EXPECT_EQ(x.floorDiv(7) * 7 + x.mod(7), x);
  EXPECT_EQ(x.floorDiv(6) * 6 + x.floorDiv(2).mod(3) * 2 + x.mod(2), x);
  EXPECT_EQ((x * 9 + 4).mod(7) + (x * 9 + 4).floorDiv(7) * 7, x * 9 + 4);
}

TEST(IndexExprTest, EqualSumsCompareEqualInAnyOrder) {
  IndexExpr x = var(0, 0, 9), y = var(1, 0, 9), q = x.floorDiv(3);
  EXPECT_EQ(x * 2 + y + q + 1, q + 1 + y + x + x);
  EXPECT_EQ((x + y) * 3, y * 3 + x * 3);
  EXPECT_EQ(x * 0, IndexExpr::constant(0));
  EXPECT_FALSE(x + y == x * 2 + y);
  // A variable is its number and its bounds.
  EXPECT_FALSE(x == var(0, 0, 8));
  EXPECT_EQ(var(3, 4, 4), IndexExpr::constant(4));
}

TEST(IndexExprTest, BoundsOfSumsAreExact) {
  IndexExpr sum = var(0, -3, 5) * -2 + var(1, 1, 4) * 7 + 1;
  EXPECT_EQ(sum.getMin(), -10 + 7 + 1);
  EXPECT_EQ(sum.getMax(), 6 + 28 + 1);
}

TEST(IndexExprTest, PrintsAsAffineExpressionsAreWritten) {
  IndexExpr x = var(0, 0, 99), y = var(1, 0, 99);
  EXPECT_EQ((x * 3 + y).mod(5).toString(), "(d0 * 3 + d1) mod 5");
  EXPECT_EQ((x * -1 + 7).toString(), "-d0 + 7");
  EXPECT_EQ((x + y * -4 + -2).toString(), "d0 - d1 * 4 - 2");
  EXPECT_EQ((x.floorDiv(4) * 6 + y).toString(), "d1 + (d0 floordiv 4) * 6");
  EXPECT_EQ(IndexExpr::constant(-3).toString(), "-3");
}

TEST(IndexExprTest, NumbersBeyond32BitsAreExact) {
  int64_t big = int64_t(1) << 40;
  IndexExpr x = var(0, 0, big - 1), y = var(1, 0, big - 1);
  EXPECT_EQ((x * (int64_t(1) << 20) + 5).floorDiv(int64_t(1) << 20), x);
  EXPECT_EQ((x * 3 + y).floorDiv(big).evaluate(std::vector{big - 1, big - 1}),
            3);
  // Bounds past 63 bits saturate, and prove nothing.
  IndexExpr huge = x * (int64_t(1) << 40);
  EXPECT_EQ(huge.getMax(), std::numeric_limits<int64_t>::max());
}

TEST(IndexExprTest, SharedNodesAreEvaluatedOnce) {
  // As a tree this has 3^40 nodes.
  IndexExpr expr = var(0, 0, 1 << 20);
  for (int64_t i = 0; i < 40; ++i)
    expr = expr.mod(1000003 + i) + expr.floorDiv(3) + 1;
  int64_t value = 77777;
  for (int64_t i = 0; i < 40; ++i)
    value = value % (1000003 + i) + value / 3 + 1;
  EXPECT_EQ(expr.evaluate(std::vector<int64_t>{77777}), value);
}

/// A random expression and its values on the box of its variables.
struct Sample {
  IndexExpr expr;
  std::vector<int64_t> values;
};

TEST(IndexExprTest, RandomExpressionsHaveTheValuesOfTheirParts) {
  ChainGenerator generator(42);
  auto floorDivide = [](int64_t a, int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
  };
  for (int64_t round = 0; round < 20000; ++round) {
    Dims lows, extents;
    std::vector<Sample> pool;
    for (int64_t id = 0; id < 3; ++id) {
      lows.push_back(generator.pick(-5, 5));
      extents.push_back(generator.pick(1, 7));
      pool.push_back({var(id, lows[id], lows[id] + extents[id] - 1), {}});
    }
    std::vector<Dims> positions;
    forEachPosition(extents, [&](Dims position) {
      for (size_t id = 0; id < 3; ++id) {
        position[id] += lows[id];
        pool[id].values.push_back(position[id]);
      }
      positions.push_back(std::move(position));
    });

    for (int64_t step = generator.pick(1, 8); step > 0; --step) {
      const Sample &a = pool[generator.pick(0, pool.size() - 1)];
      const Sample &b = pool[generator.pick(0, pool.size() - 1)];
      int64_t kind = generator.pick(0, 3), factor = generator.pick(-6, 6);
      int64_t divisor = generator.pick(1, 12);
      Sample next{kind == 0   ? a.expr + b.expr * factor
                  : kind == 1 ? a.expr * factor + divisor
                  : kind == 2 ? a.expr.floorDiv(divisor)
                              : a.expr.mod(divisor),
                  {}};
      for (size_t i = 0; i < positions.size(); ++i) {
        int64_t x = a.values[i], quotient = floorDivide(x, divisor);
        next.values.push_back(kind == 0   ? x + b.values[i] * factor
                              : kind == 1 ? x * factor + divisor
                              : kind == 2 ? quotient
                                          : x - quotient * divisor);
      }
      pool.push_back(std::move(next));
    }
    for (const Sample &sample : pool)
      for (size_t i = 0; i < positions.size(); ++i) {
        ASSERT_EQ(sample.expr.evaluate(positions[i]), sample.values[i])
            << sample.expr.toString();
        ASSERT_LE(sample.expr.getMin(), sample.values[i]);
        ASSERT_GE(sample.expr.getMax(), sample.values[i]);
      }
  }
}

} // namespace
