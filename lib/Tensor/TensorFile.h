//===- TensorFile.h - A file whose parts are tensors ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the readers of safetensors files and of PyTorch's checkpoints share.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_TENSORFILE_H
#define TINYGRAD_LIB_TENSOR_TENSORFILE_H

#include "tinygrad/Tensor/Tensor.h"

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

namespace tinygrad {

namespace runtime {
class Buffer;
} // namespace runtime

namespace detail {

/// A file that is open for reading. Everything that goes wrong is an Error in
/// the name of the function that reads, with the path and the reason.
class TensorFile {
public:
  TensorFile(const char *op, const std::string &path);

  /// Throws "op: cannot read `path`: what", control characters written out.
  [[noreturn]] void fail(const std::string &what) const;

  uint64_t getSize() const { return size; }
  /// Returns bytes of the file. Throws Error if it is shorter.
  std::string read(uint64_t offset, uint64_t numBytes);
  /// Returns the elements of `shape` from byte `offset` on, which lie in the
  /// file, as a realized tensor on `device`; for "DISK" they stay in the file.
  /// `name` is for errors.
  Tensor load(const std::string &name, DType type, uint64_t offset,
              const Shape &shape, const std::string &device);

private:
  const char *op;
  std::string path;
  /// The device of the file; a path that is a number would be an index.
  std::string diskName;
  std::ifstream stream;
  uint64_t size = 0;
  /// The file as a buffer, from the first tensor that is loaded on.
  std::shared_ptr<runtime::Buffer> bytes;
};

} // namespace detail
} // namespace tinygrad

#endif // TINYGRAD_LIB_TENSOR_TENSORFILE_H
