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

/// Returns the unsigned type that holds the bits of a float of `type`.
static DType getBitsType(DType type) {
  switch (getByteWidth(type)) {
  case 2:
    return DType::UInt16;
  case 4:
    return DType::UInt32;
  default:
    return DType::UInt64;
  }
}

std::optional<ops::Scalar> lazy::readSplat(Attribute constant) {
  auto splat = dyn_cast_or_null<DenseElementsAttr>(constant);
  if (!splat || !splat.isSplat())
    return std::nullopt;
  std::optional<DType> type = getDType(splat.getElementType());
  if (!type)
    return std::nullopt;
  if (!isFloat(*type))
    return ops::Scalar::fromUInt(*type,
                                 splat.getSplatValue<APInt>().getZExtValue());
  // By its bits: a conversion to double would quiet a signaling NaN.
  APInt bits = splat.getSplatValue<APFloat>().bitcastToAPInt();
  return ops::bitcast(
      ops::Scalar::fromUInt(getBitsType(*type), bits.getZExtValue()), *type);
}

DenseElementsAttr lazy::makeSplat(RankedTensorType type,
                                  const ops::Scalar &value) {
  Type element = type.getElementType();
  unsigned width = element.getIntOrFloatBitWidth();
  DType valueType = value.getType();
  ops::Scalar word =
      isFloat(valueType) ? ops::bitcast(value, getBitsType(valueType)) : value;
  APInt bits(width, static_cast<uint64_t>(word.toInt()), /*isSigned=*/false,
             /*implicitTrunc=*/true);
  if (auto floatType = dyn_cast<FloatType>(element))
    return DenseElementsAttr::get(type,
                                  APFloat(floatType.getFloatSemantics(), bits));
  return DenseElementsAttr::get(type, bits);
}

DenseElementsAttr lazy::makeSplat(RankedTensorType type, int64_t value) {
  DType element = *getDType(type.getElementType());
  return makeSplat(type, ops::Scalar::fromInt(element, value));
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
