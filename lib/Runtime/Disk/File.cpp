//===- File.cpp - An open file, and changes that can be undone ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "File.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::runtime;

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
  return file;
}

llvm::Expected<std::shared_ptr<File>> File::open(const std::string &path,
                                                 int64_t numBytes) {
  auto file = open(path, numBytes, /*isWritable=*/false);
  if (!file)
    return file;
  llvm::Expected<int64_t> size = (*file)->getSize();
  if (!size)
    return size.takeError();
  if (*size < numBytes)
    return makeError("read", path,
                     "expects at least " + std::to_string(numBytes) +
                         " bytes, got a file of " + std::to_string(*size));
  return file;
}

llvm::Expected<std::shared_ptr<File>>
File::openForWriting(const std::string &path, int64_t numBytes) {
  return open(path, numBytes, /*isWritable=*/true);
}

llvm::Expected<std::shared_ptr<File>>
File::createBeside(const std::string &path, int64_t numBytes,
                   std::string &temporary) {
  int descriptor = -1;
  uint64_t number = 0;
  do {
    temporary = path + ".part-" + std::to_string(getpid()) + "-" +
                std::to_string(number++);
    descriptor =
        ::open(temporary.c_str(), O_CLOEXEC | O_RDWR | O_CREAT | O_EXCL, 0666);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor < 0)
    return makeSystemError("write", path);
  std::shared_ptr<File> file(
      new File(path, descriptor, numBytes, /*isWritable=*/true));
  if (llvm::Error error = file->grow()) {
    unlink(temporary.c_str());
    return error;
  }
  return file;
}

File::~File() {
  if (mapped)
    munmap(mapped, size_t(numBytes));
  ::close(descriptor);
}

llvm::Expected<int64_t> File::getSize() const {
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    return makeSystemError("read", path);
  return int64_t{status.st_size};
}

llvm::Error File::resize(int64_t size) {
  return ftruncate(descriptor, size) == 0 ? llvm::Error::success()
                                          : makeSystemError("write", path);
}

