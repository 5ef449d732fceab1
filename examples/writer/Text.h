//===- Text.h - Texts and their characters ----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_WRITER_TEXT_H
#define TINYGRAD_EXAMPLES_WRITER_TEXT_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace writer {

/// Reads files, one after the other. Throws tinygrad::Error with the path and
/// the reason where one can't be read or is empty.
std::string readTexts(const std::vector<std::string> &paths);

/// The characters that a model knows, with their numbers. A character is one of
/// UTF-8; a byte that belongs to none stands for itself, so that every file is
/// a text.
class Alphabet {
public:
  /// Makes the alphabet of the characters of `text`. Throws tinygrad::Error if
  /// there are more than a model can take.
  explicit Alphabet(std::string_view text);

  int64_t getSize() const { return static_cast<int64_t>(characters.size()); }
  /// Throws tinygrad::Error with the first character that is not in here.
  std::vector<int32_t> encode(std::string_view text) const;
  const std::string &getCharacter(int32_t number) const {
    return characters[static_cast<size_t>(number)];
  }
  /// All characters in order: a text with this alphabet.
  std::string join() const;

private:
  std::vector<std::string> characters;
  std::map<std::string, int32_t, std::less<>> numbers;
};

} // namespace writer

#endif // TINYGRAD_EXAMPLES_WRITER_TEXT_H
