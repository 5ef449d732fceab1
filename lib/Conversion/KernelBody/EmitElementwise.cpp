//===- EmitElementwise.cpp - Elementwise operations -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation is built for scalars and vectors alike: arith and math take
// both.
//
//===----------------------------------------------------------------------===//

#include "EmitElementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tinygrad;
using ops::OpKind;

Type tinygrad::getComputeType(MLIRContext *context, DType type) {
  switch (type) {
  case DType::Float16:
    return Float16Type::get(context);
  case DType::BFloat16:
    return BFloat16Type::get(context);
  case DType::Float32:
    return Float32Type::get(context);
  case DType::Float64:
    return Float64Type::get(context);
  case DType::Bool:
    return IntegerType::get(context, 1);
  default:
    return IntegerType::get(context, getByteWidth(type) * 8);
  }
}

Type tinygrad::getVectorType(Type element, int64_t width) {
  return width == 1 ? element : VectorType::get({width}, element);
}

/// Makes a constant of the scalar or vector type `type` from an attribute of
/// its element type.
static Value createConstant(ImplicitLocOpBuilder &builder, Type type,
                            TypedAttr element) {
  TypedAttr value = element;
  if (auto vectorType = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vectorType, Attribute(element));
  return arith::ConstantOp::create(builder, value);
}

Value tinygrad::createNumber(ImplicitLocOpBuilder &builder, Type type,
                             double value) {
  Type element = getElementTypeOrSelf(type);
  if (isa<FloatType>(element))
    return createConstant(builder, type, builder.getFloatAttr(element, value));
  return createConstant(
      builder, type,
      builder.getIntegerAttr(element, static_cast<int64_t>(value)));
}

static Value createInteger(ImplicitLocOpBuilder &builder, Type type,
                           const APInt &value) {
  return createConstant(
      builder, type, builder.getIntegerAttr(getElementTypeOrSelf(type), value));
}

/// Returns `type`, a scalar or a vector, with another element type.
static Type withElement(Type type, Type element) {
  if (auto vectorType = dyn_cast<VectorType>(type))
    return VectorType::get(vectorType.getShape(), element);
  return element;
}

static Value compareFloat(ImplicitLocOpBuilder &b, arith::CmpFPredicate p,
                          Value x, Value y) {
  return arith::CmpFOp::create(b, p, x, y);
}

static Value compareInt(ImplicitLocOpBuilder &b, arith::CmpIPredicate p,
                        Value x, Value y) {
  return arith::CmpIOp::create(b, p, x, y);
}

static Value select(ImplicitLocOpBuilder &b, Value c, Value x, Value y) {
  return arith::SelectOp::create(b, c, x, y);
}

/// A float becomes an integer of `bits`: truncated, saturated, 0 for NaN.
static Value castFloatToInt(ImplicitLocOpBuilder &b, Value value, unsigned bits,
                            bool isUnsigned) {
  Type type = value.getType();
  auto floatType = cast<FloatType>(getElementTypeOrSelf(type));
  // The half types have no exact bounds for the wide integers; f32 has.
  if (floatType.getWidth() < 32) {
    type = withElement(type, b.getF32Type());
    value = arith::ExtFOp::create(b, type, value);
  }
  Type intType = withElement(type, b.getIntegerType(bits));
  APInt maxInt =
      isUnsigned ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits);
  APInt minInt =
      isUnsigned ? APInt::getMinValue(bits) : APInt::getSignedMinValue(bits);
  // The first values that do not fit: powers of two, exact in every float.
  double upper = std::ldexp(1.0, isUnsigned ? bits : bits - 1);
  double lower = isUnsigned ? 0.0 : -upper;
  Value upperBound = createNumber(b, type, upper);
  Value lowerBound = createNumber(b, type, lower);
  Value isHigh = compareFloat(b, arith::CmpFPredicate::OGE, value, upperBound);
  Value isLow = compareFloat(b, arith::CmpFPredicate::OLE, value, lowerBound);
  Value isNaN = compareFloat(b, arith::CmpFPredicate::UNO, value, value);
  // The conversion itself must see a value that fits: else it is poison.
  Value zero = createNumber(b, type, 0.0);
  Value unfit =
      arith::OrIOp::create(b, isNaN, arith::OrIOp::create(b, isHigh, isLow));
  Value safe = select(b, unfit, zero, value);
  Value converted = isUnsigned
                        ? Value(arith::FPToUIOp::create(b, intType, safe))
                        : Value(arith::FPToSIOp::create(b, intType, safe));
  converted = select(b, isHigh, createInteger(b, intType, maxInt), converted);
  return select(b, isLow, createInteger(b, intType, minInt), converted);
}

