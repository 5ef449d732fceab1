//===- Writing.h - How a trained model is kept and writes -------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_WRITER_WRITING_H
#define TINYGRAD_EXAMPLES_WRITER_WRITING_H

#include "Model.h"
#include "Text.h"

#include <functional>
#include <random>
#include <string>

namespace writer {

/// A model and the characters that its numbers stand for.
struct Author {
  Alphabet alphabet;
  Model model;
};

/// Writes an author to a safetensors file. Throws tinygrad::Error with the path
/// and the reason.
void save(const Author &author, const std::string &path);
/// Reads what `save` wrote. Throws tinygrad::Error with the path and what is
/// wrong.
Author load(const std::string &path);

struct WritingOptions {
  std::string prompt;
  int64_t length = 400;
  /// 0 always takes the likeliest character; 1 takes each as often as the model
  /// says.
  double temperature = 0.8;
  uint64_t seed = 0;
};

/// Writes `length` characters after the prompt, and tells `write` the prompt
/// and then each character. Throws tinygrad::Error if the prompt has a
/// character that the alphabet lacks, or if the model gives NaN.
void write(const Author &author, const WritingOptions &options,
           const std::function<void(const std::string &)> &write);

} // namespace writer

#endif // TINYGRAD_EXAMPLES_WRITER_WRITING_H
