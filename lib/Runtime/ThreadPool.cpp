//===- ThreadPool.cpp - The threads on which kernels run ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file needs libc and pthreads alone (no libstdc++, no LLVM), so that an
// ahead-of-time program written in C links it as it is.
//
// A call of parallelFor publishes a job in one of the pool's slots, works on it
// itself, and returns when no worker is left in the slot. Workers that find no
// open slot watch a counter for a short while and then sleep. A caller waits
// only for workers inside its own job, and never works on another one while it
// waits: waiting goes from an outer job to the jobs nested in it, so it cannot
// form a circle. A job is complete without any help; a lost wake-up, a full
// table of slots or a thread that could not be made costs time only.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Runtime/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

using namespace tinygrad::runtime;

namespace {

/// More threads than this are never made.
constexpr int maxThreads = 4096;

/// Jobs that can be open at once, over all callers and nesting levels.
constexpr int numSlots = 64;

/// Kernels keep packing buffers of up to 1 MiB on the stack.
constexpr size_t stackBytes = size_t(8) << 20;

/// How long a thread that waits watches memory before it sleeps: longer than
/// the gap between two runs of a schedule, shorter than a time slice. To wake a
/// sleeper takes 5 to 50 microseconds.
constexpr int64_t spinNanoseconds = 200000;

/// After this time it lets other threads of the machine go first.
constexpr int64_t politeNanoseconds = 20000;

/// A job is cut into batches of one chunk per thread, each batch half of what
/// is left: few chunks while there is much to do, small ones at the end, where
/// a thread that is late or has expensive tasks would hold up the rest. The
/// last of this many batches goes on to the end with its size.
constexpr int maxBatches = 8;

/// Two lines: some processors fetch lines in pairs.
constexpr size_t cacheLineBytes = 128;

// The state of a slot: the number of workers inside it, and three flags.
constexpr uint32_t workersMask = 0xffff;
/// The slot belongs to a caller.
constexpr uint32_t claimedFlag = 1u << 16;
/// Workers may enter.
constexpr uint32_t openFlag = 1u << 17;
/// The caller sleeps until the last worker has left.
constexpr uint32_t waitingFlag = 1u << 18;

static_assert(maxThreads < int(workersMask));

/// The chunks of a job, numbered from 0.
class ChunkTable {
public:
  ChunkTable() = default;
  ChunkTable(uint64_t numTasks, uint64_t numThreads)
      : numTasks(numTasks), numThreads(numThreads) {
    uint64_t first = 0;
    for (;;) {
      uint64_t numLeft = numTasks - first;
      uint64_t size = std::max<uint64_t>(numLeft / (2 * numThreads), 1);
      batches[numBatches++] = {first, size};
      if (size == 1 || numBatches == maxBatches) {
        numChunks = (numBatches - 1) * numThreads + (numLeft - 1) / size + 1;
        return;
      }
      first += numThreads * size;
    }
  }

  uint64_t size() const { return numChunks; }

  /// The tasks of one chunk are [begin, end).
  void get(uint64_t chunk, uint64_t &begin, uint64_t &end) const {
    uint64_t batch = std::min<uint64_t>(chunk / numThreads, numBatches - 1);
    begin = batches[batch].first +
            (chunk - batch * numThreads) * batches[batch].chunkSize;
    end = std::min(begin + batches[batch].chunkSize, numTasks);
  }

private:
  struct Batch {
    uint64_t first;
    uint64_t chunkSize;
  };
  uint64_t numTasks = 0;
  uint64_t numThreads = 1;
  uint64_t numChunks = 0;
  uint64_t numBatches = 0;
  Batch batches[maxBatches];
};

struct Slot {
  alignas(cacheLineBytes) std::atomic<uint32_t> state{0};
  /// No more workers than this enter; there is nothing for others to do.
  std::atomic<uint32_t> maxWorkers{0};
  // Written by the caller while the slot is claimed and not open. Not in the
  // line of `state`, which every worker that comes and goes takes away.
  alignas(cacheLineBytes) tg_task_fn fn = nullptr;
  void *ctx = nullptr;
  ChunkTable chunks;
  /// The first chunk that nobody has taken.
  alignas(cacheLineBytes) std::atomic<uint64_t> nextChunk{0};

  /// Makes the calling thread a worker in this slot, if it is open.
  bool enter() {
    uint32_t seen = state.load(std::memory_order_relaxed);
    while ((seen & openFlag) &&
           (seen & workersMask) < maxWorkers.load(std::memory_order_relaxed))
      if (state.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire,
                                      std::memory_order_relaxed))
        return true;
    return false;
  }

