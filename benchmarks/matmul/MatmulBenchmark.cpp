//===- MatmulBenchmark.cpp - Products of matrices against the FMA rate ----===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multiplies matrices through the engine, on one thread and on all, and says
// what part of the FMA rate that is: the rate of multiply-adds on registers,
// measured right before each product, so that whatever else the machine does
// meets both. Results are checked against sums in double precision. The exit
// code is 1 if one is wrong.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "PeakRate.h"

#include "tinygrad/Engine/Engine.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <thread>

using namespace benchmarks;
using namespace tinygrad;

static llvm::cl::OptionCategory category("Options of the benchmark");
static llvm::cl::opt<int>
    numRounds("rounds", llvm::cl::desc("Turns of each product (default: 41)"),
              llvm::cl::init(41), llvm::cl::cat(category));
static llvm::cl::opt<int> maxThreads(
    "threads",
    llvm::cl::desc("Threads beside one; 1 leaves this part out (default: as "
                   "many as cores)"),
    llvm::cl::init(0), llvm::cl::cat(category));
static llvm::cl::opt<std::string>
    filter("filter",
           llvm::cl::desc("Only products whose names match, as in `512.*w.T`"),
           llvm::cl::init("."), llvm::cl::cat(category));
static llvm::cl::alias benchmarkFilter("benchmark_filter",
                                       llvm::cl::desc("The same as --filter"),
                                       llvm::cl::aliasopt(filter),
                                       llvm::cl::cat(category));
static llvm::cl::opt<bool> useCPUTime(
    "cpu-time",
    llvm::cl::desc("With one thread, count the time in which it ran, for a "
                   "machine whose cores others use, too"),
    llvm::cl::cat(category));
static llvm::cl::opt<bool> asJSON("json", llvm::cl::desc("Print JSON"),
                                  llvm::cl::cat(category));

namespace {

/// A product of [rows, products] and [products, columns].
struct Product {
  int64_t rows, products, columns;
  /// The factor lies in memory with its axes exchanged.
  bool isLeftTransposed = false, isRightTransposed = false;
  /// What part of the FMA rate one thread should reach, in percent; 0 where
  /// nothing was promised.
  int goal = 0;

  std::string getName() const {
    return std::to_string(rows) + "x" + std::to_string(products) + "x" +
           std::to_string(columns) + (isLeftTransposed ? " x.T" : " x") +
           (isRightTransposed ? " @ w.T" : " @ w");
  }
  double getOperations() const {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(products) *
           static_cast<double>(columns);
  }
};

constexpr Product allProducts[] = {
    {128, 128, 128},
    {512, 512, 512, false, false, 50},
    {512, 512, 512, false, true},
    {512, 512, 512, true, false},
    {513, 513, 513, false, false, 40},
    {513, 513, 513, false, true},
    {1000, 37, 911, false, false, 40},
    {1000, 37, 911, false, true},
    {1024, 1024, 1024},
    {1024, 1024, 1024, false, true},
};

/// A compiled product with its factors, and what was measured.
struct Case {
  Product product;
  int numThreads;
  std::vector<float> left, right;
  std::vector<runtime::BufferRef> inputs;
  std::shared_ptr<engine::Engine> engine;
  std::shared_ptr<engine::Executable> executable;
  double compileSeconds = 0;
  /// Calls per measurement.
  int numCalls = 1;
  /// The largest error as a multiple of what is allowed.
  double error = 0;
  /// Operations per second, and their parts of the FMA rate.
  std::vector<double> rates, ratios;
};

/// Builds a graph node by node.
class GraphBuilder {
public:
  int32_t addInput(const ops::Shape &shape) {
    graph.inputs.push_back(add(std::nullopt, {}, shape));
    return graph.inputs.back();
  }
  int32_t add(std::optional<ops::OpKind> kind, std::vector<int32_t> operands,
              const ops::Shape &shape, std::vector<int64_t> ints = {}) {
    ops::GraphNode node;
    node.kind = kind;
    node.operands = std::move(operands);
    node.shape = shape;
    node.attributes.ints = std::move(ints);
    graph.nodes.push_back(std::move(node));
    return static_cast<int32_t>(graph.nodes.size() - 1);
  }
  ops::Graph take(int32_t output) {
    graph.outputs = {output};
    return std::move(graph);
  }

private:
  ops::Graph graph;
};

llvm::ExitOnError exitOnError("matmul-benchmark: ");

} // namespace

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Makes the graph of a product as the front end does: both factors expanded to
/// [rows, columns, products], multiplied, and summed.
static ops::Graph makeGraph(const Product &product) {
  using ops::OpKind;
  auto [m, k, n] = std::tuple(product.rows, product.products, product.columns);
  ops::Shape all = {m, n, k};
  GraphBuilder builder;

  ops::Shape rows = {m, 1, k}, columns = {1, n, k};
  int32_t left = product.isLeftTransposed
                     ? builder.add(OpKind::Permute, {builder.addInput({k, m})},
                                   {m, k}, {1, 0})
                     : builder.addInput({m, k});
  left = builder.add(OpKind::Reshape, {left}, rows, rows);
  left = builder.add(OpKind::Expand, {left}, all, all);
  int32_t right = product.isRightTransposed
                      ? builder.addInput({n, k})
                      : builder.add(OpKind::Permute, {builder.addInput({k, n})},
                                    {n, k}, {1, 0});
  right = builder.add(OpKind::Reshape, {right}, columns, columns);
  right = builder.add(OpKind::Expand, {right}, all, all);

  int32_t result = builder.add(OpKind::Mul, {left, right}, all);
  ops::Shape sums = {m, n, 1}, shape = {m, n};
  result = builder.add(OpKind::ReduceSum, {result}, sums, sums);
  return builder.take(builder.add(OpKind::Reshape, {result}, shape, shape));
}

