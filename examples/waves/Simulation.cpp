//===- Simulation.cpp - Waves as tensors ----------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include <cmath>

using namespace waves;
using namespace tinygrad;

Simulation::Simulation(const Scene &scene)
    : width(scene.width), height(scene.height), frequency(scene.frequency),
      open(scene.open, {height, width}),
      damping(scene.damping, {height, width}),
      source(scene.source, {height, width}), now(scene.start, {height, width}),
      before(scene.start, {height, width}), captured([this] {
        // Two steps at a time: each field takes the place of the one that is
        // not needed any more.
        for (int64_t step = 0; step < stepsPerRun; step += 2) {
          before.assign(advance(now, before, step)).realize();
          now.assign(advance(before, now, step + 1)).realize();
        }
      }) {}

void Simulation::run() {
  captured();
  stepsTaken += stepsPerRun;
}

Tensor Simulation::laplacian(const Tensor &field) const {
  // Around the sheet all is at 0.
  Tensor padded = field.pad({{1, 1}, {1, 1}});
  auto neighbour = [&](int64_t down, int64_t right) {
    return padded.shrink(
        {{1 + down, 1 + down + height}, {1 + right, 1 + right + width}});
  };
  return neighbour(-1, 0) + neighbour(1, 0) + neighbour(0, -1) +
         neighbour(0, 1) - 4 * field;
}

Tensor Simulation::advance(const Tensor &now, const Tensor &before,
                           int64_t step) const {
  // A captured run asks for the drive again each time.
  Tensor drive = Tensor::parameter([this, step] {
    return std::sin(frequency * static_cast<double>(stepsTaken + step));
  });
  Tensor next =
      2 * now - (1 - damping) * before + speedSquared * laplacian(now);
  return open * (next / (1 + damping) + drive * source);
}

std::vector<float> Simulation::getField() const {
  return now.toVector<float>();
}

double Simulation::getEnergy() const {
  Tensor kinetic = (now - before).square().sum();
  Tensor potential = -speedSquared * (before * laplacian(now)).sum();
  return 0.5 * (kinetic + potential).item();
}
