//===- CPUProgram.h - A compiled function of the host -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_CPU_CPUPROGRAM_H
#define TINYGRAD_LIB_RUNTIME_CPU_CPUPROGRAM_H

#include "CPUDevice.h"
#include "tinygrad/Runtime/Program.h"

#include <optional>

namespace tinygrad::runtime {

/// Executable memory that the programs of one source share.
class LoadedCode {
public:
  LoadedCode(std::shared_ptr<CPUDevice> device, llvm::orc::JITDylib &library)
      : device(std::move(device)), library(library) {}
  ~LoadedCode() { device->getLinker().unload(library); }

  CPUDevice &getDevice() const { return *device; }

private:
  std::shared_ptr<CPUDevice> device;
  llvm::orc::JITDylib &library;
};

class CPUProgram : public Program {
public:
  /// A kernel, of which the number of buffers is not known, or the entry of a
  /// function with `numParameters` pointers, which has one task.
  CPUProgram(std::shared_ptr<LoadedCode> code, std::string name,
             tg_task_fn function, std::optional<int> numParameters)
      : code(std::move(code)), name(std::move(name)), function(function),
        numParameters(numParameters) {}

  llvm::Error launch(std::span<const BufferRef> buffers,
                     int64_t numTasks) override;
  tg_task_fn getHostKernel() const override {
    return numParameters ? nullptr : function;
  }

private:
  std::shared_ptr<LoadedCode> code;
  std::string name;
  tg_task_fn function;
  std::optional<int> numParameters;
};

} // namespace tinygrad::runtime

#endif // TINYGRAD_LIB_RUNTIME_CPU_CPUPROGRAM_H
