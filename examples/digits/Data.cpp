//===- Data.cpp - Digits in files -----------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Data.h"

#include "tinygrad/Tensor/Error.h"

#include <algorithm>
#include <zlib.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <string_view>

using namespace digits;
using tinygrad::Error;

/// Returns what a file holds, unpacked if it is packed.
static std::string readFile(const std::string &path) {
  errno = 0;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"),
                                                  gzclose);
  if (!file)
    throw Error("digits", "cannot open `" + path +
                              "`: " + std::strerror(errno ? errno : ENOMEM));
  std::string text;
  char block[1 << 16];
  for (;;) {
    errno = 0;
    int count = gzread(file.get(), block, sizeof(block));
    if (count > 0) {
      text.append(block, static_cast<size_t>(count));
      continue;
    }
    int code = Z_OK;
    const char *reason = gzerror(file.get(), &code);
    if (code == Z_ERRNO)
      reason = std::strerror(errno);
    // The end of a packed file that was cut off reads like an end, too.
    if (count == 0 && (code == Z_OK || code == Z_STREAM_END))
      return text;
    // zlib's own reasons begin with the path.
    std::string_view shown = reason;
    if (shown.starts_with(path + ": "))
      shown.remove_prefix(path.size() + 2);
    throw Error("digits", "cannot read `" + path + "`: " + std::string(shown));
  }
}

/// Reads one line. Returns false if it isn't one of a digit.
static bool parseDigit(std::string_view line, Digit &digit) {
  const char *next = line.data(), *end = line.data() + line.size();
  for (int i = 0; i <= numPixels; ++i) {
    int value = 0;
    auto [stop, error] = std::from_chars(next, end, value);
    bool isLabel = i == numPixels;
    if (error != std::errc() || value < 0 || value > (isLabel ? 9 : 16) ||
        (isLabel ? stop != end : stop == end || *stop != ','))
      return false;
    if (isLabel)
      digit.label = value;
    else
      digit.pixels[i] = static_cast<float>(value) / 16;
    next = stop + 1;
  }
  return true;
}

/// Calls `fn(line, number)` for each line of `text`, without its end.
template <typename Fn>
static void forEachLine(std::string_view text, Fn fn) {
  for (int number = 1; !text.empty(); ++number) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    fn(line, number);
  }
}

std::vector<Digit> digits::readDigits(const std::string &path) {
  std::vector<Digit> result;
  forEachLine(readFile(path), [&](std::string_view line, int number) {
    Digit digit;
    if (!parseDigit(line, digit))
      throw Error("digits",
                  "expects 64 integers from 0 to 16 and a label from 0 to 9 in "
                  "line " +
                      std::to_string(number) + " of `" + path + "`");
    result.push_back(digit);
  });
  return result;
}

std::array<float, numPixels> digits::readDrawing(const std::string &path) {
  constexpr std::string_view shades = ".-+*#";
  std::array<float, numPixels> pixels = {};
  forEachLine(readFile(path), [&](std::string_view line, int number) {
    if (number > imageSize && line.empty())
      return;
    if (number > imageSize || line.size() > imageSize)
      throw Error("digits", "expects at most 8 lines of 8 characters, got more "
                            "in line " +
                                std::to_string(number) + " of `" + path + "`");
    for (size_t i = 0; i < line.size(); ++i) {
      size_t shade = line[i] == ' ' ? 0 : shades.find(line[i]);
      if (shade == std::string_view::npos)
        throw Error("digits", "expects the characters `" + std::string(shades) +
                                  "` and spaces, got another in line " +
                                  std::to_string(number) + " of `" + path +
                                  "`");
      pixels[(number - 1) * imageSize + i] =
          static_cast<float>(shade) / static_cast<float>(shades.size() - 1);
    }
  });
  if (std::ranges::all_of(pixels, [](float pixel) { return pixel == 0; }))
    throw Error("digits",
                "expects a drawing that is not blank in `" + path + "`");
  return pixels;
}

Digit digits::shift(const Digit &digit, int columns) {
  Digit result = {{}, digit.label};
  for (int i = 0; i < numPixels; ++i) {
    int column = i % imageSize + columns;
    if (column >= 0 && column < imageSize)
      result.pixels[i + columns] = digit.pixels[i];
  }
  return result;
}

void digits::shuffle(std::vector<Digit> &digits, uint64_t seed) {
  // Not std::shuffle, whose order differs between standard libraries.
  std::mt19937_64 random(seed);
  for (size_t i = digits.size(); i > 1; --i)
    std::swap(digits[i - 1], digits[random() % i]);
}
