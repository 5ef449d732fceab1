//===- Outcome.h - What became of a row -------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_OUTCOME_H
#define TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_OUTCOME_H

#include <string>

namespace tinygrad::golden {

/// What became of one row, or of one part of it.
struct Outcome {
  enum Kind { Passed, Failed, Skipped } kind = Passed;
  /// What differs, or why nothing could be compared.
  std::string reason;

  static Outcome fail(std::string reason) { return {Failed, reason}; }
  static Outcome skip(std::string reason) { return {Skipped, reason}; }
};

} // namespace tinygrad::golden

#endif // TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_OUTCOME_H
