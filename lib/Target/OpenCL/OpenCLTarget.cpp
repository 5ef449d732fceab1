//===- OpenCLTarget.cpp - SPIR-V for OpenCL -------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Target/OpenCLTarget.h"
#include "../Common/CodeGeneration.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace tinygrad::target;

/// LLVM's tables of targets are global and not safe to fill from two threads.
static void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeSPIRVTargetInfo();
    LLVMInitializeSPIRVTarget();
    LLVMInitializeSPIRVTargetMC();
    LLVMInitializeSPIRVAsmPrinter();
  });
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
tinygrad::target::compileToSPIRV(llvm::Module &module, bool asText) {
  initializeTarget();
  GenerationOptions options;
  options.optLevel = 0;
  if (asText)
    options.fileType = llvm::CodeGenFileType::AssemblyFile;
  auto machine = createTargetMachine("spirv64v1.2-unknown-unknown", /*cpu=*/"",
                                     /*features=*/"", options.optLevel);
  if (!machine)
    return machine.takeError();
  if (llvm::Error error = checkModule(module, **machine))
    return error;
  return generateCode(module, **machine, options);
}
