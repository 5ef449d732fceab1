//===- CompileBenchmark.cpp - How long until the first result -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes one thing for the first time and says how long its compilation took,
// as a line of JSON. Without a case it does so for all of them, each without a
// cache and twice with one. compare.py starts it as a new process each time,
// and measures that as a whole.
//
//===----------------------------------------------------------------------===//

#include "Data.h"
#include "Measure.h"
#include "Model.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <regex>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

using namespace benchmarks;
using namespace digits;
using namespace tinygrad;

static constexpr const char *usage = R"(usage:
  compile-benchmark [CASE] [--threads N] [--cache FOLDER]
                    [--benchmark_filter=REGEX]

  CASE             matmul: relu(a @ b), and its first element
                   digits: the first step of training of examples/digits
                   kernels: 100 kernels, none like another
  --threads N      threads that compile (by default one per core)
  --cache FOLDER   where kernels are kept (by default nowhere)
  --benchmark_filter=REGEX
                   do nothing unless `compile` matches
)";

static const std::vector<std::string> cases = {"matmul", "digits", "kernels"};

/// Fails if a result is not what it has to be.
static void expectNear(double value, double expected) {
  if (!(std::abs(value - expected) <= 1e-3 * std::max(1.0, std::abs(expected))))
    throw Error("compile-benchmark", "expects " + std::to_string(expected) +
                                         ", got " + std::to_string(value));
}

static void runMatmul() {
  constexpr int64_t rows = 256, products = 512, columns = 128;
  std::vector<float> a(rows * products), b(products * columns);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i % 7) - 2;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<float>(i % 5) - 1;
  double expected = 0;
  for (int64_t i = 0; i < products; ++i)
    expected += a[i] * b[i * columns];
  std::vector<double> result = Tensor(a, {rows, products})
                                   .matmul(Tensor(b, {products, columns}))
                                   .relu()
                                   .toVector<double>();
  expectNear(result[0], std::max(expected, 0.0));
}

static void runDigits() {
  Tensor::manual_seed(0);
  std::vector<Digit> digits = readDigits(DIGITS_DATA);
  Model model;
  Trainer trainer(model, /*numSteps=*/100, /*seed=*/0);
  double loss = trainer.step({digits.data(), 64}).loss;
  if (!(loss > 1.5 && loss < 4))
    throw Error("compile-benchmark", "got a loss of " + std::to_string(loss));
}

static void runKernels() {
  std::vector<Tensor> inputs, sums;
  for (int64_t i = 0; i < 100; ++i) {
    inputs.push_back(Tensor(std::vector<float>(7 * (3 + i), 2), {3 + i, 7}));
    sums.push_back((inputs.back() * static_cast<double>(i)).sum(1));
  }
  realize(sums);
  for (size_t i = 0; i < sums.size(); ++i)
    expectNear(sums[i].toVector<double>()[0], 14.0 * static_cast<double>(i));
}

static double getProcessorSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  auto toSeconds = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * time.tv_usec;
  };
  return toSeconds(usage.ru_utime) + toSeconds(usage.ru_stime);
}

/// Runs a case in a context of its own and prints what it took.
static void run(const std::string &name, const Context::Options &options,
                const char *what) {
  double processorStart = getProcessorSeconds();
  Clock::time_point start = Clock::now();
  ContextRef context = Context::create(options);
  {
    Context::Scope scope(context);
    if (name == "matmul")
      runMatmul();
    else if (name == "digits")
      runDigits();
    else
      runKernels();
  }
  Context::Statistics statistics = context->getStatistics();
  std::printf("{\"case\": \"%s\", \"cache\": \"%s\", \"kernels\": %lld, "
              "\"compile_ms\": %.2f, \"warm_ms\": %.2f, \"all_ms\": %.2f, "
              "\"processor_ms\": %.2f}\n",
              name.c_str(), what, static_cast<long long>(statistics.kernels),
              1e3 * statistics.compileSeconds, 1e3 * statistics.warmSeconds,
              1e3 * getSecondsSince(start),
              1e3 * (getProcessorSeconds() - processorStart));
  std::fflush(stdout);
}

static void runAll(Context::Options options) {
  std::string pattern =
      std::filesystem::temp_directory_path() / "compile-benchmark-XXXXXX";
  for (const std::string &name : cases) {
    options.cacheDirectory.clear();
    run(name, options, "none");
    std::string folder = pattern;
    if (!mkdtemp(folder.data()))
      throw Error("compile-benchmark", "cannot make `" + folder + "`");
    options.cacheDirectory = folder;
    run(name, options, "empty");
    run(name, options, "full");
    std::filesystem::remove_all(folder);
  }
}

int main(int argc, char **argv) {
  try {
    Context::Options options;
    std::string name, filter;
    for (int i = 1; i < argc; ++i) {
      std::string argument = argv[i];
      const std::string filterFlag = "--benchmark_filter=";
      if (argument == "--threads" && i + 1 < argc)
        options.numCompileThreads = std::atoi(argv[++i]);
      else if (argument == "--cache" && i + 1 < argc)
        options.cacheDirectory = argv[++i];
      else if (argument.starts_with(filterFlag))
        filter = argument.substr(filterFlag.size());
      else if (name.empty() && std::ranges::count(cases, argument))
        name = argument;
      else
        throw Error("compile-benchmark",
                    "unknown argument `" + argument + "`\n" + usage);
    }
    if (!std::regex_search("compile", std::regex(filter)))
      return 0;
    if (name.empty())
      runAll(options);
    else
      run(name, options, options.cacheDirectory.empty() ? "none" : "given");
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
