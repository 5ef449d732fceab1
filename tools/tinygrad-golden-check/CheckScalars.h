//===- CheckScalars.h - Judges rows of ops.jsonl ----------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_CHECKSCALARS_H
#define TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_CHECKSCALARS_H

#include "GoldenValues.h"
#include "Outcome.h"

namespace tinygrad::golden {

/// A row of ops.jsonl: one operation on lists of elements. What is not compared
/// is not read.
struct ScalarRow {
  ops::OpKind kind = ops::OpKind::Neg;
  /// The types of the operands.
  std::vector<DType> types;
  DType outType = DType::Bool;
  /// A list per operand; a reduce has one result for its list.
  std::vector<std::vector<Number>> inputs;
  /// The values that bind: numpy's, and C's where integers are divided.
  std::vector<Number> expected;
  /// Where a value binds; everywhere if there is no list.
  std::optional<std::vector<int64_t>> defined;

  /// Returns the operands at a position of an elementwise operation, in the
  /// types that it takes.
  std::vector<ops::Scalar> getOperands(size_t position) const;
  ops::Scalar getExpected(size_t position) const;
  /// True if `actual` is right at `position`, or nothing binds there. Compares
  /// bit for bit, but for functions of libm (two units in the last place), NaN
  /// (any), and a maximum that is zero (of either sign).
  bool accepts(size_t position, const ops::Scalar &actual) const;
};
bool fromJSON(const llvm::json::Value &value, ScalarRow &result,
              llvm::json::Path path);

/// Returns a text such as "NEG int8".
std::string describe(const ScalarRow &row);

/// Checks that `Ops` computes what the row expects at each position.
Outcome checkScalars(const ScalarRow &row);

/// Writes the type and the value.
std::string toText(const ops::Scalar &value);

} // namespace tinygrad::golden

#endif // TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_CHECKSCALARS_H