Value tinygrad::emitCast(ImplicitLocOpBuilder &b, Value value, DType from,
                         DType to) {
  if (from == to)
    return value;
  Type type = value.getType();
  Type target = withElement(type, getComputeType(b.getContext(), to));
  unsigned fromBits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  unsigned toBits = getElementTypeOrSelf(target).getIntOrFloatBitWidth();
  if (to == DType::Bool) {
    Value zero = createNumber(b, type, 0);
    return isFloat(from)
               ? compareFloat(b, arith::CmpFPredicate::UNE, value, zero)
               : compareInt(b, arith::CmpIPredicate::ne, value, zero);
  }
  if (isFloat(from) && isFloat(to)) {
    if (fromBits == toBits) { // f16 and bf16
      Type wide = withElement(type, b.getF32Type());
      return arith::TruncFOp::create(b, target,
                                     arith::ExtFOp::create(b, wide, value));
    }
    if (fromBits < toBits)
      return arith::ExtFOp::create(b, target, value);
    return arith::TruncFOp::create(b, target, value);
  }
  if (isFloat(from))
    return castFloatToInt(b, value, toBits, isUnsigned(to));
  if (isFloat(to)) {
    if (isUnsigned(from))
      return arith::UIToFPOp::create(b, target, value);
    return arith::SIToFPOp::create(b, target, value);
  }
  if (fromBits == toBits)
    return value;
  if (fromBits > toBits)
    return arith::TruncIOp::create(b, target, value);
  if (isUnsigned(from))
    return arith::ExtUIOp::create(b, target, value);
  return arith::ExtSIOp::create(b, target, value);
}

/// x / y or x mod y of integers: 0 where y is 0, and MIN / -1 is MIN.
static Value emitIntDivision(ImplicitLocOpBuilder &b, Value x, Value y,
                             DType type, bool isMod) {
  Type valueType = x.getType();
  Value zero = createNumber(b, valueType, 0),
        one = createNumber(b, valueType, 1);
  Value isZero = compareInt(b, arith::CmpIPredicate::eq, y, zero);
  Value unfit = isZero, isMinusOne;
  if (!isUnsigned(type)) {
    // x / -1 is -x and x mod -1 is 0: the division itself would trap on MIN.
    isMinusOne = compareInt(b, arith::CmpIPredicate::eq, y,
                            createNumber(b, valueType, -1));
    unfit = arith::OrIOp::create(b, isZero, isMinusOne);
  }
  Value divisor = select(b, unfit, one, y);
  Value result;
  if (isUnsigned(type))
    result = isMod ? Value(arith::RemUIOp::create(b, x, divisor))
                   : Value(arith::DivUIOp::create(b, x, divisor));
  else
    result = isMod ? Value(arith::RemSIOp::create(b, x, divisor))
                   : Value(arith::DivSIOp::create(b, x, divisor));
  // x mod 1 is 0 already, which is right for both exceptions.
  if (isMod)
    return result;
  if (isMinusOne)
    result = select(b, isMinusOne, arith::SubIOp::create(b, zero, x), result);
  return select(b, isZero, zero, result);
}

