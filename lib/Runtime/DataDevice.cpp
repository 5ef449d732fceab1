//===- DataDevice.cpp - A device that runs nothing ------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataDevice.h"

#include "llvm/Support/MathExtras.h"

using namespace tinygrad;
using namespace tinygrad::runtime;

llvm::Expected<ProgramRef> DataDevice::compile(const std::string &name,
                                               const ProgramSource &) {
  return llvm::createStringError("cannot compile `" + name + "` for device `" +
                                 getName() + "`, which holds data only");
}

llvm::Expected<int64_t> runtime::computeNumBytes(DType type,
                                                 int64_t numElements) {
  int64_t numBytes = 0;
  if (numElements >= 0 &&
      !llvm::MulOverflow(numElements, int64_t(getByteWidth(type)), numBytes))
    return numBytes;
  return llvm::createStringError(
      "expects a number of elements that memory can hold, got " +
      std::to_string(numElements));
}
