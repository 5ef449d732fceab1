//===- Module.h - The compiler as a library ---------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs as MLIR: read from text or made from tensors, taken through
// pipelines of passes, printed at any stage, and run.
//
//   Module module = Module::parse(text);
//   std::cout << module.run("tinygrad-schedule").print();
//   Tensor y = module.compile()({x, w})[0];
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_MODULE_H
#define TINYGRAD_TENSOR_MODULE_H

#include "tinygrad/Ops/FunctionRecord.h"
#include "tinygrad/Tensor/Tensor.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tinygrad {

namespace engine {
class Executable;
class IRModule;
} // namespace engine

/// One diagnostic of the compiler.
struct Diagnostic {
  /// "error", "warning", "remark" or "note".
  std::string severity;
  /// The file, and the place in it from 1 on; empty and 0 where not known.
  std::string file;
  int64_t line = 0, column = 0;
  std::string message;
};

/// Reads the text of Error::getCompilerText. Lines that begin no diagnostic
/// belong to the one before; what comes before the first one is an error.
std::vector<Diagnostic> parseDiagnostics(const std::string &compilerText);

/// A function of a module that is compiled. It may be called from several
/// threads.
class CompiledFunction {
public:
  /// What an input or a result must be.
  struct Value {
    DType type;
    /// The largest it may be, where it depends on variables.
    Shape shape;
    /// Empty for the context's device.
    std::string device;
  };

  /// Runs the function, and returns its results. Tensors are values: an input
  /// that the function overwrites is copied first, and no result shares the
  /// memory of one that others know. `variables` has a value for each variable
  /// of the function.
  /// Errors: throws Error if inputs are too few or too many, or of another
  /// shape, type or device, if a variable has no value within its bounds, while
  /// a step is captured, and what the run says.
  std::vector<Tensor>
  operator()(const std::vector<Tensor> &inputs,
             const std::map<std::string, int64_t> &variables = {}) const;

  std::vector<Value> getInputs() const;
  std::vector<Value> getResults() const;
  /// The names of the variables.
  std::vector<std::string> getVariables() const;
  /// The kernels in the order in which they run.
  std::vector<Context::KernelSummary> getKernels() const;

private:
  friend class Module;
  CompiledFunction() = default;

  ContextRef context;
  std::shared_ptr<engine::Executable> executable;
  std::vector<int> overwritten;
};

/// A module of MLIR, which never changes. Its functions throw an Error with the
/// diagnostics of the compiler (see parseDiagnostics), and may be called from
/// several threads.
class Module {
public:
  /// Parses and verifies text, or bytecode. Diagnostics name it `fileName`.
  static Module parse(const std::string &text,
                      const std::string &fileName = "module.mlir");
  /// Makes a module of one function `main` that computes `results` as they are
  /// not computed yet. Its arguments are `inputs`, which are computed and
  /// differ, and behind them what else the results are computed from. Nothing
  /// runs.
  static Module trace(const std::vector<Tensor> &results,
                      const std::vector<Tensor> &inputs = {});

  /// Returns the text, and with `locations` where each operation comes from.
  std::string print(bool locations = false) const;
  /// Runs a pipeline of passes on a copy, as in "tinygrad-schedule" or
  /// "func.func(lazy-schedule),canonicalize".
  Module run(const std::string &pipeline) const;
  /// Returns a module of the llvm dialect as LLVM IR.
  std::string printLLVMIR() const;
  /// The functions of the module, in order.
  std::vector<ops::FunctionRecord> getFunctions() const;

  /// Compiles a function of lazy operations for the current context.
  CompiledFunction compile(const std::string &name = "main") const;

private:
  explicit Module(std::shared_ptr<const engine::IRModule> impl)
      : impl(std::move(impl)) {}

  std::shared_ptr<const engine::IRModule> impl;
};

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_MODULE_H
