//===- Scalar.cpp - One element and its arithmetic ------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/Scalar.h"

#include "ScalarFloat.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::ops;

static bool isSigned(DType type) {
  return isInteger(type) && !isUnsigned(type);
}

//===----------------------------------------------------------------------===//
// Scalar
//===----------------------------------------------------------------------===//

/// Returns the integer of `type` nearest to `value` after truncation; NaN gives
/// 0.
static uint64_t saturate(DType type, double value) {
  if (std::isnan(value))
    return 0;
  int width = 8 * getByteWidth(type);
  double truncated = std::trunc(value);
  if (isSigned(type)) {
    double limit = std::ldexp(1.0, width - 1);
    uint64_t max = (uint64_t(1) << (width - 1)) - 1;
    if (truncated >= limit)
      return max;
    if (truncated < -limit)
      return ~max;
    return static_cast<uint64_t>(static_cast<int64_t>(truncated));
  }
  if (truncated >= std::ldexp(1.0, width))
    return ~uint64_t(0) >> (64 - width);
  return truncated > 0 ? static_cast<uint64_t>(truncated) : 0;
}

Scalar Scalar::fromDouble(DType type, double value) {
  Scalar result;
  result.type = type;
  if (isFloat(type))
    result.bits = std::bit_cast<uint64_t>(detail::roundTo(type, value));
  else if (type == DType::Bool)
    result.bits = value != 0;
  else
    result.bits = saturate(type, value);
  return result;
}

Scalar Scalar::fromInt(DType type, int64_t value) {
  if (!isFloat(type) || value >= 0)
    return fromUInt(type, static_cast<uint64_t>(value));
  return fromDouble(
      type, detail::roundIntegerTo(type, -static_cast<uint64_t>(value), true));
}

Scalar Scalar::fromUInt(DType type, uint64_t value) {
  if (isFloat(type))
    return fromDouble(type, detail::roundIntegerTo(type, value, false));
  Scalar result;
  result.type = type;
  if (type == DType::Bool) {
    result.bits = value != 0;
    return result;
  }
  int unused = 64 - 8 * getByteWidth(type);
  uint64_t top = value << unused;
  result.bits = isSigned(type)
                    ? static_cast<uint64_t>(static_cast<int64_t>(top) >> unused)
                    : top >> unused;
  return result;
}

/// Reads the low `size` bytes of an integer from memory.
template <typename T>
static uint64_t read(const void *memory) {
  T value;
  std::memcpy(&value, memory, sizeof(T));
  return value;
}

template <typename T>
static void write(void *memory, uint64_t bits) {
  T value = static_cast<T>(bits);
  std::memcpy(memory, &value, sizeof(T));
}

Scalar Scalar::load(DType type, const void *memory) {
  uint64_t bits = 0;
  switch (getByteWidth(type)) {
  case 1:
    bits = read<uint8_t>(memory);
    break;
  case 2:
    bits = read<uint16_t>(memory);
    break;
  case 4:
    bits = read<uint32_t>(memory);
    break;
  default:
    bits = read<uint64_t>(memory);
    break;
  }
  if (!isFloat(type))
    return fromUInt(type, bits);
  Scalar result;
  result.type = type;
  result.bits = std::bit_cast<uint64_t>(detail::decode(type, bits));
  return result;
}

void Scalar::store(void *memory) const {
  uint64_t memoryBits =
      isFloat(type) ? detail::encode(type, std::bit_cast<double>(bits)) : bits;
  switch (getByteWidth(type)) {
  case 1:
    return write<uint8_t>(memory, memoryBits);
  case 2:
    return write<uint16_t>(memory, memoryBits);
  case 4:
    return write<uint32_t>(memory, memoryBits);
  default:
    return write<uint64_t>(memory, memoryBits);
  }
}

double Scalar::toDouble() const {
  if (isFloat(type))
    return std::bit_cast<double>(bits);
  return isSigned(type) ? static_cast<double>(static_cast<int64_t>(bits))
                        : static_cast<double>(bits);
}

int64_t Scalar::toInt() const {
  if (isFloat(type))
    return static_cast<int64_t>(saturate(DType::Int64, toDouble()));
  return static_cast<int64_t>(bits);
}

bool Scalar::isTrue() const { return isFloat(type) ? toDouble() != 0 : bits; }

