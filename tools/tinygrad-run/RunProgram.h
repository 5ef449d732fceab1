//===- RunProgram.h - Run a function of a file on data - h ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_RUN_RUNPROGRAM_H
#define TINYGRAD_TOOLS_TINYGRAD_RUN_RUNPROGRAM_H

#include "tinygrad/Engine/Engine.h"

#include "llvm/Support/raw_ostream.h"

namespace tinygrad {

/// What tinygrad-run is asked for.
struct RunOptions {
  std::string program;
  std::string entry;
  /// Paths of .npy files, in the order of arguments and of results.
  std::vector<std::string> inputs, outputs;
  bool printKernels = false;
  engine::Engine::Options engine;
  /// The values of variables, as in "i=3".
  std::vector<std::string> variables = {};
};

/// Runs the program. Without outputs the results are printed to `stream`.
/// Nothing is written before all results are there.
llvm::Error runProgram(const RunOptions &options, llvm::raw_ostream &stream);

} // namespace tinygrad

#endif // TINYGRAD_TOOLS_TINYGRAD_RUN_RUNPROGRAM_H
