//===- Training.cpp - How the model learns --------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Training.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace writer;
using namespace tinygrad;

static constexpr double learningRate = 3e-3;
/// In these steps the learning rate rises to its value; then it falls along a
/// cosine.
static constexpr int64_t warmUpSteps = 20;
static constexpr size_t heldOutBatches = 4;

Trainer::Trainer(const Model &model, std::vector<int32_t> characters,
                 int64_t numSteps, int64_t batchSize, uint64_t seed)
    : model(model), text(std::move(characters)),
      numLearned(text.size() - text.size() / 10),
      window(static_cast<size_t>(model.getSizes().context)), numSteps(numSteps),
      batchSize(batchSize), random(seed),
      optimizer(get_parameters(model), learningRate, {.weightDecay = 0.1}),
      learn([this](const Tensor &inputs, const Tensor &targets) {
        TrainingGuard training;
        optimizer.zero_grad();
        Tensor loss =
            this->model(inputs).sparse_categorical_crossentropy(targets);
        loss.backward();
        optimizer.step({loss});
        return loss;
      }),
      evaluate([this](const Tensor &inputs, const Tensor &targets) {
        NoGradGuard noGrad;
        return this->model(inputs).sparse_categorical_crossentropy(targets);
      }) {
  // A window and the character after it, in each part.
  size_t fewest = 10 * (window + 1);
  if (text.size() < fewest)
    throw Error("writer",
                "expects a text of at least " + std::to_string(fewest) +
                    " characters for a context of " + std::to_string(window) +
                    ", got " + std::to_string(text.size()));
}

double Trainer::call(Step &function, const std::vector<size_t> &starts) const {
  std::vector<int32_t> inputs, targets;
  for (size_t start : starts) {
    auto begin = text.begin() + static_cast<ptrdiff_t>(start);
    auto end = begin + static_cast<ptrdiff_t>(window);
    inputs.insert(inputs.end(), begin, end);
    targets.insert(targets.end(), begin + 1, end + 1);
  }
  Shape shape = {batchSize, static_cast<int64_t>(window)};
  return function(Tensor(inputs, shape), Tensor(targets, shape)).item();
}

double Trainer::step() {
  ++stepsTaken;
  double progress =
      static_cast<double>(stepsTaken) / static_cast<double>(numSteps);
  double warmUp = std::min(1.0, static_cast<double>(stepsTaken) / warmUpSteps);
  optimizer.lr = learningRate * warmUp *
                 (0.55 + 0.45 * std::cos(std::numbers::pi * progress));

  std::vector<size_t> starts;
  for (int64_t i = 0; i < batchSize; ++i)
    starts.push_back(random() % (numLearned - window));
  return call(learn, starts);
}

double Trainer::measure() {
  // Where the part is short, some windows are measured twice.
  size_t numStarts = text.size() - numLearned - window;
  double sum = 0;
  size_t start = 0;
  for (size_t batch = 0; batch < heldOutBatches; ++batch) {
    std::vector<size_t> starts;
    for (int64_t i = 0; i < batchSize; ++i, start += window)
      starts.push_back(numLearned + start % numStarts);
    sum += call(evaluate, starts);
  }
  return sum / heldOutBatches;
}
