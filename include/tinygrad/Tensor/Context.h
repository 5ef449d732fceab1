//===- Context.h - Where tensors are computed -------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A context owns what tensors share: the engine, the cache of compiled graphs
// and the state of the random numbers. Most programs use the default one and
// never name it.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_CONTEXT_H
#define TINYGRAD_TENSOR_CONTEXT_H

#include "tinygrad/Runtime/Memory.h"
#include "tinygrad/Tensor/Error.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tinygrad {

namespace engine {
class Engine;
class Watch;
} // namespace engine

class Context;
using ContextRef = std::shared_ptr<Context>;

/// An engine with the state of the front end. Its functions may be called from
/// several threads; one graph of tensors is used by one thread at a time.
class Context : public std::enable_shared_from_this<Context> {
public:
  struct Options {
    /// "CPU", or "INTERP" to interpret without code generation.
    std::string device = "CPU";
    /// Threads that run kernels; 0 means one per core.
    int numThreads = 0;
    /// The level of lazy.py's rules, 0 to 4.
    int optLevel = 2;
    /// Form the kernels that tinygrad forms at `optLevel`: operations reach the
    /// scheduler in the order in which they were made, with those that are not
    /// computed but use the same values, and it is told which values tensors
    /// hold. Costs time for each live tensor at each realization. See
    /// docs/Rules.md.
    bool countsHolders = false;
    /// Measure each kernel (see KernelSummary::seconds).
    bool profile = false;
    /// Threads that compile kernels; 0 means one per core.
    int numCompileThreads = 0;
    /// Where compiled kernels are kept for other processes, and about how many
    /// bytes of them; empty: nowhere.
    std::string cacheDirectory;
    int64_t maxCacheBytes = int64_t{256} << 20;
    /// Where a pipeline that fails is kept for `tinygrad-opt --run-reproducer`;
    /// empty: nowhere.
    std::string reproducerDirectory;
    /// The most bytes that tensors and kept memory may take together on the
    /// context's device, and as many more on HOST; 0 means as much as the
    /// system gives.
    int64_t maxBytes = 0;
    /// Freed memory beyond this many bytes goes back to the system.
    int64_t maxIdleBytes = int64_t(256) << 20;
    /// Gets a line, without its end, for each compiled graph; may be empty.
    std::function<void(const std::string &)> log;
    /// Gets a table of the kernels of each run, on its thread; may be empty.
    std::function<void(const std::string &)> printRun;
    /// Colours in that table, as a terminal takes them.
    bool useColors = false;
    /// Gets the code of each kernel that is compiled, as loops and as LLVM IR,
    /// from several threads at once; may be empty.
    std::function<void(const std::string &)> printCode;
  };

  /// Returns the options that TINYGRAD_DEVICE, TINYGRAD_THREADS, TINYGRAD_OPT,
  /// TINYGRAD_CACHE_DIR and TINYGRAD_CACHE (see Engine/Environment.h),
  /// TINYGRAD_REPRODUCER_DIR and TINYGRAD_DEBUG say; the last one prints `log`
  /// to stderr from 1 on, turns on `profile` and prints a table of each run
  /// from 2 on, coloured where stderr is a terminal unless NO_COLOR is set, and
  /// prints the code of each kernel that is compiled from 4 on.
  /// Errors: throws Error if a variable is not valid.
  static Options readEnvironment();

  /// What the context did so far.
  struct Statistics {
    /// Realizations that found their graph compiled, and those that did not.
    int64_t hits = 0;
    int64_t misses = 0;
    /// Kernels of the graphs that the engine compiled or found in the folder of
    /// the cache, and the seconds that this took.
    int64_t kernels = 0;
    double compileSeconds = 0;
    /// The part of these seconds in which graphs came from the folder of the
    /// cache.
    double warmSeconds = 0;
    /// Seconds spent in running compiled graphs.
    double runSeconds = 0;
  };

  /// What one kernel is and did, summed over all runs and graphs.
  struct KernelSummary {
    std::string name;
    int64_t runs = 0;
    double seconds = 0;
    /// Arithmetic operations, and bytes read and written, of one run.
    int64_t flops = 0;
    int64_t bytes = 0;
  };

