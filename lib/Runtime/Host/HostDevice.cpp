//===- HostDevice.cpp - Plain memory of the host --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../DataDevice.h"
#include "Arena.h"
#include "HostBuffer.h"

using namespace tinygrad;
using namespace tinygrad::runtime;

namespace {

class HostDevice : public DataDevice {
public:
  HostDevice(std::string name, const MemoryOptions &memory)
      : DataDevice(std::move(name)), arena(memory) {}

  llvm::Expected<BufferRef> allocate(DType type, int64_t numElements) override;
  llvm::Expected<BufferRef> wrap(DType type, int64_t numElements,
                                 std::shared_ptr<void> memory,
                                 bool isReadOnly) override {
    return wrapHostMemory(shared_from_this(), type, numElements,
                          std::move(memory), isReadOnly);
  }

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
