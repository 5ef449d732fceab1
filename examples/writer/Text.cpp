//===- Text.cpp - Texts and their characters ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Text.h"

#include "tinygrad/Tensor/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

using namespace writer;
using tinygrad::Error;

static constexpr size_t maxAlphabet = 4096;

std::string writer::readTexts(const std::vector<std::string> &paths) {
  std::string result;
  for (const std::string &path : paths) {
    std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rb"),
                                                std::fclose);
    size_t sizeBefore = result.size();
    char buffer[65536];
    while (file) {
      size_t count = std::fread(buffer, 1, sizeof(buffer), file.get());
      if (count == 0)
        break;
      result.append(buffer, count);
    }
    if (!file || std::ferror(file.get()))
      throw Error("writer",
                  "cannot read `" + path + "`: " + std::strerror(errno));
    if (result.size() == sizeBefore)
      throw Error("writer", "expects a text, but `" + path + "` is empty");
  }
  return result;
}

/// Returns the length of the first character of `text`, which is not empty.
static size_t getLength(std::string_view text) {
  auto lead = static_cast<unsigned char>(text.front());
  size_t length = lead < 0xC2   ? 1
                  : lead < 0xE0 ? 2
                  : lead < 0xF0 ? 3
                  : lead < 0xF5 ? 4
                                : 1;
  if (length > text.size())
    return 1;
  bool isWhole = std::ranges::all_of(text.substr(1, length - 1), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
  });
  return isWhole ? length : 1;
}

static std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    result.push_back(text.substr(0, getLength(text)));
    text.remove_prefix(result.back().size());
  }
  return result;
}

Alphabet::Alphabet(std::string_view text) {
  std::vector<std::string_view> all = split(text);
  std::set<std::string_view> distinct(all.begin(), all.end());
  if (distinct.size() > maxAlphabet)
    throw Error("writer", "expects a text of at most " +
                              std::to_string(maxAlphabet) +
                              " different characters, got " +
                              std::to_string(distinct.size()));
  for (std::string_view character : distinct) {
    numbers.emplace(character, static_cast<int32_t>(characters.size()));
    characters.emplace_back(character);
  }
}

std::vector<int32_t> Alphabet::encode(std::string_view text) const {
  std::vector<int32_t> result;
  for (std::string_view character : split(text)) {
    auto it = numbers.find(character);
    if (it == numbers.end())
      throw Error("writer", "expects a prompt in the characters that the model "
                            "has seen, got `" +
                                std::string(character) + "`");
    result.push_back(it->second);
  }
  return result;
}

std::string Alphabet::join() const {
  std::string result;
  for (const std::string &character : characters)
    result += character;
  return result;
}
