//===- ThreadPoolTest.cpp - Tests of the threads for kernels --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Runtime/ThreadPool.h"

#include "gtest/gtest.h"

#include <atomic>
#include <climits>
#include <cstring>
#include <pthread.h>
#include <thread>
#include <vector>

using namespace tinygrad::runtime;

namespace {

/// Runs `body(begin, end)` on `pool`, or where tg_parallel_for puts it.
template <typename Body>
void parallelFor(ThreadPool *pool, int64_t n, Body body) {
  auto run = [](void *ctx, int64_t begin, int64_t end) {
    (*static_cast<Body *>(ctx))(begin, end);
  };
  if (pool)
    pool->parallelFor(n, run, &body);
  else
    tg_parallel_for(n, run, &body);
}

/// Runs `n` tasks and returns true if each ran exactly once.
bool runsEachOnce(ThreadPool *pool, int64_t n) {
  // Not atomic: the thread sanitizer then also checks that the call waits.
  std::vector<int> counts(n, 0);
  parallelFor(pool, n, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      ++counts[i];
  });
  for (int count : counts)
    if (count != 1)
      return false;
  return true;
}

TEST(ThreadPoolTest, RunsEachTaskOnce) {
  for (int numThreads : {1, 2, 3, 8}) {
    ThreadPool pool(numThreads);
    EXPECT_EQ(pool.getNumThreads(), numThreads);
    for (int64_t n : {1, 2, 3, 7, 64, 1000, 100003})
      EXPECT_TRUE(runsEachOnce(&pool, n)) << n << " on " << numThreads;
  }
}

TEST(ThreadPoolTest, RunsNothingForNoTasks) {
  ThreadPool pool(2);
  bool hasRun = false;
  for (int64_t n : {int64_t(0), int64_t(-1), INT64_MIN})
    parallelFor(&pool, n, [&](int64_t, int64_t) { hasRun = true; });
  EXPECT_FALSE(hasRun);
}

TEST(ThreadPoolTest, RunsOneTaskOnTheCaller) {
  ThreadPool pool(2);
  std::thread::id id;
  parallelFor(&pool, 1,
              [&](int64_t, int64_t) { id = std::this_thread::get_id(); });
  EXPECT_EQ(id, std::this_thread::get_id());
}

TEST(ThreadPoolTest, CoversHugeRanges) {
  ThreadPool pool(3);
  for (int64_t n : {int64_t(1) << 40, INT64_MAX}) {
    std::atomic<uint64_t> sum{0};
    parallelFor(&pool, n, [&](int64_t begin, int64_t end) {
      EXPECT_LT(begin, end);
      sum += uint64_t(end - begin);
    });
    EXPECT_EQ(sum, uint64_t(n));
  }
}

TEST(ThreadPoolTest, RunsManySmallJobs) {
  ThreadPool pool(4);
  int64_t sum = 0;
  for (int job = 0; job < 20000; ++job) {
    std::atomic<int64_t> partial{0};
    parallelFor(&pool, 5, [&](int64_t begin, int64_t end) {
      partial.fetch_add(end - begin, std::memory_order_relaxed);
    });
    sum += partial;
  }
  EXPECT_EQ(sum, 100000);
}

TEST(ThreadPoolTest, WakesSleepingWorkers) {
  ThreadPool pool(3);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    // Each task waits until another thread has come.
    std::atomic<int> arrived{0};
    parallelFor(&pool, 2, [&](int64_t begin, int64_t end) {
      if (end - begin == 1) {
        ++arrived;
        while (arrived < 2)
          std::this_thread::yield();
      }
    });
    EXPECT_EQ(arrived, 2);
  }
}

TEST(ThreadPoolTest, TakesNestedCalls) {
  ThreadPool pool(4);
  std::atomic<int64_t> sum{0};
  parallelFor(&pool, 9, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      // On the pool of the outer call, wherever the task runs.
      parallelFor(nullptr, 11, [&](int64_t begin, int64_t end) {
        for (int64_t j = begin; j < end; ++j)
          parallelFor(nullptr, 13,
                      [&](int64_t begin, int64_t end) { sum += end - begin; });
      });
  });
  EXPECT_EQ(sum, 9 * 11 * 13);
}

