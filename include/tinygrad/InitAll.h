//===- InitAll.h - Register everything of tinygrad-mlir ---------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_INITALL_H
#define TINYGRAD_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace tinygrad {

/// Adds the lazy dialect, and the upstream dialects that the lowering to the
/// host produces, with the interfaces and translations that it needs.
void registerHostDialects(mlir::DialectRegistry &registry);

/// Adds these, and those of GPUs.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the passes of every room, and the upstream passes that make our
/// pipelines or are of use beside them.
void registerAllPasses();

/// Registers the named pipelines.
void registerAllPipelines();

} // namespace tinygrad

#endif // TINYGRAD_INITALL_H
