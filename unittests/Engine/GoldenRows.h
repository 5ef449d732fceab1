//===- GoldenRows.h - Golden rows of scalar operations ----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_ENGINE_GOLDENROWS_H
#define TINYGRAD_UNITTESTS_ENGINE_GOLDENROWS_H

#include "tinygrad/Ops/Scalar.h"

#include <string>
#include <vector>

namespace tinygrad::test {

/// A row of conformance/golden/ops.jsonl: an operation on several operands, or
/// a reduce of one list of elements.
struct GoldenRow {
  ops::OpKind kind;
  DType type;
  /// Says which row this is.
  std::string name;
  /// For each position the operands, in the types that the operation takes.
  /// A reduce has one position, with the elements.
  std::vector<std::vector<ops::Scalar>> operands;
  /// For each position the value that binds.
  std::vector<ops::Scalar> expected;
  /// For each position false where C leaves the value undefined.
  std::vector<bool> isDefined;

  /// True if `actual` is right at `position`: the very bits, but for the
  /// payload of a NaN, 2 units of the last place for functions of libm, and
  /// either zero for a maximum.
  bool accepts(size_t position, const ops::Scalar &actual) const;
};

/// Reads every row. The values are numpy's, and those of tinygrad 6d6eb9302d
/// for integer division and remainder. Records a failure if a row is missing.
std::vector<GoldenRow> readGoldenRows();

/// Returns `value` with its type, for a message.
std::string toText(const ops::Scalar &value);

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_ENGINE_GOLDENROWS_H