  /// Runs chunks until none is left.
  void work() {
    for (;;) {
      uint64_t chunk = nextChunk.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= chunks.size()) {
        // The first to come too late closes the slot to newcomers.
        if (chunk == chunks.size())
          state.fetch_and(~openFlag, std::memory_order_relaxed);
        return;
      }
      uint64_t begin, end;
      chunks.get(chunk, begin, end);
      fn(ctx, int64_t(begin), int64_t(end));
    }
  }

  bool hasWork() const {
    return nextChunk.load(std::memory_order_relaxed) < chunks.size();
  }
};

/// The pool that tg_parallel_for uses on this thread, or null.
constinit thread_local ThreadPool *currentPool = nullptr;

int64_t getNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Watches `condition` for a short while. Returns true once it holds.
template <typename Condition>
bool spinUntil(Condition condition) {
  constexpr int roundsPerLook = 32;
  int64_t start = 0;
  for (;;) {
    for (int round = 0; round < roundsPerLook; ++round) {
      if (condition())
        return true;
      relax();
    }
    int64_t now = getNanoseconds();
    if (start == 0)
      start = now;
    if (now - start > spinNanoseconds)
      return false;
    if (now - start > politeNanoseconds)
      sched_yield();
  }
}

/// Returns the number of cores on which this process may run.
int getNumAllowedCores() {
#ifdef __linux__
  // The kernel refuses a set that is smaller than its own.
  for (size_t numCPUs = 1024; numCPUs <= (size_t(1) << 20); numCPUs *= 4) {
    cpu_set_t *set = CPU_ALLOC(numCPUs);
    if (!set)
      break;
    size_t bytes = CPU_ALLOC_SIZE(numCPUs);
    int count =
        sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0)
      return count;
  }
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? int(std::min<long>(online, maxThreads)) : 1;
}

} // namespace

struct ThreadPool::Impl {
  ThreadPool *owner = nullptr;
  pthread_t *threads = nullptr;
  int numWorkers = 0;
  /// False where threads outnumber cores: who watches memory then keeps the
  /// thread that it waits for from running.
  bool mayWorkersSpin = true;

  Slot slots[numSlots];
  /// Slots from this one on were never used.
  alignas(cacheLineBytes) std::atomic<int> numUsedSlots{0};
  /// Goes up with every job.
  alignas(cacheLineBytes) std::atomic<uint32_t> numJobs{0};
  std::atomic<int> numSleepers{0};
  std::atomic<bool> isStopping{false};

  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t jobArrived = PTHREAD_COND_INITIALIZER;
  pthread_cond_t jobLeft = PTHREAD_COND_INITIALIZER;

  void start(int numThreads);
  void stop();
  void workerLoop();
  bool helpOnce();
  void waitForJob(uint32_t seenJobs);
  void wakeSleeper();
  Slot *claimSlot();
  void waitForWorkers(Slot &slot);
};

void ThreadPool::Impl::start(int numThreads) {
  int numCores = getNumAllowedCores();
  if (numThreads <= 0)
    numThreads = numCores;
  numThreads = std::min(numThreads, maxThreads);
  mayWorkersSpin = numThreads <= numCores;
  if (numThreads == 1)
    return;
  threads =
      static_cast<pthread_t *>(malloc(sizeof(pthread_t) * (numThreads - 1)));
  if (!threads)
    return;

  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  auto run = [](void *impl) -> void * {
    static_cast<Impl *>(impl)->workerLoop();
    return nullptr;
  };
  while (numWorkers < numThreads - 1 &&
         pthread_create(&threads[numWorkers], &attributes, run, this) == 0)
    ++numWorkers;
  pthread_attr_destroy(&attributes);
}

void ThreadPool::Impl::stop() {
  pthread_mutex_lock(&mutex);
  isStopping.store(true, std::memory_order_relaxed);
  numJobs.fetch_add(1);
  pthread_cond_broadcast(&jobArrived);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < numWorkers; ++i)
    pthread_join(threads[i], nullptr);
  free(threads);
  pthread_cond_destroy(&jobLeft);
  pthread_cond_destroy(&jobArrived);
  pthread_mutex_destroy(&mutex);
}

void ThreadPool::Impl::workerLoop() {
  currentPool = owner;
  for (;;) {
    // Read before the slots: a job that comes while they are searched then
    // counts as new.
    uint32_t seenJobs = numJobs.load();
    if (isStopping.load(std::memory_order_relaxed))
      return;
    if (helpOnce())
      continue;
    auto hasNewJob = [&] {
      return numJobs.load(std::memory_order_relaxed) != seenJobs;
    };
    if (!(mayWorkersSpin && spinUntil(hasNewJob)))
      waitForJob(seenJobs);
  }
}

