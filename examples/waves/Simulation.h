//===- Simulation.h - Waves as tensors --------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_WAVES_SIMULATION_H
#define TINYGRAD_EXAMPLES_WAVES_SIMULATION_H

#include "Scene.h"

#include "tinygrad/Tensor/Jit.h"

#include <functional>
#include <vector>

namespace waves {

/// The wave equation on a scene, by the leapfrog scheme:
///
///   next = 2 now - before + speed^2 laplacian(now)
///
/// with damping, the drive and walls. Each step is one kernel, in place.
class Simulation {
public:
  explicit Simulation(const Scene &scene);
  // What is captured refers to it.
  Simulation(const Simulation &) = delete;
  Simulation &operator=(const Simulation &) = delete;

  /// The number of steps that `run` takes.
  static constexpr int64_t stepsPerRun = 20;
  void run();

  /// The displacement of each cell.
  std::vector<float> getField() const;
  /// What the scheme conserves where nothing is lost or added: the kinetic
  /// energy between the last two steps, and the potential energy of both.
  double getEnergy() const;

private:
  tinygrad::Tensor laplacian(const tinygrad::Tensor &field) const;
  /// Returns the displacement after `now` in step `step` of a run.
  tinygrad::Tensor advance(const tinygrad::Tensor &now,
                           const tinygrad::Tensor &before, int64_t step) const;

  int64_t width, height;
  double frequency;
  tinygrad::Tensor open, damping, source, now, before;
  int64_t stepsTaken = 0;
  tinygrad::TinyJit<std::function<void()>> captured;
};

} // namespace waves

#endif // TINYGRAD_EXAMPLES_WAVES_SIMULATION_H
