//===- DeviceBuffers.h - Vectors of floats on devices -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_ENGINE_DEVICEBUFFERS_H
#define TINYGRAD_UNITTESTS_ENGINE_DEVICEBUFFERS_H

#include "tinygrad/Engine/Engine.h"

#include <string>
#include <vector>

namespace tinygrad::test {

using Floats = std::vector<float>;

/// Returns the text of an alias of vectors of `size` floats on `device`.
inline std::string makeType(const std::string &alias, int64_t size,
                            const std::string &device) {
  return "!" + alias + " = tensor<" + std::to_string(size) +
         "xf32, #lazy.type<device = \"" + device + "\">>\n";
}

inline runtime::BufferRef makeBuffer(engine::Engine &engine,
                                     const std::string &device,
                                     const Floats &values) {
  runtime::BufferRef buffer =
      llvm::cantFail(llvm::cantFail(engine.getDevice(device))
                         ->allocate(DType::Float32, int64_t(values.size())));
  llvm::cantFail(buffer->copyIn(values.data(), buffer->getNumBytes()));
  return buffer;
}

inline Floats readFloats(runtime::Buffer &buffer) {
  Floats values(size_t(buffer.getNumElements()));
  llvm::cantFail(buffer.copyOut(values.data(), buffer.getNumBytes()));
  return values;
}

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_ENGINE_DEVICEBUFFERS_H
