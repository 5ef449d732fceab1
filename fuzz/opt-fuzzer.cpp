//===- opt-fuzzer.cpp - Modules as text -----------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input is the text of a module and a byte that chooses a pipeline.
//
//===----------------------------------------------------------------------===//

#include "FuzzModule.h"
#include "MutateWords.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef input(reinterpret_cast<const char *>(data), size);
  // -1: not to be kept in the corpus.
  return tinygrad::fuzz::fuzzModule(input, tinygrad::fuzz::Form::Text) ? 0 : -1;
}

/// libFuzzer's own changes, which a replay does not have.
extern "C" [[gnu::weak]] size_t LLVMFuzzerMutate(uint8_t *data, size_t size,
                                                 size_t maxSize);

/// Most changes of single bytes are no module any more.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  if (seed % 4 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  return tinygrad::fuzz::mutateWords(data, size, maxSize, seed);
}
