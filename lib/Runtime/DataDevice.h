//===- DataDevice.h - A device that runs nothing ----------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DATADEVICE_H
#define TINYGRAD_LIB_RUNTIME_DATADEVICE_H

#include "tinygrad/Runtime/Device.h"

namespace tinygrad::runtime {

/// A device that holds data, and compiles nothing.
class DataDevice : public Device {
public:
  llvm::Expected<ProgramRef> compile(const std::string &name,
                                     const ProgramSource &source) override;
  llvm::Error synchronize() override { return llvm::Error::success(); }

protected:
  explicit DataDevice(std::string name) : Device(std::move(name)) {}
};

/// Returns the size of `numElements` elements of `type` in bytes. Fails where
/// that is negative or does not fit in 63 bits.
llvm::Expected<int64_t> computeNumBytes(DType type, int64_t numElements);

} // namespace tinygrad::runtime

#endif // TINYGRAD_LIB_RUNTIME_DATADEVICE_H
