//===- ScalarFloat.cpp - Arithmetic of the float types --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every narrow type is computed in double and rounded once more. For +, -, *,
// / and sqrt this is the same as one rounding, because a double has at least
// 2p + 2 bits for each p-bit type here (p = 24 asks for 50). A fused product
// and sum has no such guarantee and is rounded to odd first. The functions of
// libm are within one unit of a double, so their result in a narrow type is
// the correctly rounded one but for values within 2^-29 of a midpoint.
//
//===----------------------------------------------------------------------===//

#include "ScalarFloat.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::ops;

namespace {

/// The layout of an IEEE binary format.
struct Format {
  int exponentBits;
  int mantissaBits;

  constexpr int getBias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr int getMinExponent() const { return 1 - getBias(); }
  constexpr uint64_t getMaxBiasedExponent() const {
    return (uint64_t(1) << exponentBits) - 1;
  }
};

constexpr int doubleMantissaBits = 52;
constexpr uint64_t doubleMantissaMask = (uint64_t(1) << doubleMantissaBits) - 1;

} // namespace

static Format getFormat(DType type) {
  switch (type) {
  case DType::Float16:
    return {5, 10};
  case DType::BFloat16:
    return {8, 7};
  case DType::Float32:
    return {8, 23};
  case DType::Float64:
    return {11, doubleMantissaBits};
  default:
    assert(false && "not a float type");
    return {11, doubleMantissaBits};
  }
}

