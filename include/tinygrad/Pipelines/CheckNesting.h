//===- CheckNesting.h - What the parser's stack can hold --------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_PIPELINES_CHECKNESTING_H
#define TINYGRAD_PIPELINES_CHECKNESTING_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tinygrad {

/// How deep brackets may be nested in a text.
inline constexpr int maxNesting = 256;

/// How many digits the number of a result may have, as in `%x#3`.
inline constexpr size_t maxResultDigits = 6;

/// Refuses `text` in which parentheses, brackets, braces and angle brackets
/// outside of strings and comments are nested deeper than `maxNesting`: MLIR's
/// parser is recursive and would run out of stack. Each minus sign before an
/// operand counts as one bracket. Refuses numbers of results with more than
/// `maxResultDigits` digits too: the parser makes room for as many. The error
/// is "fileName:line:column: error: …". Bytecode is no text, and passes.
llvm::Error checkNesting(llvm::StringRef text, llvm::StringRef fileName);

} // namespace tinygrad

#endif // TINYGRAD_PIPELINES_CHECKNESTING_H
