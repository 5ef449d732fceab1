//===- ThreadPoolBenchmark.cpp - Our pool against oneTBB ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the same calls on tinygrad's pool and on oneTBB in one process, in turns
// so that whatever else the machine does meets both, and prints the median time
// of a call, the ratio, and how much of the threads' time uneven tasks lose.
//
// Usage: thread-pool-benchmark [threads]
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Runtime/ThreadPool.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using tinygrad::runtime::ThreadPool;

namespace {

using Clock = std::chrono::steady_clock;

double getMicroseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::micro>(Clock::now() - since)
      .count();
}

/// Keeps a core busy for `numSteps` steps of about a quarter of a nanosecond.
void work(int64_t numSteps) {
  for (int64_t i = 0; i < numSteps; ++i)
    asm volatile("" : "+r"(i));
}

/// One kernel: `n` tasks, of which task i takes costs[i] steps.
struct Kernel {
  std::vector<int64_t> costs;

  static void run(void *ctx, int64_t begin, int64_t end) {
    const auto &costs = static_cast<Kernel *>(ctx)->costs;
    for (int64_t i = begin; i < end; ++i)
      work(costs[i]);
  }
};

struct Case {
  const char *name;
  Kernel kernel;
  /// Calls per measurement, and steps of serial work between two calls.
  int numCalls;
  int64_t gap;
};

using ParallelFor = std::function<void(Kernel &)>;

/// Returns the microseconds per call, without the gaps.
double measure(const Case &test, const ParallelFor &parallelFor) {
  Kernel kernel = test.kernel;
  double sum = 0;
  for (int call = 0; call < test.numCalls; ++call) {
    work(test.gap);
    Clock::time_point start = Clock::now();
    parallelFor(kernel);
    sum += getMicroseconds(start);
  }
  return sum / test.numCalls;
}

double getMedian(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

Kernel makeEvenTasks(int64_t n, int64_t cost) {
  return {std::vector<int64_t>(n, cost)};
}

/// Task i costs i times the first; or one task costs as much as half of all.
Kernel makeRamp(int64_t n, int64_t cost) {
  Kernel kernel = makeEvenTasks(n, 0);
  for (int64_t i = 0; i < n; ++i)
    kernel.costs[i] = (i + 1) * cost;
  return kernel;
}
Kernel makePeak(int64_t n, int64_t cost) {
  Kernel kernel = makeEvenTasks(n, cost);
  kernel.costs[n / 3] = n * cost / 2;
  return kernel;
}

} // namespace

int main(int argc, char **argv) {
  ThreadPool pool(argc > 1 ? atoi(argv[1]) : 0);
  int numThreads = pool.getNumThreads();
  oneapi::tbb::global_control control(
      oneapi::tbb::global_control::max_allowed_parallelism, numThreads);

  ParallelFor ours = [&](Kernel &kernel) {
    pool.parallelFor(int64_t(kernel.costs.size()), &Kernel::run, &kernel);
  };
  ParallelFor tbb = [](Kernel &kernel) {
    using Range = oneapi::tbb::blocked_range<int64_t>;
    oneapi::tbb::parallel_for(
        Range(0, int64_t(kernel.costs.size())), [&](const Range &range) {
          Kernel::run(&kernel, range.begin(), range.end());
        });
  };

  const Case cases[] = {
      {"empty, n=2", makeEvenTasks(2, 0), 2000, 0},
      {"empty, n=64", makeEvenTasks(64, 0), 2000, 0},
      {"empty, n=64, 10 us between", makeEvenTasks(64, 0), 200, 40000},
      {"empty, n=64, 100 us between", makeEvenTasks(64, 0), 50, 400000},
      {"empty, n=64, 5 ms between", makeEvenTasks(64, 0), 4, 20000000},
      {"even, n=64, 0.1 ms in all", makeEvenTasks(64, 6250), 50, 40000},
      {"ramp, n=64, 2 ms in all", makeRamp(64, 3840), 10, 40000},
      {"peak, n=64, 2 ms in all", makePeak(64, 83000), 10, 40000},
      {"ramp, n=1000, 2 ms in all", makeRamp(1000, 16), 10, 40000},
  };
  constexpr int numRounds = 41;

  printf("%d threads; medians of %d rounds in turns, in us per call\n",
         numThreads, numRounds);
  printf("%-28s %10s %10s %10s %10s\n", "", "ours", "oneTBB", "ratio",
         "serial/T");
  for (const Case &test : cases) {
    std::vector<double> oursTimes, tbbTimes, serialTimes;
    for (int round = 0; round < numRounds; ++round) {
      oursTimes.push_back(measure(test, ours));
      tbbTimes.push_back(measure(test, tbb));
      serialTimes.push_back(measure(test, [](Kernel &kernel) {
        Kernel::run(&kernel, 0, int64_t(kernel.costs.size()));
      }));
    }
    double oursMedian = getMedian(oursTimes);
    double tbbMedian = getMedian(tbbTimes);
    printf("%-28s %10.2f %10.2f %10.2f %10.2f\n", test.name, oursMedian,
           tbbMedian, tbbMedian / oursMedian,
           getMedian(serialTimes) / numThreads);
  }
  return 0;
}
