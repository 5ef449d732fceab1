//===- Sharing.h - Memory that others know, too -----------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements go to other libraries and come from them without a copy. Both sides
// then see what either writes there, and the memory lives as long as one of
// them wants it. The rule:
//
// - We never write into shared memory. `assign`, an optimizer's step and the
//   call of a TinyJit give a variable whose memory is shared other memory, and
//   leave the old one as it is.
// - What others write there changes the values of the tensor, of its views
//   (`detach` and `contiguous` of a computed tensor are such) and of what is
//   computed from it later, and of no other tensor.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_SHARING_H
#define TINYGRAD_TENSOR_SHARING_H

#include "tinygrad/Tensor/Tensor.h"

#include <memory>

namespace tinygrad {

/// Row-major elements in memory of the host.
struct SharedElements {
  /// Their address, which keeps the memory; null only where there are none.
  std::shared_ptr<void> memory;
  /// True if nobody may write them.
  bool isReadOnly = false;
};

/// Computes `tensor`, and returns its elements where they are. Until the tensor
/// gets another value, each call returns the same address.
/// Errors: throws Error if the elements are not in memory of the host, as those
/// of a file, while a step is captured, and what tinygrad::realize throws.
SharedElements shareElements(const Tensor &tensor);

/// Makes a tensor on the context's device from the elements of `shape` and
/// `type` in memory of others.
/// Errors: throws Error if the device does not compute in memory of the host,
/// or an element is not aligned to its size.
Tensor fromSharedElements(const SharedElements &elements, const Shape &shape,
                          DType type);

/// Makes a tensor of the value of `tensor` in memory of its own, without its
/// history; computes it. Errors: throws what tinygrad::realize throws, and
/// Error while a step is captured.
Tensor copyElements(const Tensor &tensor);

/// Makes another variable of the value and the history of `tensor`: an `assign`
/// to one does not change the other. One for which gradients are wanted has a
/// gradient of its own.
Tensor copyVariable(const Tensor &tensor);

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_SHARING_H
