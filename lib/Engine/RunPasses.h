//===- RunPasses.h - Passes that can be stopped and replayed ----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_ENGINE_RUNPASSES_H
#define TINYGRAD_LIB_ENGINE_RUNPASSES_H

#include "tinygrad/Engine/Engine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/Error.h"

#include <stop_token>
#include <string>

namespace tinygrad::engine {

/// How passes run, whatever they are.
struct RunPassesOptions {
  /// No pass begins after a stop was requested.
  std::stop_token stop;
  /// Where the module and the pipeline go that failed; empty: nowhere.
  std::string reproducerDirectory;
  /// Verify the module after each pass.
  bool verify = false;
  /// As Engine::Options::onCode; may be empty.
  std::function<void(const CodeRecord &)> onCode;
};

/// Returns the error of a compilation that was stopped.
llvm::Error makeCancelledError();

/// Runs the passes that `build` adds on `module`. Fails with the diagnostics of
/// the pass that failed, or with "failed to `what`" where it left none; a note
/// names the file that `tinygrad-opt --run-reproducer` replays.
llvm::Error runPasses(mlir::ModuleOp module, llvm::StringRef what,
                      llvm::function_ref<void(mlir::OpPassManager &)> build,
                      const RunPassesOptions &options);

} // namespace tinygrad::engine

#endif // TINYGRAD_LIB_ENGINE_RUNPASSES_H
