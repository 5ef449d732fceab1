//===- HalfConversionsTest.cpp - Tests of the 16-bit floats ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Runtime/CPU/HalfConversions.h"

#include "llvm/ADT/APFloat.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

using namespace tinygrad::runtime;

namespace {

uint16_t toBits(HalfRegister value) { return std::bit_cast<uint16_t>(value); }
HalfRegister fromBits(uint16_t bits) {
  return std::bit_cast<HalfRegister>(bits);
}

/// Converts `value` to a 16-bit float as LLVM's constant folding does.
uint16_t reference(llvm::APFloat value, const llvm::fltSemantics &semantics) {
  bool losesInfo = false;
  value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return uint16_t(value.bitcastToAPInt().getZExtValue());
}

void checkTruncations(double value) {
  const llvm::fltSemantics &half = llvm::APFloat::IEEEhalf();
  const llvm::fltSemantics &bfloat = llvm::APFloat::BFloat();
  llvm::APFloat wide(value);
  EXPECT_EQ(toBits(truncateDoubleToHalf(value)), reference(wide, half))
      << std::hexfloat << value;
  EXPECT_EQ(toBits(truncateDoubleToBFloat(value)), reference(wide, bfloat))
      << std::hexfloat << value;
  auto single = float(value);
  llvm::APFloat narrow(single);
  EXPECT_EQ(toBits(truncateFloatToHalf(single)), reference(narrow, half))
      << std::hexfloat << single;
  EXPECT_EQ(toBits(truncateFloatToBFloat(single)), reference(narrow, bfloat))
      << std::hexfloat << single;
}

TEST(HalfConversionsTest, ExtendsAllHalves) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    HalfRegister value = fromBits(uint16_t(bits));
    llvm::APFloat expected(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
    bool losesInfo = false;
    expected.convert(llvm::APFloat::IEEEsingle(),
                     llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    float result = extendHalfToFloat(value);
    EXPECT_EQ(std::bit_cast<uint32_t>(result),
              expected.bitcastToAPInt().getZExtValue())
        << bits;
    if (result == result)
      EXPECT_EQ(extendHalfToDouble(value), double(result));
    // And back, but for NaNs, which become quiet.
    if (result == result) {
      EXPECT_EQ(toBits(truncateFloatToHalf(result)), bits);
      EXPECT_EQ(toBits(truncateDoubleToHalf(result)), bits);
    }
    float extended = extendBFloatToFloat(value);
    EXPECT_EQ(std::bit_cast<uint32_t>(extended), uint32_t(bits) << 16);
    if (extended == extended)
      EXPECT_EQ(toBits(truncateFloatToBFloat(extended)), bits);
  }
}

TEST(HalfConversionsTest, RoundsAtTheTies) {
  // Each pair of neighbours: the middle, and one step to each side of it.
  for (int bits = 0; bits < 0x7c00; ++bits) {
    double low = extendHalfToDouble(fromBits(uint16_t(bits)));
    double high = bits == 0x7bff
                      ? 65536.0
                      : extendHalfToDouble(fromBits(uint16_t(bits + 1)));
    double middle = (low + high) / 2;
    for (double value :
         {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e9),
          double(std::nextafterf(float(middle), 0.0f)),
          double(std::nextafterf(float(middle), 1e9f))}) {
      checkTruncations(value);
      checkTruncations(-value);
    }
  }
}

TEST(HalfConversionsTest, RoundsLikeLLVM) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    checkTruncations(std::bit_cast<double>(random()));
    checkTruncations(std::bit_cast<float>(uint32_t(random())));
    // Around the ranges of both formats.
    checkTruncations(std::ldexp(double(random()), -64 - int(random() % 48)));
    checkTruncations(
        std::ldexp(double(random()), -64 - 100 - int(random() % 64)));
  }
  for (double value : {0.0, -0.0, HUGE_VAL, -HUGE_VAL, 65504.0, 65519.99,
                       65520.0, 1e300, 5e-324, 0x1p-25, 0x1.8p-25, 0x1p-26,
                       0x1p-133, 0x1p-134, 0x1.8p-134, 0x1p-149})
    checkTruncations(value);
}

} // namespace
