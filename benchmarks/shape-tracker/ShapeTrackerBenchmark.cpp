//===- ShapeTrackerBenchmark.cpp - What a movement operation costs --------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Composes the chains of conformance/golden/shapetracker.jsonl, and simplifies
// what comes of them. compare.py runs the reference on the same chains; for it,
// --views prints how many views come of each.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Shape/ShapeTracker.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

using namespace tinygrad::shape;
using nlohmann::json;

namespace {

/// One movement operation: `dims` or `pairs`, as its function takes it.
struct Movement {
  std::string name;
  Dims dims;
  Mask pairs;
};

struct Chain {
  /// "group/name".
  std::string name;
  Dims shape;
  std::vector<Movement> movements;
};

} // namespace

static std::vector<Chain> readChains(std::istream &stream) {
  std::vector<Chain> chains;
  for (std::string line; std::getline(stream, line);) {
    json row = json::parse(line);
    Chain chain{row["name"], row["shape"].get<Dims>(), {}};
    for (const json &op : row["ops"]) {
      Movement movement{op[0], {}, {}};
      if (movement.name == "pad" || movement.name == "shrink")
        movement.pairs = op[1].get<Mask>();
      else
        movement.dims = op[1].get<Dims>();
      chain.movements.push_back(std::move(movement));
    }
    chains.push_back(std::move(chain));
  }
  return chains;
}

static ShapeTracker apply(const ShapeTracker &tracker,
                          const Movement &movement) {
  // The first letters differ, but for two.
  switch (movement.name[0]) {
  case 'r':
    return tracker.reshape(movement.dims);
  case 'e':
    return tracker.expand(movement.dims);
  case 'p':
    return movement.name[1] == 'a' ? tracker.pad(movement.pairs)
                                   : tracker.permute(movement.dims);
  default:
    return movement.name[1] == 'h' ? tracker.shrink(movement.pairs)
                                   : tracker.stride(movement.dims);
  }
}

static ShapeTracker compose(const Chain &chain) {
  ShapeTracker tracker = ShapeTracker::fromShape(chain.shape);
  for (const Movement &movement : chain.movements)
    tracker = apply(tracker, movement);
  return tracker;
}

/// Composes all `chains` per iteration, and, if asked, simplifies each at its
/// end.
static void run(benchmark::State &state, const std::vector<Chain> &chains,
                bool simplifies) {
  size_t views = 0, movements = 0;
  for (const Chain &chain : chains) {
    ShapeTracker tracker = compose(chain);
    views += (simplifies ? tracker.simplify() : tracker).getViews().size();
    movements += chain.movements.size();
  }
  for (auto _ : state)
    for (const Chain &chain : chains) {
      ShapeTracker tracker = compose(chain);
      if (simplifies)
        tracker = tracker.simplify();
      benchmark::DoNotOptimize(tracker);
    }
  using benchmark::Counter;
  state.counters["time_per_op"] =
      Counter(static_cast<double>(movements),
              Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["ops"] = static_cast<double>(movements);
  state.counters["views"] = static_cast<double>(views);
}

/// Prints each chain's name and its number of views before and after
/// `simplify`.
static void printViews(const std::vector<Chain> &chains) {
  for (const Chain &chain : chains) {
    ShapeTracker tracker = compose(chain);
    std::printf("%s %zu %zu\n", chain.name.c_str(), tracker.getViews().size(),
                tracker.simplify().getViews().size());
  }
}

int main(int argc, char **argv) {
  const char *path =
      TINYGRAD_SOURCE_DIR "/conformance/golden/shapetracker.jsonl";
  std::ifstream stream(path);
  if (!stream) {
    std::fprintf(stderr, "shape-tracker-benchmark: cannot open %s\n", path);
    return 1;
  }
  std::vector<Chain> chains = readChains(stream);
  if (argc == 2 && std::string_view(argv[1]) == "--views") {
    printViews(chains);
    return 0;
  }
  std::map<std::string, std::vector<Chain>> groups = {{"all", chains}};
  for (const Chain &chain : chains)
    groups[chain.name.substr(0, chain.name.find('/'))].push_back(chain);
  for (const auto &[name, group] : groups) {
    benchmark::RegisterBenchmark(("compose/" + name).c_str(), run, group,
                                 false);
    benchmark::RegisterBenchmark(("simplify/" + name).c_str(), run, group,
                                 true);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