bool Scalar::isIdentical(const Scalar &other) const {
  return type == other.type && bits == other.bits;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Scalar ops::cast(const Scalar &value, DType type) {
  if (value.getType() == type)
    return value;
  if (isFloat(value.getType()))
    return Scalar::fromDouble(type, value.toDouble());
  if (isSigned(value.getType()))
    return Scalar::fromInt(type, value.toInt());
  return Scalar::fromUInt(type, static_cast<uint64_t>(value.toInt()));
}

Scalar ops::bitcast(const Scalar &value, DType type) {
  assert(getByteWidth(value.getType()) == getByteWidth(type) &&
         "bitcast between widths");
  unsigned char memory[8];
  value.store(memory);
  return Scalar::load(type, memory);
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

static bool evaluateBool(OpKind kind, bool a, bool b, bool c) {
  switch (kind) {
  case OpKind::Noop:
    return a;
  case OpKind::Neg:
  case OpKind::Not:
    return !a;
  case OpKind::Add:
  case OpKind::Max:
    return a || b;
  case OpKind::Sub:
  case OpKind::Xor:
    return a != b;
  case OpKind::Mul:
  case OpKind::Div: // x/1 is x, x/0 is 0.
    return a && b;
  case OpKind::Mod: // x mod 1 and x mod 0 are both 0.
    return false;
  case OpKind::CmpLt:
    return !a && b;
  case OpKind::CmpEq:
    return a == b;
  case OpKind::Pow:
    return a || !b;
  case OpKind::MulAcc:
    return (a && b) || c;
  case OpKind::Recip:
    return a;
  default:
    return detail::evaluateFloat(kind, DType::Float64, a, b, c) != 0;
  }
}

/// Returns base to the power of `exponent`, modulo 2^64.
static uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return result;
}

/// Returns base to the power of `exponent` below 0: its inverse, truncated.
static int64_t inversePower(int64_t base, int64_t exponent) {
  if (base == 1)
    return 1;
  if (base == -1)
    return exponent % 2 ? -1 : 1;
  return 0;
}

/// Returns the result modulo 2^64. Operands are extended from `type` by their
/// sign, so that one unsigned operation serves all widths.
static uint64_t evaluateInteger(OpKind kind, DType type, uint64_t a, uint64_t b,
                                uint64_t c) {
  int64_t sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
  switch (kind) {
  case OpKind::Noop:
    return a;
  case OpKind::Neg:
    return -a;
  case OpKind::Not:
    return a == 0;
  case OpKind::Add:
    return a + b;
  case OpKind::Sub:
    return a - b;
  case OpKind::Mul:
    return a * b;
  case OpKind::MulAcc:
    return a * b + c;
  case OpKind::Xor:
    return a ^ b;
  case OpKind::CmpEq:
    return a == b;
  case OpKind::CmpLt:
    return isSigned(type) ? sa < sb : a < b;
  case OpKind::Max:
    return (isSigned(type) ? sa < sb : a < b) ? b : a;
  case OpKind::Recip:
    return evaluateInteger(OpKind::Div, type, 1, a, 0);
  case OpKind::Div:
    if (b == 0)
      return 0;
    if (!isSigned(type))
      return a / b;
    // -1 by negation: MIN / -1 traps in int64_t and wraps to MIN here.
    return sb == -1 ? -a : static_cast<uint64_t>(sa / sb);
  case OpKind::Mod:
    if (b == 0)
      return 0;
    if (!isSigned(type))
      return a % b;
    return sb == -1 ? 0 : static_cast<uint64_t>(sa % sb);
  case OpKind::Pow:
    if (isSigned(type) && sb < 0)
      return static_cast<uint64_t>(inversePower(sa, sb));
    return power(a, b);
  default: {
    // exp2, log2, …: no verifier lets them through with integers, but a folder
    // that sees unverified IR must not fail.
    double x = Scalar::fromUInt(type, a).toDouble();
    return saturate(type, detail::evaluateFloat(kind, DType::Float64, x, 0, 0));
  }
  }
}

Scalar ops::evaluate(OpKind kind, DType result,
                     std::span<const Scalar> operands) {
  assert(isElementwise(kind) && "not an elementwise operation");
  assert(static_cast<int>(operands.size()) == getInfo(kind).arity &&
         "wrong number of operands");
  switch (kind) {
  case OpKind::Cast:
    return cast(operands[0], result);
  case OpKind::Bitcast:
    return bitcast(operands[0], result);
  case OpKind::Where:
    return operands[0].isTrue() ? operands[1] : operands[2];
  default:
    break;
  }

  DType type = operands[0].getType();
  assert(std::ranges::all_of(
             operands, [&](const Scalar &x) { return x.getType() == type; }) &&
         "operands of several types");
  Scalar a = operands[0];
  Scalar b = operands.size() > 1 ? operands[1] : Scalar();
  Scalar c = operands.size() > 2 ? operands[2] : Scalar();

  if (isFloat(type)) {
    double value = detail::evaluateFloat(kind, type, a.toDouble(), b.toDouble(),
                                         c.toDouble());
    return Scalar::fromDouble(result, value);
  }
  if (type == DType::Bool)
    return Scalar::fromUInt(
        result, evaluateBool(kind, a.isTrue(), b.isTrue(), c.isTrue()));
  uint64_t value = evaluateInteger(kind, type, static_cast<uint64_t>(a.toInt()),
                                   static_cast<uint64_t>(b.toInt()),
                                   static_cast<uint64_t>(c.toInt()));
  return Scalar::fromUInt(result, value);
}

//===----------------------------------------------------------------------===//
// Reduce operations
//===----------------------------------------------------------------------===//

Scalar ops::getIdentity(OpKind kind, DType type) {
  assert(getInfo(kind).group == OpGroup::Reduce && "not a reduce");
  if (kind == OpKind::ReduceSum)
    return Scalar::fromInt(type, 0);
  if (isFloat(type))
    return Scalar::fromDouble(type, -std::numeric_limits<double>::infinity());
  if (isUnsigned(type))
    return Scalar::fromInt(type, 0);
  return Scalar::fromUInt(type, uint64_t(1) << (8 * getByteWidth(type) - 1));
}

Scalar ops::accumulate(OpKind kind, const Scalar &accumulator,
                       const Scalar &element) {
  assert(getInfo(kind).group == OpGroup::Reduce && "not a reduce");
  Scalar operands[] = {accumulator, element};
  return evaluate(kind == OpKind::ReduceSum ? OpKind::Add : OpKind::Max,
                  accumulator.getType(), operands);
}
