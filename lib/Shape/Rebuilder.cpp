//===- Rebuilder.cpp - Expressions from their leaves up -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rebuilder.h"

using namespace tinygrad::shape;
using Kind = IndexExpr::Kind;

IndexExpr Rebuilder::rebuild(const IndexExpr &expr) {
  if (const IndexExpr *value = find(expr))
    return *value;
  if (expr.getOperands().empty())
    return expr.isConstant() ? expr : replaceVariable(expr);
  const IndexExpr::Node *node = IndexExpr::Node::get(expr);
  if (auto entry = known.find(node); entry != known.end())
    return entry->second;
  IndexExpr result = compute(expr);
  known.emplace(node, result);
  return result;
}

IndexExpr Rebuilder::compute(const IndexExpr &expr) {
  Kind kind = expr.getKind();
  std::span<const IndexExpr> operands = expr.getOperands();
  if (kind == Kind::Add || kind == Kind::Mul) {
    LinearForm sum;
    for (const IndexExpr &operand : operands)
      sum.add(rebuild(operand), kind == Kind::Mul ? expr.getValue() : 1);
    return buildSum(std::move(sum));
  }
  IndexExpr result = rebuild(operands[0]);
  if (kind == Kind::FloorDiv || kind == Kind::Mod)
    return divide(result, expr.getValue(), kind == Kind::Mod);
  if (kind == Kind::Variable) {
    result = IndexExpr::variable(expr.getValue(), result);
    return result.isConstant() ? result : replaceVariable(result);
  }
  for (const IndexExpr &operand : operands.subspan(1)) {
    IndexExpr next = rebuild(operand);
    result = kind == Kind::Product      ? result * next
             : kind == Kind::FloorDivBy ? result.floorDiv(next)
                                        : result.mod(next);
  }
  return result;
}
