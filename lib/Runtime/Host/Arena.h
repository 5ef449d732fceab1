//===- Arena.h - Host memory that is used again and again -------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_HOST_ARENA_H
#define TINYGRAD_LIB_RUNTIME_HOST_ARENA_H

#include "tinygrad/Runtime/Device.h"

#include "llvm/ADT/DenseMap.h"

#include <cstddef>
#include <mutex>

namespace tinygrad::runtime {

/// Allocates blocks of host memory and keeps freed ones for the next request
/// of the same size class, so that a training step, which asks for the same
/// sizes every time, does not take page faults for them.
///
/// Blocks are aligned to 64 bytes. Those of `largeBytes` and more are aligned
/// to `hugePageBytes`, and the system is asked to back them with huge pages.
/// All functions may be called from several threads at once.
class Arena {
public:
  static constexpr size_t alignment = 64;
  static constexpr size_t largeBytes = size_t(4) << 20;
  static constexpr size_t hugePageBytes = size_t(2) << 20;

  explicit Arena(const MemoryOptions &options = {}) : options(options) {}
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Returns a block of at least `numBytes` bytes with undefined content, or
  /// null where memory runs out. Zero bytes give a block, too.
  void *allocate(size_t numBytes);
  /// Returns a block for `numElements` elements of `type`. Fails where memory
  /// runs out, and says what was asked for and what is live.
  llvm::Expected<void *> allocateElements(DType type, int64_t numElements);
  /// Takes back a block that `allocate(numBytes)` returned.
  void deallocate(void *block, size_t numBytes);

  /// Fails, naming the option, if one is negative.
  static llvm::Error check(const MemoryOptions &options);

  MemoryStatistics getStatistics() const;
  /// Gives kept blocks back to the system, those that were freed longest ago
  /// first, until they are no more than `numBytes` in all.
  void trim(size_t numBytes);

  const MemoryOptions &getOptions() const { return options; }

  /// The size of the block that a request for `numBytes` gets: at most one
  /// eighth more, rounded up to the alignment. 0 if no block can be that large.
  static size_t getBlockSize(size_t numBytes);

private:
  /// A kept block starts with its place in two lists: all kept blocks, and
  /// those of its size. Both start with the block that was freed last.
  struct IdleBlock {
    size_t size;
    IdleBlock *newer, *older;
    IdleBlock *newerOfSize, *olderOfSize;
  };

  void insert(IdleBlock *block);
  void remove(IdleBlock *block);
  IdleBlock *evict(size_t numBytes);
  void noteAllocation();
  static void release(IdleBlock *block);
  /// True if `size` more bytes may live beside the others.
  bool mayGrow(size_t size) const {
    return options.maxBytes <= 0 ||
           (size <= size_t(options.maxBytes) &&
            size_t(statistics.liveBytes) <= size_t(options.maxBytes) - size);
  }

  const MemoryOptions options;
  mutable std::mutex mutex;
  llvm::DenseMap<size_t, IdleBlock *> newestOfSize;
  IdleBlock *newest = nullptr;
  IdleBlock *oldest = nullptr;
  MemoryStatistics statistics;
};

} // namespace tinygrad::runtime

#endif // TINYGRAD_LIB_RUNTIME_HOST_ARENA_H
