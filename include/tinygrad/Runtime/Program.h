//===- Program.h - Compiled code that runs on buffers -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_PROGRAM_H
#define TINYGRAD_RUNTIME_PROGRAM_H

#include "tinygrad/Runtime/Buffer.h"
#include "tinygrad/Runtime/ThreadPool.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <span>
#include <string>

namespace tinygrad::runtime {

/// The text of a program and what it is written in.
struct ProgramSource {
  enum class Language {
    /// LLVM IR whose function takes one pointer per buffer and returns void.
    LLVMIR,
    /// An object file with kernels as the compiler emits them: a function
    /// `void name(void **buffers, int64_t begin, int64_t end)` that runs the
    /// tasks [begin, end). The value of a variable, on which sizes depend, is
    /// one int64 in a buffer of its own: so all kernels have this signature,
    /// and a launch knows nothing of variables. It is machine code and trusted
    /// as such: the symbols
    /// that it defines and uses are checked, a damaged file is not detected.
    Object,
  };
  Language language = Language::LLVMIR;
  std::string text;
};

/// A compiled function. Holds its device.
class Program {
public:
  virtual ~Program() = default;

  /// Runs the program on `buffers` and waits for it. A kernel runs its tasks
  /// [0, numTasks) in parallel; a program written in LLVM IR ignores the
  /// number. The output comes first by convention. Fails if a buffer lives on
  /// another device or if their number differs from that of the function's
  /// parameters, where that is known.
  virtual llvm::Error launch(std::span<const BufferRef> buffers,
                             int64_t numTasks = 1) = 0;

  /// Returns the kernel itself where it is code of this process, else null. It
  /// takes an array of the buffers' host pointers, and lives as long as the
  /// program. A caller that has checked its buffers once saves what `launch`
  /// does each time.
  virtual tg_task_fn getHostKernel() const { return nullptr; }
};

using ProgramRef = std::shared_ptr<Program>;

} // namespace tinygrad::runtime

#endif // TINYGRAD_RUNTIME_PROGRAM_H
