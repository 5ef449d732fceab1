//===- Interpreter.h - Run a function without generating code - -*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle of differential tests: it computes each operation by itself, with
// the scalar semantics of Ops/, on whole tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_ENGINE_INTERPRETER_H
#define TINYGRAD_ENGINE_INTERPRETER_H

#include "tinygrad/Engine/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/Error.h"

#include <functional>
#include <vector>

namespace tinygrad::engine {

/// Computes a `lazy.custom`: reads `operands`, sets every element of `result`.
using InterpreterCallback = std::function<llvm::Error(
    llvm::StringRef name, llvm::ArrayRef<HostTensor> operands,
    const HostTensor &result)>;

/// Sets the elements of a `lazy.empty` on `device`, which is not the default
/// one.
using InterpreterFiller = std::function<llvm::Error(llvm::StringRef device,
                                                    const HostTensor &result)>;

/// Runs `function` on `arguments` and returns its results.
///
/// It takes a function of stage 1, and of stage 2 in both forms: kernels on
/// tensors, and kernels on flat memrefs with allocations, frees, and calls of
/// functions that hold a kernel. An argument is changed only where the function
/// writes a memref; a result may share the memory of an argument. Elements of
/// `lazy.empty`, if `filler` sets none, and of allocations are 0. Devices of
/// values mean nothing else. Sums of f16 and bf16 are kept in f32
/// and rounded once; all sums are added in row-major order.
///
/// Fails at the location of an operation that it does not know, and where
/// arguments do not have the function's types (a memref of i8 also takes bools,
/// one of signless integers also unsigned ones). Reads the IR only, so that
/// several threads may run one function. Ends with the error of
/// `checkCancelled`, which is asked before each operation, where it gives one.
llvm::Expected<std::vector<HostTensor>>
interpret(mlir::func::FuncOp function, llvm::ArrayRef<HostTensor> arguments,
          const InterpreterCallback &callback = {},
          const InterpreterFiller &filler = {},
          const std::function<llvm::Error()> &checkCancelled = {});

} // namespace tinygrad::engine

#endif // TINYGRAD_ENGINE_INTERPRETER_H
