//===- ScheduleRecord.h - A step of a schedule as plain data ----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the scheduler made of a graph, for those who look at it without MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPS_SCHEDULERECORD_H
#define TINYGRAD_OPS_SCHEDULERECORD_H

#include "tinygrad/Ops/DType.h"
#include "tinygrad/Ops/Scalar.h"
#include "tinygrad/Shape/SymbolicShapeTracker.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tinygrad::ops {

/// One operation of what a kernel computes.
struct KernelNode {
  /// "load", "const", "store", or a word of Ops.def.
  std::string op;
  /// The numbers of the sources.
  std::vector<int32_t> operands;
  DType type;
  /// The extents of the value, or, of a store, of what is written.
  shape::SymbolicDims shape;
  /// Of a load: the number of the input in ScheduleRecord::inputs.
  int32_t input = -1;
  /// Of a const.
  Scalar value = {};
  /// Of a load, a const or a store: which elements are meant.
  std::optional<shape::SymbolicShapeTracker> tracker = {};
};

/// One step of a schedule.
struct ScheduleRecord {
  enum class Kind { Kernel, Copy, Custom };
  Kind kind;
  /// That of the kernel, of the callback, or of the device of a copy.
  std::string name;
  /// For each buffer that is read, once: an input of the graph by its place in
  /// Graph::inputs, or -1 - i for what record i computes.
  std::vector<int32_t> inputs;
  DType type;
  shape::SymbolicDims shape;
  std::string device;
  /// The node of the graph that has this value, or -1 where none has.
  int32_t node = -1;
  /// What a kernel computes: sources come before what uses them, the store
  /// last.
  std::vector<KernelNode> tree;
  /// The labels of the rules that formed a kernel (docs/Rules.md).
  std::vector<std::string> rules;
  /// Arithmetic operations, bytes read and bytes written.
  int64_t flops = 0, bytesRead = 0, bytesWritten = 0;
  /// The step as it is in the dialect.
  std::string text;
};

} // namespace tinygrad::ops

#endif // TINYGRAD_OPS_SCHEDULERECORD_H
