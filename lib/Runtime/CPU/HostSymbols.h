//===- HostSymbols.h - What a program may call ------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_CPU_HOSTSYMBOLS_H
#define TINYGRAD_LIB_RUNTIME_CPU_HOSTSYMBOLS_H

#include "llvm/ADT/StringRef.h"

namespace tinygrad::runtime {

/// Returns the address of the function or variable `name` that a program may
/// use, or null. These are tg_parallel_for, the functions that LLVM's code
/// generator calls on its own, and those of libc and libm. The ones that
/// kernels need are found in static programs, too, the rest where the process
/// has the shared libraries.
void *lookupHostSymbol(llvm::StringRef name);

} // namespace tinygrad::runtime

#endif // TINYGRAD_LIB_RUNTIME_CPU_HOSTSYMBOLS_H
