//===- ScalarConversionTest.cpp - Conversions of one element --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/Scalar.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::ops;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static const double notANumber = std::numeric_limits<double>::quiet_NaN();

static double round(DType type, double value) {
  return Scalar::fromDouble(type, value).toDouble();
}

/// Returns the value of `type` with these bits in memory.
static Scalar fromBits(DType type, uint64_t bits) {
  return Scalar::load(type, &bits);
}

static uint64_t toBits(const Scalar &value) {
  uint64_t bits = 0;
  value.store(&bits);
  return bits;
}

TEST(ScalarConversion, float16Rounding) {
  auto f16 = [](double value) { return round(DType::Float16, value); };
  EXPECT_EQ(f16(2049), 2048); // ties to even
  EXPECT_EQ(f16(2051), 2052);
  EXPECT_EQ(f16(65504), 65504);
  EXPECT_EQ(f16(65519), 65504);
  EXPECT_EQ(f16(std::nextafter(65520, 0)), 65504);
  EXPECT_EQ(f16(65520), infinity);
  EXPECT_EQ(f16(-65520), -infinity);
  EXPECT_EQ(f16(1e300), infinity);
  EXPECT_EQ(f16(0x1p-24), 0x1p-24); // the smallest subnormal
  EXPECT_EQ(f16(0x1p-25), 0);
  EXPECT_EQ(f16(std::nextafter(0x1p-25, 1)), 0x1p-24);
  EXPECT_EQ(f16(0x1.8p-24), 0x1p-23);
  EXPECT_EQ(f16(0x1.ff8p-15), 0x1.ff8p-15); // the largest subnormal
  EXPECT_EQ(f16(0x1.ffcp-15), 0x1p-14);     // up to the first normal value
  EXPECT_TRUE(std::signbit(f16(-1e-300)));
  EXPECT_TRUE(std::signbit(f16(-0.0)));
  EXPECT_TRUE(std::isnan(f16(notANumber)));
}

// Rounding through float32 on the way would hit a tie that is none.
TEST(ScalarConversion, roundsOnce) {
  double aboveTie = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(round(DType::Float16, aboveTie), 1 + 0x1p-10);
  EXPECT_EQ(round(DType::Float16, static_cast<float>(aboveTie)), 1);
  EXPECT_EQ(round(DType::BFloat16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);

  // The same with integers that no double holds.
  int64_t big = (int64_t(1) << 62) + (int64_t(1) << 54) + 1;
  EXPECT_EQ(Scalar::fromInt(DType::BFloat16, big).toDouble(), 0x1p62 + 0x1p55);
  EXPECT_EQ(Scalar::fromInt(DType::BFloat16, big - 1).toDouble(), 0x1p62);
  EXPECT_EQ(Scalar::fromInt(DType::BFloat16, -big).toDouble(),
            -0x1p62 - 0x1p55);
  big = (int64_t(1) << 62) + (int64_t(1) << 38) + 1;
  EXPECT_EQ(Scalar::fromInt(DType::Float32, big).toDouble(), 0x1p62 + 0x1p39);
  EXPECT_EQ(Scalar::fromUInt(DType::Float32, ~uint64_t(0)).toDouble(), 0x1p64);
  EXPECT_EQ(Scalar::fromUInt(DType::Float16, ~uint64_t(0)).toDouble(),
            infinity);
  EXPECT_EQ(Scalar::fromInt(DType::Float64, INT64_MIN).toDouble(), -0x1p63);
  EXPECT_EQ(Scalar::fromInt(DType::Float16, 65519).toDouble(), 65504);
}

/// Returns the value of a 16-bit float type nearest to `value`, ties to the
/// even bits, by search in all values. `limit` is where infinity starts.
static double findNearest(DType type, uint64_t infinityBits, double limit,
                          double value) {
  if (std::fabs(value) >= limit)
    return std::copysign(infinity, value);
  uint64_t low = 0, high = infinityBits - 1;
  double magnitude = std::fabs(value);
  while (low < high) { // the last value that is not larger
    uint64_t middle = (low + high + 1) / 2;
    if (fromBits(type, middle).toDouble() <= magnitude)
      low = middle;
    else
      high = middle - 1;
  }
  double below = fromBits(type, low).toDouble();
  double above = low + 1 == infinityBits ? limit + (limit - below)
                                         : fromBits(type, low + 1).toDouble();
  // Exact: the three values are close to each other.
  double toBelow = magnitude - below, toAbove = above - magnitude;
  bool isUp = toAbove < toBelow || (toAbove == toBelow && low % 2);
  return std::copysign(isUp ? above : below, value);
}

TEST(ScalarConversion, halfTypesRoundToNearest) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = random();
    // Half of the cases end in zeros, so that ties occur.
    if (i % 2)
      bits &= ~uint64_t(0) << 40;
    double value = std::bit_cast<double>(bits);
    if (!std::isfinite(value))
      continue;
    for (int spread : {20, 140}) {
      int exponent;
      double scaled =
          std::ldexp(std::frexp(value, &exponent), exponent % spread);
      EXPECT_EQ(round(DType::Float16, scaled),
                findNearest(DType::Float16, 0x7c00, 65520, scaled))
          << scaled;
      EXPECT_EQ(round(DType::BFloat16, scaled),
                findNearest(DType::BFloat16, 0x7f80, 0x1.ffp127, scaled))
          << scaled;
    }
  }
}

