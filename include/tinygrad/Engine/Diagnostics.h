//===- Diagnostics.h - From diagnostics to errors ------------- -*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_ENGINE_DIAGNOSTICS_H
#define TINYGRAD_ENGINE_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

#include "llvm/Support/Error.h"

#include <string>

namespace tinygrad::engine {

/// Returns "file:line:column", the name of a location that has only one, or an
/// empty text for an unknown one.
std::string formatLocation(mlir::Location loc);

/// Makes an error "location: error: 'lazy.add' op message".
llvm::Error makeErrorAt(mlir::Operation *op, const llvm::Twine &message);

/// Collects the errors of a context, and the notes that belong to them, while
/// it lives.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  /// Returns the diagnostics as an error, one a line, or `fallback` where a
  /// failure left none.
  llvm::Error takeError(llvm::StringRef fallback);

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tinygrad::engine

#endif // TINYGRAD_ENGINE_DIAGNOSTICS_H
