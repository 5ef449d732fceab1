//===- CheckSchedule.h - Judges kernels of schedule.jsonl -------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_CHECKSCHEDULE_H
#define TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_CHECKSCHEDULE_H

#include "Outcome.h"
#include "ScheduleRow.h"

namespace tinygrad::golden {

/// What of a row is compared.
struct ScheduleChecks {
  /// From 0 to 4.
  std::vector<int> levels;
  std::vector<Liveness> livenesses;
  /// Compare the kernels at level 2 too, not only their number.
  bool trees = true;
  /// The option of lazy-schedule that is switched off, or empty.
  std::string without;
  /// Print each scheduled program to stdout.
  bool printIR = false;
};

/// True if `name` is an option of lazy-schedule that switches a rule.
bool isRuleOption(llvm::StringRef name);

/// Schedules the program at each level and compares the number of kernels, and
/// the kernels. Where the row marks the reference wrong, only values bind. A
/// row of which some part could be compared has passed.
Outcome checkSchedule(const ScheduleRow &row, const ScheduleChecks &checks);

} // namespace tinygrad::golden

#endif // TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_CHECKSCHEDULE_H
