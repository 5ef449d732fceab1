//===- ThreadPool.h - The threads on which kernels run ----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One C function runs a kernel's tasks in parallel. Generated code, the
// executor and ahead-of-time programs call it alike.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_THREADPOOL_H
#define TINYGRAD_RUNTIME_THREADPOOL_H

#include <cstdint>

extern "C" {

/// Runs the tasks [begin, end) of a kernel.
typedef void (*tg_task_fn)(void *ctx, int64_t begin, int64_t end);

/// Calls `fn(ctx, begin, end)` on disjoint ranges that together make [0, n),
/// on the calling thread and on the pool's, and returns when all are done.
/// Which thread runs which range is not fixed; results must not depend on it.
/// Calls from several threads, and from inside a task, are allowed.
void tg_parallel_for(int64_t n, tg_task_fn fn, void *ctx);
}

namespace tinygrad::runtime {

/// A set of worker threads. `tg_parallel_for` uses the one that is current on
/// the calling thread (see Scope), or one of the process's own that is made at
/// the first use.
class ThreadPool {
public:
  /// Makes a pool that runs on `numThreads` threads, the caller's included;
  /// 0 means one per core that this process may use.
  explicit ThreadPool(int numThreads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int getNumThreads() const;
  void parallelFor(int64_t n, tg_task_fn fn, void *ctx);

  /// Makes `pool` current on this thread while the scope lives.
  class Scope {
  public:
    explicit Scope(ThreadPool &pool);
    ~Scope();

  private:
    ThreadPool *previous;
  };

private:
  struct Impl;
  Impl *impl;
};

} // namespace tinygrad::runtime

#endif // TINYGRAD_RUNTIME_THREADPOOL_H
