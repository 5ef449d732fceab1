//===- ProgressBar.h - How far a program has come ---------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_COMMON_PROGRESSBAR_H
#define TINYGRAD_EXAMPLES_COMMON_PROGRESSBAR_H

#include <chrono>
#include <cstdint>
#include <string>

namespace examples {

/// A line on stderr that is drawn anew while work goes on, at most ten times a
/// second. Where stderr is no terminal nothing is drawn.
class ProgressBar {
public:
  explicit ProgressBar(int64_t numSteps);
  /// Takes the line away.
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar &) = delete;
  ProgressBar &operator=(const ProgressBar &) = delete;

  /// Shows that `numDone` steps are done, a text, and the time that is left.
  void update(int64_t numDone, const std::string &text);
  /// Takes the line away until the next update. Call it before printing.
  void clear();

private:
  using Clock = std::chrono::steady_clock;

  int64_t numSteps;
  bool isTerminal, isDrawn = false;
  Clock::time_point start = Clock::now(), lastDrawn;
};

} // namespace examples

#endif // TINYGRAD_EXAMPLES_COMMON_PROGRESSBAR_H
