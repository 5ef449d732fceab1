//===- CPUBuffer.cpp - A buffer in host memory ----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUBuffer.h"

#include <cstring>

using namespace tinygrad;
using namespace tinygrad::runtime;

CPUBuffer::CPUBuffer(std::shared_ptr<CPUDevice> device, DType type,
                     int64_t numElements, void *memory)
    : Buffer(std::move(device), type, numElements), memory(memory) {}

CPUBuffer::~CPUBuffer() {
  static_cast<CPUDevice &>(getDevice())
      .getArena()
      .deallocate(memory, size_t(getNumBytes()));
}

llvm::Error CPUBuffer::write(const void *source, int64_t numBytes,
                             int64_t offset) {
  std::memcpy(static_cast<char *>(memory) + offset, source, size_t(numBytes));
  return llvm::Error::success();
}

llvm::Error CPUBuffer::read(void *target, int64_t numBytes, int64_t offset) {
  std::memcpy(target, static_cast<char *>(memory) + offset, size_t(numBytes));
  return llvm::Error::success();
}
