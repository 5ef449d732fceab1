//===- Fold.cpp - What the folds share ------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fold.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;

std::optional<ops::Scalar> lazy::readSplat(Attribute constant) {
  auto splat = dyn_cast_or_null<DenseElementsAttr>(constant);
  if (!splat || !splat.isSplat() || !getDType(splat.getElementType()))
    return std::nullopt;
  return getSplatScalar(splat);
}

DenseElementsAttr lazy::makeSplat(RankedTensorType type, int64_t value) {
  DType element = *getDType(type.getElementType());
  return getSplatAttr(type, ops::Scalar::fromInt(element, value));
}

RankedTensorType lazy::getFoldableType(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  bool isAlike = llvm::all_of(op->getOperandTypes(), [&](Type operand) {
    return cast<RankedTensorType>(operand).getEncoding() == type.getEncoding();
  });
  return isAlike && type.hasStaticShape() ? type : RankedTensorType();
}

OpFoldResult lazy::replaceBy(Operation *op, Value value) {
  Value result = op->getResult(0);
  if (value == result || value.getType() != result.getType())
    return {};
  return value;
}
