//===- Differentiate.h - lazy-autodiff on text ------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TENSOR_DIFFERENTIATE_H
#define TINYGRAD_UNITTESTS_TENSOR_DIFFERENTIATE_H

#include <string>

namespace tinygrad::test {

/// Runs `lazy-autodiff` on the function `f` of the module `text`. Returns the
/// module, printed, or "" where that fails.
std::string differentiate(const std::string &text);

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_TENSOR_DIFFERENTIATE_H
