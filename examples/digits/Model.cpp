//===- Model.cpp - A small convolutional network --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace digits;
using namespace tinygrad;

static constexpr double learningRate = 0.008;
static constexpr double dropoutRate = 0.2;

/// Returns images as a tensor of shape [N, 1, 8, 8].
static Tensor makeImages(std::span<const Digit> digits) {
  std::vector<float> pixels;
  for (const Digit &digit : digits)
    pixels.insert(pixels.end(), digit.pixels.begin(), digit.pixels.end());
  return Tensor(pixels,
                {static_cast<int64_t>(digits.size()), 1, imageSize, imageSize});
}

Tensor Model::operator()(const Tensor &images) const {
  Tensor x = conv1(images).relu().max_pool2d();
  x = conv2(x).relu();
  return linear(x.flatten(1).dropout(dropoutRate));
}

void Model::collect(StateCollector &collector) const {
  collector.add("conv1", conv1);
  collector.add("conv2", conv2);
  collector.add("linear", linear);
}

Trainer::Trainer(const Model &model, int64_t numSteps, uint64_t seed)
    : model(model), optimizer(get_parameters(model), learningRate),
      numSteps(numSteps), random(seed) {}

StepResult Trainer::step(std::span<const Digit> batch) {
  TrainingGuard training;
  std::vector<Digit> moved;
  std::vector<int32_t> numbers;
  for (const Digit &digit : batch) {
    moved.push_back(shift(digit, static_cast<int>(random() % 3) - 1));
    numbers.push_back(digit.label);
  }
  Tensor labels(numbers);

  optimizer.lr =
      learningRate * 0.5 *
      (1 + std::cos(std::numbers::pi * static_cast<double>(stepsTaken++) /
                    static_cast<double>(numSteps)));
  optimizer.zero_grad();
  Tensor logits = model(makeImages(moved));
  Tensor loss = logits.sparse_categorical_crossentropy(labels);
  Tensor correct = (logits.detach().argmax(1) == labels).sum();
  loss.backward();
  optimizer.step({loss, correct});
  return {loss.item(), correct.item<int>()};
}

std::vector<int> digits::classify(const Model &model,
                                  std::span<const Digit> digits,
                                  size_t batchSize) {
  NoGradGuard noGrad;
  std::vector<int> result;
  while (!digits.empty()) {
    size_t count = std::min(batchSize, digits.size());
    std::vector<Digit> batch(digits.begin(), digits.begin() + count);
    batch.resize(batchSize, batch.front());
    std::vector<int> labels =
        model(makeImages(batch)).argmax(1).toVector<int>();
    result.insert(result.end(), labels.begin(), labels.begin() + count);
    digits = digits.subspan(count);
  }
  return result;
}

std::vector<double> digits::getProbabilities(const Model &model,
                                             const Digit &digit) {
  NoGradGuard noGrad;
  return model(makeImages({&digit, 1})).softmax().toVector<double>();
}
