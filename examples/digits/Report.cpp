//===- Report.cpp - What the program prints -------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <algorithm>
#include <cstdio>

using namespace digits;

std::string digits::describeEpoch(int epoch, int numEpochs, double loss,
                                  double accuracy) {
  char text[96];
  std::snprintf(text, sizeof(text), "epoch %d/%d  loss %.4f  accuracy %5.1f %%",
                epoch, numEpochs, loss, 100 * accuracy);
  return text;
}

void digits::printConfusion(std::span<const Digit> digits,
                            std::span<const int> answers) {
  int counts[numClasses][numClasses] = {};
  for (size_t i = 0; i < digits.size(); ++i)
    ++counts[digits[i].label][answers[i]];
  std::printf("\nconfusion (rows: the digit, columns: the answer)\n    ");
  for (int column = 0; column < numClasses; ++column)
    std::printf("%4d", column);
  std::printf("\n");
  for (int row = 0; row < numClasses; ++row) {
    std::printf("%4d", row);
    for (int count : counts[row])
      count ? std::printf("%4d", count) : std::printf("   .");
    std::printf("\n");
  }
}

void digits::printKernels(
    std::vector<tinygrad::Context::KernelSummary> kernels) {
  constexpr size_t maxRows = 25;
  std::ranges::sort(kernels, std::ranges::greater(),
                    &tinygrad::Context::KernelSummary::seconds);
  std::printf("\n%-44s %7s %10s %9s %9s %9s\n", "kernel", "runs", "total ms",
              "us/run", "GFLOP/s", "GB/s");
  for (size_t i = 0; i < std::min(kernels.size(), maxRows); ++i) {
    const tinygrad::Context::KernelSummary &kernel = kernels[i];
    double perRun = kernel.runs ? kernel.seconds / kernel.runs : 0;
    auto rate = [&](int64_t amount) {
      return perRun > 0 ? static_cast<double>(amount) / perRun / 1e9 : 0;
    };
    std::printf("%-44.44s %7lld %10.1f %9.1f %9.2f %9.2f\n",
                kernel.name.c_str(), static_cast<long long>(kernel.runs),
                kernel.seconds * 1e3, perRun * 1e6, rate(kernel.flops),
                rate(kernel.bytes));
  }
  if (kernels.size() > maxRows)
    std::printf("and %zu more\n", kernels.size() - maxRows);
}

void digits::printImage(const std::array<float, numPixels> &pixels) {
  constexpr const char shades[] = ".-+*#";
  for (int i = 0; i < numPixels; ++i) {
    std::putchar(shades[static_cast<int>(pixels[i] * 4 + 0.5f)]);
    if (i % imageSize == imageSize - 1)
      std::putchar('\n');
  }
}
