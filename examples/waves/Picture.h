//===- Picture.h - Waves as a picture ---------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_WAVES_PICTURE_H
#define TINYGRAD_EXAMPLES_WAVES_PICTURE_H

#include "Scene.h"

#include <string>
#include <vector>

namespace waves {

/// Writes a PNG file with a pixel per cell: blue below 0, white at 0, red
/// above, dark in walls. Throws tinygrad::Error with the path and the reason.
void savePicture(const Scene &scene, const std::vector<float> &field,
                 const std::string &path);

} // namespace waves

#endif // TINYGRAD_EXAMPLES_WAVES_PICTURE_H
