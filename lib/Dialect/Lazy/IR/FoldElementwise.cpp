//===- FoldElementwise.cpp - Folds of elementwise operations --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constant result is what `ops::evaluate` says. The other folds hold for
// every value of the operands: of floats, x * 0, x - x and x + 0 are none of
// them, for NaN, the infinities and -0.
//
//===----------------------------------------------------------------------===//

#include "Fold.h"

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using ops::OpKind;
using ops::Scalar;

//===----------------------------------------------------------------------===//
// Unary operations
//===----------------------------------------------------------------------===//

/// Returns the number of bits of the integers, of either sign, that `type`
/// holds exactly.
static int getIntegerBits(DType type) {
  if (isFloat(type))
    return getPrecision(type);
  return type == DType::Bool ? 1 : 8 * getByteWidth(type) - !isUnsigned(type);
}

/// Returns true if `to` holds every value of `from`.
static bool holdsAll(DType to, DType from) {
  if (to == from)
    return true;
  if (isFloat(from))
    return to == DType::Float64 ||
           (to == DType::Float32 && from != DType::Float64);
  bool hasSign = !isUnsigned(to);
  return (hasSign || isUnsigned(from)) &&
         getIntegerBits(from) <= getIntegerBits(to);
}

/// cast(x) of one type -> x; cast(cast(x)) -> cast(x), or x, where the inner
/// cast keeps every value.
static OpFoldResult foldCast(Operation *op) {
  if (OpFoldResult source = replaceBy(op, op->getOperand(0)))
    return source;
  auto inner = getSourceBefore<CastOp>(op);
  if (!inner)
    return {};
  auto getElement = [](Value value) {
    return *getDType(cast<RankedTensorType>(value.getType()).getElementType());
  };
  if (!holdsAll(getElement(inner), getElement(inner.getSource())))
    return {};
  if (OpFoldResult source = replaceBy(op, inner.getSource()))
    return source;
  op->setOperand(0, inner.getSource());
  return op->getResult(0);
}

/// bitcast(x) of one type -> x; bitcast(bitcast(x)) -> bitcast(x) or x.
static OpFoldResult foldBitcast(Operation *op) {
  if (OpFoldResult source = replaceBy(op, op->getOperand(0)))
    return source;
  auto inner = getSourceBefore<BitcastOp>(op);
  if (!inner)
    return {};
  if (OpFoldResult source = replaceBy(op, inner.getSource()))
    return source;
  op->setOperand(0, inner.getSource());
  return op->getResult(0);
}

/// f(f(x)) -> x.
template <typename OpT>
static OpFoldResult foldInvolution(Operation *op) {
  if (auto inner = op->getOperand(0).getDefiningOp<OpT>())
    return replaceBy(op, inner.getSource());
  return {};
}

//===----------------------------------------------------------------------===//
// Binary operations
//===----------------------------------------------------------------------===//

/// Returns the `y` for which `kind` of any x and y is x.
static std::optional<Scalar> getNeutral(OpKind kind, DType type) {
  switch (kind) {
  case OpKind::Add:
    // -0 + 0 is 0, but x + -0 is x.
    return isFloat(type) ? Scalar::fromDouble(type, -0.0)
                         : Scalar::fromInt(type, 0);
  case OpKind::Sub:
  case OpKind::Xor:
    return Scalar::fromInt(type, 0);
  case OpKind::Mul:
  case OpKind::Div:
  case OpKind::Pow:
    return Scalar::fromInt(type, 1);
  case OpKind::Max:
    return ops::getIdentity(OpKind::ReduceMax, type);
  default:
    return std::nullopt;
  }
}

