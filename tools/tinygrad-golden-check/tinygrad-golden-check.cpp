//===- tinygrad-golden-check.cpp - Compare with the reference's schedules -===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompareTrees.h"
#include "GoldenProgram.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::golden;
namespace json = llvm::json;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of tinygrad-golden-check");
static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("<schedule.jsonl>"),
                                      cl::cat(category));
static cl::opt<std::string> level("level", cl::init("all"),
                                  cl::desc("OPT of lazy.py: 0 to 4, or all"),
                                  cl::cat(category));
static cl::opt<Liveness> liveness(
    "liveness", cl::init(Liveness::Dropped), cl::desc("Which values live on:"),
    cl::values(clEnumValN(Liveness::Dropped, "dropped", "none after its use"),
               clEnumValN(Liveness::Kept, "kept", "all"),
               clEnumValN(Liveness::Traced, "traced", "what Python held")),
    cl::cat(category));
static cl::opt<std::string> nameFilter("name", cl::value_desc("substring"),
                                       cl::desc("Only rows with this name"),
                                       cl::cat(category));
static cl::opt<bool> listRows("list", cl::desc("Print each row that differs"),
                              cl::cat(category));
static cl::opt<bool> listSkipped("list-skipped",
                                 cl::desc("Print each row that is skipped"),
                                 cl::cat(category));
static cl::opt<bool> compareKernels("trees",
                                    cl::desc("Compare the kernels at level 2"),
                                    cl::cat(category));
static cl::opt<bool> printIR("print", cl::desc("Print each scheduled program"),
                             cl::cat(category));
static cl::opt<std::string> expectedFailures(
    "expected-failures", cl::value_desc("file"),
    cl::desc("Rows that are known to fail, each with a reason"),
    cl::cat(category));

namespace {

/// What became of one row.
struct Outcome {
  enum { Passed, Failed, Skipped } kind = Passed;
  std::string reason;
};

/// The part of a row's results that one variant of liveness has.
struct Variant {
  const char *kernels, *trees, *outMap;
};

} // namespace

static Variant getVariant() {
  switch (liveness) {
  case Liveness::Dropped:
    return {"kernels", "ast", "out_map"};
  case Liveness::Kept:
    return {"kernels_kept", "ast_kept", "out_map_kept"};
  case Liveness::Traced:
    return {"kernels_traced", "ast_traced", "out_map_traced"};
  }
  llvm_unreachable("unknown liveness");
}

/// Schedules the program of `row` at level `opt`, and compares.
static Outcome checkLevel(const json::Object &row, int opt) {
  Variant variant = getVariant();
  const json::Object *counts = row.getObject(variant.kernels);
  std::string key = std::to_string(opt);
  if (!counts || !counts->getInteger(key))
    return {Outcome::Skipped, "the reference has no count"};

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
  std::string reason;
  std::optional<GoldenProgram> program =
      buildProgram(&context, row, liveness, reason);
  if (!program)
    return {Outcome::Skipped, reason};
  if (failed(verify(*program->module)))
    return {Outcome::Failed, "program: " + diagnostics};

  PassManager manager(&context);
  lazy::SchedulePassOptions options;
  options.optLevel = opt;
  options.liveness = liveness == Liveness::Kept ? "kept" : "dropped";
  manager.addNestedPass<func::FuncOp>(lazy::createSchedulePass(options));
  if (failed(manager.run(*program->module)))
    return {Outcome::Failed, "lazy-schedule: " + diagnostics};
  if (printIR) {
    llvm::outs() << "// " << *row.getString("name") << " level " << opt << "\n";
    program->module->print(llvm::outs());
  }

  auto kernels = program->function.getOps<lazy::KernelOp>();
  int64_t count = std::distance(kernels.begin(), kernels.end());
  int64_t expected = *counts->getInteger(key);
  const json::Object *before = row.getObject("pre_kernels");
  if (before && liveness != Liveness::Dropped)
    return {Outcome::Skipped, "`pre_kernels` are of the variant `dropped`"};
  if (before)
    expected += before->getInteger(key).value_or(0);
  if (count != expected) {
    std::string text = std::to_string(count) + " kernels instead of " +
                       std::to_string(expected);
    // Where the reference computes something else, only values bind.
    if (row.get("reference_values"))
      return {Outcome::Skipped, "the reference is wrong: " + text};
    return {Outcome::Failed, text};
  }
  if (!compareKernels || opt != 2 || before)
    return {};
  // Rows without trees of this variant have those of the main one.
  const json::Object *trees = row.getObject(variant.trees);
  const json::Object *outMap = row.getObject(variant.outMap);
  if (!trees)
    trees = row.getObject("ast");
  if (!outMap)
    outMap = row.getObject("out_map");
  if (row.get("reference_values"))
    return {};
  std::string difference =
      compareTrees(*program, *trees->getArray(key), *outMap);
  return difference.empty() ? Outcome() : Outcome{Outcome::Failed, difference};
}

