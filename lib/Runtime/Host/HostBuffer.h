//===- HostBuffer.h - A buffer in memory that it shares ---------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_HOST_HOSTBUFFER_H
#define TINYGRAD_LIB_RUNTIME_HOST_HOSTBUFFER_H

#include "tinygrad/Runtime/Device.h"

namespace tinygrad::runtime {

class HostBuffer : public Buffer {
public:
  /// `memory` keeps whatever owns it.
  HostBuffer(DeviceRef device, DType type, int64_t numElements,
             std::shared_ptr<char> memory)
      : Buffer(std::move(device), type, numElements),
        memory(std::move(memory)) {}

  void *getHostPointer() override { return memory.get(); }
  bool isHostMemory() const override { return !isReadOnly(); }

private:
  friend llvm::Expected<BufferRef> wrapHostMemory(DeviceRef, DType, int64_t,
                                                  std::shared_ptr<void>, bool);

  llvm::Error write(const void *source, int64_t numBytes,
                    int64_t offset) override;
  llvm::Error read(void *target, int64_t numBytes, int64_t offset) override;
  llvm::Expected<BufferRef> makeView(DType type, int64_t numElements,
                                     int64_t offset) override;

  std::shared_ptr<char> memory;
};

/// Device::wrap for devices that compute in memory of the host.
llvm::Expected<BufferRef> wrapHostMemory(DeviceRef device, DType type,
                                         int64_t numElements,
                                         std::shared_ptr<void> memory,
                                         bool isReadOnly);

} // namespace tinygrad::runtime

#endif // TINYGRAD_LIB_RUNTIME_HOST_HOSTBUFFER_H
