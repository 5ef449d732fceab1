//===- PlainLoop.h - The same waves in a plain loop -------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_WAVES_PLAINLOOP_H
#define TINYGRAD_EXAMPLES_WAVES_PLAINLOOP_H

#include "Scene.h"

#include <cstdint>
#include <vector>

namespace waves {

/// What Simulation computes, cell by cell.
std::vector<float> runPlainLoop(const Scene &scene, int64_t numSteps);

} // namespace waves

#endif // TINYGRAD_EXAMPLES_WAVES_PLAINLOOP_H
