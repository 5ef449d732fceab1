//===- ScheduleMutationTest.cpp - Schedules that are wrong - c ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules of golden programs, and of programs that assign, are changed at
// random. `lazy-verify-schedule` must refuse each change after which a run
// leaves other values in an argument, and accept what the pipeline makes.
//
//===----------------------------------------------------------------------===//

#include "../../tools/tinygrad-golden-check/GoldenProgram.h"
#include "PassRunner.h"
#include "RandomGraph.h"
#include "ScheduleMutations.h"
#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Engine/Interpreter.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <cstring>
#include <map>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

namespace {

class ScheduleMutationTest : public ::testing::Test, protected PassRunner {
protected:
  ScheduleMutationTest() { context.loadAllAvailableDialects(); }

  /// Makes a schedule on memory of `module`.
  bool plan(ModuleOp module, int level) {
    lazy::SchedulePassOptions options;
    options.optLevel = level;
    return runPass(module, lazy::createSchedulePass(options)) &&
           runPass(module, lazy::createMaterializeBuffersPass()) &&
           runPass(module, lazy::createPlanMemoryPass());
  }

  /// Changes `planned` in `count` ways, each from its first form.
  void mutate(ModuleOp planned, const std::string &name, int count);

  Random random{1};
  llvm::ArrayRef<ScheduleMutation> mutations = getScheduleMutations();
  int numFound = 0, numHarmless = 0;
  std::map<std::string, std::pair<int, int>> kinds;
};

} // namespace

