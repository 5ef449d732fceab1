//===- main.cpp - A program of somebody else ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Jit.h"
#include "tinygrad/Tensor/NN.h"
#include "tinygrad/Tensor/Optim.h"
#include "tinygrad/Tensor/State.h"
#include "tinygrad/Tensor/Tensor.h"

#include <cstdio>

using tinygrad::Tensor;

int main() {
  Tensor product = Tensor::ones({4, 4}).matmul(Tensor::ones({4, 4}));
  std::printf("%g\n", (product + 1).sum().item<double>());

  // What the library throws is caught here, as what it is and as its base.
  try {
    product.reshape({3, 5});
  } catch (const tinygrad::Error &error) {
    std::printf("%s; %s\n", error.getOp().c_str(), error.what());
  }
  try {
    product.permute({0, 0});
  } catch (const std::exception &error) {
    std::printf("%s\n", error.what());
  }

  // Gradients of functions are templates over what the library shows.
  auto cube = [](const Tensor &x) { return x * x * x; };
  std::printf("%g\n", tinygrad::grad(tinygrad::grad(cube))(2.0).item());

  // Each public header has something of the library behind it.
  tinygrad::nn::Linear layer(4, 2);
  tinygrad::optim::SGD optimizer(tinygrad::get_parameters(layer), 0.1);
  tinygrad::TinyJit step([&](const Tensor &x) { return layer(x).relu(); });
  Tensor result = step(product);
  std::printf("%lld by %lld\n", static_cast<long long>(result.shape(0)),
              static_cast<long long>(result.shape(1)));
}