static std::vector<float> makeNumbers(int64_t count, std::mt19937 &random) {
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float &number : numbers)
    number = static_cast<float>(random() >> 8) / (1 << 23) - 1;
  return numbers;
}

static runtime::BufferRef upload(runtime::Device &device,
                                 const std::vector<float> &numbers) {
  runtime::BufferRef buffer = exitOnError(
      device.allocate(DType::Float32, static_cast<int64_t>(numbers.size())));
  exitOnError(buffer->copyIn(numbers.data(), buffer->getNumBytes()));
  return buffer;
}

static runtime::BufferRef run(const Case &test) {
  return exitOnError(test.executable->run(test.inputs))[0];
}

static double getCPUSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Returns the seconds per call, after one that brings the factors and the
/// result back to the caches that the other products have filled.
static double measure(const Case &test) {
  run(test);
  bool isCPUTime = useCPUTime && test.numThreads == 1;
  double cpuStart = isCPUTime ? getCPUSeconds() : 0;
  Clock::time_point start = Clock::now();
  for (int call = 0; call < test.numCalls; ++call)
    run(test);
  double seconds =
      isCPUTime ? getCPUSeconds() - cpuStart : getSecondsSince(start);
  return seconds / test.numCalls;
}

static Case prepare(const Product &product, int numThreads,
                    std::shared_ptr<engine::Engine> engine) {
  Case test;
  test.product = product;
  test.numThreads = numThreads;
  test.engine = std::move(engine);
  std::mt19937 random(1);
  test.left = makeNumbers(product.rows * product.products, random);
  test.right = makeNumbers(product.products * product.columns, random);
  test.inputs = {upload(test.engine->getDevice(), test.left),
                 upload(test.engine->getDevice(), test.right)};
  ops::Graph graph = makeGraph(product);
  Clock::time_point start = Clock::now();
  test.executable = exitOnError(test.engine->compile(graph));
  test.compileSeconds = getSecondsSince(start);

  // Several calls where one is too short for the clock.
  constexpr double wantedSeconds = 1e-3;
  double seconds = std::min(measure(test), measure(test));
  test.numCalls = static_cast<int>(
      std::clamp(std::round(wantedSeconds / seconds), 1.0, 1000.0));
  return test;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Returns the error of one element as a multiple of what is allowed.
static double getError(const Case &test, int64_t row, int64_t column,
                       double value) {
  const Product &product = test.product;
  double sum = 0, magnitude = 0;
  for (int64_t i = 0; i < product.products; ++i) {
    double left =
        test.left[product.isLeftTransposed ? i * product.rows + row
                                           : row * product.products + i];
    double right =
        test.right[product.isRightTransposed ? column * product.products + i
                                             : i * product.columns + column];
    sum += left * right;
    magnitude += std::abs(left * right);
  }
  // Rounding errors grow about as the root of the number of sums.
  constexpr double epsilon = 1.0 / (1 << 23);
  double allowed =
      epsilon * std::sqrt(static_cast<double>(product.products)) * magnitude;
  double error = std::abs(value - sum) / allowed;
  return std::isfinite(error) ? error : HUGE_VAL;
}

/// Checks the first and last row and column, where tiles are cut, and elements
/// in between.
static void check(Case &test) {
  auto [rows, columns] = std::pair(test.product.rows, test.product.columns);
  std::vector<float> result(static_cast<size_t>(rows * columns));
  exitOnError(run(test)->copyOut(
      result.data(), static_cast<int64_t>(result.size() * sizeof(float))));
  auto checkElement = [&](int64_t row, int64_t column) {
    test.error = std::max(test.error, getError(test, row, column,
                                               result[row * columns + column]));
  };
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t row : {int64_t{0}, rows - 1})
      checkElement(row, column);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column : {int64_t{0}, columns - 1})
      checkElement(row, column);
  std::mt19937 random(2);
  for (int sample = 0; sample < 1000; ++sample)
    checkElement(random() % rows, random() % columns);
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static void printTable(const std::vector<Case> &cases, const PeakRate &peak,
                       const std::vector<double> &peakRates) {
  std::printf("FMA rate of one thread: %.1f GFLOP/s, best %.1f (%s)\n",
              getMedian(peakRates) / 1e9, std::ranges::max(peakRates) / 1e9,
              peak.getName().c_str());
  std::printf("%d turns; with several threads, %% of so many times the rate\n",
              numRounds.getValue());
  std::printf("\n%-26s %7s %8s %8s %6s %6s %10s\n", "rows x products x columns",
              "threads", "GFLOP/s", "best", "% FMA", "goal", "compile ms");
  for (const Case &test : cases) {
    std::string goal = test.product.goal && test.numThreads == 1
                           ? std::to_string(test.product.goal)
                           : "-";
    std::printf("%-26s %7d %8.1f %8.1f %6.1f %6s %10.1f%s\n",
                test.product.getName().c_str(), test.numThreads,
                getMedian(test.rates) / 1e9, std::ranges::max(test.rates) / 1e9,
                100 * getMedian(test.ratios), goal.c_str(),
                1e3 * test.compileSeconds,
                test.error <= 1 ? "" : "  the result is wrong");
  }
}

