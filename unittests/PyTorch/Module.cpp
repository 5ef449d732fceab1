//===- Module.cpp - The library as a guest in another process -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library with the compiler and LLVM inside, of which nothing is seen
// but these C functions. test/PyTorch loads it beside PyTorch.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Ops.h"
#include "tinygrad/Tensor/Tensor.h"

#include <exception>

using namespace tinygrad;

/// Writes relu(x @ y) of matrices of `n` by `n` to `result`. Returns 0, or 1
/// where it fails.
extern "C" __attribute__((visibility("default"))) int
tinygrad_test_matmul(const float *x, const float *y, float *result, int n) {
  try {
    Shape shape = {n, n};
    relu(Tensor::fromMemory(x, shape, DType::Float32)
             .matmul(Tensor::fromMemory(y, shape, DType::Float32)))
        .copyTo(result, DType::Float32);
    return 0;
  } catch (const std::exception &) {
    return 1;
  }
}

/// Returns 1 if an error of the compiler arrives as an exception.
extern "C" __attribute__((visibility("default"))) int tinygrad_test_throw() {
  try {
    Tensor::zeros({2, 3}).matmul(Tensor::zeros({2, 3})).realize();
  } catch (const Error &) {
    return 1;
  }
  return 0;
}
