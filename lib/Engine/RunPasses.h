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

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace tinygrad::engine {

/// Stops one compilation on all of its threads, and knows how far it is.
class CompileStop {
public:
  /// On the thread that compiles. `watch` may be null.
  CompileStop(std::stop_token token, Watch *watch)
      : token(std::move(token)), watch(watch),
        thread(std::this_thread::get_id()) {}

  bool isPossible() const { return watch || token.stop_possible(); }
  /// Returns true if a stop was requested; the thread that compiles asks.
  bool isRequested();
  /// Says that `count` kernels are to be compiled, and that one is done.
  void beginKernels(int64_t count) { total = count; }
  void finishKernel() { done.fetch_add(1, std::memory_order_relaxed); }

private:
  const std::stop_token token;
  Watch *const watch;
  const std::thread::id thread;
  int64_t total = 0;
  std::atomic<int64_t> done = 0;
  std::atomic<bool> isStopped = false;
};

/// How passes run, whatever they are.
struct RunPassesOptions {
  /// No pass begins after a stop was requested; null where there is none.
  CompileStop *stop = nullptr;
  /// Where the module and the pipeline go that failed; empty: nowhere.
  std::string reproducerDirectory;
  /// Verify the module after each pass.
  bool verify = false;
  /// As Engine::Options::onCode; may be empty.
  std::function<void(const CodeRecord &)> onCode;

  bool isStopRequested() const { return stop && stop->isRequested(); }
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
