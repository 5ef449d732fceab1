//===- Model.h - A small convolutional network ------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_DIGITS_MODEL_H
#define TINYGRAD_EXAMPLES_DIGITS_MODEL_H

#include "Data.h"

#include "tinygrad/Tensor/NN.h"
#include "tinygrad/Tensor/Optim.h"

#include <random>
#include <span>
#include <vector>

namespace digits {

/// Two convolutions with relu, a max pool between them, and a linear layer.
class Model {
public:
  /// Returns the logits. Shapes: [N, 1, 8, 8] gives [N, 10].
  tinygrad::Tensor operator()(const tinygrad::Tensor &images) const;
  void collect(tinygrad::StateCollector &collector) const;

private:
  tinygrad::nn::Conv2d conv1{1, 16, {3, 3}, {.padding = {1}}};
  tinygrad::nn::Conv2d conv2{16, 32, {3, 3}, {.padding = {1}}};
  tinygrad::nn::Linear linear{32 * 4 * 4, numClasses};
};

/// What a step of training did.
struct StepResult {
  double loss;
  int correct;
};

/// Trains a model with Adam and a learning rate that falls to 0 along a cosine.
/// Each image is moved by a column to the left, to the right, or not at all,
/// as `seed` decides: there are few of them, and more to learn this way.
class Trainer {
public:
  Trainer(const Model &model, int64_t numSteps, uint64_t seed);

  /// Takes a step. All batches must have the same size: then all steps but the
  /// first are the same graph.
  StepResult step(std::span<const Digit> batch);

private:
  const Model &model;
  tinygrad::optim::Adam optimizer;
  int64_t numSteps, stepsTaken = 0;
  std::mt19937_64 random;
};

/// Returns the most likely digit for each of `digits`, computed in batches of
/// `batchSize`, of which the last one is filled up.
std::vector<int> classify(const Model &model, std::span<const Digit> digits,
                          size_t batchSize);

/// Returns the probability of each digit for one image.
std::vector<double> getProbabilities(const Model &model, const Digit &digit);

} // namespace digits

#endif // TINYGRAD_EXAMPLES_DIGITS_MODEL_H