static Block &getBlock(ModuleOp module) {
  return (*module.getOps<func::FuncOp>().begin()).getBody().front();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Reads conformance/golden/schedule.jsonl.
static std::vector<golden::ScheduleRow> readRows() {
  auto file = llvm::MemoryBuffer::getFile(TINYGRAD_SOURCE_DIR
                                          "/conformance/golden/schedule.jsonl");
  std::vector<golden::ScheduleRow> rows;
  EXPECT_TRUE(bool(file));
  if (!file)
    return rows;
  for (llvm::line_iterator line(**file); !line.is_at_eof(); ++line)
    rows.push_back(
        llvm::cantFail(llvm::json::parse<golden::ScheduleRow>(*line)));
  return rows;
}

/// Programs whose memory is written more than once, is read before it is
/// written, or is one of a symbolic size.
static const char *const programs[] = {
    R"(func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
      %0 = lazy.assign %a, %b : tensor<4xf32>
      %1 = lazy.add %0, %b : tensor<4xf32>
      %2 = lazy.assign %b, %1 : tensor<4xf32>
      %3 = lazy.mul %2, %0 : tensor<4xf32>
      return %3 : tensor<4xf32>
    })",
    // A swap.
    R"(func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) {
      %0 = lazy.assign %a, %b : tensor<4xf32>
      %1 = lazy.assign %b, %a : tensor<4xf32>
      return
    })",
    // Parts, and readers in between.
    R"(func.func @main(%x: tensor<8xf32>, %v: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
      %old = lazy.neg %x : tensor<8xf32>
      %left = lazy.shrink %x begin [0] end [4] : tensor<8xf32> -> tensor<4xf32>
      %right = lazy.shrink %x begin [4] end [8] : tensor<8xf32> -> tensor<4xf32>
      %sum = lazy.add %left, %right : tensor<4xf32>
      %0 = lazy.assign %left, %v : tensor<4xf32>
      %1 = lazy.assign %right, %sum : tensor<4xf32>
      %2 = lazy.add %0, %1 : tensor<4xf32>
      return %old, %2 : tensor<8xf32>, tensor<4xf32>
    })",
    // Overlapping views.
    R"(func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %to = lazy.shrink %x begin [1] end [8] : tensor<8xf32> -> tensor<7xf32>
      %from = lazy.shrink %x begin [0] end [7] : tensor<8xf32> -> tensor<7xf32>
      %twice = lazy.add %from, %from : tensor<7xf32>
      %0 = lazy.assign %to, %twice : tensor<7xf32>
      %flipped = lazy.stride %x [-1] : tensor<8xf32> -> tensor<8xf32>
      return %flipped : tensor<8xf32>
    })",
    // Callbacks that remember.
    R"(func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %0 = lazy.custom "f"(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = lazy.custom "f"(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %2 = lazy.sub %0, %1 : tensor<4xf32>
      %3 = lazy.custom "g"(%2, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %4 = lazy.add %3, %0 : tensor<4xf32>
      return %4, %2 : tensor<4xf32>, tensor<4xf32>
    })",
    // Devices.
    R"(!host = tensor<4xf32, #lazy.type<device = "HOST">>
    func.func @main(%x: !host, %y: tensor<4xf32>) -> (!host, !host) {
      %0 = lazy.copy %x : !host -> tensor<4xf32>
      %1 = lazy.sub %0, %y : tensor<4xf32>
      %2 = lazy.copy %1 : tensor<4xf32> -> !host
      %3 = lazy.sub %y, %0 : tensor<4xf32>
      %4 = lazy.copy %3 : tensor<4xf32> -> !host
      return %2, %4 : !host, !host
    })",
    // Sizes that are expressions.
    R"(#i = #lazy.variable<i, 1, 8>
    #j = #lazy.variable<j, 1, 8>
    !x = tensor<?xf32, #lazy.type<dims = [#i]>>
    !y = tensor<?xf32, #lazy.type<dims = [#j]>>
    func.func @main(%n: index {lazy.variable = #i}, %m: index {lazy.variable = #j}, %x: !x, %y: !y) -> (!x, !y) {
      %0 = lazy.neg %x : !x
      %1 = lazy.reduce_sum %0 : !x -> tensor<1xf32>
      %2 = lazy.reduce_sum %y : !y -> tensor<1xf32>
      %3 = lazy.add %1, %2 : tensor<1xf32>
      %4 = lazy.expand %3 : tensor<1xf32> -> !x
      %5 = lazy.sub %0, %4 : !x
      %6 = lazy.expand %3 : tensor<1xf32> -> !y
      %7 = lazy.mul %6, %y : !y
      return %5, %7 : !x, !y
    })",
};

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Fills the result from the operands and from how often it was called.
static InterpreterCallback makeCallback(int &numCalls) {
  return [&numCalls](llvm::StringRef name, llvm::ArrayRef<HostTensor> operands,
                     const HostTensor &result) {
    double sum = ++numCalls * 10 + name.back();
    for (const HostTensor &operand : operands)
      for (int64_t i = 0; i < operand.getNumElements(); ++i)
        sum = sum * 0.5 + operand.get(i).toDouble();
    for (int64_t i = 0; i < result.getNumElements(); ++i)
      result.set(i, ops::cast(ops::Scalar::fromDouble(DType::Float64, sum + i),
                              result.getType()));
    return llvm::Error::success();
  };
}

/// Returns what the arguments hold after a run, or nothing where it fails.
static std::optional<std::vector<HostTensor>> runPlanned(ModuleOp module) {
  auto function = *module.getOps<func::FuncOp>().begin();
  std::vector<HostTensor> arguments;
  constexpr int64_t size = 5;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (type.isIndex()) {
      arguments.push_back(makeTensor(DType::Int64, {}, {size}));
      continue;
    }
    auto memref = cast<MemRefType>(type);
    Random random(index);
    arguments.push_back(makeRandomTensor(
        random, *lazy::getDType(memref.getElementType()),
        {memref.hasStaticShape() ? memref.getNumElements() : size}));
  }
  int numCalls = 0;
  auto done = interpret(function, arguments, makeCallback(numCalls));
  if (done)
    return arguments;
  llvm::consumeError(done.takeError());
  return std::nullopt;
}

