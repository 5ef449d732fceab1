//===- OpenCLTarget.h - SPIR-V for OpenCL -----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns LLVM modules into SPIR-V for OpenCL's devices. No MLIR header.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_OPENCLTARGET_H
#define TINYGRAD_TARGET_OPENCLTARGET_H

#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
class Module;
} // namespace llvm

namespace tinygrad::target {

/// Compiles `module`, whose kernels have the calling convention `spir_kernel`,
/// into SPIR-V 1.2: a binary, or its text where `asText` is true. The module is
/// changed: it gets the target's triple and data layout. It is not optimized,
/// since the driver does that, and since optimized code may have types that
/// SPIR-V lacks. A product and a sum are never contracted.
///
/// Fails if the module is not valid, or names another target. LLVM ends the
/// process on some valid IR, such as arithmetic on bf16: the pipeline
/// `tinygrad-to-spirv` makes none.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileToSPIRV(llvm::Module &module, bool asText = false);

} // namespace tinygrad::target

#endif // TINYGRAD_TARGET_OPENCLTARGET_H
