//===- bytecode-fuzzer.cpp - Modules as bytecode --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input is a module in bytecode and a byte that chooses a pipeline.
//
//===----------------------------------------------------------------------===//

#include "FuzzModule.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef input(reinterpret_cast<const char *>(data), size);
  // -1: not to be kept in the corpus.
  return tinygrad::fuzz::fuzzModule(input, tinygrad::fuzz::Form::Bytecode) ? 0
                                                                           : -1;
}
