//===- Scene.h - What waves run through -------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_WAVES_SCENE_H
#define TINYGRAD_EXAMPLES_WAVES_SCENE_H

#include <cstdint>
#include <vector>

namespace waves {

/// The square of how many cells a wave travels in a step. Above 1/2 the scheme
/// is unstable.
inline constexpr double speedSquared = 0.25;

/// A sheet of height x width cells, and how it is driven. Outside of it, and
/// in walls, all stays at 0. The fields are row-major.
struct Scene {
  int64_t width, height;
  /// 1 where waves run, 0 in walls.
  std::vector<float> open;
  /// What a step takes from the velocity, from 0 to 1.
  std::vector<float> damping;
  /// How far each cell moves with the drive.
  std::vector<float> source;
  /// The displacement at the beginning, at rest.
  std::vector<float> start;
  /// The drive is the sine of the step's number times this.
  double frequency = 0;
};

/// A plane wave runs from the left into a wall with two slits. Borders absorb.
Scene makeSlits(int64_t width, int64_t height, double wavelength);

/// A drop has fallen into a basin whose borders reflect, with a post in it.
/// Nothing is lost: the energy stays what it was.
Scene makeDrop(int64_t width, int64_t height);

} // namespace waves

#endif // TINYGRAD_EXAMPLES_WAVES_SCENE_H
