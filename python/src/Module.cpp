//===- Module.cpp - The extension _tinygrad -------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

using namespace tinygrad::python;
namespace nb = nanobind;

NB_MODULE(_tinygrad, module) {
  module.doc() =
      "The C++ front end of tinygrad-mlir; use tinygrad_mlir instead";
  // Caches and modules of Python live until the interpreter ends, and what is
  // in them: that is no leak, and nothing that a program should print at its
  // end.
  nb::set_leak_warnings(false);
  bindError(module);
  bindDType(module);
  TensorClass tensorClass = bindTensor(module);
  bindOps(tensorClass, module);
  bindIndexing(tensorClass);
  bindCreation(module);
  bindBuffer(module);
  bindDLPack(module);
  bindCompiler(module);
  bindContext(module);
  bindShape(module);
  bindGradient(module);
  bindHostFunction(module);
  bindJit(module);
  bindNN(module);
  bindState(module);
  bindLazy(module);
  bindTools(module);
  bindWorking(module);
  describeFunctions(module);
}
