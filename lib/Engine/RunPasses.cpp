//===- RunPasses.cpp - Passes that can be stopped and replayed ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunPasses.h"
#include "CacheKey.h"
#include "tinygrad/Engine/Diagnostics.h"

#include "mlir/IR/Action.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;

llvm::Error engine::makeCancelledError() {
  return llvm::createStringError("cancelled");
}

bool CompileStop::isRequested() {
  if (token.stop_requested())
    return true;
  if (watch && std::this_thread::get_id() == thread) {
    Progress progress;
    if (total)
      progress = {Progress::Stage::Compile, done, total};
    if (watch->ask(progress))
      isStopped = true;
  }
  return isStopped;
}

/// Writes a file with `module` and the pipeline of `manager`; returns its path,
/// or nothing where that fails.
static std::string writeReproducer(ModuleOp module, PassManager &manager,
                                   const RunPassesOptions &options) {
  if (llvm::sys::fs::create_directories(options.reproducerDirectory))
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  manager.printAsTextualPipeline(stream);
  module->print(stream);
  // The same failure has the same name.
  std::string path = options.reproducerDirectory + "/tinygrad-" +
                     CacheKey(std::move(text)).name.substr(0, 16) + ".mlir";
  makeReproducer(manager.getOpAnchorName(), manager.getPasses(), module, path,
                 /*disableThreads=*/true, /*verifyPasses=*/true);
  return llvm::sys::fs::exists(path) ? path : "";
}

llvm::Error engine::runPasses(ModuleOp module, StringRef what,
                              llvm::function_ref<void(OpPassManager &)> build,
                              const RunPassesOptions &options) {
  MLIRContext *context = module.getContext();
  DiagnosticCollector diagnostics(context);
  PassManager manager(context);
  manager.enableVerifier(options.verify);
  build(manager);
  OwningOpRef<ModuleOp> original;
  if (!options.reproducerDirectory.empty())
    original = module.clone();

  // A pass that is left out has not failed: the others are left out, too.
  if (options.stop && options.stop->isPossible())
    context->registerActionHandler(
        [&](llvm::function_ref<void()> run, const tracing::Action &action) {
          if (!isa<PassExecutionAction>(action) || !options.isStopRequested())
            run();
        });
  llvm::scope_exit unregister([&] { context->registerActionHandler(nullptr); });
  bool hasFailed = failed(manager.run(module));
  if (options.isStopRequested())
    return makeCancelledError();
  if (!hasFailed)
    return llvm::Error::success();

  llvm::Error error = diagnostics.takeError(("failed to " + what).str());
  std::string path =
      original ? writeReproducer(*original, manager, options) : "";
  if (path.empty())
    return error;
  return llvm::createStringError(llvm::toString(std::move(error)) +
                                 "\nnote: `tinygrad-opt --run-reproducer " +
                                 path + "` shows this again");
}
