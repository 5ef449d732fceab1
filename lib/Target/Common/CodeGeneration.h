//===- CodeGeneration.h - What all code generators share --------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TARGET_COMMON_CODEGENERATION_H
#define TINYGRAD_LIB_TARGET_COMMON_CODEGENERATION_H

#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
class Module;
class TargetMachine;
} // namespace llvm

namespace tinygrad::target {

/// Makes an error of one sentence.
llvm::Error makeError(const llvm::Twine &message);

/// Makes the code generator for a processor, in LLVM's words. An empty `cpu` is
/// LLVM's default. The target must be initialized. Fails if triple, processor
/// or a feature is not known. Products and sums are never contracted.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const std::string &triple, const std::string &cpu,
                    const std::string &features, int optLevel);

/// How generateCode treats a module.
struct GenerationOptions {
  /// LLVM's -O level, 0 to 3.
  int optLevel = 2;
  /// Let LLVM vectorize loops and straight-line code.
  bool vectorize = false;
  /// The module comes from loops that MLIR has simplified: run the few passes
  /// that still gain from level 1 on, in place of the level's.
  bool isSimplified = false;
  llvm::CodeGenFileType fileType = llvm::CodeGenFileType::ObjectFile;
};

/// Checks that `module` is valid and meant for `machine`.
llvm::Error checkModule(llvm::Module &module,
                        const llvm::TargetMachine &machine);

/// Optimizes `module`, which is valid and meant for `machine`, gives it the
/// triple and the data layout of `machine`, and returns what the code generator
/// makes of it. Fails with the code generator's own errors.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
generateCode(llvm::Module &module, llvm::TargetMachine &machine,
             const GenerationOptions &options);

} // namespace tinygrad::target

#endif // TINYGRAD_LIB_TARGET_COMMON_CODEGENERATION_H
