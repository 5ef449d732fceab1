//===- CheckValues.h - Judges values of schedule.jsonl ----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_CHECKVALUES_H
#define TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_CHECKVALUES_H

#include "Outcome.h"
#include "ScheduleRow.h"
#include "tinygrad/Engine/Engine.h"

namespace tinygrad::golden {

/// Computes programs by the interpreter and by the CPU.
class ValueChecker {
public:
  /// `level`: that of the rules by which the CPU's kernels are made.
  static llvm::Expected<ValueChecker> create(int level);

  /// Compares each output of the row with its expected values: floats within
  /// 2e-4 of one plus their size (two bytes: 2e-2), others exactly. A row
  /// without values, or whose buffers have more than `maxElements` elements, is
  /// skipped.
  Outcome check(const ScheduleRow &row, int64_t maxElements);

private:
  /// One per device.
  std::vector<std::shared_ptr<engine::Engine>> engines;
};

} // namespace tinygrad::golden

#endif // TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_CHECKVALUES_H
