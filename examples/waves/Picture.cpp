//===- Picture.cpp - Waves as a picture -----------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Picture.h"

#include "tinygrad/Tensor/Error.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

using namespace waves;

using Color = std::array<double, 3>;

static constexpr Color low = {20, 60, 160}, zero = {250, 250, 250},
                       high = {180, 20, 40}, wall = {40, 40, 45};

/// Returns what the brightest colors stand for: few cells are beyond it, such
/// as the crests beside a source.
static double getScale(const std::vector<float> &field) {
  std::vector<float> sizes;
  for (float value : field)
    sizes.push_back(std::abs(value));
  auto nth = sizes.begin() + static_cast<ptrdiff_t>(sizes.size() * 98 / 100);
  std::ranges::nth_element(sizes, nth);
  return *nth > 0 ? *nth : 1;
}

void waves::savePicture(const Scene &scene, const std::vector<float> &field,
                        const std::string &path) {
  double scale = getScale(field);
  std::vector<uint8_t> pixels;
  for (size_t cell = 0; cell < field.size(); ++cell) {
    // The root shows also weak waves.
    double strength = std::sqrt(std::min(std::abs(field[cell]) / scale, 1.0));
    const Color &end = field[cell] < 0 ? low : high;
    for (size_t i = 0; i < end.size(); ++i) {
      double color = zero[i] + (end[i] - zero[i]) * strength;
      pixels.push_back(
          static_cast<uint8_t>(scene.open[cell] == 0 ? wall[i] : color));
    }
  }

  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(scene.width);
  image.height = static_cast<png_uint_32>(scene.height);
  image.format = PNG_FORMAT_RGB;
  bool isSaved =
      png_image_write_to_file(&image, path.c_str(), /*convert_to_8_bit=*/0,
                              pixels.data(), /*row_stride=*/0, nullptr);
  if (!isSaved)
    throw tinygrad::Error("waves",
                          "cannot write `" + path + "`: " + image.message);
}
