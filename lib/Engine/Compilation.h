//===- Compilation.h - What the executables are made from - h -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_ENGINE_COMPILATION_H
#define TINYGRAD_LIB_ENGINE_COMPILATION_H

#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.h"
#include "tinygrad/Engine/Engine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <mutex>

namespace tinygrad::engine {

/// The callbacks of an engine. Executables hold the table too: what is
/// registered later counts at the next run.
class CallbackTable {
public:
  void set(const std::string &name, Callback callback);
  bool contains(const std::string &name) const;
  /// Calls the callback `name` outside of the lock, so that it may use the
  /// engine. Fails where there is none, and where it throws.
  llvm::Error call(const std::string &name,
                   std::span<const runtime::BufferRef> buffers) const;

private:
  mutable std::mutex mutex;
  std::map<std::string, Callback> callbacks;
};

/// A verified function of stage 1 in a context of its own.
struct Compilation {
  // The module goes before the context that it lives in.
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
};

/// What an executable runs with.
struct ExecutableOptions {
  runtime::DeviceRef device;
  /// All other devices.
  std::shared_ptr<runtime::DeviceRegistry> devices;
  std::shared_ptr<const CallbackTable> callbacks;
  bool profile = false;
  std::function<void(const RunRecord &)> onRun;

  /// Returns the device that a signature or a slot names.
  llvm::Expected<runtime::DeviceRef> getDevice(const std::string &name) const {
    if (name.empty())
      return device;
    return devices->getDevice(name);
  }
};

/// Returns the device that a signature has for `device`, a name of the dialect.
inline std::string toDeviceName(llvm::StringRef device) {
  return device == lazy::defaultDevice ? std::string() : device.str();
}

/// Returns true if a run is to stop after `done` of `total` kernels.
inline bool isCancelled(const RunControl &control, int64_t done = 0,
                        int64_t total = 0) {
  return control.stop.stop_requested() ||
         (control.watch &&
          control.watch->ask({Progress::Stage::Run, done, total}));
}

/// Returns the error of a run that was cancelled, if it was.
inline llvm::Error checkCancelled(const RunControl &control) {
  if (isCancelled(control))
    return llvm::createStringError("cancelled");
  return llvm::Error::success();
}

/// Tells who runs an executable that it calls a callback.
inline void noteCallback(const RunControl &control) {
  if (control.hasCalledBack)
    *control.hasCalledBack = true;
}

/// Returns the signatures of the inputs of `function`, and those of its
/// results. Fails where one is no tensor of the dialect.
llvm::Expected<std::vector<Signature>>
getInputSignatures(mlir::func::FuncOp function);
llvm::Expected<std::vector<Signature>>
getOutputSignatures(mlir::func::FuncOp function);

/// Returns the variables that arguments of `function` bind.
std::vector<Variable> getVariables(mlir::func::FuncOp function);

/// For each result of `function` the number of the input whose buffer it is, or
/// -1: an input that is returned as it is and not overwritten, or one to all of
/// which the result is assigned, and nothing after that. An input is an
/// argument that binds no variable.
std::vector<int> getReturnedArguments(mlir::func::FuncOp function);

/// Checks that each `lazy.custom` of `function` has its callback.
llvm::Error checkCallbacks(mlir::func::FuncOp function,
                           const CallbackTable &callbacks);

/// Checks the values of a run against the variables of `executable`, and its
/// buffers against the signatures.
llvm::Error checkInputs(const Executable &executable,
                        std::span<const runtime::BufferRef> inputs,
                        const ExecutableOptions &options,
                        const RunControl &control);

/// Returns the steps of `function`, which `lazy-schedule` made of `graph`.
std::vector<ops::ScheduleRecord> readRecords(mlir::func::FuncOp function,
                                             const ops::Graph &graph);

/// Makes an executable that interprets the function.
llvm::Expected<std::shared_ptr<Executable>>
makeInterpreterExecutable(Compilation compilation,
                          const ExecutableOptions &options);

} // namespace tinygrad::engine

#endif // TINYGRAD_LIB_ENGINE_COMPILATION_H
