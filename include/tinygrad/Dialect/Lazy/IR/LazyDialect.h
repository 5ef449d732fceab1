//===- LazyDialect.h - The lazy dialect -------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYDIALECT_H
#define TINYGRAD_DIALECT_LAZY_IR_LAZYDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"

#include "tinygrad/Dialect/Lazy/IR/LazyDialect.h.inc"

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYDIALECT_H
