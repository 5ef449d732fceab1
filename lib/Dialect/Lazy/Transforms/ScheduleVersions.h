//===- ScheduleVersions.h - Notes on what memory holds ----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULEVERSIONS_H
#define TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULEVERSIONS_H

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"

namespace tinygrad::lazy {

/// What an operation of a schedule does with the memory of one operand: it
/// relies on a version that is there, makes another one, or both.
struct OperandVersions {
  std::optional<int64_t> read, made;
};

/// True for what runs in a schedule: kernels, customs and copies on memory.
bool isScheduleStep(mlir::Operation *op);

/// Returns how many of the operands of a step are memory, and how many of these
/// it only reads: the others it writes.
unsigned getNumData(mlir::Operation *step);
unsigned getNumRead(mlir::Operation *step);

/// True if what lies in init `index` after `kernel` depends on what lay there
/// before: the kernel loads it, or does not store each element. Memory of an
/// argument of unknown size counts as stored wholly by a store whose extents
/// are expressions.
bool keepsInit(KernelOp kernel, size_t index);

/// Returns for each operand of `step` that is memory whether its versions have
/// a `read` and a `made`. The numbers are 0.
mlir::SmallVector<OperandVersions> getVersionForm(mlir::Operation *step);

/// Reads `lazy.versions` of a step. Nothing where it is not there or has
/// another number of numbers than the step needs.
std::optional<mlir::SmallVector<OperandVersions>>
getVersions(mlir::Operation *step);
/// Writes it. `versions` has the form of `step`.
void setVersions(mlir::Operation *step,
                 mlir::ArrayRef<OperandVersions> versions);

/// Reads and writes the note of what is no step: an allocation, a deallocation
/// or the return.
std::optional<mlir::ArrayRef<int64_t>> getVersionNumbers(mlir::Operation *op);
void setVersionNumbers(mlir::Operation *op, mlir::ArrayRef<int64_t> numbers);

} // namespace tinygrad::lazy

#endif // TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULEVERSIONS_H
