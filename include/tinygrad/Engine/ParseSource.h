//===- ParseSource.h - From text to a module ------------------ -*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_ENGINE_PARSESOURCE_H
#define TINYGRAD_ENGINE_PARSESOURCE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tinygrad::engine {

/// Parses and verifies `text`. Fails with all diagnostics, one a line, each as
/// "fileName:line:column: error: …".
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseSource(mlir::MLIRContext &context, llvm::StringRef text,
            llvm::StringRef fileName);

} // namespace tinygrad::engine

#endif // TINYGRAD_ENGINE_PARSESOURCE_H