llvm::Error File::grow() {
  llvm::Expected<int64_t> size = getSize();
  if (!size)
    return size.takeError();
  if (*size < numBytes)
    if (llvm::Error error = resize(numBytes))
      return error;
  // A full disk is found before anything is overwritten. Some file systems
  // cannot say.
  if (numBytes == 0 || fallocate(descriptor, 0, 0, numBytes) == 0 ||
      errno != ENOSPC)
    return llvm::Error::success();
  llvm::Error error = makeSystemError("write", path);
  return llvm::joinErrors(std::move(error), resize(*size));
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
  if (llvm::Error error = makeWritable())
    return error;
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

llvm::Error File::copyFrom(File &source, int64_t numBytes) {
  constexpr int64_t maxPiece = int64_t(1) << 22;
  std::vector<char> piece(size_t(std::min(numBytes, maxPiece)));
  for (int64_t begin = 0; begin < numBytes; begin += maxPiece) {
    int64_t size = std::min(numBytes - begin, maxPiece);
    if (llvm::Error error = source.read(piece.data(), size, begin))
      return error;
    if (llvm::Error error = write(piece.data(), size, begin))
      return error;
  }
  return llvm::Error::success();
}

bool File::isSameAs(const File &other) const {
  struct stat here, there;
  return fstat(descriptor, &here) == 0 &&
         fstat(other.descriptor, &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

llvm::Error File::become(const File &other) {
  return dup3(other.descriptor, descriptor, O_CLOEXEC) >= 0
             ? llvm::Error::success()
             : makeSystemError("write", path);
}

llvm::Error File::makeWritable() {
  std::lock_guard lock(mutex);
  if (isWritable)
    return llvm::Error::success();
  int other = ::open(path.c_str(), O_CLOEXEC | O_NONBLOCK | O_RDWR);
  if (other < 0)
    return makeSystemError("write", path);
  File file(path, other, 0, /*isWritable=*/true);
  if (!isSameAs(file))
    return makeError("write", path, "another file has taken its place");
  if (llvm::Error error = become(file))
    return error;
  isWritable = true;
  return llvm::Error::success();
}

char *File::map() {
  std::lock_guard lock(mutex);
  // No page is read before it is touched.
  if (!mapped && numBytes > 0) {
    int protection = PROT_READ | (isWritable ? PROT_WRITE : 0);
    void *memory =
        mmap(nullptr, size_t(numBytes), protection, MAP_SHARED, descriptor, 0);
    mapped = memory == MAP_FAILED ? nullptr : memory;
  }
  return static_cast<char *>(mapped);
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

namespace {

class NewFile : public Change {
public:
  NewFile(std::shared_ptr<File> file, std::string temporary, std::string path,
          int64_t numBytes)
      : file(std::move(file)), temporary(std::move(temporary)),
        path(std::move(path)), numBytes(numBytes) {}
  ~NewFile() override;

  llvm::Error commit() override;
  void keep() override {
    if (other)
      other->keep();
    else
      state = State::Kept;
  }

private:
  enum class State { Temporary, Moved, Kept };

  const std::shared_ptr<File> file;
  const std::string temporary, path;
  const int64_t numBytes;
  State state = State::Temporary;
  /// Where a file has appeared in the meantime: how to undo its change.
  std::unique_ptr<Change> other;
};

class ChangedFile : public Change {
public:
  ChangedFile(std::shared_ptr<File> file, int64_t size,
              std::shared_ptr<File> contents, int64_t numKept)
      : file(std::move(file)), size(size), contents(std::move(contents)),
        numKept(numKept) {}
  ~ChangedFile() override {
    if (!file)
      return;
    // Nobody is left who could be told.
    if (contents)
      llvm::consumeError(file->copyFrom(*contents, numKept));
    llvm::Expected<int64_t> now = file->getSize();
    if (!now)
      llvm::consumeError(now.takeError());
    else if (*now > size)
      llvm::consumeError(file->resize(size));
  }

  llvm::Error commit() override { return llvm::Error::success(); }
  void keep() override { file.reset(); }

private:
  std::shared_ptr<File> file;
  /// The size, and the first bytes, from before; null if they are not known.
  const int64_t size;
  const std::shared_ptr<File> contents;
  const int64_t numKept;
};

} // namespace

NewFile::~NewFile() {
  if (state == State::Temporary)
    unlink(temporary.c_str());
  if (state != State::Moved)
    return;
  // Not where someone else has put another file there.
  auto there = File::open(path, 0);
  if (there && (*there)->isSameAs(*file))
    unlink(path.c_str());
  llvm::consumeError(there.takeError());
}

llvm::Error NewFile::commit() {
  if (renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(),
                RENAME_NOREPLACE) == 0) {
    state = State::Moved;
    return llvm::Error::success();
  }
  if (errno == EINVAL || errno == ENOSYS) {
    // A file system that cannot say whether there is a file.
    if (rename(temporary.c_str(), path.c_str()) != 0)
      return makeSystemError("write", path);
    state = State::Moved;
    return llvm::Error::success();
  }
  if (errno != EEXIST)
    return makeSystemError("write", path);
  // Another result of the same run, or another process, has made the file.
  auto there = File::openForWriting(path, numBytes);
  if (!there)
    return there.takeError();
  auto change = changeFile(*there, path, numBytes, /*keepsContents=*/true);
  if (!change)
    return change.takeError();
  other = std::move(*change);
  if (llvm::Error error = (*there)->copyFrom(*file, numBytes))
    return error;
  return file->become(**there);
}

std::unique_ptr<Change> runtime::makeNewFile(std::shared_ptr<File> file,
                                             std::string temporary,
                                             std::string path,
                                             int64_t numBytes) {
  return std::make_unique<NewFile>(std::move(file), std::move(temporary),
                                   std::move(path), numBytes);
}

llvm::Expected<std::unique_ptr<Change>>
runtime::changeFile(const std::shared_ptr<File> &file, const std::string &path,
                    int64_t numBytes, bool keepsContents) {
  llvm::Expected<int64_t> size = file->getSize();
  if (!size)
    return size.takeError();
  std::shared_ptr<File> contents;
  int64_t numKept = std::min(*size, numBytes);
  if (keepsContents && numKept > 0) {
    std::string temporary;
    auto created = File::createBeside(path, numKept, temporary);
    if (!created)
      return created.takeError();
    // It goes when it is closed.
    unlink(temporary.c_str());
    contents = std::move(*created);
    if (llvm::Error error = contents->copyFrom(*file, numKept))
      return error;
  }
  if (llvm::Error error = file->grow())
    return error;
  return std::make_unique<ChangedFile>(file, *size, std::move(contents),
                                       numKept);
}
