//===- ArenaTest.cpp - Tests of the kept host memory ----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Runtime/Host/Arena.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

using namespace tinygrad::runtime;

namespace {

const size_t maxIdleBytes = size_t(MemoryOptions().maxIdleBytes);

size_t getIdleBytes(const Arena &arena) {
  return size_t(arena.getStatistics().idleBytes);
}

TEST(ArenaTest, BlockSizesGrowByAnEighthAtMost) {
  EXPECT_EQ(Arena::getBlockSize(0), 64u);
  EXPECT_EQ(Arena::getBlockSize(1), 64u);
  EXPECT_EQ(Arena::getBlockSize(65), 128u);
  EXPECT_EQ(Arena::getBlockSize(1024), 1024u);
  EXPECT_EQ(Arena::getBlockSize(1025), 1024u + 128u);
  EXPECT_EQ(Arena::getBlockSize((4 << 20) + 1), size_t(6) << 20);
  EXPECT_EQ(Arena::getBlockSize(size_t(PTRDIFF_MAX)), 0u);
  EXPECT_EQ(Arena::getBlockSize(SIZE_MAX), 0u);
  for (size_t bytes = 1; bytes < (size_t(1) << 40); bytes = bytes * 3 / 2 + 1) {
    size_t size = Arena::getBlockSize(bytes);
    EXPECT_GE(size, bytes);
    EXPECT_LE(size, bytes + bytes / 8 + Arena::hugePageBytes);
    EXPECT_EQ(Arena::getBlockSize(size), size) << bytes;
  }
}

TEST(ArenaTest, BlocksAreAligned) {
  Arena arena;
  for (size_t bytes : {size_t(0), size_t(1), size_t(100), size_t(100000),
                       Arena::largeBytes, Arena::largeBytes + 1}) {
    void *block = arena.allocate(bytes);
    ASSERT_NE(block, nullptr);
    size_t alignment =
        bytes >= Arena::largeBytes ? Arena::hugePageBytes : Arena::alignment;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u) << bytes;
    std::memset(block, 1, bytes);
    arena.deallocate(block, bytes);
  }
}

TEST(ArenaTest, FreedBlocksAreUsedAgain) {
  Arena arena;
  for (size_t bytes : {size_t(1000), size_t(5) << 20}) {
    void *first = arena.allocate(bytes);
    void *second = arena.allocate(bytes);
    EXPECT_NE(first, second);
    arena.deallocate(first, bytes);
    EXPECT_GE(getIdleBytes(arena), bytes);
    // A little less is of the same class; the other block is in use.
    EXPECT_EQ(arena.allocate(bytes - 1), first);
    arena.deallocate(first, bytes - 1);
    arena.deallocate(second, bytes);
    // What was used last is still in the caches.
    EXPECT_EQ(arena.allocate(bytes), second);
    EXPECT_EQ(arena.allocate(bytes), first);
    arena.deallocate(first, bytes);
    arena.deallocate(second, bytes);
    arena.trim(0);
    EXPECT_EQ(getIdleBytes(arena), 0u);
  }
}

TEST(ArenaTest, KeepsABoundedSum) {
  Arena arena;
  constexpr size_t bytes = size_t(32) << 20;
  std::vector<void *> blocks;
  for (int i = 0; i < 12; ++i)
    blocks.push_back(arena.allocate(bytes));
  void *small = arena.allocate(64);
  arena.deallocate(small, 64);
  for (void *block : blocks)
    arena.deallocate(block, bytes);
  EXPECT_LE(getIdleBytes(arena), maxIdleBytes);
  EXPECT_GT(getIdleBytes(arena), maxIdleBytes / 2);
  // The blocks that were freed last are the ones that stay.
  EXPECT_EQ(arena.allocate(bytes), blocks.back());
  arena.deallocate(blocks.back(), bytes);

  // A block above the bound is not kept at all.
  size_t idle = getIdleBytes(arena);
  void *huge = arena.allocate(maxIdleBytes + 1);
  ASSERT_NE(huge, nullptr);
  arena.deallocate(huge, maxIdleBytes + 1);
  EXPECT_EQ(getIdleBytes(arena), idle);
}

TEST(ArenaTest, ReturnsNullWhereMemoryRunsOut) {
  Arena arena;
  EXPECT_EQ(arena.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(arena.allocate(size_t(1) << 60), nullptr);
  EXPECT_EQ(arena.getStatistics().liveBytes, 0);
  EXPECT_EQ(arena.getStatistics().peakBytes, 0);
  EXPECT_EQ(arena.getStatistics().numAllocations, 0);
}

TEST(ArenaTest, KeepsNothingWhereNothingMayBeKept) {
  MemoryOptions options;
  options.maxIdleBytes = 0;
  Arena arena(options);
  for (size_t bytes : {size_t(64), Arena::largeBytes}) {
    arena.deallocate(arena.allocate(bytes), bytes);
    EXPECT_EQ(arena.getStatistics().idleBytes, 0);
  }
  EXPECT_EQ(arena.getStatistics().numReuses, 0);
}

TEST(ArenaTest, TrimsTheOldestBlocks) {
  Arena arena;
  std::vector<void *> blocks;
  for (int i = 0; i < 4; ++i)
    blocks.push_back(arena.allocate(1024));
  for (void *block : blocks)
    arena.deallocate(block, 1024);
  arena.trim(2500);
  EXPECT_EQ(arena.getStatistics().idleBytes, 2048);
  EXPECT_EQ(arena.allocate(1024), blocks[3]);
  EXPECT_EQ(arena.allocate(1024), blocks[2]);
  arena.deallocate(blocks[2], 1024);
  arena.deallocate(blocks[3], 1024);
}

// The bound holds for what is in use and what is kept together.
TEST(ArenaTest, GivesUpKeptBlocksAtTheBound) {
  MemoryOptions options;
  options.maxBytes = 4096;
  Arena arena(options);
  void *first = arena.allocate(2048);
  void *second = arena.allocate(2048);
  EXPECT_EQ(arena.allocate(1), nullptr);
  arena.deallocate(first, 2048);
  void *third = arena.allocate(1024);
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(arena.getStatistics().idleBytes, 0);
  EXPECT_EQ(arena.getStatistics().liveBytes, 3072);
  arena.deallocate(second, 2048);
  arena.deallocate(third, 1024);
}

TEST(ArenaTest, ThreadsDoNotShareABlock) {
  Arena arena;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&arena, thread] {
      for (int round = 0; round < 2000; ++round) {
        size_t bytes = 64 << (round % 6);
        auto *block = static_cast<unsigned char *>(arena.allocate(bytes));
        std::memset(block, thread, bytes);
        for (size_t i = 0; i < bytes; ++i)
          ASSERT_EQ(block[i], thread);
        arena.deallocate(block, bytes);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
