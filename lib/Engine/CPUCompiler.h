//===- CPUCompiler.h - From a function to programs and steps ----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler leaves for the executor: steps, programs and signatures. No
// IR is alive when it returns.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_ENGINE_CPUCOMPILER_H
#define TINYGRAD_LIB_ENGINE_CPUCOMPILER_H

#include "Compilation.h"
#include "KernelLibrary.h"
#include "Schedule.h"
#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"

namespace tinygrad::engine {

/// A compiled kernel, as a step runs it.
struct Kernel {
  std::string name;
  /// As in Signature.
  std::string device;
  runtime::ProgramRef program;
  /// Its variables are those of the kernel: its last slots.
  RuntimeSize numTasks = 1;
  /// How many of its buffers are read; those after them are written.
  int32_t numInputs = 0;
  /// True if the code came from a cache.
  bool isFromCache = false;
  lazy::KernelCost cost;
};

/// Where an output of the executable comes from.
struct OutputSource {
  /// The input that is passed on, or -1.
  int input = -1;
  /// The result of the host function that is given, or -1.
  int result = -1;
  /// True if an earlier output is the same result: this one is a copy.
  bool isCopy = false;
};

/// The parts of an executable.
struct CompiledSchedule {
  std::vector<Signature> inputs, outputs;
  std::vector<Variable> variables;
  std::vector<OutputSource> sources;
  /// The signatures of the host function's results.
  std::vector<Signature> results;
  Schedule schedule;
  /// One per kernel step.
  std::vector<Kernel> kernels;
  /// One per slot.
  std::vector<runtime::DeviceRef> devices;
  /// True if no pass ran to make it.
  bool isFromFolder = false;
};

/// How a function is compiled.
struct CompileOptions {
  int optLevel = 2;
  int64_t maxSplitResults = 0;
  RunPassesOptions passes;
  /// Finds the device that a slot names.
  std::function<llvm::Expected<runtime::DeviceRef>(const std::string &)>
      getDevice;
};

/// Returns the number of elements of `signature`, whose variables have the
/// numbers of their `names`.
std::optional<RuntimeSize> getSize(const Signature &signature,
                                   std::span<const std::string> names);

/// Schedules the function of `compilation` and takes its kernels from
/// `library`.
llvm::Expected<CompiledSchedule> compileForCPU(Compilation &compilation,
                                               KernelLibrary &library,
                                               const CompileOptions &options);

/// Makes an executable of a compiled schedule.
std::shared_ptr<Executable> makeCPUExecutable(CompiledSchedule compiled,
                                              const ExecutableOptions &options);

} // namespace tinygrad::engine

#endif // TINYGRAD_LIB_ENGINE_CPUCOMPILER_H
