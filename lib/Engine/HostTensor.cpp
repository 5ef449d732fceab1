//===- HostTensor.cpp - A tensor in host memory ---------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/HostTensor.h"

#include <cassert>
#include <cstdlib>
#include <cstring>

using namespace tinygrad;
using namespace tinygrad::engine;

llvm::Expected<HostTensor> HostTensor::create(DType type, ops::Shape shape) {
  std::optional<int64_t> numElements = ops::getNumElements(shape);
  int64_t numBytes = 0;
  if (!numElements || __builtin_mul_overflow(
                          *numElements, int64_t{getByteWidth(type)}, &numBytes))
    return llvm::createStringError(
        "expects a tensor whose size fits in 63 bits, got shape " +
        ops::toString(shape));
  // Not operator new: where memory runs out, it ends a process that is built
  // without exceptions. At least one byte, since null means no tensor.
  void *bytes = std::calloc(numBytes ? static_cast<size_t>(numBytes) : 1, 1);
  if (!bytes)
    return llvm::createStringError("ran out of memory for a tensor of " +
                                   std::to_string(numBytes) + " bytes");
  return wrap(type, std::move(shape), std::shared_ptr<void>(bytes, std::free));
}

HostTensor HostTensor::wrap(DType type, ops::Shape shape,
                            std::shared_ptr<void> memory) {
  HostTensor result;
  result.type = type;
  result.numElements = *ops::getNumElements(shape);
  result.shape = std::move(shape);
  result.memory = std::move(memory);
  return result;
}

HostTensor HostTensor::reinterpret(DType newType, ops::Shape newShape) const {
  HostTensor result = wrap(newType, std::move(newShape), memory);
  assert(result.getNumBytes() == getNumBytes() && "another size");
  return result;
}

llvm::Expected<HostTensor> HostTensor::clone() const {
  llvm::Expected<HostTensor> result = create(type, shape);
  if (result)
    std::memcpy(result->getData(), getData(),
                static_cast<size_t>(getNumBytes()));
  return result;
}
