//===- HostDevice.cpp - Plain memory of the host --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../DataDevice.h"

#include <cstdlib>
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
  explicit HostDevice(std::string name) : DataDevice(std::move(name)) {}

  llvm::Expected<BufferRef> allocate(DType type, int64_t numElements) override;
};

} // namespace

llvm::Expected<BufferRef> HostDevice::allocate(DType type,
                                               int64_t numElements) {
  llvm::Expected<int64_t> numBytes = computeNumBytes(type, numElements);
  if (!numBytes)
    return numBytes.takeError();
  // An empty buffer, too, has an address.
  auto *memory = static_cast<char *>(std::malloc(size_t(*numBytes) + 1));
  if (!memory)
    return llvm::createStringError("not enough memory for " +
                                   std::to_string(*numBytes) + " bytes");
  return std::make_shared<HostBuffer>(shared_from_this(), type, numElements,
                                      std::shared_ptr<char>(memory, std::free));
}

DeviceRef runtime::createHostDevice(std::string name) {
  return std::make_shared<HostDevice>(std::move(name));
}
