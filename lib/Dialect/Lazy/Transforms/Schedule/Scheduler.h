//===- Scheduler.h - Forms kernels ------------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_SCHEDULER_H
#define TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_SCHEDULER_H

#include "KernelEmitter.h"
#include "LazyBuilder.h"

#include "llvm/ADT/DenseSet.h"

namespace tinygrad::lazy::schedule {

/// Turns finished buffers into kernels, producers first.
class Scheduler {
public:
  Scheduler(LazyBuilder &builder, KernelEmitter &emitter)
      : builder(builder), emitter(emitter) {}

  /// Emits what `buffer` needs and is not emitted yet. lazy.py's
  /// `LazyBuffer.schedule`.
  void schedule(BufferRef buffer);
  /// Does so, and makes all that was emitted inputs of what is built from now
  /// on. lazy.py's `Tensor.realize`.
  void realize(BufferRef buffer);

private:
  struct Frame {
    Kernel kernel;
    size_t next = 0;
  };

  /// Returns the buffer to compute for `buffer`, or null if there is none.
  LazyBuffer *enter(const BufferRef &buffer);
  Kernel form(BufferRef output);
  void formReduce(Kernel &kernel, const OpRef &reduce);
  void formElementwise(Kernel &kernel);
  /// Returns the buffers that the expression of `kernel` reads. One that reads
  /// too many is cut.
  std::vector<BufferRef> listLeaves(Kernel &kernel);
  /// Makes the first of `leaves` that is a reduce to merge a part of `kernel`.
  /// `merged` is the kernel that it would be alone.
  void mergeReduce(Kernel &kernel, llvm::ArrayRef<BufferRef> leaves,
                   Kernel &merged);
  /// Returns the first enabled rule that applies, or null.
  const Rule *findRule(llvm::function_ref<bool(const Rule &)> applies) const;
  /// Returns the rule that forbids a kernel to read these buffers, or null.
  const Rule *findLimit(llvm::ArrayRef<BufferRef> leaves) const;
  /// Notes that `rule`, if any, had a part in forming `kernel`.
  void note(Kernel &kernel, const Rule *rule);

  LazyBuilder &builder;
  KernelEmitter &emitter;
  llvm::DenseSet<LazyBuffer *> seen;
  // What has been scheduled stays alive, as it does in lazy.py.
  std::vector<BufferRef> scheduled;
  /// What was emitted and is no input yet.
  std::vector<BufferRef> emitted;
  /// What has been cut of kernels that were too large, and these kernels, each
  /// with the rule that says so.
  llvm::DenseMap<LazyBuffer *, const Rule *> cut;
};

} // namespace tinygrad::lazy::schedule

#endif // TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_SCHEDULER_H