/// x to the power y of integers, wrapping; the reciprocal truncates.
static Value emitIntPow(ImplicitLocOpBuilder &b, Value x, Value y, DType type) {
  // Square and multiply over all bits of the exponent: no loop, no branch.
  Type valueType = x.getType();
  unsigned bits = getElementTypeOrSelf(valueType).getIntOrFloatBitWidth();
  Value one = createNumber(b, valueType, 1),
        zero = createNumber(b, valueType, 0);
  Value result = one, power = x;
  for (unsigned bit = 0; bit < bits; ++bit) {
    Value mask = createInteger(b, valueType, APInt::getOneBitSet(bits, bit));
    Value isSet = compareInt(b, arith::CmpIPredicate::ne,
                             arith::AndIOp::create(b, y, mask), zero);
    Value product = arith::MulIOp::create(b, result, power);
    result = select(b, isSet, product, result);
    if (bit + 1 < bits)
      power = arith::MulIOp::create(b, power, power);
  }
  if (isUnsigned(type))
    return result;
  // For y < 0: 1 / x^-y is 1 for x = 1, +-1 for x = -1 and 0 otherwise (also
  // for x = 0, as x / 0 is 0).
  Value isNegative = compareInt(b, arith::CmpIPredicate::slt, y, zero);
  Value minusOne = createNumber(b, valueType, -1);
  Value isOdd = compareInt(b, arith::CmpIPredicate::ne,
                           arith::AndIOp::create(b, y, one), zero);
  Value sign = select(b, isOdd, minusOne, one);
  Value isOne = compareInt(b, arith::CmpIPredicate::eq, x, one);
  Value isMinusOne = compareInt(b, arith::CmpIPredicate::eq, x, minusOne);
  Value reciprocal = select(b, isOne, one, select(b, isMinusOne, sign, zero));
  return select(b, isNegative, reciprocal, result);
}

/// An operation of math, computed in f32 for the half types and rounded once.
template <typename OpT, typename... Operands>
static Value emitMath(ImplicitLocOpBuilder &b, Operands... operands) {
  Type type = std::get<0>(std::make_tuple(operands...)).getType();
  if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() >= 32)
    return OpT::create(b, operands...);
  Type wide = withElement(type, b.getF32Type());
  Value result =
      OpT::create(b, Value(arith::ExtFOp::create(b, wide, operands))...);
  return arith::TruncFOp::create(b, type, result);
}

static Value emitFloat(ImplicitLocOpBuilder &b, OpKind kind,
                       ValueRange operands) {
  Value x = operands[0];
  switch (kind) {
  case OpKind::Exp2:
    return emitMath<math::Exp2Op>(b, x);
  case OpKind::Log2:
    return emitMath<math::Log2Op>(b, x);
  case OpKind::Exp:
    return emitMath<math::ExpOp>(b, x);
  case OpKind::Log:
    return emitMath<math::LogOp>(b, x);
  case OpKind::Sin:
    return emitMath<math::SinOp>(b, x);
  case OpKind::Sqrt:
    return emitMath<math::SqrtOp>(b, x);
  case OpKind::Recip:
    return arith::DivFOp::create(b, createNumber(b, x.getType(), 1.0), x);
  case OpKind::Neg:
    return arith::NegFOp::create(b, x);
  case OpKind::Add:
    return arith::AddFOp::create(b, x, operands[1]);
  case OpKind::Sub:
    return arith::SubFOp::create(b, x, operands[1]);
  case OpKind::Mul:
    return arith::MulFOp::create(b, x, operands[1]);
  case OpKind::Div:
    return arith::DivFOp::create(b, x, operands[1]);
  case OpKind::Max:
    return arith::MaximumFOp::create(b, x, operands[1]);
  case OpKind::Mod:
    return emitMath<arith::RemFOp>(b, x, operands[1]);
  case OpKind::Pow:
    return emitMath<math::PowFOp>(b, x, operands[1]);
  case OpKind::MulAcc:
    return emitMath<math::FmaOp>(b, x, operands[1], operands[2]);
  default:
    llvm_unreachable("not an operation on floats");
  }
}

static Value emitInteger(ImplicitLocOpBuilder &b, OpKind kind,
                         ValueRange operands, DType type) {
  Value x = operands[0];
  switch (kind) {
  case OpKind::Neg:
    return arith::SubIOp::create(b, createNumber(b, x.getType(), 0), x);
  case OpKind::Add:
    return arith::AddIOp::create(b, x, operands[1]);
  case OpKind::Sub:
    return arith::SubIOp::create(b, x, operands[1]);
  case OpKind::Mul:
    return arith::MulIOp::create(b, x, operands[1]);
  case OpKind::Div:
    return emitIntDivision(b, x, operands[1], type, /*isMod=*/false);
  case OpKind::Mod:
    return emitIntDivision(b, x, operands[1], type, /*isMod=*/true);
  case OpKind::Max:
    if (isUnsigned(type))
      return arith::MaxUIOp::create(b, x, operands[1]);
    return arith::MaxSIOp::create(b, x, operands[1]);
  case OpKind::Xor:
    return arith::XOrIOp::create(b, x, operands[1]);
  case OpKind::Pow:
    return emitIntPow(b, x, operands[1], type);
  case OpKind::MulAcc:
    return arith::AddIOp::create(b, arith::MulIOp::create(b, x, operands[1]),
                                 operands[2]);
  default:
    break;
  }
  // The rest is defined through floats: computed in f64 and cast back.
  Type wide = withElement(x.getType(), b.getF64Type());
  SmallVector<Value> floats;
  for (Value operand : operands)
    floats.push_back(isUnsigned(type)
                         ? Value(arith::UIToFPOp::create(b, wide, operand))
                         : Value(arith::SIToFPOp::create(b, wide, operand)));
  return emitCast(b, emitFloat(b, kind, floats), DType::Float64, type);
}

