//===- FoldReduce.cpp - Folds of reduce operations ------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fold.h"

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

#include <cmath>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using ops::OpKind;
using ops::Scalar;

/// Returns the sum of `count` floats, all `value`, if it is the same in every
/// order of the additions: each partial sum is a multiple of the last bit of
/// `value`, and is exact where the accumulator has room for all of them.
static std::optional<Scalar> sumFloats(const Scalar &value, int64_t count) {
  double number = value.toDouble();
  DType type = getAccumulationType(value.getType());
  // The accumulator begins with 0, so that the sum of -0 is 0.
  if (number == 0 || !std::isfinite(number))
    return Scalar::fromDouble(value.getType(), number + 0.0);
  int exponent;
  double fraction = std::frexp(std::abs(number), &exponent);
  auto digits = static_cast<uint64_t>(std::ldexp(fraction, 53));
  int numDigits = 53 - llvm::countr_zero(digits);
  int numSumDigits =
      numDigits +
      static_cast<int>(llvm::Log2_64_Ceil(static_cast<uint64_t>(count)));
  double sum = number * static_cast<double>(count);
  bool isExact = numSumDigits <= getPrecision(type) &&
                 std::isfinite(Scalar::fromDouble(type, sum).toDouble());
  if (!isExact)
    return std::nullopt;
  return Scalar::fromDouble(value.getType(), sum);
}

/// Returns what `kind` makes of `count` elements, all `value`.
static std::optional<Scalar> reduceCopies(OpKind kind, const Scalar &value,
                                          int64_t count) {
  // The maximum, and the or, of equal elements is that element.
  if (kind == OpKind::ReduceMax || value.getType() == DType::Bool)
    return value;
  if (isFloat(value.getType()))
    return sumFloats(value, count);
  Scalar factors[] = {value, Scalar::fromInt(value.getType(), count)};
  return ops::evaluate(OpKind::Mul, value.getType(), factors);
}

OpFoldResult lazy::detail::foldReduce(Operation *op, Attribute constant) {
  RankedTensorType type = getFoldableType(op);
  if (!type)
    return {};
  if (type.getNumElements() == 0)
    return makeSplat(type, 0);
  OpKind kind = cast<ComputeOpInterface>(op).getKind();
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  int64_t count = source.getNumElements() / type.getNumElements();
  if (count == 0) {
    DType element = *getDType(type.getElementType());
    Scalar identity = ops::getIdentity(kind, getAccumulationType(element));
    return getSplatAttr(type, ops::cast(identity, element));
  }
  // Nothing is combined.
  if (count == 1)
    return replaceBy(op, op->getOperand(0));
  std::optional<Scalar> value = readSplat(constant);
  if (!value)
    return {};
  if (std::optional<Scalar> result = reduceCopies(kind, *value, count))
    return getSplatAttr(type, *result);
  return {};
}
