//===- Scene.cpp - What waves run through ---------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace waves;

/// Makes a scene without walls where all is at rest.
static Scene makeEmpty(int64_t width, int64_t height) {
  auto numCells = static_cast<size_t>(width * height);
  return {width,
          height,
          std::vector<float>(numCells, 1),
          std::vector<float>(numCells),
          std::vector<float>(numCells),
          std::vector<float>(numCells)};
}

Scene waves::makeSlits(int64_t width, int64_t height, double wavelength) {
  Scene scene = makeEmpty(width, height);
  scene.frequency = 2 * std::numbers::pi * std::sqrt(speedSquared) / wavelength;
  int64_t border = std::min(width, height) / 8;
  int64_t sourceColumn = border, wallColumn = width / 3;
  auto wallWidth = static_cast<int64_t>(wavelength / 4) + 1;
  double slitWidth = 0.75 * wavelength, slitDistance = 4 * wavelength;

  size_t cell = 0;
  for (int64_t row = 0; row < height; ++row) {
    for (int64_t column = 0; column < width; ++column, ++cell) {
      int64_t fromBorder =
          std::min({row, height - 1 - row, column, width - 1 - column});
      // It rises slowly, for what changes fast reflects.
      double depth = std::max(0.0, 1 - static_cast<double>(fromBorder) /
                                           static_cast<double>(border));
      scene.damping[cell] = static_cast<float>(0.25 * std::pow(depth, 3));
      if (column == sourceColumn)
        scene.source[cell] = 0.1F;

      double fromAxis = std::abs(static_cast<double>(row) -
                                 0.5 * static_cast<double>(height - 1));
      bool isSlit = std::abs(fromAxis - slitDistance / 2) < slitWidth / 2;
      if (column >= wallColumn && column < wallColumn + wallWidth && !isSlit)
        scene.open[cell] = 0;
    }
  }
  return scene;
}

Scene waves::makeDrop(int64_t width, int64_t height) {
  Scene scene = makeEmpty(width, height);
  auto size = static_cast<double>(std::min(width, height));
  auto square = [](double x) { return x * x; };
  size_t cell = 0;
  for (int64_t row = 0; row < height; ++row) {
    for (int64_t column = 0; column < width; ++column, ++cell) {
      // Positions in sizes of the basin, from its middle.
      double x =
          (static_cast<double>(column) - 0.5 * static_cast<double>(width - 1)) /
          size;
      double y =
          (static_cast<double>(row) - 0.5 * static_cast<double>(height - 1)) /
          size;
      if (std::hypot(x - 0.15, y) < 0.1)
        scene.open[cell] = 0;
      scene.start[cell] =
          scene.open[cell] *
          static_cast<float>(
              std::exp(-(square(x + 0.25) + square(y + 0.1)) / square(0.02)));
    }
  }
  return scene;
}