static Outcome checkRow(const json::Object &row, ArrayRef<int> levels) {
  unsigned numSkipped = 0;
  Outcome result;
  for (int opt : levels) {
    Outcome outcome = checkLevel(row, opt);
    if (outcome.kind == Outcome::Passed)
      continue;
    outcome.reason = "level " + std::to_string(opt) + ": " + outcome.reason;
    if (outcome.kind == Outcome::Failed)
      return outcome;
    ++numSkipped;
    result = outcome;
  }
  // A row of which some levels could be compared has passed.
  return numSkipped == levels.size() ? result : Outcome();
}

/// Reads lines of a name and a reason; `#` starts a comment.
static std::optional<llvm::StringMap<std::string>> readExpectedFailures() {
  llvm::StringMap<std::string> result;
  if (expectedFailures.empty())
    return result;
  auto file = llvm::MemoryBuffer::getFile(expectedFailures);
  if (!file) {
    llvm::errs() << "error: cannot read " << expectedFailures << ": "
                 << file.getError().message() << "\n";
    return std::nullopt;
  }
  for (llvm::line_iterator line(**file, /*SkipBlanks=*/true, '#');
       !line.is_at_end(); ++line) {
    auto [name, reason] = line->split(' ');
    result[name] = reason.trim().str();
  }
  return result;
}

/// Returns the exit code.
static int checkFile(ArrayRef<int> levels) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(inputFile);
  if (!file) {
    llvm::errs() << "error: cannot read " << inputFile << ": "
                 << file.getError().message() << "\n";
    return 2;
  }
  auto known = readExpectedFailures();
  if (!known)
    return 2;
  unsigned counts[3] = {0, 0, 0}, numExpected = 0;
  for (llvm::line_iterator line(**file); !line.is_at_end(); ++line) {
    llvm::Expected<json::Value> parsed = json::parse(*line);
    if (!parsed) {
      llvm::errs() << "error: line " << line.line_number() << ": "
                   << llvm::toString(parsed.takeError()) << "\n";
      return 2;
    }
    const json::Object &row = *parsed->getAsObject();
    StringRef name = *row.getString("name");
    if (!name.contains(nameFilter))
      continue;
    Outcome outcome = checkRow(row, levels);
    auto expected = known->find(name);
    if (expected != known->end() && outcome.kind != Outcome::Skipped) {
      if (outcome.kind == Outcome::Failed) {
        ++numExpected;
        continue;
      }
      outcome = {Outcome::Failed,
                 "passes, but is expected to fail: " + expected->second};
    }
    ++counts[outcome.kind];
    if ((outcome.kind == Outcome::Failed && listRows) ||
        (outcome.kind == Outcome::Skipped && listSkipped))
      llvm::outs() << name << ": " << outcome.reason << "\n";
  }
  if (numExpected)
    llvm::outs() << numExpected << " expected failures\n";
  llvm::outs() << counts[Outcome::Passed] << " passed, "
               << counts[Outcome::Failed] << " failed, "
               << counts[Outcome::Skipped] << " skipped\n";
  return counts[Outcome::Failed] ? 1 : 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compare schedules with those of the reference\n");
  SmallVector<int> levels = {0, 1, 2, 3, 4};
  if (level != "all") {
    levels.resize(1);
    if (StringRef(level).getAsInteger(10, levels[0]) || levels[0] < 0 ||
        levels[0] > 4) {
      llvm::errs() << "error: expects --level from 0 to 4, or all, got "
                   << level << "\n";
      return 2;
    }
  }
  return checkFile(levels);
}