double detail::roundTo(DType type, double value) {
  if (type == DType::Float64)
    return value;
  if (type == DType::Float32 && !std::isnan(value))
    return static_cast<float>(value);

  Format format = getFormat(type);
  // A NaN keeps its bits until it is encoded, so that loads and stores of a
  // signaling NaN do not change it.
  if (!std::isfinite(value) || value == 0)
    return std::isnan(value) ? decode(type, encode(type, value)) : value;

  int exponent = std::ilogb(value);
  if (exponent < format.getMinExponent()) {
    // Below the smallest normal value the grid is even: scale it to integers.
    int unit = format.getMinExponent() - format.mantissaBits;
    return std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  }
  // Add just under half a unit, or half where the last kept bit is odd; a carry
  // out of the mantissa moves on into the exponent as it should.
  int dropped = doubleMantissaBits - format.mantissaBits;
  uint64_t bits = std::bit_cast<uint64_t>(value);
  bits += (uint64_t(1) << (dropped - 1)) - 1 + ((bits >> dropped) & 1);
  bits &= ~((uint64_t(1) << dropped) - 1);
  double rounded = std::bit_cast<double>(bits);
  if (std::ilogb(rounded) > format.getBias())
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

double detail::roundIntegerTo(DType type, uint64_t magnitude, bool isNegative) {
  double result;
  if (type == DType::Float64) {
    result = static_cast<double>(magnitude);
  } else {
    // Round to odd: bits that a double cannot hold are folded into its last
    // one, so that the rounding to `type` sees on which side of a tie they are.
    int excess = 64 - std::countl_zero(magnitude) - (doubleMantissaBits + 1);
    if (excess > 0) {
      uint64_t lost = magnitude & ((uint64_t(1) << excess) - 1);
      magnitude -= lost;
      if (lost)
        magnitude |= uint64_t(1) << excess;
    }
    result = roundTo(type, static_cast<double>(magnitude));
  }
  return isNegative ? -result : result;
}

double detail::decode(DType type, uint64_t bits) {
  Format format = getFormat(type);
  uint64_t mantissa = bits & ((uint64_t(1) << format.mantissaBits) - 1);
  uint64_t biased =
      (bits >> format.mantissaBits) & format.getMaxBiasedExponent();
  uint64_t sign = (bits >> (format.mantissaBits + format.exponentBits)) & 1;
  int shift = doubleMantissaBits - format.mantissaBits;
  if (biased == format.getMaxBiasedExponent())
    return std::bit_cast<double>(sign << 63 | uint64_t(0x7ff) << 52 |
                                 mantissa << shift);
  double magnitude;
  if (biased == 0 || type == DType::Float64)
    magnitude = type == DType::Float64
                    ? std::bit_cast<double>(bits & ~(uint64_t(1) << 63))
                    : std::ldexp(static_cast<double>(mantissa),
                                 format.getMinExponent() - format.mantissaBits);
  else
    magnitude = std::bit_cast<double>((biased - format.getBias() + 1023)
                                          << doubleMantissaBits |
                                      mantissa << shift);
  return sign ? -magnitude : magnitude;
}

uint64_t detail::encode(DType type, double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  if (type == DType::Float64)
    return bits;

  Format format = getFormat(type);
  int shift = doubleMantissaBits - format.mantissaBits;
  uint64_t sign = (bits >> 63) << (format.mantissaBits + format.exponentBits);
  uint64_t mantissa = bits & doubleMantissaMask;
  uint64_t special = format.getMaxBiasedExponent() << format.mantissaBits;
  if (std::isnan(value)) {
    uint64_t payload = mantissa >> shift;
    // A payload that was all in the lost bits would read as an infinity.
    if (!payload)
      payload = uint64_t(1) << (format.mantissaBits - 1);
    return sign | special | payload;
  }
  if (std::isinf(value))
    return sign | special;
  if (value == 0)
    return sign;

  int exponent = std::ilogb(value);
  if (exponent < format.getMinExponent()) {
    double units = std::ldexp(std::fabs(value),
                              format.mantissaBits - format.getMinExponent());
    return sign | static_cast<uint64_t>(units);
  }
  return sign |
         static_cast<uint64_t>(exponent + format.getBias())
             << format.mantissaBits |
         mantissa >> shift;
}

/// Returns a * b + c, such that rounding it to `type` rounds the exact value.
static double multiplyAdd(DType type, double a, double b, double c) {
  if (type == DType::Float64)
    return std::fma(a, b, c);
  // The product of two narrow values is exact; the sum may not be.
  double product = a * b;
  double sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  // The rounding error of the sum, exactly (Knuth's two-sum).
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (error != 0 && (bits & 1) == 0) {
    bool isTooSmall = (error > 0) == (sum > 0);
    sum = std::bit_cast<double>(isTooSmall ? bits + 1 : bits - 1);
  }
  return sum;
}

/// IEEE 754-2019 maximum.
static double maximum(double a, double b) {
  if (std::isnan(a))
    return a;
  if (std::isnan(b))
    return b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

double detail::evaluateFloat(OpKind kind, DType type, double a, double b,
                             double c) {
  switch (kind) {
  case OpKind::Noop:
    return a;
  case OpKind::Neg:
    return -a;
  case OpKind::Not:
    return a == 0;
  case OpKind::CmpLt:
    return a < b;
  case OpKind::CmpEq:
    return a == b;
  case OpKind::Max:
    return maximum(a, b);
  case OpKind::MulAcc:
    return multiplyAdd(type, a, b, c);
  case OpKind::Exp2:
    return std::exp2(a);
  case OpKind::Log2:
    return std::log2(a);
  case OpKind::Exp:
    return std::exp(a);
  case OpKind::Log:
    return std::log(a);
  case OpKind::Sin:
    return std::sin(a);
  case OpKind::Sqrt:
    return std::sqrt(a);
  case OpKind::Recip:
    return 1 / a;
  case OpKind::Add:
    return a + b;
  case OpKind::Sub:
    return a - b;
  case OpKind::Mul:
    return a * b;
  case OpKind::Div:
    return a / b;
  case OpKind::Mod:
    return std::fmod(a, b);
  case OpKind::Pow:
    return std::pow(a, b);
  default:
    assert(false && "not an elementwise operation of floats");
    return 0;
  }
}
