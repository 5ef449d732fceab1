//===- Training.h - How the model learns ------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_WRITER_TRAINING_H
#define TINYGRAD_EXAMPLES_WRITER_TRAINING_H

#include "Model.h"

#include "tinygrad/Tensor/Jit.h"
#include "tinygrad/Tensor/Optim.h"

#include <functional>
#include <random>
#include <span>
#include <vector>

namespace writer {

/// Trains a model on windows of a text with AdamW, and measures it on a part of
/// the text that it never learns from. The model must outlive it.
class Trainer {
public:
  /// `text` has numbers of the model's alphabet. Throws tinygrad::Error if its
  /// last tenth, which is held out, is shorter than a window.
  Trainer(const Model &model, std::vector<int32_t> text, int64_t numSteps,
          int64_t batchSize, uint64_t seed);
  // What is captured refers to it.
  Trainer(const Trainer &) = delete;
  Trainer &operator=(const Trainer &) = delete;

  /// Takes a step, and returns the loss before it: the mean of -log p of each
  /// next character.
  double step();
  /// Returns the loss on the first windows of what is held out.
  double measure();

private:
  using StepFunction = std::function<tinygrad::Tensor(
      const tinygrad::Tensor &inputs, const tinygrad::Tensor &targets)>;
  using Step = tinygrad::TinyJit<StepFunction>;

  /// Calls `function` on the windows that begin at `starts`, one of a batch.
  double call(Step &function, const std::vector<size_t> &starts) const;

  const Model &model;
  std::vector<int32_t> text;
  size_t numLearned, window;
  int64_t numSteps, batchSize, stepsTaken = 0;
  std::mt19937_64 random;
  tinygrad::optim::AdamW optimizer;
  Step learn, evaluate;
};

} // namespace writer

#endif // TINYGRAD_EXAMPLES_WRITER_TRAINING_H
