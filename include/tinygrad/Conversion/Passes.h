//===- Passes.h - Conversions out of the lazy dialect -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_PASSES_H
#define TINYGRAD_CONVERSION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tinygrad {

#define GEN_PASS_DECL
#include "tinygrad/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tinygrad/Conversion/Passes.h.inc"

} // namespace tinygrad

#endif // TINYGRAD_CONVERSION_PASSES_H
