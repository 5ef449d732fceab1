//===- CUDATarget.cpp - NVIDIA's processors -------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Target/CUDATarget.h"
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
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
tinygrad::target::compileToPTX(llvm::Module &module, const CUDATarget &target,
                               int optLevel) {
  if (optLevel < 0 || optLevel > 3)
    return makeError("expects an optimization level of 0 to 3, got " +
                     llvm::Twine(optLevel));
  initializeTarget();
  auto machine =
      createTargetMachine("nvptx64-nvidia-cuda", target.chip,
                          "+ptx" + std::to_string(target.ptxVersion), optLevel);
  if (!machine)
    return machine.takeError();
  GenerationOptions options;
  options.optLevel = optLevel;
  options.fileType = llvm::CodeGenFileType::AssemblyFile;
  if (llvm::Error error = checkModule(module, **machine))
    return error;
  return generateCode(module, **machine, options);
}
