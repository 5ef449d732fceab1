//===- tinygrad-run.cpp - Run a program of lazy operations - c ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Tools.h"
#include "RunProgram.h"
#include "tinygrad/Engine/RunTable.h"

#include "tinygrad/Engine/Environment.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

#include <cstdlib>

using namespace tinygrad;
namespace cl = llvm::cl;

/// Reads the command line. Ends the program where it is not valid, and fails
/// where the environment is not.
static llvm::Expected<RunOptions> parseOptions(int argc, char **argv) {
  cl::OptionCategory category("tinygrad-run options");
  cl::opt<std::string> program(cl::Positional, cl::Required,
                               cl::desc("<program.mlir>"), cl::cat(category));
  cl::opt<std::string> entry("entry", cl::desc("The function to run"),
                             cl::value_desc("name"), cl::init("main"),
                             cl::cat(category));
  cl::list<std::string> inputs("input",
                               cl::desc("The data of the next argument"),
                               cl::value_desc("file.npy"), cl::cat(category));
  cl::list<std::string> outputs(
      "output",
      cl::desc("Where the next result goes; without any, all are printed"),
      cl::value_desc("file.npy"), cl::cat(category));
  cl::list<std::string> variables("bind", cl::desc("The value of a variable"),
                                  cl::value_desc("name=number"),
                                  cl::cat(category));
  cl::opt<std::string> device("device", cl::desc("CPU or INTERP"),
                              cl::value_desc("name"), cl::init("CPU"),
                              cl::cat(category));
  cl::opt<int> optLevel("opt-level", cl::desc("The level of fusion, 0 to 4"),
                        cl::init(2), cl::cat(category));
  cl::opt<int> threads("threads",
                       cl::desc("Threads that run kernels; 0: one per core"),
                       cl::init(0), cl::cat(category));
  cl::opt<bool> printKernels("print-kernels",
                             cl::desc("List the kernels that ran"),
                             cl::cat(category));
  cl::opt<unsigned> debug(
      "debug",
      cl::desc("From 2 on a table of the kernels that ran, from 4 on the code "
               "of what is compiled go to stderr (by default $TINYGRAD_DEBUG)"),
      cl::value_desc("level"), cl::init(0), cl::cat(category));
  const char *reproducerDirectory = std::getenv("TINYGRAD_REPRODUCER_DIR");
  cl::opt<std::string> reproducers(
      "reproducers",
      cl::desc("Where a pipeline that fails is kept (by default "
               "$TINYGRAD_REPRODUCER_DIR)"),
      cl::value_desc("folder"),
      cl::init(reproducerDirectory ? reproducerDirectory : ""),
      cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Runs a function of lazy operations on data\n");
  if (debug.getNumOccurrences() == 0) {
    llvm::Expected<int> level =
        engine::readNumber(std::getenv, "TINYGRAD_DEBUG", 0, 9);
    if (!level)
      return level.takeError();
    debug = static_cast<unsigned>(*level);
  }
  RunOptions options{program, entry, inputs, outputs, printKernels, {}};
  options.variables = variables;
  options.engine.device = device;
  options.engine.optLevel = optLevel;
  options.engine.numThreads = threads;
  options.engine.profile = printKernels;
  if (debug >= 2)
    options.engine.onRun = [](const engine::RunRecord &record) {
      engine::printRunTable(llvm::errs(), record, 1);
    };
  if (debug >= 4)
    options.engine.onCode = [](const engine::CodeRecord &record) {
      // At once: several threads may compile.
      llvm::errs() << "kernel " + record.kernel + ", " + record.stage + ":\n" +
                          record.text;
    };
  options.engine.cacheDirectory = engine::chooseCacheDirectory(std::getenv);
  options.engine.reproducerDirectory = reproducers;
  return options;
}

int tinygrad::tools::run(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  const char *noColor = std::getenv("NO_COLOR");
  llvm::errs().enable_colors(llvm::errs().is_displayed() &&
                             !(noColor && *noColor));
  llvm::Expected<RunOptions> options = parseOptions(argc, argv);
  llvm::Error error =
      options ? runProgram(*options, llvm::outs()) : options.takeError();
  if (!error)
    return 0;
  std::string text = llvm::toString(std::move(error));
  // The compiler's diagnostics say themselves that they are errors.
  bool isDiagnostic =
      llvm::StringRef(text).split('\n').first.contains(": error: ");
  llvm::errs() << (isDiagnostic ? "" : "error: ") << text << '\n';
  return 1;
}
