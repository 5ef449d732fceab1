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

Arena::~Arena() { releaseIdleBlocks(); }

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
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (IdleBlock *block = newestOfSize.lookup(size)) {
      remove(block);
      return block;
    }
  }
  if (void *block = allocateFromSystem(size))
    return block;
  // What is kept for other sizes may be what is missing.
  releaseIdleBlocks();
  return allocateFromSystem(size);
}

void Arena::deallocate(void *memory, size_t numBytes) {
  size_t size = getBlockSize(numBytes);
  if (size > maxIdleBytes)
    return releaseToSystem(memory, size);

  auto *block = static_cast<IdleBlock *>(memory);
  block->size = size;
  IdleBlock *evicted = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    insert(block);
    while (numIdleBytes > maxIdleBytes) {
      IdleBlock *victim = oldest;
      remove(victim);
      victim->older = evicted;
      evicted = victim;
    }
  }
  // The system may take its time; others need not wait for it.
  while (evicted) {
    IdleBlock *next = evicted->older;
    releaseToSystem(evicted, evicted->size);
    evicted = next;
  }
}

size_t Arena::getNumIdleBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return numIdleBytes;
}

void Arena::releaseIdleBlocks() {
  std::lock_guard<std::mutex> lock(mutex);
  while (IdleBlock *block = oldest) {
    remove(block);
    releaseToSystem(block, block->size);
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
  numIdleBytes += block->size;
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
  numIdleBytes -= block->size;
}
