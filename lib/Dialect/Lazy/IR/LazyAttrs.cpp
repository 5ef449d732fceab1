//===- LazyAttrs.cpp - Attributes and element types -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.h"
#include "tinygrad/Dialect/Lazy/IR/LazyDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;

#define GET_ATTRDEF_CLASSES
#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.cpp.inc"

void LazyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

std::optional<DType> lazy::getDType(Type type) {
  if (type.isF16())
    return DType::Float16;
  if (type.isBF16())
    return DType::BFloat16;
  if (type.isF32())
    return DType::Float32;
  if (type.isF64())
    return DType::Float64;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return isUnsigned ? std::nullopt : std::optional(DType::Bool);
  case 8:
    return isUnsigned ? DType::UInt8 : DType::Int8;
  case 16:
    return isUnsigned ? DType::UInt16 : DType::Int16;
  case 32:
    return isUnsigned ? DType::UInt32 : DType::Int32;
  case 64:
    return isUnsigned ? DType::UInt64 : DType::Int64;
  default:
    return std::nullopt;
  }
}

Type lazy::getElementType(MLIRContext *context, DType type) {
  Builder builder(context);
  switch (type) {
  case DType::Float16:
    return builder.getF16Type();
  case DType::BFloat16:
    return builder.getBF16Type();
  case DType::Float32:
    return builder.getF32Type();
  case DType::Float64:
    return builder.getF64Type();
  case DType::Bool:
    return builder.getI1Type();
  default:
    break;
  }
  unsigned width = getByteWidth(type) * 8;
  return tinygrad::isUnsigned(type)
             ? builder.getIntegerType(width, /*isSigned=*/false)
             : builder.getIntegerType(width);
}

Type lazy::getMemoryType(MLIRContext *context, DType type) {
  if (isFloat(type))
    return getElementType(context, type);
  return IntegerType::get(context, getByteWidth(type) * 8);
}

RankedTensorType lazy::getTensorType(MLIRContext *context,
                                     const shape::Sizes &shape, DType type,
                                     StringRef device) {
  Type elementType = getElementType(context, type);
  if (shape.isSymbolic())
    return getTensorType(context, shape.getExprs(), elementType, device);
  Attribute encoding;
  if (device != defaultDevice)
    encoding = EncodingAttr::get(context, device, SizesAttr());
  return RankedTensorType::get(shape.getNumbers(), elementType, encoding);
}

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

DenseElementsAttr lazy::getSplatAttr(RankedTensorType type,
                                     const ops::Scalar &value) {
  Type element = type.getElementType();
  DType valueType = value.getType();
  // By its bits: a conversion would quiet a signaling NaN.
  ops::Scalar word =
      isFloat(valueType) ? ops::bitcast(value, getBitsType(valueType)) : value;
  APInt bits(element.getIntOrFloatBitWidth(),
             static_cast<uint64_t>(word.toInt()), /*isSigned=*/false,
             /*implicitTrunc=*/true);
  if (auto floatType = dyn_cast<FloatType>(element))
    return DenseElementsAttr::get(type,
                                  APFloat(floatType.getFloatSemantics(), bits));
  return DenseElementsAttr::get(type, bits);
}

ops::Scalar lazy::getSplatScalar(DenseElementsAttr splat) {
  DType type = *getDType(splat.getElementType());
  if (!isFloat(type))
    return ops::Scalar::fromUInt(type,
                                 splat.getSplatValue<APInt>().getZExtValue());
  APInt bits = splat.getSplatValue<APFloat>().bitcastToAPInt();
  return ops::bitcast(
      ops::Scalar::fromUInt(getBitsType(type), bits.getZExtValue()), type);
}