static Value emitBool(ImplicitLocOpBuilder &b, OpKind kind,
                      ValueRange operands) {
  Value x = operands[0];
  switch (kind) {
  case OpKind::Neg:
  case OpKind::Not:
    return arith::XOrIOp::create(b, x, createNumber(b, x.getType(), -1));
  case OpKind::Add:
  case OpKind::Max:
    return arith::OrIOp::create(b, x, operands[1]);
  case OpKind::Mul:
    return arith::AndIOp::create(b, x, operands[1]);
  case OpKind::Sub:
  case OpKind::Xor:
    return arith::XOrIOp::create(b, x, operands[1]);
  case OpKind::MulAcc:
    return arith::OrIOp::create(b, arith::AndIOp::create(b, x, operands[1]),
                                operands[2]);
  default:
    break;
  }
  // Division, remainder, powers and the functions of floats, on 0 and 1.
  Type wide = withElement(x.getType(), b.getI8Type());
  SmallVector<Value> integers;
  for (Value operand : operands)
    integers.push_back(arith::ExtUIOp::create(b, wide, operand));
  return emitCast(b, emitInteger(b, kind, integers, DType::UInt8), DType::UInt8,
                  DType::Bool);
}

/// Emits a comparison; the result is bool, or 0 and 1 of the operands' type.
static Value emitComparison(ImplicitLocOpBuilder &b, OpKind kind,
                            ValueRange operands, DType operandType,
                            DType resultType) {
  Value x = operands[0], y = operands[1], result;
  bool isLess = kind == OpKind::CmpLt;
  if (isFloat(operandType))
    result = compareFloat(
        b, isLess ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OEQ, x,
        y);
  else if (!isLess)
    result = compareInt(b, arith::CmpIPredicate::eq, x, y);
  else
    result = compareInt(b,
                        isUnsigned(operandType) ? arith::CmpIPredicate::ult
                                                : arith::CmpIPredicate::slt,
                        x, y);
  return emitCast(b, result, DType::Bool, resultType);
}

Value tinygrad::emitElementwise(ImplicitLocOpBuilder &b, OpKind kind,
                                ValueRange operands, DType operandType,
                                DType resultType, DType conditionType) {
  switch (kind) {
  case OpKind::Noop:
    return operands[0];
  case OpKind::Cast:
    return emitCast(b, operands[0], operandType, resultType);
  case OpKind::Bitcast: {
    Type target = withElement(operands[0].getType(),
                              getComputeType(b.getContext(), resultType));
    if (target == operands[0].getType())
      return operands[0];
    return arith::BitcastOp::create(b, target, operands[0]);
  }
  case OpKind::CmpLt:
  case OpKind::CmpEq:
    return emitComparison(b, kind, operands, operandType, resultType);
  case OpKind::Where: {
    Value condition = emitCast(b, operands[0], conditionType, DType::Bool);
    return select(b, condition, operands[1], operands[2]);
  }
  default:
    break;
  }
  if (isFloat(operandType))
    return emitFloat(b, kind, operands);
  if (operandType == DType::Bool)
    return emitBool(b, kind, operands);
  return emitInteger(b, kind, operands, operandType);
}

Value tinygrad::emitAccumulate(ImplicitLocOpBuilder &b, OpKind kind,
                               Value accumulator, Value element, DType type) {
  OpKind step = kind == OpKind::ReduceSum ? OpKind::Add : OpKind::Max;
  return emitElementwise(b, step, {accumulator, element}, type, type, type);
}
