//===- CUDATarget.h - NVIDIA's processors -----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns LLVM modules into PTX. No MLIR header, and nothing of NVIDIA's toolkit.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_CUDATARGET_H
#define TINYGRAD_TARGET_CUDATARGET_H

#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
class Module;
} // namespace llvm

namespace tinygrad::target {

/// A processor, in LLVM's words.
struct CUDATarget {
  /// For example "sm_90a", Hopper.
  std::string chip = "sm_90a";
  /// The version of PTX, times ten.
  int ptxVersion = 80;
};

/// Compiles `module`, whose kernels have the calling convention `ptx_kernel`,
/// into the text of a PTX module. The module is changed: it is optimized, and
/// it gets the target's triple and data layout. A product and a sum are never
/// contracted, neither here nor by the assembler; divisions and square roots
/// are rounded to the nearest.
///
/// Fails if the module is not valid, or names another target, or if there is no
/// such chip. LLVM ends the process on some valid IR: the pass
/// `check-gpu-support` refuses what kernels may have of it.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileToPTX(llvm::Module &module, const CUDATarget &target = {},
             int optLevel = 2);

} // namespace tinygrad::target

#endif // TINYGRAD_TARGET_CUDATARGET_H
