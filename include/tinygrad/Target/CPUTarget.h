//===- CPUTarget.h - The processor that code is made for --------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes a processor to the code generator and to the planner, and turns
// LLVM modules into object files. No MLIR header.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_CPUTARGET_H
#define TINYGRAD_TARGET_CPUTARGET_H

#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
class Module;
} // namespace llvm

namespace tinygrad::target {

/// A processor, in LLVM's words. Two equal values give the same code, so that
/// triple, cpu and features may be part of a cache's key.
struct CPUTarget {
  /// For example "x86_64-pc-linux-gnu".
  std::string triple;
  /// LLVM's name, for example "znver4"; "generic" where it is not known.
  std::string cpu;
  /// LLVM's list, for example "+avx,+avx2,-avx512f"; sorted, may be empty.
  std::string features;
  /// The width of a vector register, 128 at least.
  int vectorBits = 128;
  /// The number of vector registers.
  int numVectorRegisters = 16;
  /// How many fused multiply-adds of full width one core starts per cycle;
  /// 0 where that is not known.
  int numFMAUnits = 0;
  /// True if a fused multiply-add is one instruction; llvm.fma is a slow call
  /// of libm where it is not.
  bool hasFMA = false;

  /// Returns the processor that this process runs on.
  static CPUTarget getHost();
};

/// How compileToObject treats a module.
struct ObjectOptions {
  /// LLVM's -O level, 0 to 3.
  int optLevel = 2;
  /// Let LLVM vectorize loops and straight-line code. Off by default: kernels
  /// are written in explicit vectors.
  bool vectorize = false;
  /// The module comes from kernels, whose loops MLIR has simplified. From level
  /// 1 on a short list of passes then stands for those of the level: the code
  /// is as fast, and the passes take a fifth of the time.
  bool isSimplified = false;
  /// The module went through checkForCodeGenerator already.
  bool isChecked = false;
  /// Emit assembly text in place of an object file.
  bool assembly = false;
};

/// Compiles `module` for `target` into a relocatable, position-independent
/// object file in memory. The module is changed: it is optimized, it gets the
/// target's triple and data layout, and its functions the target's processor
/// and features. A multiply and an add are never contracted (`llvm.fmuladd` is
/// two instructions, `llvm.fma` one), and no fast-math flag is added.
///
/// Fails if the module is not valid, if it names another triple or data layout,
/// if the target is not known, if there is anything in it on which LLVM's code
/// generator might end the process (see checkForCodeGenerator), or with the
/// code generator's own diagnostics. Prints nothing.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileToObject(llvm::Module &module, const CPUTarget &target,
                const ObjectOptions &options = {});

} // namespace tinygrad::target

#endif // TINYGRAD_TARGET_CPUTARGET_H
