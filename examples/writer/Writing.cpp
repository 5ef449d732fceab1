//===- Writing.cpp - How a trained model is kept and writes ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Writing.h"

#include "tinygrad/Tensor/Jit.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace writer;
using namespace tinygrad;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The name of the tensor with the bytes of all characters.
static constexpr const char *alphabetName = "alphabet";

void writer::save(const Author &author, const std::string &path) {
  StateDict tensors = get_state_dict(author.model);
  std::string characters = author.alphabet.join();
  tensors.emplace(alphabetName, Tensor(std::vector<uint8_t>(characters.begin(),
                                                            characters.end())));
  const Sizes &sizes = author.model.getSizes();
  safe_save(tensors, path,
            {{"context", std::to_string(sizes.context)},
             {"layers", std::to_string(sizes.numLayers)},
             {"heads", std::to_string(sizes.numHeads)},
             {"width", std::to_string(sizes.width)}});
}

static Error makeFileError(const std::string &path, const std::string &name) {
  return Error("writer", "expects a model that this program saved, but `" +
                             path + "` has no " + name);
}

Author writer::load(const std::string &path) {
  Metadata metadata = safe_load_metadata(path);
  auto read = [&](const char *name) {
    // Larger than any that is of use, and small enough to try.
    constexpr int64_t largest = 16384;
    const std::string &text = metadata[name];
    int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (value < 1 || value > largest)
      throw makeFileError(path, std::string(name) + " from 1 to " +
                                    std::to_string(largest));
    return value;
  };
  StateDict tensors = safe_load(path);
  auto it = tensors.find(alphabetName);
  if (it == tensors.end() || it->second.numel() == 0)
    throw makeFileError(path, alphabetName);
  std::vector<uint8_t> bytes = it->second.toVector<uint8_t>();
  tensors.erase(it);

  Alphabet alphabet(std::string_view(
      reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  Sizes sizes;
  sizes.alphabet = alphabet.getSize();
  sizes.context = read("context");
  sizes.numLayers = read("layers");
  sizes.numHeads = read("heads");
  sizes.width = read("width");
  if (sizes.width % sizes.numHeads != 0)
    throw makeFileError(path, "width that is a multiple of its heads");
  Author author{std::move(alphabet), Model(sizes)};
  load_state_dict(author.model, tensors);
  return author;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Draws a number with the probabilities that `logits` give at a temperature.
static int32_t draw(std::vector<double> logits, double temperature,
                    std::mt19937_64 &random) {
  if (std::ranges::any_of(logits, [](double x) { return std::isnan(x); }))
    throw Error("writer", "expects a model that gives probabilities, got NaN");
  auto likeliest = std::ranges::max_element(logits);
  if (temperature == 0)
    return static_cast<int32_t>(likeliest - logits.begin());
  double largest = *likeliest, sum = 0;
  for (double &logit : logits) {
    logit = std::exp((logit - largest) / temperature);
    sum += logit;
  }
  // In [0, sum), the same on every machine.
  double rest = static_cast<double>(random() >> 11) * 0x1p-53 * sum;
  size_t number = 0;
  while (number + 1 < logits.size() && rest >= logits[number])
    rest -= logits[number++];
  return static_cast<int32_t>(number);
}

void writer::write(const Author &author, const WritingOptions &options,
                   const std::function<void(const std::string &)> &write) {
  const Sizes &sizes = author.model.getSizes();
  auto context = static_cast<size_t>(sizes.context);
  // Without a prompt it begins after the first character of the alphabet: in
  // most texts the end of a line.
  std::vector<int32_t> text = author.alphabet.encode(options.prompt);
  write(options.prompt);
  if (text.empty())
    text.push_back(0);

  TinyJit predict([&](const Tensor &characters) {
    NoGradGuard noGrad;
    return author.model(characters);
  });
  std::mt19937_64 random(options.seed);
  for (int64_t i = 0; i < options.length; ++i) {
    size_t count = std::min(text.size(), context);
    std::vector<int32_t> window(text.end() - static_cast<ptrdiff_t>(count),
                                text.end());
    // All calls have one shape. What is filled up comes later, and no position
    // looks at what comes later.
    window.resize(context);
    std::vector<float> logits =
        predict(Tensor(window, {1, sizes.context})).toVector<float>();
    auto begin = logits.begin() + static_cast<ptrdiff_t>(
                                      (count - 1) * author.alphabet.getSize());
    std::vector<double> next(begin, begin + author.alphabet.getSize());
    text.push_back(draw(std::move(next), options.temperature, random));
    write(author.alphabet.getCharacter(text.back()));
  }
}
