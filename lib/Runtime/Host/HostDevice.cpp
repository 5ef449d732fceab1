//===- HostDevice.cpp - Plain memory of the host --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../DataDevice.h"
#include "Arena.h"

#include <cstring>

using namespace tinygrad;
using namespace tinygrad::runtime;

namespace {

class HostBuffer : public Buffer {
public:
  /// `memory` keeps whatever owns it.
  HostBuffer(DeviceRef device, DType type, int64_t numElements,
             std::shared_ptr<char> memory)
      : Buffer(std::move(device), type, numElements),
        memory(std::move(memory)) {}

  void *getHostPointer() override { return memory.get(); }
  bool isHostMemory() const override { return true; }

private:
  llvm::Error write(const void *source, int64_t numBytes,
                    int64_t offset) override {
    std::memcpy(memory.get() + offset, source, size_t(numBytes));
    return llvm::Error::success();
  }
  llvm::Error read(void *target, int64_t numBytes, int64_t offset) override {
    std::memcpy(target, memory.get() + offset, size_t(numBytes));
    return llvm::Error::success();
  }
  llvm::Expected<BufferRef> makeView(DType type, int64_t numElements,
                                     int64_t offset) override {
    return std::make_shared<HostBuffer>(
        getDevice().shared_from_this(), type, numElements,
        std::shared_ptr<char>(memory, memory.get() + offset));
  }

  std::shared_ptr<char> memory;
};

class HostDevice : public DataDevice {
public:
  HostDevice(std::string name, const MemoryOptions &memory)
      : DataDevice(std::move(name)), arena(memory) {}

  llvm::Expected<BufferRef> allocate(DType type, int64_t numElements) override;

  MemoryStatistics getMemoryStatistics() const override {
    return arena.getStatistics();
  }
  void trim(int64_t maxIdleBytes) override {
    arena.trim(maxIdleBytes > 0 ? size_t(maxIdleBytes) : 0);
  }

private:
  Arena arena;
};

} // namespace

llvm::Expected<BufferRef> HostDevice::allocate(DType type,
                                               int64_t numElements) {
  llvm::Expected<void *> block = arena.allocateElements(type, numElements);
  if (!block)
    return block.takeError();
  // The buffer, which keeps the device, lets go of its memory first.
  std::shared_ptr<char> memory(
      static_cast<char *>(*block),
      [this, numBytes = size_t(numElements * getByteWidth(type))](char *block) {
        arena.deallocate(block, numBytes);
      });
  return std::make_shared<HostBuffer>(shared_from_this(), type, numElements,
                                      std::move(memory));
}

llvm::Expected<DeviceRef>
runtime::createHostDevice(std::string name, const MemoryOptions &memory) {
  if (llvm::Error error = Arena::check(memory))
    return error;
  return std::make_shared<HostDevice>(std::move(name), memory);
}