TEST(ThreadPoolTest, NestsDeeperThanItHasSlots) {
  ThreadPool pool(3);
  struct Recursion {
    std::atomic<int64_t> numLeaves{0};
    void run(int depth) {
      if (depth == 0) {
        ++numLeaves;
        return;
      }
      parallelFor(nullptr, depth % 10 == 0 ? 2 : 1,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i)
                      parallelFor(nullptr, 2, [&](int64_t begin, int64_t) {
                        if (begin == 0)
                          run(depth - 1);
                      });
                  });
    }
  } recursion;
  ThreadPool::Scope scope(pool);
  recursion.run(100);
  EXPECT_EQ(recursion.numLeaves, 1 << 10);
}

TEST(ThreadPoolTest, TakesSeveralCallers) {
  ThreadPool pool(4);
  std::vector<std::thread> callers;
  std::atomic<int> numGood{0};
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([&] {
      for (int job = 0; job < 300; ++job)
        numGood += runsEachOnce(&pool, 1 + job % 50);
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(numGood, 6 * 300);
}

TEST(ThreadPoolTest, TakesMoreCallersThanSlots) {
  ThreadPool pool(2);
  std::vector<std::thread> callers;
  std::atomic<int> arrived{0};
  std::atomic<int64_t> sum{0};
  for (int caller = 0; caller < 80; ++caller)
    callers.emplace_back([&] {
      ++arrived;
      while (arrived < 80)
        std::this_thread::yield();
      parallelFor(&pool, 10, [&](int64_t begin, int64_t end) {
        std::this_thread::yield();
        sum += end - begin;
      });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(sum, 800);
}

TEST(ThreadPoolTest, ScopePicksThePool) {
  ThreadPool one(1);
  // The pool of one thread runs everything in one range.
  auto countRanges = [] {
    std::atomic<int> numRanges{0};
    parallelFor(nullptr, 1000, [&](int64_t, int64_t) { ++numRanges; });
    return numRanges.load();
  };
  ThreadPool two(2);
  ThreadPool::Scope outer(two);
  EXPECT_GT(countRanges(), 1);
  {
    ThreadPool::Scope inner(one);
    EXPECT_EQ(countRanges(), 1);
  }
  EXPECT_GT(countRanges(), 1);
}

TEST(ThreadPoolTest, ProcessPoolIsMadeAtFirstUse) {
  EXPECT_TRUE(runsEachOnce(nullptr, 1000));
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([] { EXPECT_TRUE(runsEachOnce(nullptr, 1000)); });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(ThreadPoolTest, WorkersHaveLargeStacks) {
  ThreadPool pool(2);
  std::atomic<int> numWorkers{0};
  std::atomic<int> arrived{0};
  std::thread::id caller = std::this_thread::get_id();
  parallelFor(&pool, 2, [&](int64_t begin, int64_t end) {
    ++arrived;
    while (arrived < 2 && end - begin < 2)
      std::this_thread::yield();
    if (std::this_thread::get_id() == caller)
      return;
    ++numWorkers;
    pthread_attr_t attributes;
    size_t bytes = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
    EXPECT_GE(bytes, size_t(8) << 20);
    volatile char buffer[6 << 20];
    for (size_t i = 0; i < sizeof(buffer); i += 4096)
      buffer[i] = 1;
    EXPECT_EQ(buffer[0], 1);
  });
  EXPECT_EQ(numWorkers, 1);
}

TEST(ThreadPoolTest, StartsAndStopsOften) {
  for (int round = 0; round < 50; ++round) {
    ThreadPool pool(4);
    if (round % 2)
      EXPECT_TRUE(runsEachOnce(&pool, 10));
  }
}

} // namespace
