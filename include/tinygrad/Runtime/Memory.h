//===- Memory.h - How memory is kept, and what it is used for ---*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_MEMORY_H
#define TINYGRAD_RUNTIME_MEMORY_H

#include <cstdint>

namespace tinygrad::runtime {

/// How a device keeps its memory.
struct MemoryOptions {
  /// The most bytes that buffers and kept memory may take together; 0 means as
  /// much as the system gives.
  int64_t maxBytes = 0;
  /// Freed memory beyond this many bytes goes back to the system, the oldest
  /// first; 0 keeps none.
  int64_t maxIdleBytes = int64_t(256) << 20;
};

/// What a device's memory is used for. A buffer takes a little more than its
/// elements (see the device).
struct MemoryStatistics {
  /// Bytes of the buffers that there are, and the most that there were at once.
  int64_t liveBytes = 0;
  int64_t peakBytes = 0;
  /// Bytes that are kept for the next buffers.
  int64_t idleBytes = 0;
  /// How many buffers were made, and how many of them from kept memory.
  int64_t numAllocations = 0;
  int64_t numReuses = 0;
};

} // namespace tinygrad::runtime

#endif // TINYGRAD_RUNTIME_MEMORY_H
