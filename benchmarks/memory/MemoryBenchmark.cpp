//===- MemoryBenchmark.cpp - What new memory costs ------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes a * b + c again and again: into memory that the device keeps, into
// memory that comes from the system each time, and in place of c. Prints the
// time and the page faults of a run.
//
//===----------------------------------------------------------------------===//

#include "../Measure.h"

#include "tinygrad/Engine/Engine.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

#include <cstdio>
#include <string>
#include <sys/resource.h>

using namespace benchmarks;
using namespace tinygrad;

static constexpr const char *usage = R"(usage:
  memory-benchmark [--megabytes N] [--rounds N] [--threads N]
                   [--benchmark_filter=REGEX]

  --megabytes N   the size of each operand (64)
  --rounds N      turns to measure (30)
  --threads N     threads that run kernels (by default one per core)
  --benchmark_filter=REGEX
                  only the rows that match
)";

namespace {

/// One way to compute the value.
struct Case {
  const char *name;
  bool isInPlace;
  /// False: all memory goes back to the system.
  bool keepsMemory;

  std::shared_ptr<engine::Engine> engine = nullptr;
  std::shared_ptr<engine::Executable> executable = nullptr;
  std::vector<runtime::BufferRef> inputs = {};
  std::vector<double> milliseconds = {}, faults = {};
  int64_t runs = 0;
};

} // namespace

static constexpr float factors[] = {1.5f, 2.0f}, summand = 1.0f;

static void prepare(Case &row, int64_t numElements, int threads) {
  engine::Engine::Options options;
  options.numThreads = threads;
  if (!row.keepsMemory)
    options.memory.maxIdleBytes = 0;
  row.engine = llvm::cantFail(engine::Engine::create(options));
  std::string type = "tensor<" + std::to_string(numElements) + "xf32>";
  std::string text =
      "func.func @main(%a: " + type + ", %b: " + type + ", %c: " + type +
      ") -> (" + (row.isInPlace ? "" : type) + ") {\n" +
      "  %m = lazy.mul %a, %b : " + type + "\n" +
      "  %s = lazy.add %m, %c : " + type + "\n" +
      (row.isInPlace ? "  %r = lazy.assign %c, %s : " + type + "\n  return\n}\n"
                     : "  return %s : " + type + "\n}\n");
  row.executable =
      llvm::cantFail(row.engine->compile(text, "memory.mlir", "main"));
  for (float value : {factors[0], factors[1], summand}) {
    std::vector<float> values(static_cast<size_t>(numElements), value);
    row.inputs.push_back(llvm::cantFail(
        row.engine->getDevice().allocate(DType::Float32, numElements)));
    llvm::cantFail(row.inputs.back()->copyIn(values.data(),
                                             row.inputs.back()->getNumBytes()));
  }
}

static double getPageFaults() {
  rusage use;
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_minflt + use.ru_majflt);
}

/// Runs `row` once. Returns false if the result is wrong.
static bool run(Case &row) {
  double faults = getPageFaults();
  Clock::time_point start = Clock::now();
  std::vector<runtime::BufferRef> results =
      llvm::cantFail(row.executable->run(row.inputs));
  double seconds = getSecondsSince(start);
  ++row.runs;
  runtime::Buffer &result = row.isInPlace ? *row.inputs[2] : *results[0];
  const auto *values = static_cast<const float *>(result.getHostPointer());
  float product = factors[0] * factors[1];
  float expected =
      summand + product * static_cast<float>(row.isInPlace ? row.runs : 1);
  int64_t last = result.getNumElements() - 1;
  for (int64_t i : {int64_t(0), last / 3, last})
    if (values[i] != expected)
      return false;
  row.milliseconds.push_back(seconds * 1e3);
  // The result goes here, with whatever that costs.
  start = Clock::now();
  results.clear();
  row.milliseconds.back() += getSecondsSince(start) * 1e3;
  row.faults.push_back(getPageFaults() - faults);
  return true;
}

int main(int argc, char **argv) {
  int64_t megabytes = 64, rounds = 30, threads = 0;
  std::string filter = ".";
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument(argv[i]);
    int64_t *number = argument == "--megabytes" ? &megabytes
                      : argument == "--rounds"  ? &rounds
                      : argument == "--threads" ? &threads
                                                : nullptr;
    bool isFilter = argument.consume_front("--benchmark_filter=");
    if (isFilter)
      filter = argument.str();
    bool isBad = !isFilter &&
                 (!number || ++i == argc ||
                  llvm::StringRef(argv[i]).getAsInteger(10, *number) ||
                  *number < (number == &threads ? 0 : 1) || *number > 65536);
    if (isBad) {
      std::fputs(usage, stderr);
      return 2;
    }
  }
  std::vector<Case> rows;
  for (Case row :
       {Case{"kept", false, true}, Case{"from the system", false, false},
        Case{"in place", true, true}})
    if (llvm::Regex(filter).match(row.name))
      rows.push_back(std::move(row));
  int64_t numElements = megabytes * (1 << 20) / 4;
  for (Case &row : rows)
    prepare(row, numElements, static_cast<int>(threads));
  // Two turns that do not count, to have all memory and pages.
  for (int64_t round = -2; round < rounds; ++round)
    for (Case &row : rows) {
      if (!run(row)) {
        std::fprintf(stderr, "a * b + c (%s): wrong result\n", row.name);
        return 1;
      }
      if (round < 0) {
        row.milliseconds.clear();
        row.faults.clear();
      }
    }
  std::printf("%-16s %10s %12s %10s\n", "a * b + c", "ms", "page faults",
              "peak MB");
  for (Case &row : rows)
    std::printf("%-16s %10.2f %12.0f %10.0f\n", row.name,
                getMedian(row.milliseconds), getMedian(row.faults),
                static_cast<double>(
                    row.engine->getDevice().getMemoryStatistics().peakBytes) /
                    (1 << 20));
  return 0;
}
