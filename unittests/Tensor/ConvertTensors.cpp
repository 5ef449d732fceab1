//===- ConvertTensors.cpp - Read a file of tensors, write another ---------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// convert-tensors INPUT OUTPUT: reads a safetensors file, or one of PyTorch
// (.pt), and writes its tensors and metadata as a safetensors file. The tests
// in test/Tensor compare with other programs.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/State.h"

#include <cstdio>

using namespace tinygrad;

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: convert-tensors INPUT OUTPUT\n");
    return 2;
  }
  std::string input = argv[1];
  try {
    if (input.ends_with(".pt"))
      safe_save(torch_load(input), argv[2]);
    else
      safe_save(safe_load(input), argv[2], safe_load_metadata(input));
  } catch (const Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
