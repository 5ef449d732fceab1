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

/// Checks a copy of `numBytes` between `buffer` and the host memory `host`.
static llvm::Error checkCopy(const Buffer &buffer, const void *host,
                             int64_t numBytes) {
  if (numBytes < 0 || numBytes > buffer.getNumBytes())
    return llvm::createStringError(
        "cannot copy %lld bytes to or from a buffer of %lld",
        static_cast<long long>(numBytes),
        static_cast<long long>(buffer.getNumBytes()));
  if (!host && numBytes > 0)
    return llvm::createStringError("expects host memory for a copy, got null");
  return llvm::Error::success();
}

llvm::Error CPUBuffer::copyIn(const void *source, int64_t numBytes) {
  if (llvm::Error error = checkCopy(*this, source, numBytes))
    return error;
  if (numBytes > 0)
    std::memcpy(memory, source, size_t(numBytes));
  return llvm::Error::success();
}

llvm::Error CPUBuffer::copyOut(void *target, int64_t numBytes) {
  if (llvm::Error error = checkCopy(*this, target, numBytes))
    return error;
  if (numBytes > 0)
    std::memcpy(target, memory, size_t(numBytes));
  return llvm::Error::success();
}
