//===- PeakRate.h - How fast one thread multiplies and adds -----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_BENCHMARKS_MATMUL_PEAKRATE_H
#define TINYGRAD_BENCHMARKS_MATMUL_PEAKRATE_H

#include <cstdint>
#include <string>
#include <vector>

namespace benchmarks {

/// Measures how many float operations per second one thread can do in fused
/// multiply-adds on registers: two for each element.
class PeakRate {
public:
  /// Finds out which of the processor's vector widths is the fastest.
  PeakRate();

  /// Returns the rate of the best of some runs of a tenth of a millisecond, in
  /// operations per second: what the processor does at this moment.
  double measure() const;

  /// The widest registers that the rate was measured with, for people to read.
  const std::string &getName() const { return name; }

private:
  using Chains = float (*)(int64_t numSteps);
  /// One way to compute on vectors.
  struct Kind {
    std::string name;
    Chains chains;
    /// Operations in a step.
    int64_t operations;
  };
  static std::vector<Kind> getKinds();
  static double measureOnce(const Kind &kind, int64_t numSteps);

  Kind kind;
  int64_t numSteps = 1;
  std::string name;
};

} // namespace benchmarks

#endif // TINYGRAD_BENCHMARKS_MATMUL_PEAKRATE_H
