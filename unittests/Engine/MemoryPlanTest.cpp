//===- MemoryPlanTest.cpp - Laws of the plan of memory - c ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `lazy-plan-memory` makes of random graphs is compared with what the
// schedule on tensors says: values, and bytes that live at once. Then kernels
// change places, and `lazy-verify-schedule` must find what changes a value.
//
//===----------------------------------------------------------------------===//

#include "PassRunner.h"
#include "RandomGraph.h"
#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Engine/EmitGraph.h"
#include "tinygrad/Engine/Interpreter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

namespace {

class MemoryPlanTest : public ::testing::TestWithParam<int>,
                       protected PassRunner {
protected:
  static func::FuncOp getMain(ModuleOp module) {
    return module.lookupSymbol<func::FuncOp>("main");
  }

  /// Makes a schedule of a random graph on tensors.
  void makeSchedule(int64_t seed);
  /// Runs the planned `module` and returns its results.
  std::vector<HostTensor> runPlanned(ModuleOp module);

  OwningOpRef<ModuleOp> schedule, planned;
  std::vector<HostTensor> inputs, results;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Levels, MemoryPlanTest, ::testing::Values(0, 2));

void MemoryPlanTest::makeSchedule(int64_t seed) {
  Random random(seed);
  ops::Graph graph = makeRandomGraph(random);
  inputs.clear();
  for (int32_t input : graph.inputs)
    inputs.push_back(makeRandomTensor(random, graph.nodes[input].type,
                                      graph.nodes[input].shape));
  schedule = llvm::cantFail(emitGraph(context, graph));
  lazy::SchedulePassOptions options;
  options.optLevel = GetParam();
  ASSERT_TRUE(runPass(*schedule, lazy::createSchedulePass(options)));
  ASSERT_TRUE(runPass(*schedule, lazy::createMaterializeBuffersPass()));
  results = llvm::cantFail(interpret(getMain(*schedule), inputs));
  planned = schedule->clone();
  ASSERT_TRUE(runPass(*planned, lazy::createPlanMemoryPass()));
}

/// Returns a flat tensor of `tensor`'s memory under the type of `memref`.
static HostTensor flatten(const HostTensor &tensor, Type memref) {
  auto type = cast<MemRefType>(memref);
  return tensor.reinterpret(*lazy::getDType(type.getElementType()),
                            {type.getNumElements()});
}

std::vector<HostTensor> MemoryPlanTest::runPlanned(ModuleOp module) {
  func::FuncOp function = getMain(module);
  std::vector<HostTensor> arguments, outputs;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (index < inputs.size()) {
      arguments.push_back(flatten(llvm::cantFail(inputs[index].clone()), type));
      continue;
    }
    const HostTensor &result = results[index - inputs.size()];
    outputs.push_back(llvm::cantFail(
        HostTensor::create(result.getType(), result.getShape())));
    arguments.push_back(flatten(outputs.back(), type));
  }
  llvm::cantFail(interpret(function, arguments));
  return outputs;
}

static bool areEqual(const std::vector<HostTensor> &left,
                     const std::vector<HostTensor> &right) {
  for (auto [x, y] : llvm::zip_equal(left, right))
    if (std::memcmp(x.getData(), y.getData(),
                    static_cast<size_t>(x.getNumBytes())) != 0)
      return false;
  return true;
}

static int64_t getNumBytes(Type type) {
  auto shaped = cast<ShapedType>(type);
  return shaped.getNumElements() *
         getByteWidth(*lazy::getDType(shaped.getElementType()));
}

/// Returns the most bytes of the values that live at once in a schedule on
/// tensors, each from its kernel to its last user. Results are not counted.
static int64_t computeLiveBytes(func::FuncOp function) {
  Block &block = function.getBody().front();
  int64_t most = 0;
  for (Operation &now : block) {
    int64_t bytes = 0;
    for (Operation &op : block) {
      bool isResult =
          llvm::any_of(op.getUsers(), llvm::IsaPred<func::ReturnOp>);
      if (!isa<lazy::KernelOp>(op) || isResult || now.isBeforeInBlock(&op))
        continue;
      if (&op == &now || llvm::any_of(op.getUsers(), [&](Operation *user) {
            return user == &now || now.isBeforeInBlock(user);
          }))
        bytes += getNumBytes(op.getResult(0).getType());
    }
    most = std::max(most, bytes);
  }
  return most;
}

/// Returns the most bytes that are allocated at once, found by trying each
/// place.
static int64_t computeAllocatedBytes(func::FuncOp function) {
  int64_t most = 0;
  for (Operation &now : function.getBody().front()) {
    int64_t bytes = 0;
    for (auto alloc : function.getBody().getOps<memref::AllocOp>())
      for (Operation *user : alloc->getUsers())
        if (isa<memref::DeallocOp>(user) && !now.isBeforeInBlock(alloc) &&
            now.isBeforeInBlock(user))
          bytes += getNumBytes(alloc.getType());
    most = std::max(most, bytes);
  }
  return most;
}

TEST_P(MemoryPlanTest, keepsValuesAndTakesNoMoreThanWhatLives) {
  int64_t allLive = 0, allAllocated = 0;
  for (int64_t seed = 1; seed <= 150; ++seed) {
    makeSchedule(seed);
    ASSERT_TRUE(isVerified(*planned)) << seed;
    EXPECT_TRUE(areEqual(runPlanned(*planned), results)) << seed;
    func::FuncOp function = getMain(*planned);
    int64_t allocated = computeAllocatedBytes(function);
    int64_t live = computeLiveBytes(getMain(*schedule));
    EXPECT_EQ(
        function->getAttrOfType<IntegerAttr>(lazy::peakBytesAttrName).getInt(),
        allocated)
        << seed;
    EXPECT_LE(allocated, live) << seed;
    allLive += live;
    allAllocated += allocated;
  }
  // Sharing is worth something where there are many kernels.
  if (GetParam() == 0)
    EXPECT_LT(allAllocated * 10, allLive * 9);
}

TEST_P(MemoryPlanTest, changesOfOrderAreFoundOrHarmless) {
  int numFound = 0, numHarmless = 0;
  for (int64_t seed = 1; seed <= 60; ++seed) {
    makeSchedule(seed);
    size_t numOps = getMain(*planned).getBody().front().getOperations().size();
    for (size_t i = 0; i + 2 < numOps; ++i) {
      OwningOpRef<ModuleOp> broken = planned->clone();
      auto first = std::next(getMain(*broken).getBody().front().begin(), i);
      Operation *second = first->getNextNode();
      // A value must be defined before its uses in any order.
      if (llvm::is_contained(second->getOperands(),
                             isa<memref::AllocOp>(*first)
                                 ? Value(first->getResult(0))
                                 : Value()))
        continue;
      second->moveBefore(&*first);
      if (!isVerified(*broken)) {
        ++numFound;
        continue;
      }
      ++numHarmless;
      EXPECT_TRUE(areEqual(runPlanned(*broken), results))
          << "seed " << seed << ", operation " << i;
    }
  }
  EXPECT_GT(numFound, 10);
  EXPECT_GT(numHarmless, 10);
}
