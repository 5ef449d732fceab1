//===- Schedule.h - A schedule as a list of steps - h ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_ENGINE_SCHEDULE_H
#define TINYGRAD_LIB_ENGINE_SCHEDULE_H

#include "RuntimeSize.h"

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace tinygrad::engine {

/// One step of a schedule. It names buffers by slots: the arguments of the host
/// function come first, but for those of variables, then one slot per
/// allocation, and per variable and device where a kernel reads it.
struct Step {
  enum class Kind {
    Allocate, ///< fills one slot
    Free,     ///< gives one slot back
    Kernel,   ///< runs kernel `index` on the slots, those of variables last
    Callback, ///< calls callback `index` on the slots, the last is written
    Copy,     ///< writes elements of the first slot into the second
  };
  Kind kind;
  int32_t index = 0;
  std::vector<int32_t> slots;
  /// Where a copy begins to read and to write, in elements.
  int64_t offset = 0;
  int64_t targetOffset = 0;
  /// How many elements are copied; -1 for all that the second slot has from
  /// there on.
  int64_t numElements = -1;
};

/// What the host function of stage 3 does, as plain data.
struct Schedule {
  /// What lies in a slot. Memory has no unsigned types and no bool.
  struct Slot {
    DType type;
    RuntimeSize numElements;
    /// As in Signature.
    std::string device = {};
    /// True if it is read before anything is written: what the device holds.
    bool isOpened = false;
    /// What it is called in errors: the kernel that writes it first, and the
    /// shape. Empty for an input, and where nothing writes it.
    std::string name = {};
    /// The number of the variable whose value lies there, or -1.
    int32_t variable = -1;
  };
  /// The numbers of the variables that a kernel reads, in its order.
  llvm::SmallVector<int32_t, 4> getVariables(const Step &step) const;

  std::vector<Slot> slots;
  std::vector<Step> steps;
  /// The function of each call, in order; one may occur twice.
  std::vector<std::string> kernels;
  std::vector<std::string> callbacks;
};

/// Reads the steps of `host`. Fails at the location of an operation that is no
/// step. Variables have the numbers of their `variables`; an argument whose
/// size is one of them has none here.
llvm::Expected<Schedule> readSchedule(mlir::func::FuncOp host,
                                      std::span<const std::string> variables);

} // namespace tinygrad::engine

#endif // TINYGRAD_LIB_ENGINE_SCHEDULE_H
