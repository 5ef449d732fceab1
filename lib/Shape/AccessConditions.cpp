//===- AccessConditions.cpp - The conditions of an access -------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The canonical form of conditions, one by one. What they say about each other
// is in RefineAccess.cpp.
//
//===----------------------------------------------------------------------===//

#include "AccessConditions.h"

#include "LinearForm.h"

#include <algorithm>

using namespace tinygrad::shape;
using Kind = IndexExpr::Kind;

IndexAccess tinygrad::shape::makeNever() {
  return {IndexExpr::constant(0), {{IndexExpr::constant(0), 1, 1}}};
}

IndexRange tinygrad::shape::normalize(IndexExpr expr, Wide min, Wide max) {
  while (true) {
    min = std::max<Wide>(min, expr.getMin());
    max = std::min<Wide>(max, expr.getMax());
    if (min > max)
      break;
    if (expr.getKind() == Kind::FloorDiv) {
      int64_t divisor = expr.getValue();
      min *= divisor;
      max = max * divisor + divisor - 1;
      // The numerator shares the node: hold it before it is replaced.
      IndexExpr numerator = expr.getOperands().front();
      expr = numerator;
      continue;
    }
    LinearForm sum(expr);
    if (sum.terms.empty())
      break;
    int64_t factor = 0;
    for (const LinearTerm &term : sum.terms)
      factor = greatestCommonDivisor(factor, term.factor);
    bool isNegative = sum.terms.front().factor < 0;
    if (sum.constant == 0 && factor == 1 && !isNegative)
      break;
    min -= sum.constant;
    max -= sum.constant;
    sum.constant = 0;
    min = ceilDivide<Wide>(min, factor);
    max = floorDivide<Wide>(max, factor);
    for (LinearTerm &term : sum.terms)
      term.factor /= isNegative ? -factor : factor;
    if (isNegative) {
      std::swap(min, max);
      min = -min;
      max = -max;
    }
    expr = sum.build();
  }
  return {expr, saturate(min), saturate(max)};
}

bool tinygrad::shape::addCondition(IndexAccess &access, const IndexExpr &expr,
                                   Wide min, Wide max) {
  IndexRange range = normalize(expr, min, max);
  if (range.min > range.max)
    return false;
  if (range.min <= range.expr.getMin() && range.max >= range.expr.getMax())
    return true;
  for (IndexRange &known : access.conditions)
    if (known.expr == range.expr) {
      known.min = std::max(known.min, range.min);
      known.max = std::min(known.max, range.max);
      return known.min <= known.max;
    }
  access.conditions.push_back(std::move(range));
  return true;
}

static bool isLess(const IndexRange &a, const IndexRange &b) {
  if (int order = compareExprs(a.expr, b.expr))
    return order < 0;
  return std::pair(a.min, a.max) < std::pair(b.min, b.max);
}

void tinygrad::shape::sortConditions(IndexAccess &access) {
  std::sort(access.conditions.begin(), access.conditions.end(), isLess);
}
