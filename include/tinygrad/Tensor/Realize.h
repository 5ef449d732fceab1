//===- Realize.h - What is kept when tensors are computed -------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_REALIZE_H
#define TINYGRAD_TENSOR_REALIZE_H

#include "tinygrad/Tensor/Tensor.h"

#include <vector>

namespace tinygrad {

/// Computes tensors as `realize` does, and keeps what they share with others:
/// values that something else refers to and that take a reduce or a function of
/// the host to compute, or of which `contiguous` stores a larger view. For
/// programs that realize a part of what they compute, such as the state of each
/// of many layers: `realize` would compute the layers before once for each.
///
/// Several tensors, such as the parameters after a step of an optimizer, are
/// one graph, and of what has no history nothing is kept: gradients are
/// referred to then, but rarely asked for. Errors: as realize.
void realizeWithShared(const std::vector<Tensor> &tensors);

/// Asks that the next realization on this thread that computes a part of what
/// one of `tensors` needs computes them all, too. They are of one context. If
/// they cannot be computed, they wait until they are read. Where memory is read
/// that others may write (see Sharing.h), they are computed at once.
void realizeLater(const std::vector<Tensor> &tensors);

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_REALIZE_H
