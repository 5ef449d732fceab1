//===- ParseSource.cpp - From text to a module ----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/ParseSource.h"
#include "tinygrad/Engine/Diagnostics.h"

#include "mlir/Parser/Parser.h"

#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tinygrad;

llvm::Error engine::checkNesting(StringRef text, StringRef fileName) {
  SmallVector<char> open;
  size_t line = 1, lineBegin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char current = text[i];
    char next = i + 1 < text.size() ? text[i + 1] : '\0';
    switch (current) {
    case '\n':
      ++line;
      lineBegin = i + 1;
      break;
    case '/':
      // A comment goes to the end of its line.
      if (next == '/')
        i = std::min(text.find('\n', i), text.size()) - 1;
      break;
    case '"':
      // A string ends at its line's end at the latest.
      while (i + 1 < text.size() && text[i + 1] != '\n' && text[++i] != '"')
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] != '\n')
          ++i;
      break;
    case '-':
      // An arrow closes nothing.
      if (next == '>')
        ++i;
      break;
    case '<':
    case '(':
    case '[':
    case '{':
      if (current == '<' && next == '=') {
        ++i;
        break;
      }
      if (open.size() == maxNesting)
        return llvm::createStringError(
            (fileName + ":" + Twine(line) + ":" + Twine(i - lineBegin + 1) +
             ": error: expects brackets nested no deeper than " +
             Twine(maxNesting))
                .str());
      open.push_back(current == '(' ? ')' : static_cast<char>(current + 2));
      break;
    case '>':
    case ')':
    case ']':
    case '}':
      if (current == '>' && next == '=') {
        ++i;
        break;
      }
      // What does not match is an error that the parser names.
      if (!open.empty() && open.back() == current)
        open.pop_back();
      break;
    default:
      break;
    }
  }
  return llvm::Error::success();
}

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
