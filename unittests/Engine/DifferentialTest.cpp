//===- DifferentialTest.cpp - The CPU against the interpreter - c ---------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Random graphs with fixed seeds, compiled and interpreted.
// --graphs=N runs N graphs instead of 300, --seed=N others.
//
//===----------------------------------------------------------------------===//

#include "ErrorBounds.h"
#include "RandomGraph.h"
#include "tinygrad/Engine/EmitGraph.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringRef.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

static int64_t numGraphs = 300;
static int64_t firstSeed = 1;

/// The graphs are run in this many tests, so that lit can spread them.
static constexpr int64_t numGroups = 10;

static std::shared_ptr<Engine> makeEngine(const char *device, int optLevel) {
  Engine::Options options;
  options.verifyPasses = true;
  options.device = device;
  options.numThreads = 2;
  options.optLevel = optLevel;
  return llvm::cantFail(Engine::create(options));
}

/// Returns the text of `graph`, to find out what failed.
static std::string print(const ops::Graph &graph) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = emitGraph(context, graph);
  if (!module)
    return llvm::toString(module.takeError());
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream);
  return text;
}

/// Runs one graph on both devices. Returns what is wrong, or nothing.
static std::string runBoth(int64_t seed) {
  Random random(seed);
  ops::Graph graph = makeRandomGraph(random);
  std::vector<HostTensor> inputs;
  for (int32_t input : graph.inputs)
    inputs.push_back(makeRandomTensor(random, graph.nodes[input].type,
                                      graph.nodes[input].shape));

  // Every node is wanted from the interpreter: the bounds depend on all values.
  ops::Graph all = graph;
  all.outputs.resize(graph.nodes.size());
  std::iota(all.outputs.begin(), all.outputs.end(), 0);
  auto values = runGraph(*makeEngine("INTERP", 0), all, inputs);
  if (!values)
    return llvm::toString(values.takeError());
  std::vector<double> bounds = computeErrorBounds(graph, *values);

  auto results =
      runGraph(*makeEngine("CPU", static_cast<int>(seed % 5)), graph, inputs);
  if (!results)
    return llvm::toString(results.takeError());
  for (size_t i = 0; i < results->size(); ++i) {
    int32_t node = graph.outputs[i];
    std::string wrong =
        compareTensors((*results)[i], (*values)[node], bounds[node]);
    if (!wrong.empty())
      return "output " + std::to_string(i) + ", " + wrong;
  }
  return "";
}

namespace {
class DifferentialTest : public ::testing::TestWithParam<int64_t> {};
} // namespace

INSTANTIATE_TEST_SUITE_P(Groups, DifferentialTest,
                         ::testing::Range<int64_t>(0, numGroups));

TEST_P(DifferentialTest, randomGraphs) {
  for (int64_t i = GetParam(); i < numGraphs; i += numGroups) {
    int64_t seed = firstSeed + i;
    std::string wrong = runBoth(seed);
    if (wrong.empty())
      continue;
    Random random(seed);
    ADD_FAILURE() << "seed " << seed << ", opt-level " << seed % 5 << ": "
                  << wrong << "\n"
                  << print(makeRandomGraph(random));
  }
}

int main(int argc, char **argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument(argv[i]);
    bool isBad = argument.consume_front("--graphs=")
                     ? argument.getAsInteger(10, numGraphs)
                 : argument.consume_front("--seed=")
                     ? argument.getAsInteger(10, firstSeed)
                     : true;
    if (isBad) {
      llvm::errs() << "expects --graphs=N and --seed=N, got " << argv[i]
                   << "\n";
      return 1;
    }
  }
  return RUN_ALL_TESTS();
}
