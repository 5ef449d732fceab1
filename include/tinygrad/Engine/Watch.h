//===- Watch.h - Who watches a thread that compiles or runs -----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_ENGINE_WATCH_H
#define TINYGRAD_ENGINE_WATCH_H

#include <cstdint>

namespace tinygrad::engine {

/// How far a thread is with what it compiles or runs.
struct Progress {
  enum class Stage { Schedule, Compile, Run };
  Stage stage = Stage::Schedule;
  /// Kernels that are compiled or ran, and all of them; both 0 while the
  /// kernels are formed.
  int64_t done = 0;
  int64_t total = 0;
};

/// Is asked, by the thread that compiles or runs and by no other, whether to go
/// on: between two passes, and between two kernels. For those who cannot
/// request a stop from another thread; a token costs less.
class Watch {
public:
  virtual ~Watch() = default;

  /// Returns true if the work is to stop, as after a stop of a token, and from
  /// then on.
  bool ask(const Progress &progress) {
    if (!stopped)
      stopped = check(progress);
    return stopped;
  }
  bool isStopped() const { return stopped; }
  /// Begins anew.
  void reset() { stopped = false; }

protected:
  /// Returns true to stop. It may take locks, but must not use the engine.
  virtual bool check(const Progress &progress) = 0;

private:
  bool stopped = false;
};

} // namespace tinygrad::engine

#endif // TINYGRAD_ENGINE_WATCH_H
