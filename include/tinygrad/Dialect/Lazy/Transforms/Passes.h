//===- Passes.h - Passes on the lazy dialect --------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_TRANSFORMS_PASSES_H
#define TINYGRAD_DIALECT_LAZY_TRANSFORMS_PASSES_H

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tinygrad::lazy {

#define GEN_PASS_DECL
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"

} // namespace tinygrad::lazy

#endif // TINYGRAD_DIALECT_LAZY_TRANSFORMS_PASSES_H
