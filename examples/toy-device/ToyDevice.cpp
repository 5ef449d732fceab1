//===- ToyDevice.cpp - A device from outside ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToyDevice.h"

using namespace toy;
using namespace tinygrad::runtime;

namespace toy {

/// Memory that the host cannot reach.
class ToyBuffer : public Buffer {
public:
  ToyBuffer(DeviceRef device, BufferRef memory)
      : Buffer(std::move(device), memory->getType(), memory->getNumElements()),
        memory(std::move(memory)) {}

  void *getHostPointer() override { return nullptr; }
  const BufferRef &getMemory() const { return memory; }

private:
  llvm::Error write(const void *source, int64_t size, int64_t offset) override {
    return memory->copyIn(source, size, offset);
  }
  llvm::Error read(void *target, int64_t size, int64_t offset) override {
    return memory->copyOut(target, size, offset);
  }

  BufferRef memory;
};

class ToyProgram : public Program {
public:
  ToyProgram(std::shared_ptr<ToyDevice> device, ProgramRef inner)
      : device(std::move(device)), inner(std::move(inner)) {}

  llvm::Error launch(std::span<const BufferRef> buffers,
                     int64_t numTasks) override {
    std::vector<BufferRef> memory;
    for (const BufferRef &buffer : buffers) {
      if (!buffer || &buffer->getDevice() != device.get())
        return llvm::createStringError("expects buffers of device `" +
                                       device->getName() + "`");
      memory.push_back(static_cast<ToyBuffer &>(*buffer).getMemory());
    }
    ++device->numLaunches;
    return inner->launch(memory, numTasks);
  }

private:
  std::shared_ptr<ToyDevice> device;
  ProgramRef inner;
};

} // namespace toy

llvm::Expected<DeviceRef> ToyDevice::create(const std::string &which) {
  llvm::Expected<DeviceRef> inner = createCPUDevice(1);
  if (!inner)
    return inner.takeError();
  return std::make_shared<ToyDevice>(which.empty() ? "TOY" : "TOY:" + which,
                                     std::move(*inner));
}

llvm::Expected<BufferRef> ToyDevice::allocate(DType type, int64_t numElements) {
  llvm::Expected<BufferRef> memory = inner->allocate(type, numElements);
  if (!memory)
    return memory.takeError();
  return std::make_shared<ToyBuffer>(shared_from_this(), std::move(*memory));
}

llvm::Expected<ProgramRef> ToyDevice::compile(const std::string &name,
                                              const ProgramSource &source) {
  llvm::Expected<ProgramRef> program = inner->compile(name, source);
  if (!program)
    return program.takeError();
  return std::make_shared<ToyProgram>(
      std::static_pointer_cast<ToyDevice>(shared_from_this()),
      std::move(*program));
}