// Each of the bit patterns, NaNs with their payloads among them.
TEST(ScalarConversion, loadAndStoreKeepBits) {
  for (int i = 0; i < numDTypes; ++i) {
    DType type = static_cast<DType>(i);
    if (type == DType::Bool || getByteWidth(type) > 2)
      continue;
    for (uint64_t bits = 0; bits < uint64_t(1) << 8 * getByteWidth(type);
         ++bits) {
      Scalar value = fromBits(type, bits);
      ASSERT_EQ(toBits(value), bits) << getName(type);
      if (!isFloat(type) || !std::isnan(value.toDouble()))
        ASSERT_TRUE(
            Scalar::fromDouble(type, value.toDouble()).isIdentical(value));
    }
  }
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random();
    for (DType type : {DType::Float64, DType::Int64, DType::UInt64})
      ASSERT_EQ(toBits(fromBits(type, bits)), bits);
    bits >>= 32;
    for (DType type : {DType::Float32, DType::Int32, DType::UInt32})
      ASSERT_EQ(toBits(fromBits(type, bits)), bits);
  }
  // A signaling NaN, a subnormal, the ends.
  for (uint64_t bits : {0x7f800001u, 0xff800001u, 0x00000001u, 0x807fffffu,
                        0x00800000u, 0x7f7fffffu, 0x7f800000u, 0x80000000u})
    EXPECT_EQ(toBits(fromBits(DType::Float32, bits)), bits);
}

TEST(ScalarConversion, boolInMemory) {
  EXPECT_EQ(toBits(fromBits(DType::Bool, 0)), 0u);
  EXPECT_EQ(toBits(fromBits(DType::Bool, 1)), 1u);
  EXPECT_EQ(toBits(fromBits(DType::Bool, 2)), 1u);
  uint8_t memory[2] = {7, 7};
  Scalar::fromInt(DType::Bool, 1).store(memory);
  EXPECT_EQ(memory[0], 1);
  EXPECT_EQ(memory[1], 7) << "writes one byte";
}

TEST(ScalarConversion, floatToIntegerSaturates) {
  auto toInt = [](DType type, double value) {
    return Scalar::fromDouble(type, value).toInt();
  };
  EXPECT_EQ(toInt(DType::Int8, 127.9), 127);
  EXPECT_EQ(toInt(DType::Int8, 128), 127);
  EXPECT_EQ(toInt(DType::Int8, -128.9), -128);
  EXPECT_EQ(toInt(DType::Int8, -129), -128);
  EXPECT_EQ(toInt(DType::UInt8, -0.9), 0);
  EXPECT_EQ(toInt(DType::UInt8, -5), 0);
  EXPECT_EQ(toInt(DType::UInt8, 255.9), 255);
  EXPECT_EQ(toInt(DType::UInt8, 256), 255);
  EXPECT_EQ(toInt(DType::Int16, 1e9), 32767);
  EXPECT_EQ(toInt(DType::UInt16, 1e9), 65535);
  EXPECT_EQ(toInt(DType::Int32, 0x1p31), INT32_MAX);
  EXPECT_EQ(toInt(DType::Int32, -0x1p31), INT32_MIN);
  EXPECT_EQ(toInt(DType::UInt32, 0x1p32), UINT32_MAX);
  EXPECT_EQ(toInt(DType::Int64, 0x1p63), INT64_MAX);
  EXPECT_EQ(toInt(DType::Int64, std::nextafter(0x1p63, 0)), 0x7ffffffffffffc00);
  EXPECT_EQ(toInt(DType::Int64, -0x1p63), INT64_MIN);
  EXPECT_EQ(toInt(DType::Int64, -1e300), INT64_MIN);
  EXPECT_EQ(toInt(DType::UInt64, 0x1p63), INT64_MIN) << "the bits of 2^63";
  EXPECT_EQ(toInt(DType::UInt64, 0x1p64), -1) << "the bits of 2^64 - 1";
  for (int i = 0; i < numDTypes; ++i) {
    DType type = static_cast<DType>(i);
    if (!isInteger(type))
      continue;
    EXPECT_EQ(toInt(type, notANumber), 0);
    EXPECT_EQ(toInt(type, infinity), toInt(type, 1e300));
    EXPECT_EQ(toInt(type, -infinity), toInt(type, -1e300));
    EXPECT_EQ(toInt(type, -0.0), 0);
  }
  EXPECT_EQ(toInt(DType::Bool, notANumber), 1);
  EXPECT_EQ(toInt(DType::Bool, -0.0), 0);
  EXPECT_EQ(toInt(DType::Bool, 0.25), 1);
}

