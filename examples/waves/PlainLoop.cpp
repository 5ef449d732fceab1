//===- PlainLoop.cpp - The same waves in a plain loop ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlainLoop.h"

#include <cmath>
#include <utility>

std::vector<float> waves::runPlainLoop(const Scene &scene, int64_t numSteps) {
  std::vector<float> now = scene.start, before = scene.start;
  auto read = [&](int64_t row, int64_t column) {
    bool isInside =
        row >= 0 && row < scene.height && column >= 0 && column < scene.width;
    return isInside ? now[static_cast<size_t>(row * scene.width + column)] : 0;
  };
  for (int64_t step = 0; step < numSteps; ++step) {
    auto drive = static_cast<float>(
        std::sin(scene.frequency * static_cast<double>(step)));
    size_t cell = 0;
    for (int64_t row = 0; row < scene.height; ++row) {
      for (int64_t column = 0; column < scene.width; ++column, ++cell) {
        float laplacian = read(row - 1, column) + read(row + 1, column) +
                          read(row, column - 1) + read(row, column + 1) -
                          4 * now[cell];
        float damping = scene.damping[cell];
        float next = 2 * now[cell] - (1 - damping) * before[cell] +
                     static_cast<float>(speedSquared) * laplacian;
        before[cell] = scene.open[cell] *
                       (next / (1 + damping) + drive * scene.source[cell]);
      }
    }
    std::swap(now, before);
  }
  return now;
}