static bool areEqual(const std::vector<HostTensor> &left,
                     const std::vector<HostTensor> &right) {
  for (auto [x, y] : llvm::zip_equal(left, right))
    if (std::memcmp(x.getData(), y.getData(),
                    static_cast<size_t>(x.getNumBytes())) != 0)
      return false;
  return true;
}

void ScheduleMutationTest::mutate(ModuleOp planned, const std::string &name,
                                  int count) {
  // A peak tells of many changes; it is not what is tested here.
  (*planned.getOps<func::FuncOp>().begin())
      ->removeAttr(lazy::peakBytesAttrName);
  ASSERT_TRUE(isVerified(planned)) << name;
  std::optional<std::vector<HostTensor>> expected = runPlanned(planned);
  ASSERT_TRUE(expected) << name;
  for (int i = 0; i < count; ++i) {
    OwningOpRef<ModuleOp> broken = planned.clone();
    const ScheduleMutation &mutation =
        mutations[random.below(mutations.size())];
    if (!mutation.apply(random, getBlock(*broken)))
      continue;
    bool isValid;
    {
      ScopedDiagnosticHandler handler(&context, [](Diagnostic &) {});
      isValid = succeeded(mlir::verify(*broken));
    }
    if (!isValid)
      continue;
    auto &[found, harmless] = kinds[mutation.name];
    if (!isVerified(*broken)) {
      ++found;
      ++numFound;
      continue;
    }
    ++harmless;
    ++numHarmless;
    auto actual = runPlanned(*broken);
    if (actual && areEqual(*actual, *expected))
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << *broken;
    ADD_FAILURE() << name << ": " << mutation.name
                  << " is accepted and changes values\n"
                  << text;
  }
}

TEST_F(ScheduleMutationTest, refusesWhatChangesValues) {
  int numPrograms = 0;
  for (const golden::ScheduleRow &row : readRows()) {
    int64_t numElements = 0;
    for (const golden::ProgramOp &op : row.program)
      if (!op.shape.empty())
        numElements += *ops::getNumElements(op.shape);
    if (numElements > 500 || row.program.size() < 6)
      continue;
    golden::Outcome outcome;
    auto program =
        golden::buildProgram(&context, row, golden::Liveness::Dropped,
                             golden::Purpose::Schedule, outcome);
    if (!program)
      continue;
    ++numPrograms;
    for (int level : {0, 2}) {
      OwningOpRef<ModuleOp> planned = program->module->clone();
      ASSERT_TRUE(plan(*planned, level)) << row.name;
      mutate(*planned, row.name, 40);
    }
  }
  EXPECT_GT(numPrograms, 24);
  for (const char *text : programs)
    for (int level : {0, 2}) {
      auto planned = parseSourceString<ModuleOp>(text, &context);
      ASSERT_TRUE(planned && plan(*planned, level)) << text;
      mutate(*planned, text, 1000);
    }
  EXPECT_GT(numFound, 10000);
  EXPECT_GT(numHarmless, 1000);
  for (const ScheduleMutation &mutation : mutations)
    EXPECT_GT(kinds[mutation.name].first, 100) << mutation.name;
}

TEST_F(ScheduleMutationTest, acceptsGoldenPrograms) {
  int numAccepted = 0;
  for (const golden::ScheduleRow &row : readRows())
    for (auto liveness : {golden::Liveness::Dropped, golden::Liveness::Kept,
                          golden::Liveness::Traced}) {
      golden::Outcome outcome;
      auto program = golden::buildProgram(&context, row, liveness,
                                          golden::Purpose::Schedule, outcome);
      if (!program)
        continue;
      for (int level = 0; level <= 4; ++level) {
        OwningOpRef<ModuleOp> planned = program->module->clone();
        ASSERT_TRUE(plan(*planned, level)) << row.name << " " << level;
        EXPECT_TRUE(runPass(*planned, lazy::createVerifySchedulePass()))
            << row.name << " at level " << level;
        ++numAccepted;
      }
    }
  EXPECT_GT(numAccepted, 5000);
}
