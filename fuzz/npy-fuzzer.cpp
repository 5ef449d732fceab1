//===- npy-fuzzer.cpp - Files of NumPy arrays -----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Npy.h"

using namespace tinygrad;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef input(reinterpret_cast<const char *>(data), size);
  llvm::Expected<engine::HostTensor> tensor = engine::parseNpy(input);
  if (!tensor) {
    llvm::consumeError(tensor.takeError());
    return 0;
  }
  // Reads every element that the header says is there.
  for (int64_t i = 0; i < tensor->getNumElements(); ++i)
    (void)tensor->get(i).isTrue();
  return 0;
}
