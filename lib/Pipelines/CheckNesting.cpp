//===- CheckNesting.cpp - What the parser's stack can hold ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Pipelines/CheckNesting.h"

#include "mlir/Bytecode/BytecodeReader.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

llvm::Error tinygrad::checkNesting(StringRef text, StringRef fileName) {
  if (isBytecode(llvm::MemoryBufferRef(text, fileName)))
    return llvm::Error::success();
  SmallVector<char> open;
  size_t line = 1, lineBegin = 0;
  auto makeErrorAt = [&](size_t position, const Twine &sentence) {
    return llvm::createStringError((fileName + ":" + Twine(line) + ":" +
                                    Twine(position - lineBegin + 1) +
                                    ": error: " + sentence)
                                       .str());
  };
  auto makeError = [&](size_t position) {
    return makeErrorAt(position, "expects brackets nested no deeper than " +
                                     Twine(maxNesting));
  };
  // Minus signs with nothing but space between them.
  int minuses = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char current = text[i];
    char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (current != '-' && current != '/' && !llvm::isSpace(current))
      minuses = 0;
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
    case '#': {
      // `%x#3` is a result; the parser makes room for all before it.
      StringRef digits = text.substr(i + 1).take_while(llvm::isDigit);
      if (digits.ltrim('0').size() > maxResultDigits)
        return makeErrorAt(i, "expects the number of a result to have no more "
                              "than " +
                                  Twine(maxResultDigits) + " digits");
      break;
    }
    case '-':
      // An arrow closes nothing.
      if (next == '>')
        ++i;
      else if (++minuses > maxNesting)
        return makeError(i);
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
        return makeError(i);
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
