//===- CPUDevice.h - The host's processor -----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_CPU_CPUDEVICE_H
#define TINYGRAD_LIB_RUNTIME_CPU_CPUDEVICE_H

#include "../Host/Arena.h"
#include "Linker.h"
#include "tinygrad/Runtime/Device.h"
#include "tinygrad/Runtime/ThreadPool.h"
#include "tinygrad/Target/CPUTarget.h"

namespace tinygrad::runtime {

class CPUDevice : public Device {
public:
  CPUDevice(std::unique_ptr<Linker> linker, int numThreads,
            const MemoryOptions &memory);

  llvm::Expected<BufferRef> allocate(DType type, int64_t numElements) override;
  llvm::Expected<BufferRef> wrap(DType type, int64_t numElements,
                                 std::shared_ptr<void> memory,
                                 bool isReadOnly) override;
  MemoryStatistics getMemoryStatistics() const override {
    return arena.getStatistics();
  }
  void trim(int64_t maxIdleBytes) override {
    arena.trim(maxIdleBytes > 0 ? size_t(maxIdleBytes) : 0);
  }
  llvm::Expected<ProgramRef> compile(const std::string &name,
                                     const ProgramSource &source) override;
  llvm::Expected<std::vector<ProgramRef>>
  compileAll(std::span<const std::string> names,
             const ProgramSource &source) override;
  ThreadPool *getThreadPool() override { return &threadPool; }
  llvm::Error synchronize() override;

  Arena &getArena() { return arena; }
  Linker &getLinker() { return *linker; }

private:
  const target::CPUTarget target;
  Arena arena;
  std::unique_ptr<Linker> linker;
  ThreadPool threadPool;
};

} // namespace tinygrad::runtime

#endif // TINYGRAD_LIB_RUNTIME_CPU_CPUDEVICE_H
