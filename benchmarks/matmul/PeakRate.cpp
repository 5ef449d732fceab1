//===- PeakRate.cpp - How fast one thread multiplies and adds -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeakRate.h"

#include "Measure.h"

using namespace benchmarks;

namespace {

using Vector128 = float __attribute__((vector_size(16)));
using Vector256 = float __attribute__((vector_size(32)));
using Vector512 = float __attribute__((vector_size(64)));

/// Takes `numSteps` steps along `numChains` independent chains of multiply-adds
/// that stay in registers. A unit takes four or five cycles for one and starts
/// another each cycle; two of them need ten chains, Arm's four units sixteen.
template <typename Vector, int numChains>
[[gnu::always_inline]] inline float runChains(int64_t numSteps) {
#pragma clang fp contract(fast)
  Vector sums[numChains];
  Vector factor = Vector{} + 0.75f, summand = Vector{} + 0.5f;
  // The compiler must not know them: it would compute in their place.
  asm volatile("" : "+m"(factor), "+m"(summand));
  for (int i = 0; i < numChains; ++i)
    sums[i] = Vector{} + static_cast<float>(i);
  for (int64_t step = 0; step < numSteps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < numChains; ++i)
      sums[i] = sums[i] * factor + summand;
  }
  Vector total = sums[0];
  for (int i = 1; i < numChains; ++i)
    total += sums[i];
  return total[0];
}

constexpr int numChainsOf16 = 12; // of 16 registers
constexpr int numChainsOf32 = 24; // of 32 registers

#if defined(__x86_64__)
float runBase(int64_t numSteps) {
  return runChains<Vector128, numChainsOf16>(numSteps);
}
[[gnu::target("avx2,fma")]] float runAVX2(int64_t numSteps) {
  return runChains<Vector256, numChainsOf16>(numSteps);
}
[[gnu::target("avx512f")]] float runAVX512(int64_t numSteps) {
  return runChains<Vector512, numChainsOf32>(numSteps);
}
#else
float runBase(int64_t numSteps) {
  return runChains<Vector128, numChainsOf32>(numSteps);
}
#endif

} // namespace

std::vector<PeakRate::Kind> PeakRate::getKinds() {
#if defined(__x86_64__)
  std::vector<Kind> kinds = {{"SSE2", runBase, 2 * 4 * numChainsOf16}};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    kinds.push_back({"AVX2", runAVX2, 2 * 8 * numChainsOf16});
  if (__builtin_cpu_supports("avx512f"))
    kinds.push_back({"AVX-512", runAVX512, 2 * 16 * numChainsOf32});
  return kinds;
#else
  return {{"128-bit vectors", runBase, 2 * 4 * numChainsOf32}};
#endif
}

double PeakRate::measureOnce(const Kind &kind, int64_t numSteps) {
  Clock::time_point start = Clock::now();
  [[maybe_unused]] volatile float result = kind.chains(numSteps);
  return static_cast<double>(kind.operations * numSteps) /
         getSecondsSince(start);
}

PeakRate::PeakRate() {
  constexpr double wantedSeconds = 1e-4;
  double best = 0;
  for (const Kind &candidate : getKinds()) {
    int64_t steps = 1 << 10;
    double rate = 0;
    // The processor may need a while until it runs at full speed.
    for (int run = 0; run < 100; ++run) {
      rate = std::max(rate, measureOnce(candidate, steps));
      steps = static_cast<int64_t>(wantedSeconds * rate) / candidate.operations;
    }
    if (rate > best) {
      best = rate;
      kind = candidate;
      numSteps = steps;
      name = candidate.name;
    }
  }
}

double PeakRate::measure() const {
  constexpr int numRuns = 5;
  double best = 0;
  for (int run = 0; run < numRuns; ++run)
    best = std::max(best, measureOnce(kind, numSteps));
  return best;
}
