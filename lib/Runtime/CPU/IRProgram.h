//===- IRProgram.h - Compiles LLVM IR text ----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_CPU_IRPROGRAM_H
#define TINYGRAD_LIB_RUNTIME_CPU_IRPROGRAM_H

#include "tinygrad/Target/CPUTarget.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace tinygrad::runtime {

/// LLVM IR text, compiled. Its functions were given entries that have the
/// signature of a kernel.
struct IRProgram {
  struct Entry {
    /// The entry's name in the object file.
    std::string symbol;
    /// How many pointers the function takes.
    int numParameters = 0;
  };
  std::unique_ptr<llvm::MemoryBuffer> object;
  /// One per name that was asked for.
  std::vector<Entry> entries;
};

/// Compiles `text` for `target`. Fails, with the number of the line where the
/// text is not LLVM IR, and with one sentence where it is no program for this
/// machine or lacks one of the functions `names`, which return void and take
/// pointers.
llvm::Expected<IRProgram> compileIR(const std::string &text,
                                    llvm::ArrayRef<std::string> names,
                                    const target::CPUTarget &target);

} // namespace tinygrad::runtime

#endif // TINYGRAD_LIB_RUNTIME_CPU_IRPROGRAM_H
