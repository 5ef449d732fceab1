//===- ScheduleMutations.h - Changes of a schedule on memory ----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_ENGINE_SCHEDULEMUTATIONS_H
#define TINYGRAD_UNITTESTS_ENGINE_SCHEDULEMUTATIONS_H

#include "RandomGraph.h"

#include "mlir/IR/Block.h"

namespace tinygrad::test {

/// A way to change a schedule on memory, at a random place. The result may be
/// no valid program.
struct ScheduleMutation {
  const char *name;
  /// Returns false where it finds no place in the schedule.
  bool (*apply)(Random &random, mlir::Block &schedule);
};

llvm::ArrayRef<ScheduleMutation> getScheduleMutations();

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_ENGINE_SCHEDULEMUTATIONS_H
