//===- DiskDevice.cpp - A file as memory ----------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../DataDevice.h"
#include "File.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

using namespace tinygrad;
using namespace tinygrad::runtime;

namespace {

class DiskBuffer : public Buffer {
public:
  DiskBuffer(DeviceRef device, DType type, int64_t numElements,
             std::shared_ptr<File> file, int64_t begin)
      : Buffer(std::move(device), type, numElements), file(std::move(file)),
        begin(begin) {}

  void *getHostPointer() override {
    // What is read as a wider type may end beyond the bytes that are mapped.
    if (begin + getNumBytes() > file->getNumBytes())
      return nullptr;
    char *mapped = file->map();
    return mapped ? mapped + begin : nullptr;
  }
  llvm::Expected<BufferRef> reinterpret(DType type) override {
    llvm::Expected<int64_t> numBytes = computeNumBytes(type, getNumElements());
    if (!numBytes)
      return numBytes.takeError();
    return std::make_shared<DiskBuffer>(getDevice().shared_from_this(), type,
                                        getNumElements(), file, begin);
  }

private:
  llvm::Error write(const void *source, int64_t numBytes,
                    int64_t offset) override {
    return file->write(source, numBytes, begin + offset);
  }
  llvm::Error read(void *target, int64_t numBytes, int64_t offset) override {
    return file->read(target, numBytes, begin + offset);
  }
  llvm::Expected<BufferRef> makeView(DType type, int64_t numElements,
                                     int64_t offset) override {
    return std::make_shared<DiskBuffer>(getDevice().shared_from_this(), type,
                                        numElements, file, begin + offset);
  }

  std::shared_ptr<File> file;
  /// The first byte's place in the file.
  int64_t begin;
};

class DiskDevice : public DataDevice {
public:
  explicit DiskDevice(std::string path)
      : DataDevice("DISK:" + path), path(std::move(path)) {}

  llvm::Expected<BufferRef> allocate(DType type, int64_t numElements) override;
  llvm::Expected<BufferRef> open(DType type, int64_t numElements) override;
  llvm::Expected<ChangedBuffer> allocateResult(DType type, int64_t numElements,
                                               bool keepsContents) override;
  bool isPersistent() const override { return true; }
  llvm::Error synchronize() override;

private:
  BufferRef makeBuffer(DType type, int64_t numElements,
                       std::shared_ptr<File> file) {
    return std::make_shared<DiskBuffer>(shared_from_this(), type, numElements,
                                        std::move(file), 0);
  }

  llvm::Error makeSystemError() const {
    return llvm::createStringError("cannot write `" + path +
                                   "`: " + std::strerror(errno));
  }

  const std::string path;
};

} // namespace

//===----------------------------------------------------------------------===//
// DiskDevice
//===----------------------------------------------------------------------===//

llvm::Expected<BufferRef> DiskDevice::open(DType type, int64_t numElements) {
  llvm::Expected<int64_t> numBytes = computeNumBytes(type, numElements);
  if (!numBytes)
    return numBytes.takeError();
  auto file = File::open(path, *numBytes);
  if (!file)
    return file.takeError();
  return makeBuffer(type, numElements, std::move(*file));
}

llvm::Expected<BufferRef> DiskDevice::allocate(DType type,
                                               int64_t numElements) {
  llvm::Expected<int64_t> numBytes = computeNumBytes(type, numElements);
  if (!numBytes)
    return numBytes.takeError();
  auto file = File::openForWriting(path, *numBytes);
  if (!file)
    return file.takeError();
  if (llvm::Error error = (*file)->grow())
    return error;
  return makeBuffer(type, numElements, std::move(*file));
}

llvm::Expected<ChangedBuffer> DiskDevice::allocateResult(DType type,
                                                         int64_t numElements,
                                                         bool keepsContents) {
  llvm::Expected<int64_t> numBytes = computeNumBytes(type, numElements);
  if (!numBytes)
    return numBytes.takeError();
  struct stat status;
  // A link that leads nowhere is there, and its file is made in its place.
  if (lstat(path.c_str(), &status) != 0 && errno == ENOENT) {
    std::string temporary;
    auto file = File::createBeside(path, *numBytes, temporary);
    if (!file)
      return file.takeError();
    return ChangedBuffer{makeBuffer(type, numElements, *file),
                         makeNewFile(*file, temporary, path, *numBytes)};
  }
  auto file = File::openForWriting(path, *numBytes);
  if (!file)
    return file.takeError();
  auto change = changeFile(*file, path, *numBytes, keepsContents);
  if (!change)
    return change.takeError();
  return ChangedBuffer{makeBuffer(type, numElements, *file),
                       std::move(*change)};
}

llvm::Error DiskDevice::synchronize() {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  // Without a file nothing was written.
  if (descriptor < 0)
    return errno == ENOENT ? llvm::Error::success() : makeSystemError();
  llvm::Error error =
      fsync(descriptor) == 0 ? llvm::Error::success() : makeSystemError();
  ::close(descriptor);
  return error;
}

llvm::Expected<DeviceRef> runtime::createDiskDevice(std::string path) {
  if (path.empty())
    return llvm::createStringError(
        "expects the path of a file, as in `DISK:/tmp/weights`, got none");
  // Shared memory of the system, by its name there.
  constexpr std::string_view shared = "shm:";
  if (path.starts_with(shared))
    path = "/dev/shm/" + path.substr(shared.size());
  return std::make_shared<DiskDevice>(std::move(path));
}
