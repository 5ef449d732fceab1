//===- HostBuffer.cpp - A buffer in memory that it shares -----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostBuffer.h"

#include <cstring>

using namespace tinygrad;
using namespace tinygrad::runtime;

llvm::Error HostBuffer::write(const void *source, int64_t numBytes,
                              int64_t offset) {
  if (isReadOnly())
    return llvm::createStringError("expects memory that may be written, got "
                                   "some of others that is read-only");
  std::memcpy(memory.get() + offset, source, size_t(numBytes));
  return llvm::Error::success();
}

llvm::Error HostBuffer::read(void *target, int64_t numBytes, int64_t offset) {
  std::memcpy(target, memory.get() + offset, size_t(numBytes));
  return llvm::Error::success();
}

llvm::Expected<BufferRef> HostBuffer::makeView(DType type, int64_t numElements,
                                               int64_t offset) {
  auto view = std::make_shared<HostBuffer>(
      getDevice().shared_from_this(), type, numElements,
      std::shared_ptr<char>(memory, memory.get() + offset));
  if (isShared())
    view->setShared();
  if (isReadOnly())
    view->setReadOnly();
  return view;
}

llvm::Expected<BufferRef> runtime::wrapHostMemory(DeviceRef device, DType type,
                                                  int64_t numElements,
                                                  std::shared_ptr<void> memory,
                                                  bool isReadOnly) {
  int64_t width = getByteWidth(type);
  if (reinterpret_cast<uintptr_t>(memory.get()) % uintptr_t(width))
    return llvm::createStringError("expects memory aligned to the " +
                                   std::to_string(width) +
                                   " bytes of an element");
  auto buffer = std::make_shared<HostBuffer>(
      std::move(device), type, numElements,
      std::static_pointer_cast<char>(std::move(memory)));
  buffer->setShared();
  if (isReadOnly)
    buffer->setReadOnly();
  return buffer;
}
