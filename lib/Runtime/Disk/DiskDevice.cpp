//===- DiskDevice.cpp - A file as memory ----------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../DataDevice.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

using namespace tinygrad;
using namespace tinygrad::runtime;

namespace {

/// An open file.
class File {
public:
  /// Opens the file for reading, or for writing too; then it is made where
  /// there is none. Fails where it is not a file, or has fewer than `numBytes`
  /// bytes and cannot be made longer.
  static llvm::Expected<std::shared_ptr<File>>
  open(const std::string &path, int64_t numBytes, bool isWritable);
  ~File();

  llvm::Error read(void *target, int64_t numBytes, int64_t offset);
  llvm::Error write(const void *source, int64_t numBytes, int64_t offset);
  /// Maps the first `numBytes` bytes, at the first call; null where that is not
  /// possible.
  char *map();

private:
  File(std::string path, int descriptor, int64_t numBytes, bool isWritable)
      : path(std::move(path)), descriptor(descriptor), numBytes(numBytes),
        isWritable(isWritable) {}

  const std::string path;
  const int descriptor;
  const int64_t numBytes;
  const bool isWritable;
  std::once_flag once;
  void *mapped = MAP_FAILED;
};

class DiskBuffer : public Buffer {
public:
  DiskBuffer(DeviceRef device, DType type, int64_t numElements,
             std::shared_ptr<File> file, int64_t begin)
      : Buffer(std::move(device), type, numElements), file(std::move(file)),
        begin(begin) {}

  void *getHostPointer() override {
    char *mapped = file->map();
    return mapped ? mapped + begin : nullptr;
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

  llvm::Expected<BufferRef> allocate(DType type, int64_t numElements) override {
    return makeBuffer(type, numElements, /*isWritable=*/true);
  }
  llvm::Expected<BufferRef> open(DType type, int64_t numElements) override {
    return makeBuffer(type, numElements, /*isWritable=*/false);
  }
  bool isPersistent() const override { return true; }
  llvm::Error synchronize() override;

private:
  llvm::Expected<BufferRef> makeBuffer(DType type, int64_t numElements,
                                       bool isWritable);

  const std::string path;
};

} // namespace

/// Returns "cannot read `path`: reason".
static llvm::Error makeError(const char *what, const std::string &path,
                             const std::string &reason) {
  return llvm::createStringError("cannot " + std::string(what) + " `" + path +
                                 "`: " + reason);
}

static llvm::Error makeSystemError(const char *what, const std::string &path) {
  return makeError(what, path, std::strerror(errno));
}

//===----------------------------------------------------------------------===//
// File
//===----------------------------------------------------------------------===//

llvm::Expected<std::shared_ptr<File>>
File::open(const std::string &path, int64_t numBytes, bool isWritable) {
  const char *what = isWritable ? "write" : "read";
  // Without O_NONBLOCK a pipe would wait for its other end.
  int flags =
      O_CLOEXEC | O_NONBLOCK | (isWritable ? O_RDWR | O_CREAT : O_RDONLY);
  int descriptor = ::open(path.c_str(), flags, 0666);
  if (descriptor < 0)
    return makeSystemError(what, path);
  std::shared_ptr<File> file(new File(path, descriptor, numBytes, isWritable));
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    return makeSystemError(what, path);
  if (!S_ISREG(status.st_mode))
    return makeError(what, path, "it is not a file");
  if (status.st_size >= numBytes)
    return file;
  if (!isWritable)
    return makeError(what, path,
                     "expects at least " + std::to_string(numBytes) +
                         " bytes, got a file of " +
                         std::to_string(status.st_size));
  if (ftruncate(descriptor, numBytes) != 0)
    return makeSystemError(what, path);
  return file;
}

File::~File() {
  if (mapped != MAP_FAILED)
    munmap(mapped, size_t(numBytes));
  ::close(descriptor);
}

llvm::Error File::read(void *target, int64_t numBytes, int64_t offset) {
  auto *bytes = static_cast<char *>(target);
  while (numBytes > 0) {
    ssize_t count = pread(descriptor, bytes, size_t(numBytes), offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return makeSystemError("read", path);
    if (count == 0)
      return makeError("read", path, "the file has become shorter");
    bytes += count;
    numBytes -= count;
    offset += count;
  }
  return llvm::Error::success();
}

llvm::Error File::write(const void *source, int64_t numBytes, int64_t offset) {
  if (!isWritable)
    return makeError("write", path, "it was opened for reading");
  auto *bytes = static_cast<const char *>(source);
  while (numBytes > 0) {
    ssize_t count = pwrite(descriptor, bytes, size_t(numBytes), offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return makeSystemError("write", path);
    bytes += count;
    numBytes -= count;
    offset += count;
  }
  return llvm::Error::success();
}

char *File::map() {
  // No page is read before it is touched.
  std::call_once(once, [this] {
    int protection = PROT_READ | (isWritable ? PROT_WRITE : 0);
    if (numBytes > 0)
      mapped = mmap(nullptr, size_t(numBytes), protection, MAP_SHARED,
                    descriptor, 0);
  });
  return mapped == MAP_FAILED ? nullptr : static_cast<char *>(mapped);
}

//===----------------------------------------------------------------------===//
// DiskDevice
//===----------------------------------------------------------------------===//

llvm::Expected<BufferRef>
DiskDevice::makeBuffer(DType type, int64_t numElements, bool isWritable) {
  llvm::Expected<int64_t> numBytes = computeNumBytes(type, numElements);
  if (!numBytes)
    return numBytes.takeError();
  llvm::Expected<std::shared_ptr<File>> file =
      File::open(path, *numBytes, isWritable);
  if (!file)
    return file.takeError();
  return std::make_shared<DiskBuffer>(shared_from_this(), type, numElements,
                                      std::move(*file), 0);
}

llvm::Error DiskDevice::synchronize() {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  // Without a file nothing was written.
  if (descriptor < 0)
    return errno == ENOENT ? llvm::Error::success()
                           : makeSystemError("write", path);
  llvm::Error error = fsync(descriptor) == 0 ? llvm::Error::success()
                                             : makeSystemError("write", path);
  ::close(descriptor);
  return error;
}

llvm::Expected<DeviceRef> runtime::createDiskDevice(std::string path) {
  if (path.empty())
    return llvm::createStringError(
        "expects the path of a file, as in `DISK:/tmp/weights`, got none");
  return std::make_shared<DiskDevice>(std::move(path));
}
