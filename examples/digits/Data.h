//===- Data.h - Digits in files ---------------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_DIGITS_DATA_H
#define TINYGRAD_EXAMPLES_DIGITS_DATA_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace digits {

inline constexpr int imageSize = 8;
inline constexpr int numPixels = imageSize * imageSize;
inline constexpr int numClasses = 10;

/// An image of 8x8 pixels from 0 (paper) to 1 (ink), and the digit it shows.
struct Digit {
  std::array<float, numPixels> pixels;
  int32_t label = 0;
};

/// Reads a file, compressed by gzip or not, with 64 integers from 0 to 16 and
/// a label on each line. Throws tinygrad::Error with the path, and where a line
/// is wrong with its number.
std::vector<Digit> readDigits(const std::string &path);

/// Reads a drawing: up to 8 lines of up to 8 characters, from paper to ink
/// `.` (or a space), `-`, `+`, `*`, `#`; what is missing is paper. Throws
/// tinygrad::Error with the path and the place of what is wrong.
std::array<float, numPixels> readDrawing(const std::string &path);

/// Returns the digit with its image moved by `columns` to the right; what comes
/// in from the other side is paper.
Digit shift(const Digit &digit, int columns);

/// Puts `digits` in an order that `seed` decides alone, on every machine.
void shuffle(std::vector<Digit> &digits, uint64_t seed);

} // namespace digits

#endif // TINYGRAD_EXAMPLES_DIGITS_DATA_H
