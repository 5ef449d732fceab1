//===- HalfConversions.cpp - Conversions that compiled code calls ---------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written on the bits: a cast from _Float16 in this file would be compiled into
// a call of the very function that it implements.
//
//===----------------------------------------------------------------------===//

#include "HalfConversions.h"

#include <bit>
#include <cstdint>

using namespace tinygrad::runtime;

/// Narrows the bits of an IEEE float with `SourceMantissa` mantissa bits to one
/// of 16 bits with `TargetMantissa`, to nearest even. NaNs become quiet and
/// keep the high part of their payload. The target's exponent is narrower than
/// the source's, or as wide.
template <int SourceMantissa, int TargetMantissa, typename Bits>
static uint16_t narrow(Bits bits) {
  constexpr int sourceExponent = int(sizeof(Bits)) * 8 - 1 - SourceMantissa;
  constexpr int targetExponent = 15 - TargetMantissa;
  constexpr int sourceBias = (1 << (sourceExponent - 1)) - 1;
  constexpr int targetBias = (1 << (targetExponent - 1)) - 1;
  constexpr int targetMaxExponent = (1 << targetExponent) - 1;
  constexpr int excess = SourceMantissa - TargetMantissa;
  constexpr Bits mantissaMask = (Bits(1) << SourceMantissa) - 1;

  uint16_t sign = uint16_t(bits >> (sizeof(Bits) * 8 - 1)) << 15;
  Bits mantissa = bits & mantissaMask;
  int exponent = int(bits >> SourceMantissa) & ((1 << sourceExponent) - 1);
  constexpr uint16_t infinity = targetMaxExponent << TargetMantissa;

  if (exponent == (1 << sourceExponent) - 1) {
    if (mantissa == 0)
      return sign | infinity;
    constexpr uint16_t quiet = 1 << (TargetMantissa - 1);
    return sign | infinity | quiet | uint16_t(mantissa >> excess);
  }

  // A subnormal source has no hidden bit, and the exponent of 1.
  if (exponent == 0)
    exponent = 1;
  else
    mantissa |= Bits(1) << SourceMantissa;
  exponent += targetBias - sourceBias;
  if (exponent >= targetMaxExponent)
    return sign | infinity;
  // A subnormal result gives up one bit for each step below exponent 1.
  int shift = exponent < 1 ? excess + 1 - exponent : excess;
  if (shift > SourceMantissa + 1)
    return sign;

  uint16_t result = uint16_t(mantissa >> shift);
  Bits rest = mantissa & ((Bits(1) << shift) - 1);
  Bits half = Bits(1) << (shift - 1);
  if (rest > half || (rest == half && (result & 1)))
    ++result;
  // The hidden bit, where there is one, adds the last 1 of the exponent; a
  // carry out of the mantissa adds one more, up to infinity.
  if (exponent > 1)
    result += (exponent - 1) << TargetMantissa;
  return sign | result;
}

static HalfRegister toRegister(uint16_t bits) {
  return std::bit_cast<HalfRegister>(bits);
}

float tinygrad::runtime::extendHalfToFloat(HalfRegister value) {
  uint32_t bits = std::bit_cast<uint16_t>(value);
  uint32_t sign = (bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f;
  uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0) {
    // Zero or subnormal: a multiple of 2^-24, which a float holds exactly.
    uint32_t magnitude = std::bit_cast<uint32_t>(float(mantissa) * 0x1p-24f);
    return std::bit_cast<float>(sign | magnitude);
  }
  if (exponent == 0x1f) {
    uint32_t quiet = mantissa ? 0x400000 : 0;
    return std::bit_cast<float>(sign | 0x7f800000 | quiet | mantissa << 13);
  }
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 |
                              mantissa << 13);
}

double tinygrad::runtime::extendHalfToDouble(HalfRegister value) {
  return extendHalfToFloat(value);
}

HalfRegister tinygrad::runtime::truncateFloatToHalf(float value) {
  return toRegister(narrow<23, 10>(std::bit_cast<uint32_t>(value)));
}

HalfRegister tinygrad::runtime::truncateDoubleToHalf(double value) {
  return toRegister(narrow<52, 10>(std::bit_cast<uint64_t>(value)));
}

float tinygrad::runtime::extendBFloatToFloat(HalfRegister value) {
  uint32_t bits = std::bit_cast<uint16_t>(value);
  return std::bit_cast<float>(bits << 16);
}

HalfRegister tinygrad::runtime::truncateFloatToBFloat(float value) {
  return toRegister(narrow<23, 7>(std::bit_cast<uint32_t>(value)));
}

HalfRegister tinygrad::runtime::truncateDoubleToBFloat(double value) {
  return toRegister(narrow<52, 7>(std::bit_cast<uint64_t>(value)));
}
