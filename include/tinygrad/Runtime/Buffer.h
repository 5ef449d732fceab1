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

#include <atomic>
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
  /// True if the elements are in memory of the host, where they can be written
  /// too, so that a copy from elsewhere goes there at once. False for a file,
  /// even while it is mapped.
  virtual bool isHostMemory() const { return false; }

  /// True once somebody outside of the engine knows the memory, such as an
  /// array of another library. Then no run overwrites it, and it is not given
  /// to a second tensor.
  bool isShared() const { return shared; }
  /// Says so. It stays so.
  void setShared() { shared = true; }
  /// True for memory of others that must not be written; it is shared.
  bool isReadOnly() const { return readOnly; }

  /// Copies `numBytes` bytes from host memory to the buffer, from its byte
  /// `offset` on. Fails where they do not lie inside of the buffer.
  llvm::Error copyIn(const void *source, int64_t numBytes, int64_t offset = 0);
  /// Copies `numBytes` bytes of the buffer, from its byte `offset` on, to host
  /// memory. Fails where they do not lie inside of the buffer.
  llvm::Error copyOut(void *target, int64_t numBytes, int64_t offset = 0);

  /// Returns the `numElements` elements of `type` from byte `offset` on as a
  /// buffer: the same memory, which lives as long as one of both. Fails where
  /// they do not lie inside of the buffer, and on a device without such views.
  llvm::Expected<std::shared_ptr<Buffer>> view(DType type, int64_t numElements,
                                               int64_t offset);

  /// Returns as many elements of `type`, from the first byte on, as a buffer of
  /// the same memory. Those beyond the end of a file cannot be read. By default
  /// an error: only files have that.
  virtual llvm::Expected<std::shared_ptr<Buffer>> reinterpret(DType type);

protected:
  // What a device does. The bytes lie inside of the buffer, and there is one at
  // least; host memory is not null.
  virtual llvm::Error write(const void *source, int64_t numBytes,
                            int64_t offset) = 0;
  virtual llvm::Error read(void *target, int64_t numBytes, int64_t offset) = 0;
  /// By default an error: most devices have no views.
  virtual llvm::Expected<std::shared_ptr<Buffer>>
  makeView(DType type, int64_t numElements, int64_t offset);

  Buffer(std::shared_ptr<Device> device, DType type, int64_t numElements);

  void setReadOnly() { shared = readOnly = true; }

private:
  std::shared_ptr<Device> device;
  DType type;
  int64_t numElements;
  std::atomic<bool> shared = false;
  bool readOnly = false;
};

using BufferRef = std::shared_ptr<Buffer>;

/// Fills `target` with the bytes of `source` from byte `offset` on; the buffers
/// may be on two devices. Where one of them is host memory, or the host can
/// read `source`, nothing is copied twice. Fails where `source` has not as many
/// bytes, or a device fails.
llvm::Error copyBuffer(Buffer &source, int64_t offset, Buffer &target);

/// The same for `numBytes` bytes, which are written to `target` from byte
/// `targetOffset` on. Fails where they do not lie inside of both buffers.
llvm::Error copyBytes(Buffer &source, int64_t offset, Buffer &target,
                      int64_t targetOffset, int64_t numBytes);

} // namespace tinygrad::runtime

#endif // TINYGRAD_RUNTIME_BUFFER_H
