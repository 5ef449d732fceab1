//===- Diagnostics.cpp - From diagnostics to errors -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace tinygrad;

std::string engine::formatLocation(Location loc) {
  // A location is a tree, and as deep as a text makes it: no recursion.
  SmallVector<Location> worklist{loc};
  std::string name;
  while (!worklist.empty()) {
    Location current = worklist.pop_back_val();
    if (auto file = dyn_cast<FileLineColRange>(current))
      return (file.getFilename().getValue() + ":" + Twine(file.getStartLine()) +
              ":" + Twine(file.getStartColumn()))
          .str();
    if (auto named = dyn_cast<NameLoc>(current)) {
      if (name.empty())
        name = named.getName().str();
      worklist.push_back(named.getChildLoc());
    } else if (auto call = dyn_cast<CallSiteLoc>(current)) {
      worklist.push_back(call.getCallee());
    } else if (auto fused = dyn_cast<FusedLoc>(current)) {
      for (Location part : llvm::reverse(fused.getLocations()))
        worklist.push_back(part);
    }
  }
  return name;
}

/// Returns "location: severity: message".
static std::string formatLine(Location loc, StringRef severity,
                              const Twine &message) {
  std::string place = engine::formatLocation(loc);
  if (!place.empty())
    place += ": ";
  return (place + severity + ": " + message).str();
}

llvm::Error engine::makeErrorAt(Operation *op, const Twine &message) {
  return llvm::createStringError(
      formatLine(op->getLoc(), "error",
                 "'" + op->getName().getStringRef() + "' op " + message));
}

engine::DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        // Warnings and remarks are no part of an error.
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success();
        auto add = [&](Diagnostic &part, StringRef severity) {
          if (!text.empty())
            text += '\n';
          text += formatLine(part.getLocation(), severity, part.str());
        };
        add(diagnostic, "error");
        for (Diagnostic &note : diagnostic.getNotes())
          add(note, "note");
        return success();
      }) {}

llvm::Error engine::DiagnosticCollector::takeError(StringRef fallback) {
  std::string message = text.empty() ? fallback.str() : std::move(text);
  text.clear();
  return llvm::createStringError(message);
}
