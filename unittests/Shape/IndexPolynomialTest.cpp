//===- IndexPolynomialTest.cpp - Expressions of named variables -*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products and divisions of expressions, named variables, and proofs.
//
//===----------------------------------------------------------------------===//

#include "RandomChain.h"
#include "SymbolicChain.h"
#include "TestUtils.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace tinygrad::shape;

namespace {

IndexExpr var(const char *name, int64_t min, int64_t max) {
  return IndexExpr::variable(name, min, max);
}

class PolynomialTest : public ::testing::Test {
protected:
  IndexExpr i = var("i", 1, 8), j = var("j", 1, 5), k = var("k", 0, 3);
};

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

TEST_F(PolynomialTest, AVariableIsItsNameBoundsAndValue) {
  EXPECT_EQ(i, var("i", 1, 8));
  EXPECT_FALSE(i == var("i", 1, 9));
  EXPECT_FALSE(i == j);
  EXPECT_FALSE(i == IndexExpr::variable(0, 1, 8));
  EXPECT_FALSE(i == i.bind(3));
  EXPECT_FALSE(i.bind(2) == i.bind(3));
  EXPECT_EQ(i.bind(3), i.bind(3));
  EXPECT_EQ(var("n", 4, 4), IndexExpr(4));
  EXPECT_EQ(var("n", 4, 4).bind(4), IndexExpr(4));
  EXPECT_EQ(i.bind(3).getMax(), 8);
}

TEST_F(PolynomialTest, VariablesAreCollectedByName) {
  IndexExpr d0 = IndexExpr::variable(0, j);
  std::vector<IndexExpr> exprs{k * i + d0, i.floorDiv(j + 1)};
  EXPECT_EQ(toString(collectVariables(exprs)), "[i, j, k]");
  EXPECT_TRUE(isSymbolic(d0));
  EXPECT_FALSE(isSymbolic(IndexExpr::variable(0, 0, 5) * 3));
}

TEST_F(PolynomialTest, BindGivesNumbers) {
  IndexExpr d0 = IndexExpr::variable(0, i);
  EXPECT_EQ(bindVariables(i * j + k, {{"i", 3}, {"k", 2}}), j * 3 + 2);
  EXPECT_EQ(bindVariables(d0, {{"i", 3}}), IndexExpr::variable(0, 0, 2));
  EXPECT_EQ(bindVariables(d0 * j + i, {{"i", 1}}), IndexExpr(1));
  EXPECT_EQ(bindVariables(d0.mod(j), {{"j", 4}}), d0.mod(4));
  EXPECT_EQ(bindVariables(i.bind(5) * 2, {{"i", 3}}), IndexExpr(6));

  std::string error;
  std::vector<IndexExpr> variables{i, j};
  EXPECT_TRUE(verifyBindings(variables, {{"i", 8}, {"x", 99}}, false, error));
  EXPECT_FALSE(verifyBindings(variables, {{"i", 9}}, false, error));
  EXPECT_EQ(error, "expects `i` from 1 to 8, got 9");
  EXPECT_FALSE(verifyBindings(variables, {{"i", 8}}, true, error));
  EXPECT_EQ(error, "expects a value for `j`");
}

TEST_F(PolynomialTest, UnbindFreesVariables) {
  Bindings bindings;
  EXPECT_EQ(unbindVariables(i.bind(3) * 4 + j, bindings), i * 4 + j);
  EXPECT_EQ(bindings, (Bindings{{"i", 3}}));
  EXPECT_EQ(unbindVariables(i.bind(3) + k.bind(0), bindings), i + k);
  EXPECT_EQ(bindings, (Bindings{{"i", 3}, {"k", 0}}));
  EXPECT_EQ(unbindVariables(i.bind(4), bindings), std::nullopt);
  EXPECT_EQ(resolveVariables(i.bind(3) * 4 + j), j + 12);
}

//===----------------------------------------------------------------------===//
// Algebra
//===----------------------------------------------------------------------===//

TEST_F(PolynomialTest, EqualPolynomialsAreEqual) {
  EXPECT_EQ((i + j) * (i - j), i * i - j * j);
  EXPECT_EQ((i + 1) * (j + 2) - i * 2 - j - 2, i * j);
  EXPECT_EQ(i * j * k, k * (j * i));
  EXPECT_EQ(i * (j + k) * 3, i * 3 * k + j * i * 3);
  EXPECT_EQ(i * 0, IndexExpr(0));
  EXPECT_EQ(-(i - j), j - i);
  IndexExpr half = i.floorDiv(2);
  EXPECT_EQ(half * (half + 1), half * half + half);
}

TEST_F(PolynomialTest, BoundsOfProducts) {
  EXPECT_EQ((i * j).getMin(), 1);
  EXPECT_EQ((i * j).getMax(), 40);
  EXPECT_EQ((i * k * -2).getMin(), -48);
  IndexExpr x = var("x", -3, 2);
  EXPECT_EQ((x * x).getMin(), 0);
  EXPECT_EQ((x * x).getMax(), 9);
  EXPECT_EQ((x * x * x).getMin(), -27);
  IndexExpr big = var("big", 0, INT64_MAX);
  EXPECT_EQ((big * big).getMax(), INT64_MAX);
}

TEST_F(PolynomialTest, PrintsSoThatItCanBeRead) {
  EXPECT_EQ((i * 4 + j).toString(), "i * 4 + j");
  EXPECT_EQ((i * j * 3).toString(), "i * j * 3");
  EXPECT_EQ((i + 1).floorDiv(2).toString(), "(i + 1) floordiv 2");
  EXPECT_EQ((i - j * k).toString(), "i - j * k");
  EXPECT_EQ((-(i * j) - k).toString(), "-k - i * j");
  IndexExpr x = IndexExpr::variable(0, 0, 99);
  EXPECT_EQ(x.mod(i * j).toString(), "d0 mod (i * j)");
  EXPECT_EQ((x + 1).floorDiv(i).toString(), "(d0 + 1) floordiv i");
  EXPECT_EQ((x.floorDiv(i) * j).toString(), "j * (d0 floordiv i)");
  EXPECT_EQ(x.floorDiv(i).floorDiv(j).toString(), "(d0 floordiv i) floordiv j");
  EXPECT_EQ(toString(SymbolicDims{i, 3, i * j}), "[i, 3, i * j]");
}

TEST_F(PolynomialTest, DivisionByExpressions) {
  IndexExpr x = IndexExpr::variable(0, i), y = IndexExpr::variable(1, j),
            z = IndexExpr::variable(2, 0, 99);
  EXPECT_EQ((x * j + y).floorDiv(j), x);
  EXPECT_EQ((x * j + y).mod(j), y);
  EXPECT_EQ(x.floorDiv(i), IndexExpr(0));
  EXPECT_EQ(x.mod(i), x);
  EXPECT_EQ((i * j).floorDiv(i), j);
  EXPECT_EQ((i * j).mod(j), IndexExpr(0));
  EXPECT_EQ((i * i - 1).floorDiv(i + 1), i - 1);
  // Flipped axes: the remainder is one divisor off.
  EXPECT_EQ((-(x * j) - y - 1).floorDiv(j), -x - 1);
  EXPECT_EQ((-(x * j) - y - 1).mod(j), j - 1 - y);
  // Multiples of the divisor leave, radices split.
  EXPECT_EQ((x * j * 3 + z).floorDiv(j), x * 3 + z.floorDiv(j));
  EXPECT_EQ((x * j + z).mod(j), z.mod(j));
  EXPECT_EQ((z * j + y).floorDiv(j * 4), z.floorDiv(4));
  EXPECT_EQ((z * j + y).mod(j * 4), z.mod(4) * j + y);
  // Where the divisor may be 0, a multiple of it must stay.
  EXPECT_EQ((z + k).floorDiv(k).toString(), "(d2 + k) floordiv k");
  EXPECT_EQ(z.floorDiv(k).evaluate(Dims{0, 0, 7}, {{"k", 0}}), 7);
  EXPECT_EQ(z.mod(k).evaluate(Dims{0, 0, 7}, {{"k", 0}}), 0);
  EXPECT_EQ(z.floorDiv(IndexExpr(4)), z.floorDiv(4));
}

/// A random expression and its values at all bindings and positions.
struct Sample {
  IndexExpr expr;
  std::vector<int64_t> values;
};

TEST_F(PolynomialTest, RandomExpressionsHaveTheValuesOfTheirParts) {
  ChainGenerator generator(20240101);
  auto floorDivide = [](int64_t a, int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
  };
  for (int64_t round = 0; round < 1500; ++round) {
    std::vector<IndexExpr> variables;
    for (const char *name : {"i", "j"}) {
      int64_t min = generator.pick(-1, 2);
      variables.push_back(var(name, min, min + generator.pick(1, 4)));
    }
    IndexExpr extent = variables[1].getMin() < 0 ? IndexExpr(3) : variables[1];
    std::vector<Sample> pool{{variables[0], {}},
                             {variables[1], {}},
                             {IndexExpr::variable(0, extent), {}},
                             {IndexExpr::variable(1, -2, 3), {}}};
    std::vector<std::pair<Bindings, Dims>> points;
    for (const Bindings &bindings : getAllBindings(variables)) {
      Dims extents{extent.evaluate({}, bindings), 6};
      forEachPosition(extents, [&](Dims position) {
        position[1] -= 2;
        for (size_t n = 0; n < pool.size(); ++n)
          pool[n].values.push_back(n < 2 ? bindings.at(n ? "j" : "i")
                                         : position[n - 2]);
        points.emplace_back(bindings, position);
      });
    }

    for (int64_t step = generator.pick(1, 7); step > 0; --step) {
      const Sample &a = pool[generator.pick(0, pool.size() - 1)];
      const Sample &b = pool[generator.pick(0, pool.size() - 1)];
      int64_t kind = generator.pick(0, 5), number = generator.pick(-4, 4);
      if (kind > 3 && b.expr.getMin() < 0)
        continue;
      if (kind == 2 && a.expr.getMax() > 1000)
        continue;
      Sample next{kind == 0   ? a.expr + b.expr * number
                  : kind == 1 ? a.expr - b.expr + number
                  : kind < 4  ? a.expr * b.expr
                  : kind == 4 ? a.expr.floorDiv(b.expr)
                              : a.expr.mod(b.expr),
                  {}};
      for (size_t n = 0; n < points.size(); ++n) {
        int64_t x = a.values[n], y = b.values[n];
        int64_t divisor = std::max<int64_t>(y, 1);
        int64_t quotient = floorDivide(x, divisor);
        next.values.push_back(kind == 0   ? x + y * number
                              : kind == 1 ? x - y + number
                              : kind < 4  ? x * y
                              : kind == 4 ? quotient
                                          : x - quotient * divisor);
      }
      pool.push_back(std::move(next));
    }
    for (const Sample &sample : pool) {
      int64_t low = INT64_MAX;
      for (size_t n = 0; n < points.size(); ++n) {
        auto &[bindings, position] = points[n];
        ASSERT_EQ(sample.expr.evaluate(position, bindings), sample.values[n])
            << sample.expr.toString();
        ASSERT_LE(sample.expr.getMin(), sample.values[n]);
        ASSERT_GE(sample.expr.getMax(), sample.values[n]);
        ASSERT_EQ(bindVariables(sample.expr, bindings).evaluate(position),
                  sample.values[n])
            << sample.expr.toString();
        low = std::min(low, sample.values[n]);
      }
      if (isProvablyNonNegative(sample.expr))
        ASSERT_GE(low, 0) << sample.expr.toString();
      if (isProvablyLess(sample.expr, pool.front().expr))
        for (size_t n = 0; n < points.size(); ++n)
          ASSERT_LT(sample.values[n], pool.front().values[n])
              << sample.expr.toString();
    }
  }
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

TEST_F(PolynomialTest, ProofsOfMultilinearPolynomialsAreExact) {
  ChainGenerator generator(7);
  std::vector<IndexExpr> all{var("a", 0, 1), var("b", 1, 2), var("c", -1, 1),
                             var("d", 2, 3), var("e", 0, 2), var("f", -2, -1)};
  int64_t provenCount = 0;
  for (int64_t round = 0; round < 1000; ++round) {
    std::vector<IndexExpr> variables(all.begin(),
                                     all.begin() + generator.pick(1, 6));
    IndexExpr expr(generator.pick(0, 12));
    for (int64_t term = generator.pick(1, 6); term > 0; --term) {
      IndexExpr product(generator.pick(-3, 4));
      for (const IndexExpr &variable : variables)
        if (generator.pick(0, 2) == 0)
          product = product * variable;
      expr = expr + product;
    }
    int64_t low = INT64_MAX;
    for (const Bindings &bindings : getAllBindings(variables))
      low = std::min(low, expr.evaluate({}, bindings));
    ASSERT_EQ(isProvablyNonNegative(expr), low >= 0) << expr.toString();
    provenCount += low >= 0;
  }
  EXPECT_GT(provenCount, 200);
  EXPECT_LT(provenCount, 800);
}

TEST_F(PolynomialTest, ProofsPastCorners) {
  EXPECT_TRUE(isProvablyNonNegative(i * i - i));
  EXPECT_TRUE(isProvablyLessOrEqual(i * 2, i * i + 1 + i));
  EXPECT_TRUE(isProvablyLess(i, i + j));
  EXPECT_FALSE(isProvablyLess(i, i + k));
  EXPECT_TRUE(isProvablyLessOrEqual(i, i + k));
  EXPECT_TRUE(isProvablyEqual(i * (j + 1), i + j * i));
  EXPECT_FALSE(isProvablyEqual(i, j));
  // Quotients lie between their bounds.
  EXPECT_TRUE(isProvablyLessOrEqual((i + 1).floorDiv(2), i));
  EXPECT_TRUE(isProvablyLessOrEqual((i * j).floorDiv(i + 1), j));
  EXPECT_TRUE(isProvablyLess(i.mod(j), j));
  IndexExpr x = IndexExpr::variable(0, i), y = IndexExpr::variable(1, k);
  EXPECT_TRUE(isProvablyLess(x * j + j - 1, i * j));
  EXPECT_TRUE(isProvablyNonNegative(i - 1 - x));
  // The extent may be 0; then there is no y.
  EXPECT_TRUE(isProvablyLess(y, k));
  EXPECT_FALSE(isProvablyLess(IndexExpr(0), k));
}

TEST_F(PolynomialTest, NumbersPast64BitsProveNothing) {
  IndexExpr big = var("big", 1, INT64_MAX), low = var("low", INT64_MIN, 0);
  EXPECT_TRUE(isProvablyNonNegative(big * big - big));
  EXPECT_FALSE(isProvablyNonNegative(big - big * big));
  EXPECT_FALSE(isProvablyLess(IndexExpr(INT64_MAX), IndexExpr(INT64_MIN)));
  EXPECT_TRUE(isProvablyLess(low, big));
  EXPECT_FALSE(isProvablyLess(big, low));
  EXPECT_FALSE(
      isProvablyNonNegative(big * big * big * big + low * low * low * 2));
  EXPECT_FALSE(isProvablyLessOrEqual(big * INT64_MAX + INT64_MAX, big));
}

TEST_F(PolynomialTest, ManyVariablesAreGivenUpInTime) {
  IndexExpr product(1), sum(0);
  for (int64_t n = 0; n < 14; ++n) {
    IndexExpr x = var(("x" + std::to_string(n)).c_str(), -1, 1);
    product = product * (x + 1);
    sum = sum + x * x;
  }
  EXPECT_FALSE(isProvablyNonNegative(product - sum - 1));
}

} // namespace
