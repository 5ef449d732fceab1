//===- main.cpp - Learn to read handwritten digits ------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Trains a network on 8x8 images of digits, and classifies drawings with it.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Data.h"
#include "Model.h"
#include "ProgressBar.h"
#include "Report.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <numeric>

using namespace digits;
using namespace examples;
using namespace tinygrad;

static constexpr const char *usage = R"(usage:
  digits [--epochs N] [--seed S] [--data FILE] [--save FILE]
      trains on four fifths of the digits, tests on the rest, saves the weights
      (by default 14 epochs, seed 0, digits.safetensors)
  digits classify --weights FILE DRAWING
      says which digit a text file shows: 8 lines of 8 characters, from paper to
      ink . - + * #
)";

static constexpr size_t batchSize = 64;

/// Which digits are held out never changes.
static constexpr uint64_t splitSeed = 1998;

namespace {

struct Options {
  bool isClassify = false;
  bool wantsHelp = false;
  int epochs = 14;
  uint64_t seed = 0;
  std::string data = DIGITS_DATA;
  std::string save = "digits.safetensors";
  std::string weights;
  std::string drawing;
};

} // namespace

static Options parseOptions(Arguments arguments) {
  Options options;
  options.isClassify = arguments.take("classify");
  while (!arguments.isAtEnd()) {
    std::string flag = arguments.take();
    auto is = [&](const char *name, bool forClassify) {
      return flag == name && forClassify == options.isClassify;
    };
    if (flag == "--help" || flag == "-h")
      options.wantsHelp = true;
    else if (is("--epochs", false))
      options.epochs = static_cast<int>(arguments.takeInteger(flag, 1, 10'000));
    else if (is("--seed", false))
      options.seed = arguments.takeInteger(flag, 0, INT64_MAX);
    else if (is("--data", false))
      options.data = arguments.takeValue(flag);
    else if (is("--save", false))
      options.save = arguments.takeValue(flag);
    else if (is("--weights", true))
      options.weights = arguments.takeValue(flag);
    else if (options.isClassify && !flag.starts_with("-") &&
             options.drawing.empty())
      options.drawing = flag;
    else
      arguments.refuse(flag);
  }
  if (options.isClassify && !options.wantsHelp &&
      (options.weights.empty() || options.drawing.empty()))
    throw Error("digits", "classify expects --weights FILE and a drawing");
  return options;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

static double getSecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Trains `model` and prints how it goes.
static void train(const Model &model, std::vector<Digit> digits,
                  const Options &options) {
  int stepsPerEpoch = static_cast<int>(digits.size() / batchSize);
  Trainer trainer(model, int64_t{options.epochs} * stepsPerEpoch, options.seed);
  ProgressBar bar(int64_t{options.epochs} * stepsPerEpoch);
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    // What does not fill a batch is left out, each time something else.
    shuffle(digits, options.seed * 1'000'003 + static_cast<uint64_t>(epoch));
    double loss = 0;
    int correct = 0;
    std::string text;
    for (int step = 1; step <= stepsPerEpoch; ++step) {
      StepResult result = trainer.step(
          std::span(digits).subspan((step - 1) * batchSize, batchSize));
      loss += result.loss;
      correct += result.correct;
      text = describeEpoch(epoch, options.epochs, loss / step,
                           static_cast<double>(correct) /
                               (static_cast<double>(step) * batchSize));
      bar.update((epoch - 1) * stepsPerEpoch + step, text);
    }
    bar.clear();
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
  }
}

static void runTraining(const Options &options) {
  Clock::time_point start = Clock::now();
  std::vector<Digit> digits = readDigits(options.data);
  if (digits.size() < 2 * batchSize)
    throw Error("digits", "expects at least " + std::to_string(2 * batchSize) +
                              " digits, got " + std::to_string(digits.size()) +
                              " in `" + options.data + "`");
  checkWritable("digits", options.save);
  shuffle(digits, splitSeed);
  size_t numHeldOut = (digits.size() + 4) / 5;
  std::vector<Digit> heldOut(digits.end() - numHeldOut, digits.end());
  digits.resize(digits.size() - numHeldOut);
  std::printf("%zu digits to learn from, %zu held out\n", digits.size(),
              heldOut.size());

  Tensor::manual_seed(options.seed);
  Model model;
  Clock::time_point trainStart = Clock::now();
  train(model, digits, options);
  double trainSeconds = getSecondsSince(trainStart);
  int64_t numSteps =
      int64_t{options.epochs} * static_cast<int64_t>(digits.size() / batchSize);

  std::vector<int> answers = classify(model, heldOut, batchSize);
  int correct = 0;
  for (size_t i = 0; i < heldOut.size(); ++i)
    correct += answers[i] == heldOut[i].label;
  safe_save(get_state_dict(model), options.save,
            {{"model", "tinygrad-mlir examples/digits"}});

  printConfusion(heldOut, answers);
  ContextRef context = Context::getCurrent();
  printKernels(context->getKernels());
  Context::Statistics statistics = context->getStatistics();
  std::printf("\ncompiled %lld graphs, %lld kernels in %.2f s; ran them in "
              "%.2f s\n",
              static_cast<long long>(statistics.misses),
              static_cast<long long>(statistics.kernels),
              statistics.compileSeconds, statistics.runSeconds);
  std::printf("%lld steps, %.2f ms per step without compiling\n",
              static_cast<long long>(numSteps),
              std::max(trainSeconds - statistics.compileSeconds, 0.0) * 1e3 /
                  static_cast<double>(numSteps));
  std::printf("weights saved to %s\n", options.save.c_str());
  std::printf("held-out accuracy: %.1f %% (%zu digits) in %.1f s\n",
              100.0 * correct / static_cast<double>(heldOut.size()),
              heldOut.size(), getSecondsSince(start));
}

static void runClassify(const Options &options) {
  Digit digit;
  digit.pixels = readDrawing(options.drawing);
  Model model;
  load_state_dict(model, safe_load(options.weights));
  std::vector<double> probabilities = getProbabilities(model, digit);
  if (!std::ranges::all_of(probabilities,
                           [](double p) { return std::isfinite(p); }))
    throw Error("digits", "expects weights that give probabilities, got NaN "
                          "with those of `" +
                              options.weights + "`");
  printImage(digit.pixels);
  std::vector<int> order(numClasses);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, std::ranges::greater(),
                    [&](int label) { return probabilities[label]; });
  std::printf("this is a %d (%.1f %%; next %d, %.1f %%)\n", order[0],
              100 * probabilities[order[0]], order[1],
              100 * probabilities[order[1]]);
}

int main(int argc, char **argv) {
  try {
    Options options = parseOptions({"digits", argc, argv});
    if (options.wantsHelp) {
      std::fputs(usage, stdout);
      return 0;
    }
    Context::Options contextOptions = Context::readEnvironment();
    contextOptions.profile = true;
    Context::Scope scope(Context::create(contextOptions));
    options.isClassify ? runClassify(options) : runTraining(options);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
