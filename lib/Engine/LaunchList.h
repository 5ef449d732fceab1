//===- LaunchList.h - A schedule prepared to run many times -----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be known before a run: which functions are called in which order, on
// which slots, and where temporaries lie. A run fills one array of pointers and
// walks one array of calls.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_ENGINE_LAUNCHLIST_H
#define TINYGRAD_LIB_ENGINE_LAUNCHLIST_H

#include "CPUCompiler.h"
#include "SlabLayout.h"

namespace tinygrad::engine {

/// One call of a schedule.
struct Launch {
  /// The kernel, or null for what takes buffers.
  tg_task_fn function = nullptr;
  /// The number of tasks, or -1 where variables decide.
  int64_t numTasks = 1;
  /// The positions of its slots in LaunchList::slots.
  int32_t firstSlot = 0;
  int32_t numSlots = 0;
  /// Its slots from this one on are written, those before are read.
  int32_t firstWritten = 0;
  /// The position in CompiledSchedule::kernels, or -1 for another step.
  int32_t kernel = -1;
  /// The position in Schedule::callbacks, or -1 for another step. What is
  /// neither a kernel nor a callback is a copy.
  int32_t callback = -1;
  /// What a copy reads and writes, as in Step.
  int64_t offset = 0;
  int64_t targetOffset = 0;
  int64_t numElements = -1;
  /// True if it is the first to overwrite one of the executable's inputs.
  bool overwritesInput = false;
};

/// The calls of a schedule, and the layout of its memory.
struct LaunchList {
  explicit LaunchList(const CompiledSchedule &compiled);

  /// The slots that `launch` reads and writes.
  std::span<const int32_t> getSlots(const Launch &launch) const {
    return std::span(slots).subspan(launch.firstSlot, launch.numSlots);
  }

  std::span<const int32_t> getWritten(const Launch &launch) const {
    return getSlots(launch).subspan(launch.firstWritten);
  }

  /// Lays out the slab for these values of the variables. It is never larger
  /// than `slab`.
  SlabLayout layOutSlab(const Schedule &schedule,
                        std::span<const int64_t> variables) const;

  /// Returns the most bytes that a run takes beside inputs and outputs.
  int64_t computePeakBytes(const CompiledSchedule &compiled) const;

  std::vector<Launch> launches;
  /// The slots of all launches, one launch after the other.
  std::vector<int32_t> slots;
  /// The temporaries that only host kernels use: they lie in one block, the
  /// slab.
  std::vector<int32_t> slabSlots;
  /// The layout of the slab, by slabSlots, with each size at its largest.
  SlabLayout slab;
  /// True if it is the same for each run.
  bool isSlabFixed = true;
  /// The slot of the largest piece of the slab, or -1.
  int32_t largestSlot = -1;
  /// The temporaries that have a buffer of their own, since a callback, a copy
  /// or a program takes it, or since they are on another device.
  std::vector<int32_t> bufferSlots;
  /// The slots that hold the value of a variable for kernels that take buffers.
  std::vector<int32_t> variableSlots;
  /// The number of the inputs, which are the first slots.
  int32_t numInputs = 0;
  /// By slot: true if it is made when it is filled (see Device::isPersistent).
  std::vector<bool> isLate;
  /// The launches from this one on fill such results and do nothing else.
  size_t firstLate = 0;
  /// The inputs that are overwritten, in the order in which they first are.
  std::vector<int32_t> overwrittenSlots;
  /// True if a launch may fail once an input is overwritten.
  bool mayFailLate = false;

private:
  void addLaunch(const CompiledSchedule &compiled, const Step &step);
  void delayLateCopies(const CompiledSchedule &compiled);
  void findOverwritten(const CompiledSchedule &compiled);
  void findBuffers(const Schedule &schedule);

  /// By slabSlots: the steps between which they live.
  std::vector<Piece> pieces;
};

} // namespace tinygrad::engine

#endif // TINYGRAD_LIB_ENGINE_LAUNCHLIST_H
