//===- ToyDevice.h - A device from outside ----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The smallest device that computes. Its memory is its own: nothing but copies
// gets there. Its programs are run by a CPU device inside of it, and counted.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_TOY_DEVICE_TOYDEVICE_H
#define TINYGRAD_EXAMPLES_TOY_DEVICE_TOYDEVICE_H

#include "tinygrad/Runtime/Device.h"

#include <atomic>

namespace toy {

using namespace tinygrad;

class ToyDevice : public runtime::Device {
public:
  /// The factory that is registered.
  static llvm::Expected<runtime::DeviceRef> create(const std::string &which);
  explicit ToyDevice(const std::string &name, runtime::DeviceRef inner)
      : Device(name), inner(std::move(inner)) {}

  llvm::Expected<runtime::BufferRef> allocate(DType type,
                                              int64_t numElements) override;
  llvm::Expected<runtime::ProgramRef>
  compile(const std::string &name,
          const runtime::ProgramSource &source) override;
  llvm::Error synchronize() override { return inner->synchronize(); }

  /// How many programs were run.
  int64_t getNumLaunches() const { return numLaunches; }

private:
  friend class ToyProgram;
  runtime::DeviceRef inner;
  std::atomic<int64_t> numLaunches = 0;
};

} // namespace toy

#endif // TINYGRAD_EXAMPLES_TOY_DEVICE_TOYDEVICE_H
