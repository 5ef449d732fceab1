//===- Schedule.h - The kernels of a tensor ---------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What realizing tensors would run. Nothing is compiled or computed for it.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_SCHEDULE_H
#define TINYGRAD_TENSOR_SCHEDULE_H

#include "tinygrad/Ops/ScheduleRecord.h"
#include "tinygrad/Tensor/Tensor.h"

#include <optional>
#include <vector>

namespace tinygrad {

/// The steps that realize tensors, in order. Source: `LazyBuffer.schedule`.
struct Schedule {
  struct Item {
    ops::ScheduleRecord record;
    /// The value of the graph that the step computes; nothing where it is one
    /// that the scheduler made.
    std::optional<Tensor> value;
  };
  std::vector<Item> items;
  /// What the inputs of records with numbers from 0 are.
  std::vector<Tensor> inputs;
  /// What the variables are bound to.
  shape::Bindings variables;

  /// The number of items that are kernels.
  int64_t getNumKernels() const;
};

/// Returns the schedule of `tensors`, as one realization of all of them has it.
/// The values of `known` count as computed. Empty where all are realized or
/// constant.
/// Errors: throws Error as `realize` does where a graph cannot be scheduled.
Schedule schedule(const std::vector<Tensor> &tensors,
                  const std::vector<Tensor> &known = {});

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_SCHEDULE_H