static void printJSON(const std::vector<Case> &cases, const PeakRate &peak,
                      const std::vector<double> &peakRates) {
  llvm::json::OStream json(llvm::outs(), 2);
  json.object([&] {
    json.attribute("peak_kind", peak.getName());
    json.attribute("peak_gflops_median", getMedian(peakRates) / 1e9);
    json.attribute("peak_gflops_best", std::ranges::max(peakRates) / 1e9);
    json.attribute("rounds", numRounds.getValue());
    json.attribute("cpu_time", useCPUTime.getValue());
    json.attributeArray("cases", [&] {
      for (const Case &test : cases) {
        json.object([&] {
          json.attribute("name", test.product.getName());
          json.attribute("threads", test.numThreads);
          json.attribute("gflops_median", getMedian(test.rates) / 1e9);
          json.attribute("gflops_best", std::ranges::max(test.rates) / 1e9);
          json.attribute("fma_ratio_median", getMedian(test.ratios));
          if (test.product.goal && test.numThreads == 1)
            json.attribute("fma_ratio_goal", test.product.goal / 100.0);
          json.attribute("compile_ms", 1e3 * test.compileSeconds);
          json.attribute("is_correct", test.error <= 1);
        });
      }
    });
  });
  llvm::outs() << "\n";
}

int main(int argc, char **argv) {
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "Multiplies matrices and compares with the FMA rate\n");
  if (numRounds < 1 || maxThreads < 0) {
    llvm::errs() << "matmul-benchmark: expects at least one round and no "
                    "negative number of threads\n";
    return 2;
  }
  llvm::Regex wanted(filter);
  std::string reason;
  if (!wanted.isValid(reason)) {
    llvm::errs() << "matmul-benchmark: --filter: " << reason << "\n";
    return 2;
  }

  PeakRate peak;
  std::vector<int> threadCounts = {1};
  int numCores = static_cast<int>(std::thread::hardware_concurrency());
  if (int threads = maxThreads ? maxThreads : numCores; threads > 1)
    threadCounts.push_back(threads);
  std::vector<Case> cases;
  for (int numThreads : threadCounts) {
    engine::Engine::Options options;
    options.numThreads = numThreads;
    std::shared_ptr<engine::Engine> engine =
        exitOnError(engine::Engine::create(options));
    for (const Product &product : allProducts) {
      if (!wanted.match(product.getName()))
        continue;
      cases.push_back(prepare(product, numThreads, engine));
      check(cases.back());
    }
  }
  if (cases.empty()) {
    llvm::errs() << "matmul-benchmark: no product matches `" << filter << "`\n";
    return 2;
  }

  std::vector<double> peakRates;
  for (int round = 0; round < numRounds; ++round) {
    for (Case &test : cases) {
      peakRates.push_back(peak.measure());
      double rate = test.product.getOperations() / measure(test);
      test.rates.push_back(rate);
      test.ratios.push_back(rate / peakRates.back() / test.numThreads);
    }
  }

  asJSON ? printJSON(cases, peak, peakRates)
         : printTable(cases, peak, peakRates);
  return std::ranges::all_of(cases,
                             [](const Case &test) { return test.error <= 1; })
             ? 0
             : 1;
}