TEST(ScalarConversion, integersWrap) {
  EXPECT_EQ(Scalar::fromInt(DType::Int8, 200).toInt(), -56);
  EXPECT_EQ(Scalar::fromInt(DType::UInt8, -1).toInt(), 255);
  EXPECT_EQ(Scalar::fromInt(DType::Int16, 0x18000).toInt(), -32768);
  EXPECT_EQ(Scalar::fromInt(DType::UInt64, -1).toDouble(), 0x1p64);
  EXPECT_EQ(Scalar::fromUInt(DType::Int64, ~uint64_t(0)).toInt(), -1);
  EXPECT_EQ(Scalar::fromInt(DType::Bool, 256).toInt(), 1);

  Scalar big = Scalar::fromUInt(DType::UInt64, ~uint64_t(0));
  EXPECT_EQ(cast(big, DType::Int64).toInt(), -1);
  EXPECT_EQ(cast(big, DType::Int8).toInt(), -1);
  EXPECT_EQ(cast(big, DType::Float64).toDouble(), 0x1p64);
  EXPECT_EQ(cast(Scalar::fromInt(DType::Int8, -1), DType::UInt32).toInt(),
            UINT32_MAX);
  EXPECT_EQ(cast(Scalar::fromInt(DType::Int16, 256), DType::Bool).toInt(), 1);
  EXPECT_EQ(cast(Scalar::fromInt(DType::Bool, 1), DType::BFloat16).toDouble(),
            1);
}

TEST(ScalarConversion, bitcast) {
  auto bits = [](Scalar value, DType type) {
    return bitcast(value, type).toInt();
  };
  EXPECT_EQ(bits(Scalar::fromDouble(DType::Float32, 1), DType::Int32),
            0x3f800000);
  EXPECT_EQ(bits(Scalar::fromDouble(DType::Float16, 1), DType::UInt16), 0x3c00);
  EXPECT_EQ(bits(Scalar::fromDouble(DType::BFloat16, -2), DType::UInt16),
            0xc000);
  EXPECT_EQ(bits(Scalar::fromDouble(DType::Float64, -0.0), DType::Int64),
            INT64_MIN);
  EXPECT_EQ(bits(Scalar::fromInt(DType::UInt8, 200), DType::Int8), -56);
  EXPECT_EQ(bits(Scalar::fromInt(DType::UInt8, 200), DType::Bool), 1);
  Scalar signaling =
      bitcast(Scalar::fromInt(DType::Int32, 0x7f800001), DType::Float32);
  EXPECT_TRUE(std::isnan(signaling.toDouble()));
  EXPECT_EQ(bits(signaling, DType::Int32), 0x7f800001);
  EXPECT_EQ(bitcast(Scalar::fromInt(DType::Int16, 0x3c00), DType::BFloat16)
                .toDouble(),
            0x1p-7);
}

TEST(Scalar, truthAndIdentity) {
  Scalar zero = Scalar::fromDouble(DType::Float32, 0);
  Scalar minusZero = Scalar::fromDouble(DType::Float32, -0.0);
  EXPECT_FALSE(zero.isTrue());
  EXPECT_FALSE(minusZero.isTrue());
  EXPECT_FALSE(zero.isIdentical(minusZero));
  EXPECT_TRUE(Scalar::fromDouble(DType::Float16, notANumber).isTrue());
  EXPECT_TRUE(Scalar::fromInt(DType::Int8, -1).isTrue());
  EXPECT_FALSE(zero.isIdentical(Scalar::fromDouble(DType::Float64, 0)));
  EXPECT_TRUE(zero.isIdentical(Scalar()));
}
