//===- HalfConversions.h - Conversions that compiled code calls -*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On processors that cannot convert the 16-bit floats, LLVM calls functions of
// the compiler's own library for it. The process may not hold that library, so
// the runtime brings them. They take and return what compiled code expects: a
// 16-bit float of either format travels in a vector register, as _Float16 does.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_CPU_HALFCONVERSIONS_H
#define TINYGRAD_LIB_RUNTIME_CPU_HALFCONVERSIONS_H

namespace tinygrad::runtime {

/// 16 bits in a vector register: a float16 or a bfloat16.
using HalfRegister = _Float16;

/// float16 to float and double, exactly. `__extendhfsf2`, `__extendhfdf2`.
float extendHalfToFloat(HalfRegister value);
double extendHalfToDouble(HalfRegister value);
/// Float and double to float16, rounded once to nearest even.
/// `__truncsfhf2`, `__truncdfhf2`.
HalfRegister truncateFloatToHalf(float value);
HalfRegister truncateDoubleToHalf(double value);
/// bfloat16 to float, exactly. `__extendbfsf2`.
float extendBFloatToFloat(HalfRegister value);
/// Float and double to bfloat16, rounded once to nearest even.
/// `__truncsfbf2`, `__truncdfbf2`.
HalfRegister truncateFloatToBFloat(float value);
HalfRegister truncateDoubleToBFloat(double value);

} // namespace tinygrad::runtime

#endif // TINYGRAD_LIB_RUNTIME_CPU_HALFCONVERSIONS_H
