//===- CPUBuffer.h - A buffer in host memory --------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_CPU_CPUBUFFER_H
#define TINYGRAD_LIB_RUNTIME_CPU_CPUBUFFER_H

#include "CPUDevice.h"
#include "tinygrad/Runtime/Buffer.h"

namespace tinygrad::runtime {

class CPUBuffer : public Buffer {
public:
  /// Takes over a block of the device's arena.
  CPUBuffer(std::shared_ptr<CPUDevice> device, DType type, int64_t numElements,
            void *memory);
  ~CPUBuffer() override;

  void *getHostPointer() override { return memory; }
  bool isHostMemory() const override { return true; }

private:
  llvm::Error write(const void *source, int64_t numBytes,
                    int64_t offset) override;
  llvm::Error read(void *target, int64_t numBytes, int64_t offset) override;

  void *memory;
};

} // namespace tinygrad::runtime

#endif // TINYGRAD_LIB_RUNTIME_CPU_CPUBUFFER_H
