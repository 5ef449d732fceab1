//===- CPUProgram.cpp - A compiled function of the host -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUProgram.h"

#include "llvm/ADT/SmallVector.h"

using namespace tinygrad;
using namespace tinygrad::runtime;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Error CPUProgram::launch(std::span<const BufferRef> buffers,
                               int64_t numTasks) {
  if (numParameters && size_t(*numParameters) != buffers.size())
    return makeError("program `" + name + "` takes " +
                     llvm::Twine(*numParameters) + " buffers, got " +
                     llvm::Twine(buffers.size()));
  if (numTasks < 0)
    return makeError("expects a number of tasks that is not negative, got " +
                     llvm::Twine(numTasks));

  CPUDevice &device = code->getDevice();
  llvm::SmallVector<void *, 16> pointers;
  for (const BufferRef &buffer : buffers) {
    if (!buffer)
      return makeError("program `" + name + "` got a null buffer");
    if (&buffer->getDevice() != &device)
      return makeError("program `" + name +
                       "` got a buffer of another device, `" +
                       buffer->getDevice().getName() + "`");
    pointers.push_back(buffer->getHostPointer());
  }
  device.getThreadPool()->parallelFor(numParameters ? 1 : numTasks, function,
                                      pointers.data());
  return llvm::Error::success();
}
