//===- AffineAccess.cpp - Accesses as affine maps and sets ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/AffineAccess.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using shape::IndexExpr;
using Kind = IndexExpr::Kind;

AffineExpr lazy::toAffineExpr(MLIRContext *context, const IndexExpr &expr,
                              ArrayRef<IndexExpr> variables) {
  auto convert = [&](const IndexExpr &operand) {
    return toAffineExpr(context, operand, variables);
  };
  ArrayRef<IndexExpr> operands(expr.getOperands().data(),
                               expr.getOperands().size());
  switch (expr.getKind()) {
  case Kind::Constant:
    return getAffineConstantExpr(expr.getValue(), context);
  case Kind::Variable:
    if (expr.isNamed())
      return getAffineSymbolExpr(
          llvm::find(variables, expr) - variables.begin(), context);
    return getAffineDimExpr(expr.getValue(), context);
  case Kind::Add: {
    AffineExpr sum = convert(operands.front());
    for (const IndexExpr &operand : operands.drop_front())
      sum = sum + convert(operand);
    return sum;
  }
  case Kind::Mul:
    return convert(operands.front()) * expr.getValue();
  case Kind::Product: {
    // Symbols first: an affine product has a symbolic factor on the right.
    AffineExpr symbols = getAffineConstantExpr(1, context), rest;
    for (const IndexExpr &operand : operands) {
      AffineExpr factor = convert(operand);
      if (factor.isSymbolicOrConstant() || rest)
        symbols = symbols * factor;
      else
        rest = factor;
    }
    return rest ? rest * symbols : symbols;
  }
  case Kind::FloorDiv:
    return convert(operands.front()).floorDiv(expr.getValue());
  case Kind::Mod:
    return convert(operands.front()) % expr.getValue();
  case Kind::FloorDivBy:
    return convert(operands.front()).floorDiv(convert(operands.back()));
  case Kind::ModBy:
    return convert(operands.front()) % convert(operands.back());
  }
  return {};
}

AffineAccess lazy::getAffineAccess(MLIRContext *context,
                                   const shape::SymbolicShapeTracker &tracker) {
  shape::SymbolicAccess access = tracker.getAccess();
  AffineAccess affine;
  affine.variables = tracker.getVariables();
  auto numDims = static_cast<unsigned>(tracker.getRank());
  auto numSymbols = static_cast<unsigned>(affine.variables.size());
  auto convert = [&](const IndexExpr &expr) {
    return toAffineExpr(context, expr, affine.variables);
  };
  affine.index = AffineMap::get(numDims, numSymbols, convert(access.index));
  // Each constraint is an expression that is not negative.
  SmallVector<AffineExpr> constraints;
  for (const shape::SymbolicRange &range : access.conditions) {
    if (!shape::isProvablyLessOrEqual(range.min, range.expr))
      constraints.push_back(convert(range.expr - range.min));
    if (!shape::isProvablyLessOrEqual(range.expr, range.max))
      constraints.push_back(convert(range.max - range.expr));
  }
  if (!constraints.empty())
    affine.valid = IntegerSet::get(numDims, numSymbols, constraints,
                                   SmallVector<bool>(constraints.size()));
  return affine;
}
