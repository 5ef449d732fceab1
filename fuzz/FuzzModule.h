//===- FuzzModule.h - What the fuzzers of modules do ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_FUZZ_FUZZMODULE_H
#define TINYGRAD_FUZZ_FUZZMODULE_H

#include "llvm/ADT/StringRef.h"

namespace tinygrad::fuzz {

/// How a module is written.
enum class Form { Text, Bytecode };

/// Parses the module in all but the last byte of `input`, writes and reads it
/// again, and runs the pipeline that the last byte chooses. A result that does
/// not verify, is not the same when it is read again, or computes other values
/// (compared where all are integers) ends the process, as a crash does.
/// Returns false where the input is none of this form, or larger than the
/// fuzzers try.
bool fuzzModule(llvm::StringRef input, Form form);

} // namespace tinygrad::fuzz

#endif // TINYGRAD_FUZZ_FUZZMODULE_H