  /// Makes a context with an engine of its own.
  /// Errors: throws Error if the engine cannot be made.
  static ContextRef create(const Options &options);
  /// Makes a context around `engine`, which may be shared.
  static ContextRef
  create(std::shared_ptr<engine::Engine> engine,
         std::function<void(const std::string &)> log = nullptr);

  /// Returns the context of the process, made at the first call from the
  /// environment, which is not read again.
  /// Errors: as readEnvironment and create.
  static ContextRef getDefault();
  /// Says of what the context of the process is made instead of the
  /// environment. Errors: throws Error if it is made already.
  static void setDefaultOptions(const Options &options);
  /// Returns the context in which this thread makes new tensors: that of the
  /// innermost Scope, or the default one.
  static ContextRef getCurrent();

  /// Makes `context` current on this thread while the scope lives.
  class Scope {
  public:
    explicit Scope(ContextRef context);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    ContextRef context;
    const Scope *previous;
    friend class Context;
  };

  /// Starts the random numbers anew from `seed`. Source: `Tensor.manual_seed`.
  void manual_seed(uint64_t seed = 0);
  uint64_t getSeed() const;

  /// The name of the device on which tensors are if nothing else is said.
  const std::string &getDevice() const;

  Statistics getStatistics() const;

  /// What ran so far, whatever graph it was part of.
  struct Counters {
    int64_t kernels = 0;
    /// Arithmetic operations, and bytes read and written.
    int64_t flops = 0;
    int64_t bytes = 0;
  };
  Counters getCounters() const;
  /// Says what is called after each run, on its thread, with the names of the
  /// kernels that ran, in order; may be empty. It may be called by several
  /// threads at once, and must not throw.
  void setRunObserver(
      std::function<void(const std::vector<std::string> &)> observer);

  /// Returns what the memory of the context's device is used for; tensors on
  /// others, such as HOST, do not count.
  runtime::MemoryStatistics getMemoryStatistics() const;
  /// Gives kept memory back to the system until no more than `maxIdleBytes`
  /// are kept.
  void trim(int64_t maxIdleBytes = 0);

  /// Returns the kernels of all compiled graphs, kernels of one name and size
  /// taken together, in the order in which they were first compiled.
  std::vector<KernelSummary> getKernels() const;

  ~Context();

  /// Says what is called on a thread that is going to compile, or to wait for
  /// another one that does, and with its result when it is done. For a lock of
  /// a language, which the other one may need meanwhile. Before any thread
  /// compiles.
  static void setCompileHooks(void *(*begin)(), void (*end)(void *state));

  /// The front end's own state; its type is not public.
  struct Impl;
  Impl &getImpl() { return *impl; }

private:
  explicit Context(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl;
};

/// While one lives, what this thread realizes, and its calls of a TinyJit, end
/// soon after a stop of `token` was requested: between two passes of a
/// compilation, or between two kernels of a run. They throw an Error with the
/// sentence "cancelled", and every tensor is as it was before. Guards nest: a
/// stop of any of them counts.
///
/// A run that overwrites the memory of a variable copies it first, since it may
/// have to give it back.
class StopGuard {
public:
  explicit StopGuard(std::stop_token token);
  ~StopGuard();
  StopGuard(const StopGuard &) = delete;
  StopGuard &operator=(const StopGuard &) = delete;

  /// Returns the token that stops this thread; it cannot be stopped where no
  /// guard lives.
  static std::stop_token getToken();

private:
  struct Forward {
    std::stop_source source;
    void operator()() { source.request_stop(); }
  };

  const StopGuard *previous;
  std::stop_token token;
  /// Hand over the stops of this guard's token and of those around it.
  std::optional<std::stop_callback<Forward>> own, outer;
};

/// While one lives, this thread asks `watch`, or nobody for null, whether to go
/// on with what it realizes and with its calls of a TinyJit: between two passes
/// of a compilation, and between two kernels of a run. They stop as by a
/// StopGuard, but a run that has overwritten the memory of a variable goes on
/// to its end: it makes no copy.
class WatchGuard {
public:
  explicit WatchGuard(engine::Watch *watch);
  ~WatchGuard();
  WatchGuard(const WatchGuard &) = delete;
  WatchGuard &operator=(const WatchGuard &) = delete;

  /// Returns who is asked, or null.
  static engine::Watch *getCurrent();

private:
  engine::Watch *previous;
};

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_CONTEXT_H
