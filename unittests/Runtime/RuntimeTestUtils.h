//===- RuntimeTestUtils.h - Helpers of the runtime's tests ------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_RUNTIME_RUNTIMETESTUTILS_H
#define TINYGRAD_UNITTESTS_RUNTIME_RUNTIMETESTUTILS_H

#include "tinygrad/Runtime/Device.h"

#include "llvm/Support/Error.h"

#include <string>
#include <type_traits>
#include <vector>

namespace tinygrad::runtime {

/// Returns the text of an error, or "" for success.
inline std::string getMessage(llvm::Error error) {
  return llvm::toString(std::move(error));
}
template <typename Value>
std::string getMessage(llvm::Expected<Value> value) {
  return value ? "" : llvm::toString(value.takeError());
}

/// Makes a buffer with the elements `values`.
template <typename Element>
BufferRef makeBuffer(Device &device, std::vector<Element> values) {
  DType type = std::is_same_v<Element, float>      ? DType::Float32
               : std::is_same_v<Element, double>   ? DType::Float64
               : std::is_same_v<Element, uint16_t> ? DType::UInt16
               : std::is_same_v<Element, int32_t>  ? DType::Int32
                                                   : DType::Int64;
  BufferRef buffer =
      llvm::cantFail(device.allocate(type, int64_t(values.size())));
  llvm::cantFail(
      buffer->copyIn(values.data(), int64_t(values.size() * sizeof(Element))));
  return buffer;
}

/// Returns the elements of `buffer`.
template <typename Element>
std::vector<Element> readBuffer(Buffer &buffer) {
  std::vector<Element> values(buffer.getNumElements());
  llvm::cantFail(buffer.copyOut(values.data(), buffer.getNumBytes()));
  return values;
}

} // namespace tinygrad::runtime

#endif // TINYGRAD_UNITTESTS_RUNTIME_RUNTIMETESTUTILS_H
