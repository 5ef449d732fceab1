//===- KernelCompiler.h - From one kernel to machine code -------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are compiled one by one, each in a context of its own, so that they
// may be compiled in parallel, and a kernel that is needed again is found by
// what it is and not by where it stands.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_ENGINE_KERNELCOMPILER_H
#define TINYGRAD_LIB_ENGINE_KERNELCOMPILER_H

#include "CacheKey.h"
#include "RunPasses.h"
#include "RuntimeSize.h"
#include "tinygrad/Target/CPUTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tinygrad::engine {

/// The name of every kernel, in its source and in its object file.
inline constexpr llvm::StringLiteral kernelSymbol = "kernel";

/// A kernel on its own, free of the context that it was made in.
struct KernelSource {
  /// A module of the function `kernel`, as bytecode with locations.
  std::string bytecode;
  /// The same without locations, after what all keys of kernels begin with.
  CacheKey key;
  /// What the kernel is called where it is from.
  std::string name;
};

/// A compiled kernel.
struct KernelObject {
  /// An object file with the function `kernel`.
  std::string code;
  /// Its variables are those of the kernel, in their order.
  RuntimeSize numTasks = 1;
};

/// Moves the outlined kernel `function` out of its module.
KernelSource takeKernelSource(mlir::func::FuncOp function,
                              const std::string &keyPrefix);

/// Returns `module` as bytecode, and takes the locations out of it on the way
/// if it has to be without.
std::string writeBytecode(mlir::ModuleOp module, bool withLocations);

/// Compiles a kernel for `target`. The result depends on the key alone.
llvm::Expected<KernelObject> compileKernel(const KernelSource &source,
                                           const target::CPUTarget &target,
                                           const RunPassesOptions &options);

/// Gives the stages of a kernel that a cache has, made again of its `bytecode`,
/// to RunPassesOptions::onCode. Nothing where that is empty, or after a stop.
void showKernel(llvm::StringRef bytecode, const std::string &name,
                const target::CPUTarget &target,
                const RunPassesOptions &options);

} // namespace tinygrad::engine

#endif // TINYGRAD_LIB_ENGINE_KERNELCOMPILER_H
