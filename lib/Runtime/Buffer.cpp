//===- Buffer.cpp - A flat array of elements on a device ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Runtime/Buffer.h"
#include "tinygrad/Runtime/Device.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <utility>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::runtime;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

Buffer::Buffer(std::shared_ptr<Device> device, DType type, int64_t numElements)
    : device(std::move(device)), type(type), numElements(numElements) {}

Buffer::~Buffer() = default;

/// Checks that `numBytes` bytes from byte `offset` on are bytes of `buffer`.
static llvm::Error checkRange(const Buffer &buffer, int64_t numBytes,
                              int64_t offset) {
  int64_t size = buffer.getNumBytes();
  if (numBytes >= 0 && offset >= 0 && offset <= size &&
      numBytes <= size - offset)
    return llvm::Error::success();
  std::string place =
      offset ? ", from byte " + std::to_string(offset) + " on" : "";
  return makeError("cannot copy " + llvm::Twine(numBytes) +
                   " bytes to or from a buffer of " + llvm::Twine(size) +
                   place);
}

static llvm::Error checkCopy(const Buffer &buffer, const void *host,
                             int64_t numBytes, int64_t offset) {
  if (llvm::Error error = checkRange(buffer, numBytes, offset))
    return error;
  if (!host && numBytes > 0)
    return makeError("expects host memory for a copy, got null");
  return llvm::Error::success();
}

llvm::Error Buffer::copyIn(const void *source, int64_t numBytes,
                           int64_t offset) {
  if (llvm::Error error = checkCopy(*this, source, numBytes, offset))
    return error;
  return numBytes ? write(source, numBytes, offset) : llvm::Error::success();
}

llvm::Error Buffer::copyOut(void *target, int64_t numBytes, int64_t offset) {
  if (llvm::Error error = checkCopy(*this, target, numBytes, offset))
    return error;
  return numBytes ? read(target, numBytes, offset) : llvm::Error::success();
}

llvm::Expected<BufferRef> Buffer::view(DType type, int64_t numElements,
                                       int64_t offset) {
  int64_t numBytes = 0;
  if (numElements < 0 ||
      llvm::MulOverflow(numElements, int64_t(getByteWidth(type)), numBytes))
    return makeError("expects a number of elements that memory can hold, got " +
                     llvm::Twine(numElements));
  if (offset < 0 || offset > getNumBytes() || numBytes > getNumBytes() - offset)
    return makeError("expects a view inside of a buffer of " +
                     llvm::Twine(getNumBytes()) + " bytes, got " +
                     llvm::Twine(numBytes) + " from byte " +
                     llvm::Twine(offset) + " on");
  return makeView(type, numElements, offset);
}

llvm::Expected<BufferRef> Buffer::makeView(DType, int64_t, int64_t) {
  return makeError("device `" + device->getName() +
                   "` has no views of buffers");
}

llvm::Expected<BufferRef> Buffer::reinterpret(DType) {
  return makeError("device `" + device->getName() +
                   "` has no elements that are read as another type");
}

llvm::Error runtime::copyBuffer(Buffer &source, int64_t offset,
                                Buffer &target) {
  return copyBytes(source, offset, target, 0, target.getNumBytes());
}

llvm::Error runtime::copyBytes(Buffer &source, int64_t offset, Buffer &target,
                               int64_t targetOffset, int64_t numBytes) {
  if (llvm::Error error = checkRange(source, numBytes, offset))
    return error;
  if (llvm::Error error = checkRange(target, numBytes, targetOffset))
    return error;
  if (target.isHostMemory())
    return source.copyOut(static_cast<char *>(target.getHostPointer()) +
                              targetOffset,
                          numBytes, offset);
  if (void *memory = source.getHostPointer())
    return target.copyIn(static_cast<char *>(memory) + offset, numBytes,
                         targetOffset);
  // Neither side is the host's: through a piece of memory of bounded size.
  constexpr int64_t maxPiece = int64_t(1) << 24;
  std::vector<char> piece(size_t(std::min(numBytes, maxPiece)));
  for (int64_t begin = 0; begin < numBytes; begin += maxPiece) {
    int64_t size = std::min(numBytes - begin, maxPiece);
    if (llvm::Error error = source.copyOut(piece.data(), size, offset + begin))
      return error;
    if (llvm::Error error =
            target.copyIn(piece.data(), size, targetOffset + begin))
      return error;
  }
  return llvm::Error::success();
}
