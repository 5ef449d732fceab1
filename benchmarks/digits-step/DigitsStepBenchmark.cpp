//===- DigitsStepBenchmark.cpp - The time of a step of training -----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trains the network of examples/digits and prints the time of a step (forward,
// backward, Adam) as JSON. compare.py runs it beside the same steps in PyTorch:
// it gets the first weights and the batches in a file, checks the losses of the
// first steps, which are taken without dropout, and asks for turns of steps
// with dropout, one number of steps a line.
//
//===----------------------------------------------------------------------===//

#include "Data.h"
#include "Measure.h"
#include "Model.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <regex>
#include <string>

using namespace benchmarks;
using namespace digits;
using namespace tinygrad;

static constexpr const char *usage = R"(usage:
  digits-step-benchmark [--threads N] [--batch N] [--steps N] [--kernels]
                        [--save FILE] [--turns] [--benchmark_filter=REGEX]

  --threads N   threads that run kernels (by default one per core)
  --batch N     digits in a batch (64)
  --steps N     steps to measure (200)
  --kernels     print the kernels that took the most time to stderr
  --save FILE   write the first weights and the batches as safetensors
  --turns       read numbers of steps from the input, and answer each with a
                line: the milliseconds of each step
  --benchmark_filter=REGEX
                do nothing unless `digits-step` matches
)";

static constexpr double learningRate = 0.008;
static constexpr int numBatches = 8;
static constexpr int numCheckedSteps = 8;

namespace {

struct Options {
  int threads = 0;
  int batch = 64;
  int steps = 200;
  bool kernels = false;
  std::string save;
  bool turns = false;
  std::string filter;
};

struct Batch {
  std::vector<float> pixels;
  std::vector<int32_t> labels;

  Tensor makeImages() const {
    return Tensor(
        pixels, {static_cast<int64_t>(labels.size()), 1, imageSize, imageSize});
  }
  Tensor makeLabels() const { return Tensor(labels); }
};

/// A model, its optimizer, and the batches that it learns from in turn.
class Training {
public:
  explicit Training(int batchSize);

  /// Takes a step and returns the loss.
  double step();
  /// Returns the first weights, and the batches as `images.0`, `labels.0`, ….
  StateDict getStart() const;

private:
  Model model;
  optim::Adam optimizer;
  std::vector<Batch> batches;
  size_t numSteps = 0;
};

} // namespace

Training::Training(int batchSize)
    : optimizer(get_parameters(model), learningRate) {
  std::vector<Digit> digits = readDigits(DIGITS_DATA);
  shuffle(digits, /*seed=*/0);
  for (size_t i = 0, next = 0; i < numBatches; ++i) {
    Batch batch;
    for (int j = 0; j < batchSize; ++j) {
      const Digit &digit = digits[next++ % digits.size()];
      batch.pixels.insert(batch.pixels.end(), digit.pixels.begin(),
                          digit.pixels.end());
      batch.labels.push_back(digit.label);
    }
    batches.push_back(std::move(batch));
  }
}

double Training::step() {
  const Batch &batch = batches[numSteps++ % batches.size()];
  optimizer.zero_grad();
  Tensor loss = model(batch.makeImages())
                    .sparse_categorical_crossentropy(batch.makeLabels());
  loss.backward();
  optimizer.step({loss});
  return loss.item();
}

StateDict Training::getStart() const {
  StateDict result = get_state_dict(model, "model");
  for (size_t i = 0; i < batches.size(); ++i) {
    std::string number = std::to_string(i);
    result.emplace("images." + number, batches[i].makeImages());
    result.emplace("labels." + number, batches[i].makeLabels());
  }
  return result;
}

/// Takes steps as a program that trains does; returns the milliseconds of each.
static std::vector<double> measureSteps(Training &training, int numSteps) {
  TrainingGuard guard;
  std::vector<double> times;
  for (int step = 0; step < numSteps; ++step) {
    Clock::time_point start = Clock::now();
    training.step();
    times.push_back(1e3 * getSecondsSince(start));
  }
  return times;
}

