//===- CacheSchedule.h - A compiled schedule as bytes -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_ENGINE_CACHESCHEDULE_H
#define TINYGRAD_LIB_ENGINE_CACHESCHEDULE_H

#include "CPUCompiler.h"

namespace tinygrad::engine {

/// A schedule and where its programs are found.
struct StoredSchedule {
  Schedule schedule;
  /// As in CompiledSchedule, without programs.
  std::vector<Kernel> kernels;
  /// What the key of each kernel has after the part that all of them share; one
  /// per name, in the order in which the names first occur.
  std::vector<std::string> keys;
};

std::string serialize(const StoredSchedule &stored);

/// Returns what `bytes` hold, or nothing unless they hold a schedule for these
/// inputs, results and variables whose steps can be run, whatever they compute.
std::optional<StoredSchedule>
deserializeSchedule(llvm::StringRef bytes, const std::vector<Signature> &inputs,
                    const std::vector<Signature> &results,
                    std::span<const std::string> variables);

} // namespace tinygrad::engine

#endif // TINYGRAD_LIB_ENGINE_CACHESCHEDULE_H
