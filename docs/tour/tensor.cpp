//===- tensor.cpp - The C++ Tensor in ten lines ---------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program of README.md. Link it with TinygradTensor.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Tensor.h"

#include <cstdio>

int main() {
  using tinygrad::Tensor;
  Tensor x(std::vector<float>{1, -2, 3, 4, 5, -6}, {2, 3});
  Tensor w(std::vector<float>{1, 0, 0, 1, 1, 1}, {3, 2});
  w.requires_grad_();
  Tensor loss = x.matmul(w).relu().sum(); // builds a graph, runs nothing
  loss.backward();                        // adds to the graph
  std::printf("loss %g\n", loss.item());  // compiles and runs
  std::printf("%s\n", w.grad().toString().c_str());
}
