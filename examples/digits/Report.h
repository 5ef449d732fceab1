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

/// Says how an epoch of `numEpochs`, counted from 1, goes: the mean loss and
/// the accuracy (0 to 1) so far.
std::string describeEpoch(int epoch, int numEpochs, double loss,
                          double accuracy);

/// Prints how often each digit (rows) was taken for each (columns).
void printConfusion(std::span<const Digit> digits,
                    std::span<const int> answers);

/// Prints the kernels that took most of the time.
void printKernels(std::vector<tinygrad::Context::KernelSummary> kernels);

/// Prints an image.
void printImage(const std::array<float, numPixels> &pixels);

} // namespace digits

#endif // TINYGRAD_EXAMPLES_DIGITS_REPORT_H
