//===- CheckSchedule.cpp - Judges kernels of schedule.jsonl ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckSchedule.h"
#include "CompareTrees.h"
#include "GoldenProgram.h"
#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::golden;

static std::optional<int64_t>
getCount(const std::optional<KernelCounts> &counts, const std::string &level) {
  if (!counts)
    return std::nullopt;
  auto found = counts->find(level);
  return found == counts->end() ? std::nullopt : found->second;
}

/// Compares the kernels of the scheduled program. Variants without kernels of
/// their own have those of the first.
static Outcome checkTrees(GoldenProgram &program, const ScheduleRow &row,
                          const ScheduleVariant &variant,
                          const std::string &level) {
  const ScheduleVariant &first = row.variants.front();
  const auto &items = variant.items ? variant.items : first.items;
  const auto &outputs = variant.outputs ? variant.outputs : first.outputs;
  if (!items || !items->count(level))
    return {};
  std::string difference =
      compareTrees(program, items->at(level),
                   outputs.value_or(std::map<std::string, OutputPlace>()));
  return difference.empty() ? Outcome() : Outcome::fail(difference);
}

/// The options of lazy-schedule that switch a rule.
static constexpr std::pair<llvm::StringLiteral,
                           bool lazy::SchedulePassOptions::*>
    ruleOptions[] = {
        {"remove-movement-nops",
         &lazy::SchedulePassOptions::removeMovementNops},
        {"merge-elementwise-into-reduce",
         &lazy::SchedulePassOptions::mergeElementwiseIntoReduce},
        {"shuffle-movement-ops",
         &lazy::SchedulePassOptions::shuffleMovementOps},
        {"merge-elementwise-ops",
         &lazy::SchedulePassOptions::mergeElementwiseOps},
        {"merge-one-reduce-into-elementwise",
         &lazy::SchedulePassOptions::mergeOneReduceIntoElementwise},
        {"shuffle-pad-ops", &lazy::SchedulePassOptions::shufflePadOps},
        {"push-permutes", &lazy::SchedulePassOptions::pushPermutes},
        {"push-contiguous", &lazy::SchedulePassOptions::pushContiguous},
        {"push-reshapes", &lazy::SchedulePassOptions::pushReshapes}};

bool golden::isRuleOption(llvm::StringRef name) {
  return llvm::any_of(ruleOptions,
                      [&](const auto &option) { return option.first == name; });
}

static Outcome checkLevel(const ScheduleRow &row, int opt, Liveness liveness,
                          const ScheduleChecks &checks) {
  const ScheduleVariant &variant = row.variants[static_cast<int>(liveness)];
  std::string level = std::to_string(opt);
  std::optional<int64_t> expected = getCount(variant.kernels, level);
  if (!expected)
    return Outcome::skip("the reference has no count");
  if (row.kernelsBefore && liveness != Liveness::Dropped)
    return Outcome::skip("`pre_kernels` are of the variant `dropped`");

  DialectRegistry registry;
  registry.insert<lazy::LazyDialect, func::FuncDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostics.empty())
      diagnostics = diagnostic.str();
    return success();
  });
  Outcome outcome;
  std::optional<GoldenProgram> program =
      buildProgram(&context, row, liveness, Purpose::Schedule, outcome);
  if (!program)
    return outcome;
  if (failed(verify(*program->module)))
    return Outcome::fail("program: " + diagnostics);

  PassManager manager(&context);
  lazy::SchedulePassOptions options;
  options.optLevel = opt;
  for (auto [name, field] : ruleOptions)
    options.*field = name != checks.without;
  options.liveness = liveness == Liveness::Kept ? "kept" : "dropped";
  manager.addNestedPass<func::FuncOp>(lazy::createSchedulePass(options));
  if (failed(manager.run(*program->module)))
    return Outcome::fail("lazy-schedule: " + diagnostics);
  if (checks.printIR) {
    llvm::outs() << "// " << row.name << " level " << opt << "\n";
    program->module->print(llvm::outs());
  }

  auto kernels = program->function.getOps<lazy::KernelOp>();
  int64_t count = std::distance(kernels.begin(), kernels.end());
  *expected += getCount(row.kernelsBefore, level).value_or(0);
  if (count != *expected) {
    std::string text = lazy::formatCount(count, "kernel") + " instead of " +
                       std::to_string(*expected);
    return row.isReferenceWrong
               ? Outcome::skip("the reference is wrong: " + text)
               : Outcome::fail(text);
  }
  // The trees are those of the outputs alone.
  if (!checks.trees || opt != 2 || row.kernelsBefore || row.isReferenceWrong)
    return {};
  return checkTrees(*program, row, variant, level);
}

Outcome golden::checkSchedule(const ScheduleRow &row,
                              const ScheduleChecks &checks) {
  static constexpr const char *names[] = {"dropped", "kept", "traced"};
  bool anyPassed = false;
  Outcome skipped;
  for (Liveness liveness : checks.livenesses)
    for (int level : checks.levels) {
      Outcome outcome = checkLevel(row, level, liveness, checks);
      outcome.reason = std::string(names[static_cast<int>(liveness)]) +
                       " at level " + std::to_string(level) + ": " +
                       outcome.reason;
      if (outcome.kind == Outcome::Failed)
        return outcome;
      anyPassed |= outcome.kind == Outcome::Passed;
      if (outcome.kind == Outcome::Skipped && skipped.reason.empty())
        skipped = outcome;
    }
  return anyPassed ? Outcome() : skipped;
}
