//===- HostFunction.h - Tensors that the host computes ----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What no operation computes, a function of the program can: it is called with
// the elements of its inputs when its result is realized, also within a
// captured step. `Function` (see Gradient.h) gives it a gradient:
//
//   registerHostFunction("atan2", [](std::span<const HostArray> arrays) {
//     auto *y = static_cast<const float *>(arrays[0].data);
//     auto *x = static_cast<const float *>(arrays[1].data);
//     auto *result = static_cast<float *>(arrays[2].data);
//     for (int64_t i = 0; i < arrays[2].numElements; ++i)
//       result[i] = std::atan2(y[i], x[i]);
//   });
//   Tensor angle = callHostFunction("atan2", {y, x}, y.shape(), y.dtype());
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_HOSTFUNCTION_H
#define TINYGRAD_TENSOR_HOSTFUNCTION_H

#include "tinygrad/Tensor/Tensor.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tinygrad {

/// The row-major elements of a tensor in memory of the host.
struct HostArray {
  void *data;
  int64_t numElements;
  DType type;
};

/// Reads all arrays but the last one, whose every element it sets. It is called
/// on the thread that realizes, and makes and reads no tensors. What it throws
/// is the text of an Error of the realization.
using HostFunction = std::function<void(std::span<const HostArray> arrays)>;

/// Registers a function with the current context, in place of an older one of
/// that name. It is kept as long as the context.
void registerHostFunction(const std::string &name, HostFunction function);

/// Makes the tensor that the function of that name computes of `inputs`.
/// Without a gradient. Errors: throws Error if the inputs are of several
/// contexts; realizing throws Error if there is no such function, or it fails.
/// Source: `LoadOps.CUSTOM`.
Tensor callHostFunction(const std::string &name,
                        const std::vector<Tensor> &inputs, const Shape &shape,
                        DType type);

/// The same for a function that is kept as long as a tensor that is not
/// computed yet, or a captured step, needs it; where such a tensor is traced,
/// as long as the context. Errors and schedules name it `name` with a number.
Tensor callHostFunction(const std::string &name, HostFunction function,
                        const std::vector<Tensor> &inputs, const Shape &shape,
                        DType type);

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_HOSTFUNCTION_H
