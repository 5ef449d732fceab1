//===- MutateWords.cpp - Changes of a text word by word -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MutateWords.h"
#include "tinygrad/Ops/OpKind.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <random>
#include <string>

using namespace tinygrad;
using llvm::StringRef;

namespace {

using Random = std::minstd_rand;

/// A word that may be replaced.
struct Word {
  enum Kind { Number, Type, Operation } kind;
  StringRef text;
};

} // namespace

static constexpr StringRef numbers[] = {
    "0", "1",  "2",  "3",    "4",     "5",          "6",
    "7", "12", "64", "1024", "65537", "2147483648", "4611686018427387903"};
static constexpr StringRef types[] = {"f16",  "bf16", "f32", "f64", "i1",
                                      "i8",   "i16",  "i32", "i64", "ui8",
                                      "ui16", "ui32", "ui64"};

/// Splits a text into runs of digits and runs of letters, points and
/// underscores; `f32` and `ui8` are one word.
static std::vector<Word> findWords(StringRef text) {
  std::vector<Word> words;
  for (size_t begin = 0; begin < text.size();) {
    StringRef rest = text.substr(begin);
    StringRef word = rest.take_while(
        [](char c) { return llvm::isAlpha(c) || c == '.' || c == '_'; });
    StringRef digits = rest.substr(word.size()).take_while([](char c) {
      return llvm::isDigit(c);
    });
    // The x of 4x3xf32 is no part of the type.
    StringRef type = rest.take_front(word.size() + digits.size());
    type.consume_front("x");
    if (llvm::is_contained(types, type))
      words.push_back({Word::Type, type});
    else if (word.starts_with("lazy."))
      words.push_back({Word::Operation, word});
    else if (!digits.empty())
      words.push_back({Word::Number, digits});
    begin += std::max<size_t>(word.size() + digits.size(), 1);
  }
  return words;
}

static std::string chooseOther(const Word &word, const std::vector<Word> &words,
                               Random &random) {
  if (word.kind == Word::Type)
    return types[random() % std::size(types)].str();
  if (word.kind == Word::Number) {
    // Another number of the text is the likeliest to fit.
    const Word &other = words[random() % words.size()];
    if (other.kind == Word::Number && random() % 2)
      return other.text.str();
    return numbers[random() % std::size(numbers)].str();
  }
  static constexpr StringRef names[] = {
#define TINYGRAD_OP(kind, name, group, arity, unsafePad) name,
#include "tinygrad/Ops/Ops.def"
  };
  return ("lazy." + names[random() % std::size(names)]).str();
}

size_t fuzz::mutateWords(uint8_t *data, size_t size, size_t maxSize,
                         unsigned seed) {
  std::string text(reinterpret_cast<const char *>(data), size);
  std::vector<Word> words = findWords(text);
  if (words.empty())
    return size;
  Random random(seed);
  const Word &word = words[random() % words.size()];
  std::string other = chooseOther(word, words, random);
  bool all = random() % 2;

  std::string result;
  const char *end = text.c_str();
  for (const Word &each : words) {
    bool replaced =
        all ? each.kind == word.kind && each.text == word.text : &each == &word;
    if (!replaced)
      continue;
    result.append(end, each.text.data());
    result += other;
    end = each.text.end();
  }
  result.append(end, text.c_str() + size);
  if (result.size() > maxSize)
    return size;
  std::memcpy(data, result.data(), result.size());
  return result.size();
}
