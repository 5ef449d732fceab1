//===- Measure.h - What the benchmarks share --------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_BENCHMARKS_MEASURE_H
#define TINYGRAD_BENCHMARKS_MEASURE_H

#include <algorithm>
#include <chrono>
#include <vector>

namespace benchmarks {

using Clock = std::chrono::steady_clock;

inline double getSecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns the median of `values`, of which there is at least one: the upper
/// one of the two in the middle.
inline double getMedian(std::vector<double> values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace benchmarks

#endif // TINYGRAD_BENCHMARKS_MEASURE_H