/// Works in the open slots; returns false if there was none.
bool ThreadPool::Impl::helpOnce() {
  bool hasHelped = false;
  int numUsed = numUsedSlots.load(std::memory_order_acquire);
  for (int i = 0; i < numUsed; ++i) {
    Slot &slot = slots[i];
    if (!slot.enter())
      continue;
    hasHelped = true;
    // Each worker that finds work wakes two more: the caller does not pay for
    // the wake-up of a hundred threads.
    for (int i = 0; i < 2 && slot.hasWork(); ++i)
      wakeSleeper();
    slot.work();
    uint32_t before = slot.state.fetch_sub(1, std::memory_order_acq_rel);
    if ((before & workersMask) == 1 && (before & waitingFlag)) {
      pthread_mutex_lock(&mutex);
      pthread_cond_broadcast(&jobLeft);
      pthread_mutex_unlock(&mutex);
    }
  }
  return hasHelped;
}

void ThreadPool::Impl::waitForJob(uint32_t seenJobs) {
  pthread_mutex_lock(&mutex);
  // Sequentially consistent, as is the caller's pair (numJobs, numSleepers):
  // one of the two sees what the other wrote.
  numSleepers.fetch_add(1);
  while (numJobs.load() == seenJobs)
    pthread_cond_wait(&jobArrived, &mutex);
  numSleepers.fetch_sub(1);
  pthread_mutex_unlock(&mutex);
}

void ThreadPool::Impl::wakeSleeper() {
  if (numSleepers.load() == 0)
    return;
  // A sleeper that has read numJobs but does not wait yet holds the mutex.
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&jobArrived);
}

Slot *ThreadPool::Impl::claimSlot() {
  for (int i = 0; i < numSlots; ++i) {
    uint32_t expected = 0;
    if (slots[i].state.load(std::memory_order_relaxed) != 0 ||
        !slots[i].state.compare_exchange_strong(expected, claimedFlag,
                                                std::memory_order_acquire))
      continue;
    int numUsed = numUsedSlots.load(std::memory_order_relaxed);
    while (numUsed <= i && !numUsedSlots.compare_exchange_weak(
                               numUsed, i + 1, std::memory_order_release))
      ;
    return &slots[i];
  }
  return nullptr;
}

void ThreadPool::Impl::waitForWorkers(Slot &slot) {
  auto isEmpty = [&] {
    return (slot.state.load(std::memory_order_acquire) & workersMask) == 0;
  };
  if (isEmpty() || spinUntil(isEmpty))
    return;
  slot.state.fetch_or(waitingFlag, std::memory_order_acq_rel);
  pthread_mutex_lock(&mutex);
  while (!isEmpty())
    pthread_cond_wait(&jobLeft, &mutex);
  pthread_mutex_unlock(&mutex);
}

ThreadPool::ThreadPool(int numThreads) : impl(nullptr) {
  void *memory = aligned_alloc(alignof(Impl), sizeof(Impl));
  if (!memory)
    return;
  impl = new (memory) Impl;
  impl->owner = this;
  impl->start(numThreads);
}

ThreadPool::~ThreadPool() {
  if (!impl)
    return;
  impl->stop();
  impl->~Impl();
  free(impl);
}

int ThreadPool::getNumThreads() const {
  return impl ? impl->numWorkers + 1 : 1;
}

void ThreadPool::parallelFor(int64_t n, tg_task_fn fn, void *ctx) {
  if (n <= 0)
    return;
  Scope scope(*this);
  Slot *slot =
      impl && impl->numWorkers > 0 && n > 1 ? impl->claimSlot() : nullptr;
  if (!slot) {
    fn(ctx, 0, n);
    return;
  }

  slot->fn = fn;
  slot->ctx = ctx;
  slot->chunks = ChunkTable(uint64_t(n), uint64_t(getNumThreads()));
  slot->maxWorkers.store(
      uint32_t(std::min<uint64_t>(slot->chunks.size() - 1, impl->numWorkers)),
      std::memory_order_relaxed);
  slot->nextChunk.store(0, std::memory_order_relaxed);
  slot->state.fetch_or(openFlag, std::memory_order_release);
  impl->numJobs.fetch_add(1);
  impl->wakeSleeper();

  slot->work();
  impl->waitForWorkers(*slot);
  slot->state.store(0, std::memory_order_release);
}

ThreadPool::Scope::Scope(ThreadPool &pool) : previous(currentPool) {
  currentPool = &pool;
}

ThreadPool::Scope::~Scope() { currentPool = previous; }

void tg_parallel_for(int64_t n, tg_task_fn fn, void *ctx) {
  if (currentPool) {
    currentPool->parallelFor(n, fn, ctx);
    return;
  }
  // The process's own pool is made at the first use and never destroyed: its
  // threads may still be asleep when static destructors run.
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  alignas(ThreadPool) static unsigned char storage[sizeof(ThreadPool)];
  pthread_once(&once, [] { new (storage) ThreadPool(); });
  std::launder(reinterpret_cast<ThreadPool *>(storage))
      ->parallelFor(n, fn, ctx);
}
