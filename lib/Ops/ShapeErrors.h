//===- ShapeErrors.h - Sentences of the shape rules -------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the rules for shapes of numbers and of expressions share.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_OPS_SHAPEERRORS_H
#define TINYGRAD_LIB_OPS_SHAPEERRORS_H

#include "tinygrad/Ops/OpKind.h"

#include <string>

namespace tinygrad::ops {

/// Sets `error` and returns false, so that a check can end with it.
bool fail(std::string &error, std::string sentence);

/// Writes "1 operand", "2 operands".
std::string plural(int64_t count, const std::string &noun);

/// Checks that `kind` takes `count` operands.
bool verifyNumOperands(OpKind kind, size_t count, std::string &error);

} // namespace tinygrad::ops

#endif // TINYGRAD_LIB_OPS_SHAPEERRORS_H
