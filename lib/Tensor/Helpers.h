//===- Helpers.h - What the functions of tensors share ----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_HELPERS_H
#define TINYGRAD_LIB_TENSOR_HELPERS_H

#include "Node.h"

namespace tinygrad::detail {

/// Makes `value`, computed from the input without history, a function of `x`
/// whose gradient is `rule(x, result, grad)`.
Tensor withGradient(const Tensor &value, const Tensor &x,
                    Tensor (*rule)(const Tensor &x, const Tensor &result,
                                   const Tensor &grad));

/// Makes start, start + 1, … `count` of them, as int32, in the context and on
/// the device of `beside`.
Tensor makeRange(const Tensor &beside, int64_t start, const Extent &count);

/// Makes a scalar of the number that `extent` is; of an expression, whose
/// number a run tells, in int32.
Tensor makeNumber(const Extent &extent);

/// Throws Error in the name of `name` unless `x`, which is `what`, is of an
/// integer type that is not bool.
void checkInteger(const char *name, const char *what, const Tensor &x);

/// Returns the sum of products over `axes`, of their type: what is multiplied
/// says how many bits count, as in numpy and PyTorch.
Tensor sumProducts(const Tensor &products, const Axes &axes);

/// Writes pairs one after the other.
Shape flattenPairs(const Ranges &pairs);

/// Returns `x` with axes of size 1 in front, `rank` axes in all.
Tensor alignRank(const Tensor &x, size_t rank);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_HELPERS_H
