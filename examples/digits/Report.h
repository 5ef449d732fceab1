//===- Report.h - What the program prints -----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_DIGITS_REPORT_H
#define TINYGRAD_EXAMPLES_DIGITS_REPORT_H

#include "Data.h"

#include "tinygrad/Tensor/Context.h"

#include <span>
#include <string>
#include <vector>

namespace digits {

/// A line that is drawn anew while training goes on. Where the output is no
/// terminal, one line per epoch.
class ProgressBar {
public:
  ProgressBar(int numEpochs, int stepsPerEpoch);

  /// Draws the state after `step` of `epoch`, both counted from 1, with the
  /// mean loss and the accuracy (0 to 1) of the epoch so far.
  void update(int epoch, int step, double loss, double accuracy);

private:
  int numEpochs, stepsPerEpoch;
  bool isTerminal;
};

/// Prints how often each digit (rows) was taken for each (columns).
void printConfusion(std::span<const Digit> digits,
                    std::span<const int> answers);

/// Prints the kernels that took most of the time.
void printKernels(std::vector<tinygrad::Context::KernelSummary> kernels);

/// Prints an image.
void printImage(const std::array<float, numPixels> &pixels);

} // namespace digits

#endif // TINYGRAD_EXAMPLES_DIGITS_REPORT_H
