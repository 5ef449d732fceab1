//===- safetensors-fuzzer.cpp - Files of named tensors --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileInput.h"
#include "tinygrad/Tensor/Error.h"
#include "tinygrad/Tensor/State.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string path = tinygrad::fuzz::writeInput(data, size);
  // Any other exception ends the process.
  try {
    tinygrad::safe_load(path);
  } catch (const tinygrad::Error &) {
  }
  return 0;
}
