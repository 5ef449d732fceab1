//===- Arena.cpp - Host memory that is used again and again ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arena.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

using namespace tinygrad;
using namespace tinygrad::runtime;

//===----------------------------------------------------------------------===//
// The system's memory
//===----------------------------------------------------------------------===//

/// Maps `size` bytes at a multiple of the huge page's size.
static void *mapLargeBlock(size_t size) {
  // There is no call that maps at an alignment: map more, give back the rest.
  size_t mappedSize = size + Arena::hugePageBytes;
  void *memory = mmap(nullptr, mappedSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  char *mapped = static_cast<char *>(memory);
  char *block = reinterpret_cast<char *>(
      llvm::alignTo<Arena::hugePageBytes>(reinterpret_cast<uintptr_t>(mapped)));
  if (block != mapped)
    munmap(mapped, block - mapped);
  munmap(block + size, mapped + mappedSize - (block + size));
#ifdef MADV_HUGEPAGE
  // Only advice: a kernel without huge pages says no, and that is all right.
  (void)madvise(block, size, MADV_HUGEPAGE);
#endif
  return block;
}

static void *allocateFromSystem(size_t size) {
  return size >= Arena::largeBytes ? mapLargeBlock(size)
                                   : std::aligned_alloc(Arena::alignment, size);
}

static void releaseToSystem(void *block, size_t size) {
  if (size >= Arena::largeBytes)
    munmap(block, size);
  else
    std::free(block);
}

//===----------------------------------------------------------------------===//
// Arena
//===----------------------------------------------------------------------===//

Arena::~Arena() { trim(0); }

size_t Arena::getBlockSize(size_t numBytes) {
  if (numBytes > size_t(PTRDIFF_MAX) / 2)
    return 0;
  numBytes = std::max(numBytes, alignment);
  size_t step = std::max(llvm::bit_floor(numBytes) / 8, alignment);
  size_t size = llvm::alignTo(numBytes, step);
  return size >= largeBytes ? llvm::alignTo<hugePageBytes>(size) : size;
}

void *Arena::allocate(size_t numBytes) {
  static_assert(sizeof(IdleBlock) <= alignment);
  size_t size = getBlockSize(numBytes);
  if (size == 0)
    return nullptr;
  IdleBlock *evicted = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!mayGrow(size))
      return nullptr;
    statistics.liveBytes += size;
    if (IdleBlock *kept = newestOfSize.lookup(size)) {
      remove(kept);
      ++statistics.numReuses;
      noteAllocation();
      return kept;
    }
    // What is kept counts for the bound, too.
    if (options.maxBytes > 0)
      evicted = evict(size_t(options.maxBytes - statistics.liveBytes));
  }
  release(evicted);
  void *block = allocateFromSystem(size);
  if (!block) {
    // What is kept for other sizes may be what is missing.
    trim(0);
    block = allocateFromSystem(size);
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (block)
    noteAllocation();
  else
    statistics.liveBytes -= size;
  return block;
}

void Arena::noteAllocation() {
  ++statistics.numAllocations;
  statistics.peakBytes = std::max(statistics.peakBytes, statistics.liveBytes);
}

void Arena::deallocate(void *memory, size_t numBytes) {
  size_t size = getBlockSize(numBytes);
  size_t maxIdleBytes = size_t(std::max<int64_t>(options.maxIdleBytes, 0));
  IdleBlock *evicted = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    statistics.liveBytes -= size;
    if (size <= maxIdleBytes) {
      auto *block = static_cast<IdleBlock *>(memory);
      block->size = size;
      insert(block);
      evicted = evict(maxIdleBytes);
    }
  }
  if (size > maxIdleBytes)
    releaseToSystem(memory, size);
  release(evicted);
}

MemoryStatistics Arena::getStatistics() const {
  std::lock_guard<std::mutex> lock(mutex);
  return statistics;
}

void Arena::trim(size_t numBytes) {
  IdleBlock *evicted;
  {
    std::lock_guard<std::mutex> lock(mutex);
    evicted = evict(numBytes);
  }
  release(evicted);
}

/// Takes the oldest blocks out of both lists until at most `numBytes` are kept,
/// and returns them, linked by `older`. The mutex is held.
Arena::IdleBlock *Arena::evict(size_t numBytes) {
  IdleBlock *evicted = nullptr;
  while (size_t(statistics.idleBytes) > numBytes) {
    IdleBlock *victim = oldest;
    remove(victim);
    victim->older = evicted;
    evicted = victim;
  }
  return evicted;
}

/// Gives blocks that `evict` returned to the system. The system may take its
/// time; others need not wait for it.
void Arena::release(IdleBlock *block) {
  while (block) {
    IdleBlock *next = block->older;
    releaseToSystem(block, block->size);
    block = next;
  }
}

/// Puts `block` at the start of both lists. The mutex is held.
void Arena::insert(IdleBlock *block) {
  block->newer = nullptr;
  block->older = newest;
  (newest ? newest->newer : oldest) = block;
  newest = block;

  IdleBlock *&head = newestOfSize[block->size];
  block->newerOfSize = nullptr;
  block->olderOfSize = head;
  if (head)
    head->newerOfSize = block;
  head = block;
  statistics.idleBytes += block->size;
}

/// Takes `block` out of both lists. The mutex is held.
void Arena::remove(IdleBlock *block) {
  (block->newer ? block->newer->older : newest) = block->older;
  (block->older ? block->older->newer : oldest) = block->newer;
  if (block->newerOfSize)
    block->newerOfSize->olderOfSize = block->olderOfSize;
  else
    newestOfSize[block->size] = block->olderOfSize;
  if (block->olderOfSize)
    block->olderOfSize->newerOfSize = block->newerOfSize;
  statistics.idleBytes -= block->size;
}

llvm::Expected<void *> Arena::allocateElements(DType type,
                                               int64_t numElements) {
  if (numElements < 0)
    return llvm::createStringError("expects a number of elements that is not "
                                   "negative, got " +
                                   std::to_string(numElements));
  int64_t numBytes = 0;
  bool isNumber =
      !llvm::MulOverflow(numElements, int64_t(getByteWidth(type)), numBytes);
  if (isNumber)
    if (void *memory = allocate(size_t(numBytes)))
      return memory;
  std::string text = "not enough memory for " + std::to_string(numElements) +
                     " elements of " + std::string(getName(type));
  if (isNumber)
    text += " (" + std::to_string(numBytes) + " bytes)";
  text += ", " + std::to_string(getStatistics().liveBytes) + " bytes are live";
  if (options.maxBytes)
    text += " of at most " + std::to_string(options.maxBytes);
  return llvm::createStringError(text);
}

llvm::Error Arena::check(const MemoryOptions &options) {
  for (auto [name, value] : {std::pair("maxBytes", options.maxBytes),
                             std::pair("maxIdleBytes", options.maxIdleBytes)})
    if (value < 0)
      return llvm::createStringError("expects a `" + std::string(name) +
                                     "` that is not negative, got " +
                                     std::to_string(value));
  return llvm::Error::success();
}
