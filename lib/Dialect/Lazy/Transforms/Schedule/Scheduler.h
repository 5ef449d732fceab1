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
  /// True if a kernel may read these buffers.
  bool fits(llvm::ArrayRef<BufferRef> leaves) const;
  /// Returns the buffers that the expression of `kernel` reads. One that reads
  /// too many is cut.
  std::vector<BufferRef> listLeaves(Kernel &kernel);
  /// Returns the first of `leaves` that is a reduce to merge, or null.
  LazyBuffer *findMergedLeaf(const Kernel &kernel,
                             llvm::ArrayRef<BufferRef> leaves) const;

  LazyBuilder &builder;
  KernelEmitter &emitter;
  llvm::DenseSet<LazyBuffer *> seen;
  // What has been scheduled stays alive, as it does in lazy.py.
  std::vector<BufferRef> scheduled;
  /// What has been cut of kernels that were too large, and these kernels.
  llvm::DenseSet<LazyBuffer *> cut;
};

} // namespace tinygrad::lazy::schedule

#endif // TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_SCHEDULER_H
