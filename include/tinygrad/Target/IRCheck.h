//===- IRCheck.h - Is a module safe for LLVM's code generator? --*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_IRCHECK_H
#define TINYGRAD_TARGET_IRCHECK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tinygrad::target {

/// Checks that LLVM's parser can read `text` without ending the process: it is
/// recursive, so that brackets must not be nested deeply, and it rewrites the
/// intrinsics of old versions, so that their names must be among those that
/// checkForCodeGenerator accepts. Says nothing on whether the text is LLVM IR.
llvm::Error checkText(llvm::StringRef text);

/// Checks that `module`, which is valid IR, has nothing that LLVM's code
/// generator cannot do: there it ends the process instead of returning an
/// error. Accepted is what kernels and programs on buffers need: integers up to
/// 128 bits, float, double, half, bfloat, fixed vectors, C calls, and the
/// intrinsics of no single target. Masked accesses to memory are accepted too,
/// though not in a user's text (see checkText).
llvm::Error checkForCodeGenerator(const llvm::Module &module);

} // namespace tinygrad::target

#endif // TINYGRAD_TARGET_IRCHECK_H