/// Returns what `kind` of any x and `rhs` is, if it is one integer for all x.
static std::optional<int64_t> getAbsorbed(OpKind kind, const Scalar &rhs) {
  if (kind == OpKind::Pow && !rhs.isTrue())
    return 1;
  if (isFloat(rhs.getType()))
    return std::nullopt;
  bool isZero = rhs.toInt() == 0, isOne = rhs.toInt() == 1;
  bool absorbs = kind == OpKind::Mod
                     ? isZero || isOne
                     : isZero && (kind == OpKind::Mul || kind == OpKind::Div);
  return absorbs ? std::optional<int64_t>(0) : std::nullopt;
}

/// Folds `kind` of x and x, whose elements are of `operandType`.
static OpFoldResult foldEqualOperands(Operation *op, OpKind kind,
                                      DType operandType,
                                      RankedTensorType type) {
  bool isNumber = !isFloat(operandType);
  switch (kind) {
  case OpKind::Max:
    return replaceBy(op, op->getOperand(0));
  case OpKind::CmpLt:
    return makeSplat(type, 0);
  case OpKind::CmpEq:
    return isNumber ? makeSplat(type, 1) : OpFoldResult();
  case OpKind::Sub:
  case OpKind::Xor:
  case OpKind::Mod:
    return isNumber ? makeSplat(type, 0) : OpFoldResult();
  default:
    // Not division: 0 / 0 is 0.
    return {};
  }
}

static OpFoldResult foldBinary(Operation *op, OpKind kind,
                               std::optional<Scalar> rhs,
                               RankedTensorType type) {
  auto operand = cast<RankedTensorType>(op->getOperand(0).getType());
  DType operandType = *getDType(operand.getElementType());
  if (rhs) {
    std::optional<Scalar> neutral = getNeutral(kind, operandType);
    if (neutral && neutral->isIdentical(*rhs))
      return replaceBy(op, op->getOperand(0));
    if (std::optional<int64_t> value = getAbsorbed(kind, *rhs))
      return makeSplat(type, *value);
  }
  // A bool modulo anything is false.
  if (kind == OpKind::Mod && operandType == DType::Bool)
    return makeSplat(type, 0);
  if (op->getOperand(0) == op->getOperand(1))
    return foldEqualOperands(op, kind, operandType, type);
  return {};
}

//===----------------------------------------------------------------------===//
// All elementwise operations
//===----------------------------------------------------------------------===//

/// where(constant, x, y) -> x or y; where(c, x, x) -> x.
static OpFoldResult foldWhere(Operation *op, std::optional<Scalar> condition) {
  if (condition)
    return replaceBy(op, op->getOperand(condition->isTrue() ? 1 : 2));
  if (op->getOperand(1) == op->getOperand(2))
    return replaceBy(op, op->getOperand(1));
  return {};
}

OpFoldResult lazy::detail::foldElementwise(Operation *op,
                                           ArrayRef<Attribute> constants) {
  OpKind kind = cast<ComputeOpInterface>(op).getKind();
  RankedTensorType type = getFoldableType(op);
  if (!type)
    return {};
  if (type.getNumElements() == 0)
    return makeSplat(type, 0);

  SmallVector<std::optional<Scalar>> scalars =
      llvm::map_to_vector(constants, readSplat);
  if (llvm::all_of(scalars, [](auto &scalar) { return scalar.has_value(); })) {
    SmallVector<Scalar> operands =
        llvm::map_to_vector(scalars, [](auto &scalar) { return *scalar; });
    return getSplatAttr(
        type, ops::evaluate(kind, *getDType(type.getElementType()), operands));
  }

  switch (kind) {
  case OpKind::Noop:
    return replaceBy(op, op->getOperand(0));
  case OpKind::Neg:
    return foldInvolution<NegOp>(op);
  case OpKind::Not:
    return foldInvolution<NotOp>(op);
  case OpKind::Cast:
    return foldCast(op);
  case OpKind::Bitcast:
    return foldBitcast(op);
  case OpKind::Where:
    return foldWhere(op, scalars[0]);
  default:
    return ops::getInfo(kind).group == ops::OpGroup::Binary
               ? foldBinary(op, kind, scalars[1], type)
               : OpFoldResult();
  }
}