static void printList(const char *format, const std::vector<double> &values) {
  std::printf("[");
  for (size_t i = 0; i < values.size(); ++i) {
    std::printf(i ? ", " : "");
    std::printf(format, values[i]);
  }
  std::printf("]");
}

/// Prints the kernels that took the most time per step.
static void printKernels(int numSteps) {
  std::vector<Context::KernelSummary> kernels =
      Context::getCurrent()->getKernels();
  std::ranges::sort(kernels, std::ranges::greater(),
                    &Context::KernelSummary::seconds);
  for (size_t i = 0; i < std::min<size_t>(kernels.size(), 12); ++i)
    std::fprintf(stderr, "%9.1f us per step  %s\n",
                 kernels[i].seconds * 1e6 / numSteps, kernels[i].name.c_str());
}

static Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i];
    auto next = [&]() -> std::string {
      if (i + 1 == argc)
        throw Error("digits-step-benchmark", "expects a value after " + flag);
      return argv[++i];
    };
    auto nextNumber = [&](int lowest) {
      std::string text = next();
      char *end = nullptr;
      long value = std::strtol(text.c_str(), &end, 10);
      if (text.empty() || *end || value < lowest || value > 1'000'000)
        throw Error("digits-step-benchmark",
                    "expects an integer of at least " + std::to_string(lowest) +
                        " after " + flag + ", got `" + text + "`");
      return static_cast<int>(value);
    };
    if (flag == "--threads")
      options.threads = nextNumber(0);
    else if (flag == "--batch")
      options.batch = nextNumber(1);
    else if (flag == "--steps")
      options.steps = nextNumber(1);
    else if (flag == "--kernels")
      options.kernels = true;
    else if (flag == "--save")
      options.save = next();
    else if (flag == "--turns")
      options.turns = true;
    else if (const std::string filter = "--benchmark_filter=";
             flag.starts_with(filter))
      options.filter = flag.substr(filter.size());
    else
      throw Error("digits-step-benchmark",
                  "unknown argument `" + flag + "`\n" + usage);
  }
  return options;
}

static void run(const Options &options) {
  Tensor::manual_seed(0);
  Training training(options.batch);
  if (!options.save.empty())
    safe_save(training.getStart(), options.save);

  std::vector<double> losses;
  for (int step = 0; step < numCheckedSteps; ++step)
    losses.push_back(training.step());
  // Compiling belongs to the first steps of either kind; the others are
  // warm-up.
  measureSteps(training, 10);
  Context::Statistics statistics = Context::getCurrent()->getStatistics();
  std::printf("{\"batch\": %d, \"compile_ms\": %.1f, \"losses\": ",
              options.batch, 1e3 * statistics.compileSeconds);
  printList("%.7f", losses);
  if (!options.turns) {
    std::vector<double> times = measureSteps(training, options.steps);
    std::printf(", \"steps\": %d, \"median_ms\": %.4f, \"best_ms\": %.4f",
                options.steps, getMedian(times), std::ranges::min(times));
  }
  std::printf("}\n");
  std::fflush(stdout);

  int numSteps = 0, numMeasured = options.turns ? 0 : options.steps;
  while (options.turns && std::cin >> numSteps && numSteps > 0) {
    printList("%.4f", measureSteps(training, numSteps));
    std::printf("\n");
    std::fflush(stdout);
    numMeasured += numSteps;
  }
  if (options.kernels)
    printKernels(numMeasured + 10);
}

int main(int argc, char **argv) {
  try {
    Options options = parseOptions(argc, argv);
    if (!std::regex_search("digits-step", std::regex(options.filter)))
      return 0;
    Context::Options contextOptions = Context::readEnvironment();
    if (options.threads)
      contextOptions.numThreads = options.threads;
    contextOptions.profile = options.kernels;
    Context::Scope scope(Context::create(contextOptions));
    run(options);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
