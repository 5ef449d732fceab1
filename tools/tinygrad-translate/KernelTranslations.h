//===- KernelTranslations.h - Kernels as lower stages -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_TRANSLATE_KERNELTRANSLATIONS_H
#define TINYGRAD_TOOLS_TINYGRAD_TRANSLATE_KERNELTRANSLATIONS_H

namespace tinygrad {

/// Registers the translations `--kernel-to-plan`, `--kernel-to-loops`,
/// `--kernel-to-llvmir` and `--kernel-to-asm` of `tinygrad-translate`, with
/// their options. They take a graph, a schedule or kernels, and print what the
/// pipelines of the compiler make of each kernel for the machine that they run
/// on; and `--kernel-to-gpu`, `--kernel-to-ptx`, `--kernel-to-spirv` and
/// `--kernel-to-spirv-text`, for GPUs. `--mlir-to-llvmir` prints the llvm
/// dialect. All refuse text that is nested too deeply for the parser.
void registerTranslations();

} // namespace tinygrad

#endif // TINYGRAD_TOOLS_TINYGRAD_TRANSLATE_KERNELTRANSLATIONS_H
