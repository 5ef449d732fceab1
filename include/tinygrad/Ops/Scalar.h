//===- Scalar.h - One element and its arithmetic ----------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scalar semantics of every elementwise and reduce operation, stated once.
// Constant folding and the interpreter call these functions; generated code is
// tested against them.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPS_SCALAR_H
#define TINYGRAD_OPS_SCALAR_H

#include "tinygrad/Ops/DType.h"
#include "tinygrad/Ops/OpKind.h"

#include <span>

namespace tinygrad::ops {

/// One element of a tensor. A float is held as a double that its type can
/// represent exactly; an integer as 64 bits in two's complement, sign-extended
/// for signed types and zero-extended for unsigned ones and bool (0 or 1).
class Scalar {
public:
  Scalar() = default;

  /// Makes an element of `type` from `value`, rounded to nearest even where
  /// `type` is a float and converted as `cast` does where it is not.
  static Scalar fromDouble(DType type, double value);
  /// Makes an element of `type` from `value`: wrapped for integers, `!= 0` for
  /// bool, rounded to nearest even for floats.
  static Scalar fromInt(DType type, int64_t value);
  static Scalar fromUInt(DType type, uint64_t value);
  /// Reads one element of `type` from memory in the host's byte order.
  static Scalar load(DType type, const void *memory);

  /// Writes the element to memory: getByteWidth(getType()) bytes.
  void store(void *memory) const;

  DType getType() const { return type; }
  /// Returns the value as a double; a 64-bit integer is rounded.
  double toDouble() const;
  /// Returns the value as an integer, as `cast` to int64 does.
  int64_t toInt() const;
  /// Returns false for zero of either sign, true for everything else and NaN.
  bool isTrue() const;
  /// Returns true if both have the same type and the same bits. NaNs compare
  /// by their bits, and 0.0 differs from -0.0.
  bool isIdentical(const Scalar &other) const;

private:
  DType type = DType::Float32;
  // Every type keeps its value in these 64 bits; floats as the bits of the
  // double.
  uint64_t bits = 0;
};

/// Returns `value` converted to `type`: floats and integers round once to the
/// nearest value of a float type, ties to even; a float becomes an integer by
/// truncation, saturates where the type cannot hold it, and gives 0 for NaN;
/// integers wrap; bool is `!= 0` (NaN is true).
Scalar cast(const Scalar &value, DType type);

/// Returns the bits of `value` read as `type`, which has the same width. Every
/// bit survives, those of a NaN as well. A bool is one byte; a byte that is not
/// 0 reads as true.
Scalar bitcast(const Scalar &value, DType type);

/// Returns the value of the elementwise operation `kind` with elements of
/// `result` type. Operands have one type, but for the condition of `where`
/// (any type, true when not 0). `cmplt` and `cmpeq` give bool, or 0 and 1 in
/// the operands' type, as `result` says.
///
/// Floats: every operation is computed in its type, rounded once to nearest
/// even (`mulacc` too: it is fused); functions of libm are within one unit in
/// the last place. `max` is IEEE 754-2019 maximum (NaN wins, +0 over -0); `mod`
/// is C's fmod; `pow` has C's edges (x^0 and 1^y are 1, also with NaN).
///
/// Integers wrap; division truncates, `mod` has the dividend's sign, x/0 and
/// x mod 0 are 0, MIN/-1 is MIN and MIN mod -1 is 0. `pow` wraps, 0^0 is 1, and
/// a negative exponent gives the inverse, truncated: 1 or -1 where the base is
/// 1 or -1, else 0. verifyTypes rejects the other functions of floats; here
/// they are computed in float64 and converted back as `cast` does (`recip` is
/// 1/x). It rejects `not` of numbers as well, which is 1 where they are 0 here.
///
/// Bool: `add` and `max` are or, `mul` and `div` are and, `neg` and `not` are
/// not, `sub` and `xor` are exclusive or, `mod` is false, `pow` is x or not y.
Scalar evaluate(OpKind kind, DType result, std::span<const Scalar> operands);

/// Returns the identity of the reduce operation `kind` in its accumulation
/// type `type`: 0 for reduce_sum, the lowest value (-inf for floats) for
/// reduce_max.
Scalar getIdentity(OpKind kind, DType type);

/// Returns the accumulator after one more element of a reduce. Both have the
/// accumulation type.
Scalar accumulate(OpKind kind, const Scalar &accumulator,
                  const Scalar &element);

} // namespace tinygrad::ops

#endif // TINYGRAD_OPS_SCALAR_H
