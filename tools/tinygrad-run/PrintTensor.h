//===- PrintTensor.h - A tensor as a readable table - h -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_RUN_PRINTTENSOR_H
#define TINYGRAD_TOOLS_TINYGRAD_RUN_PRINTTENSOR_H

#include "tinygrad/Engine/HostTensor.h"

#include "llvm/Support/raw_ostream.h"

namespace tinygrad {

/// Writes the elements of `tensor` as numpy's `print` does: as few digits as
/// tell a value from its neighbours and at most 8 after the point, lines of 75
/// columns, only the edges where there are more than 1000 elements.
/// Source: numpy/core/arrayprint.py.
void printTensor(llvm::raw_ostream &stream, const engine::HostTensor &tensor);

} // namespace tinygrad

#endif // TINYGRAD_TOOLS_TINYGRAD_RUN_PRINTTENSOR_H
