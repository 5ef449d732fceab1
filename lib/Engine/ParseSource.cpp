//===- ParseSource.cpp - From text to a module ----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/ParseSource.h"
#include "tinygrad/Engine/Diagnostics.h"
#include "tinygrad/Pipelines/CheckNesting.h"

#include "mlir/Parser/Parser.h"

#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tinygrad;

llvm::Expected<OwningOpRef<ModuleOp>>
engine::parseSource(MLIRContext &context, StringRef text, StringRef fileName) {
  if (llvm::Error error = checkNesting(text, fileName))
    return error;
  // The whole operation says nothing that the location does not.
  context.printOpOnDiagnostic(false);
  DiagnosticCollector diagnostics(&context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, fileName), llvm::SMLoc());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return diagnostics.takeError(
        (fileName + ": error: the text is not a module").str());
  return module;
}
