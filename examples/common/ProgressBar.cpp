//===- ProgressBar.cpp - How far a program has come -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgressBar.h"

#include <unistd.h>

#include <cstdio>

using namespace examples;

ProgressBar::ProgressBar(int64_t numSteps)
    : numSteps(numSteps), isTerminal(isatty(STDERR_FILENO)) {}

void ProgressBar::update(int64_t numDone, const std::string &text) {
  Clock::time_point now = Clock::now();
  if (!isTerminal ||
      (isDrawn && now - lastDrawn < std::chrono::milliseconds(100)))
    return;
  constexpr int64_t width = 30;
  auto filled = static_cast<size_t>(numDone * width / numSteps);
  std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  double seconds = std::chrono::duration<double>(now - start).count();
  double left = seconds / static_cast<double>(numDone) *
                static_cast<double>(numSteps - numDone);
  // Back to the first column, and erase what is longer than the new line.
  std::fprintf(stderr, "\r[%s] %lld/%lld  %s  %.0f s left\033[K", bar.c_str(),
               static_cast<long long>(numDone),
               static_cast<long long>(numSteps), text.c_str(), left);
  std::fflush(stderr);
  isDrawn = true;
  lastDrawn = now;
}

void ProgressBar::clear() {
  if (!isDrawn)
    return;
  std::fputs("\r\033[K", stderr);
  isDrawn = false;
}
