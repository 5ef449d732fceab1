//===- HostTensor.h - A tensor in host memory ----------------- -*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements as plain bytes, for what works without a device: the interpreter and
// files.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_ENGINE_HOSTTENSOR_H
#define TINYGRAD_ENGINE_HOSTTENSOR_H

#include "tinygrad/Ops/Graph.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace tinygrad::engine {

/// Row-major elements in host memory, in the host's byte order; a bool is one
/// byte, 0 or 1. A copy shares the memory. The default is a tensor that is not
/// there: it has no memory, and only `isNull` may be asked.
class HostTensor {
public:
  HostTensor() = default;

  /// Makes a tensor of zeros. Fails with one sentence where the size does not
  /// fit in 63 bits or memory runs out.
  static llvm::Expected<HostTensor> create(DType type, ops::Shape shape);
  /// Makes a tensor around `memory`, which must be large enough. The pointer
  /// keeps whatever owns it.
  static HostTensor wrap(DType type, ops::Shape shape,
                         std::shared_ptr<void> memory);

  /// Returns the same memory under another type of the same width and a shape
  /// of the same number of elements.
  HostTensor reinterpret(DType newType, ops::Shape newShape) const;
  /// Returns a tensor of the same elements in memory of its own.
  llvm::Expected<HostTensor> clone() const;

  bool isNull() const { return !memory; }
  DType getType() const { return type; }
  const ops::Shape &getShape() const { return shape; }
  int64_t getNumElements() const { return numElements; }
  int64_t getNumBytes() const { return numElements * getByteWidth(type); }
  uint8_t *getData() const { return static_cast<uint8_t *>(memory.get()); }

  /// Reads and writes one element by its row-major position.
  ops::Scalar get(int64_t position) const {
    return ops::Scalar::load(type, getData() + position * getByteWidth(type));
  }
  void set(int64_t position, const ops::Scalar &value) const {
    value.store(getData() + position * getByteWidth(type));
  }

private:
  DType type = DType::Float32;
  ops::Shape shape;
  int64_t numElements = 0;
  std::shared_ptr<void> memory;
};

} // namespace tinygrad::engine

#endif // TINYGRAD_ENGINE_HOSTTENSOR_H
