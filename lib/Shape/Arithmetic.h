//===- Arithmetic.h - Floor division and wide integers ----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small integer functions that the sources of this room share. Intermediate
// values are 128 bits wide, so that products of 64-bit values cannot overflow.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_SHAPE_ARITHMETIC_H
#define TINYGRAD_LIB_SHAPE_ARITHMETIC_H

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace tinygrad::shape {

using Wide = __int128;

constexpr bool fitsInt64(Wide value) {
  return value >= std::numeric_limits<int64_t>::min() &&
         value <= std::numeric_limits<int64_t>::max();
}

/// Returns the quotient rounded down; `b` is positive.
template <typename T>
constexpr T floorDivide(T a, T b) {
  // Nearly all numbers are small, and division of wide ones is a slow call.
  if constexpr (sizeof(T) > sizeof(int64_t))
    if (fitsInt64(a) && fitsInt64(b))
      return floorDivide(static_cast<int64_t>(a), static_cast<int64_t>(b));
  T quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

/// Returns the remainder in [0, b); `b` is positive.
template <typename T>
constexpr T floorModulo(T a, T b) {
  if constexpr (sizeof(T) > sizeof(int64_t))
    if (fitsInt64(a) && fitsInt64(b))
      return floorModulo(static_cast<int64_t>(a), static_cast<int64_t>(b));
  T remainder = a % b;
  return remainder < 0 ? remainder + b : remainder;
}

/// Returns the quotient rounded up; `b` is positive.
template <typename T>
constexpr T ceilDivide(T a, T b) {
  return -floorDivide<T>(-a, b);
}

/// Returns the greatest common divisor, never negative; gcd(0, b) is |b|.
template <typename T>
constexpr T greatestCommonDivisor(T a, T b) {
  while (b != 0) {
    T remainder = a % b;
    a = b;
    b = remainder;
  }
  return a < 0 ? -a : a;
}

/// Returns the nearest 64-bit value.
constexpr int64_t saturate(Wide value) {
  if (value < std::numeric_limits<int64_t>::min())
    return std::numeric_limits<int64_t>::min();
  if (value > std::numeric_limits<int64_t>::max())
    return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(value);
}

/// Returns the product of `shape`, or nothing if it passes 63 bits.
inline std::optional<int64_t> countElements(std::span<const int64_t> shape) {
  for (int64_t extent : shape)
    if (extent == 0)
      return 0;
  int64_t count = 1;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count))
      return std::nullopt;
  return count;
}

} // namespace tinygrad::shape

#endif // TINYGRAD_LIB_SHAPE_ARITHMETIC_H
