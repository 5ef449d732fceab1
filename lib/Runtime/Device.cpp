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

Changes::~Changes() {
  while (!changes.empty())
    changes.pop_back();
}

void Changes::add(std::unique_ptr<Change> change) {
  if (change)
    changes.push_back(std::move(change));
}

llvm::Error Changes::commit() {
  for (const std::unique_ptr<Change> &change : changes)
    if (llvm::Error error = change->commit())
      return error;
  return llvm::Error::success();
}

void Changes::keep() {
  for (const std::unique_ptr<Change> &change : changes)
    change->keep();
  changes.clear();
}

llvm::Expected<BufferRef> Device::open(DType type, int64_t numElements) {
  return allocate(type, numElements);
}

llvm::Expected<BufferRef> Device::wrap(DType, int64_t, std::shared_ptr<void>,
                                       bool) {
  return llvm::createStringError("device `" + name +
                                 "` does not compute in memory of others");
}

llvm::Expected<ChangedBuffer>
Device::allocateResult(DType type, int64_t numElements, bool keepsContents) {
  llvm::Expected<BufferRef> buffer = allocate(type, numElements);
  if (!buffer)
    return buffer.takeError();
  return ChangedBuffer{std::move(*buffer), nullptr};
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
