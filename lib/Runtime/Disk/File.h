//===- File.h - An open file, and changes that can be undone ----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DISK_FILE_H
#define TINYGRAD_LIB_RUNTIME_DISK_FILE_H

#include "tinygrad/Runtime/Device.h"

#include <mutex>

namespace tinygrad::runtime {

/// An open file. Errors name its path.
class File {
public:
  /// Opens the file for reading. Fails where it has fewer than `numBytes`
  /// bytes.
  static llvm::Expected<std::shared_ptr<File>> open(const std::string &path,
                                                    int64_t numBytes);
  /// Opens the file for reading and writing, and makes it where there is none.
  /// See `grow`.
  static llvm::Expected<std::shared_ptr<File>>
  openForWriting(const std::string &path, int64_t numBytes);
  /// Makes a new file of zeros beside `path`, under a name that no other file
  /// has: `temporary`.
  static llvm::Expected<std::shared_ptr<File>>
  createBeside(const std::string &path, int64_t numBytes,
               std::string &temporary);
  ~File();

  /// Makes the file at least as long as it was opened for, with zeros. Fails
  /// where there is no room for them.
  llvm::Error grow();
  /// Makes the file as long as `numBytes`.
  llvm::Error resize(int64_t numBytes);
  llvm::Expected<int64_t> getSize() const;
  /// The bytes for which the file was opened.
  int64_t getNumBytes() const { return numBytes; }

  llvm::Error read(void *target, int64_t numBytes, int64_t offset);
  llvm::Error write(const void *source, int64_t numBytes, int64_t offset);
  /// Writes the first `numBytes` bytes of `source` to the beginning.
  llvm::Error copyFrom(File &source, int64_t numBytes);
  /// Maps the bytes for which the file was opened, at the first call; null
  /// where that is not possible.
  char *map();

  bool isSameAs(const File &other) const;
  /// Becomes `other`, which holds the same.
  llvm::Error become(const File &other);

private:
  File(std::string path, int descriptor, int64_t numBytes, bool isWritable)
      : path(std::move(path)), descriptor(descriptor), numBytes(numBytes),
        isWritable(isWritable) {}

  static llvm::Expected<std::shared_ptr<File>>
  open(const std::string &path, int64_t numBytes, bool isWritable);
  llvm::Error makeWritable();

  const std::string path;
  const int descriptor;
  const int64_t numBytes;
  std::mutex mutex;
  bool isWritable;
  void *mapped = nullptr;
};

/// A file that is made, and appears when the change is committed.
std::unique_ptr<Change> makeNewFile(std::shared_ptr<File> file,
                                    std::string temporary, std::string path,
                                    int64_t numBytes);

/// Begins to change the first `numBytes` bytes of a file that is there: keeps
/// them if `keepsContents`, and then makes the file as long.
llvm::Expected<std::unique_ptr<Change>>
changeFile(const std::shared_ptr<File> &file, const std::string &path,
           int64_t numBytes, bool keepsContents);

} // namespace tinygrad::runtime

#endif // TINYGRAD_LIB_RUNTIME_DISK_FILE_H
