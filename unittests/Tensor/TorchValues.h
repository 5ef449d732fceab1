//===- TorchValues.h - What PyTorch computes --------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads data/torch_nn_values.json, which utils/make_torch_nn_values.py writes.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TENSOR_TORCHVALUES_H
#define TINYGRAD_UNITTESTS_TENSOR_TORCHVALUES_H

#include "TensorTest.h"

#include "nlohmann/json.hpp"

#include <fstream>

namespace tinygrad::test {

using Json = nlohmann::json;

inline std::string getDataPath(const std::string &name) {
  return TINYGRAD_SOURCE_DIR "/unittests/Tensor/data/" + name;
}

inline Json readTorchValues() {
  return Json::parse(std::ifstream(getDataPath("torch_nn_values.json")));
}

inline Tensor readTensor(const Json &entry, DType type = DType::Float32) {
  return Tensor(entry["data"].get<std::vector<double>>(),
                entry["shape"].get<std::vector<int64_t>>())
      .cast(type);
}

/// Expects the values of an entry.
inline void expectEntry(const Tensor &tensor, const Json &entry,
                        double tolerance = 2e-5) {
  expectTensor(tensor, entry["shape"].get<std::vector<int64_t>>(),
               entry["data"].get<std::vector<double>>(), tolerance);
}

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_TENSOR_TORCHVALUES_H
