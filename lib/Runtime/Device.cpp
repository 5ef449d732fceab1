//===- Device.cpp - Where buffers live and programs run -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Runtime/Device.h"

using namespace tinygrad;
using namespace tinygrad::runtime;

llvm::Expected<BufferRef> Device::open(DType type, int64_t numElements) {
  return allocate(type, numElements);
}

llvm::Expected<std::vector<ProgramRef>>
Device::compileAll(std::span<const std::string> names,
                   const ProgramSource &source) {
  std::vector<ProgramRef> programs;
  for (const std::string &name : names) {
    llvm::Expected<ProgramRef> program = compile(name, source);
    if (!program)
      return program.takeError();
    programs.push_back(std::move(*program));
  }
  return programs;
}
