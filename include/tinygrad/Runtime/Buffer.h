//===- Buffer.h - A flat array of elements on a device ----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_BUFFER_H
#define TINYGRAD_RUNTIME_BUFFER_H

#include "tinygrad/Ops/DType.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>

namespace tinygrad::runtime {

class Device;

/// A flat, contiguous array of elements in the memory of a device. The memory
/// is given back when the last reference goes.
class Buffer {
public:
  virtual ~Buffer();

  DType getType() const { return type; }
  int64_t getNumElements() const { return numElements; }
  int64_t getNumBytes() const { return numElements * getByteWidth(type); }
  Device &getDevice() const { return *device; }

  /// The address of the elements where the host can read them (64-byte aligned
  /// on the CPU), else null. Not null for a CPU buffer, even an empty one.
  virtual void *getHostPointer() = 0;

  /// Copies `numBytes` bytes from host memory to the buffer's start.
  /// Fails where the buffer is smaller.
  virtual llvm::Error copyIn(const void *source, int64_t numBytes) = 0;
  /// Copies `numBytes` bytes from the buffer's start to host memory.
  virtual llvm::Error copyOut(void *target, int64_t numBytes) = 0;

protected:
  Buffer(std::shared_ptr<Device> device, DType type, int64_t numElements);

private:
  std::shared_ptr<Device> device;
  DType type;
  int64_t numElements;
};

using BufferRef = std::shared_ptr<Buffer>;

} // namespace tinygrad::runtime

#endif // TINYGRAD_RUNTIME_BUFFER_H
