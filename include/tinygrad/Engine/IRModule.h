//===- IRModule.h - A module without MLIR's headers -------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_ENGINE_IRMODULE_H
#define TINYGRAD_ENGINE_IRMODULE_H

#include "tinygrad/Ops/FunctionRecord.h"
#include "tinygrad/Ops/Graph.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace tinygrad::engine {

class IRModule;
using IRModuleRef = std::shared_ptr<const IRModule>;

/// A verified module, which never changes. Functions may be called from several
/// threads. Errors hold the compiler's diagnostics, one a line, with places.
class IRModule {
public:
  virtual ~IRModule() = default;

  /// Parses and verifies text or bytecode. Diagnostics name it `fileName`.
  static llvm::Expected<IRModuleRef> parse(const std::string &text,
                                           const std::string &fileName);
  /// Makes a module of one function `main` (see EmitGraph.h).
  static llvm::Expected<IRModuleRef> emit(const ops::Graph &graph);

  /// Returns the text, and with `locations` where each operation comes from.
  virtual std::string print(bool locations = false) const = 0;

  /// Runs the passes of a pipeline, as in "tinygrad-schedule" or
  /// "func.func(lazy-schedule),canonicalize", on a copy. Passes on functions
  /// need not be nested. `builtin.module(...)` around all of them is ignored.
  virtual llvm::Expected<IRModuleRef>
  run(const std::string &pipeline) const = 0;

  /// Translates a module of the llvm dialect alone to LLVM IR.
  virtual llvm::Expected<std::string> printLLVMIR() const = 0;

  /// The functions of the module, in order.
  virtual std::vector<ops::FunctionRecord> getFunctions() const = 0;

  /// The numbers of the inputs, variables not counted, that function `name`
  /// overwrites; none where there is no such function.
  virtual std::vector<int>
  getOverwrittenInputs(const std::string &name) const = 0;
};

} // namespace tinygrad::engine

#endif // TINYGRAD_ENGINE_IRMODULE_H
