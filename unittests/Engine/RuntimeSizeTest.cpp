//===- RuntimeSizeTest.cpp - Numbers that variables decide ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/RuntimeSize.h"

#include "gtest/gtest.h"

using namespace tinygrad::engine;
using tinygrad::shape::IndexExpr;

TEST(RuntimeSizeTest, isWhatTheExpressionIs) {
  std::vector<std::string> names = {"j", "i"};
  auto i = IndexExpr::variable("i", 1, 9);
  auto j = IndexExpr::variable("j", 0, 7);
  std::vector<IndexExpr> exprs = {
      IndexExpr::constant(5),
      i,
      i * 3 + j,
      i * j * 2 + 1,
      (i + 1).floorDiv(2),
      (j * 5 + i).mod(4),
      (j - 3).floorDiv(2) + 2,
      (j - 3).mod(5),
      (i * 10).floorDiv(j),
      (i * 10).mod(j + 2),
  };
  for (const IndexExpr &expr : exprs) {
    std::optional<RuntimeSize> size = RuntimeSize::create(expr, names);
    ASSERT_TRUE(size) << expr.toString();
    EXPECT_EQ(size->isNumber(), expr.isConstant());
    EXPECT_TRUE(size->isValid(2));
    for (int64_t a = 1; a <= 9; ++a)
      for (int64_t b = 0; b <= 7; ++b) {
        int64_t value = expr.evaluate({}, {{"i", a}, {"j", b}});
        std::vector<int64_t> values = {b, a};
        EXPECT_EQ(size->evaluate(values), std::max<int64_t>(value, 0))
            << expr.toString() << " at " << a << ", " << b;
        EXPECT_LE(value, size->number);
      }
  }
}

TEST(RuntimeSizeTest, wantsItsVariables) {
  auto i = IndexExpr::variable("i", 1, 9);
  EXPECT_FALSE(RuntimeSize::create(i, {}));
  EXPECT_FALSE(RuntimeSize::create(i + IndexExpr::variable(0, 1, 9),
                                   std::vector<std::string>{"i"}));
  std::optional<RuntimeSize> size =
      RuntimeSize::create(i * 2, std::vector<std::string>{"k", "i"});
  ASSERT_TRUE(size);
  EXPECT_TRUE(size->isValid(2));
  EXPECT_FALSE(size->isValid(1));
}

TEST(RuntimeSizeTest, refusesCodeThatCannotRun) {
  auto isValid = [](std::vector<int64_t> code) {
    RuntimeSize size;
    size.code = std::move(code);
    return size.isValid(1);
  };
  EXPECT_TRUE(isValid({0, 7}));
  EXPECT_TRUE(isValid({0, 7, 1, 0, 2, 0}));
  // Half an instruction, an unknown one, no such variable, too few operands,
  // two results.
  EXPECT_FALSE(isValid({0}));
  EXPECT_FALSE(isValid({6, 0}));
  EXPECT_FALSE(isValid({-1, 0}));
  EXPECT_FALSE(isValid({1, 1}));
  EXPECT_FALSE(isValid({1, -1}));
  EXPECT_FALSE(isValid({0, 7, 2, 0}));
  EXPECT_FALSE(isValid({0, 7, 0, 7}));
  EXPECT_FALSE(RuntimeSize(-1).isValid(0));
}
