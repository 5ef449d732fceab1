//===- ScheduleRow.h - A row of schedule.jsonl ------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_SCHEDULEROW_H
#define TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_SCHEDULEROW_H

#include "GoldenValues.h"
#include "tinygrad/Ops/Graph.h"

#include <array>
#include <map>

namespace tinygrad::golden {

/// How a buffer is filled: element i is
/// (((i * mul + add) % mod) - sub) * scale, converted.
struct Fill {
  int64_t mul = 0, add = 0, mod = 1, sub = 0;
  double scale = 0;
};
bool fromJSON(const llvm::json::Value &value, Fill &result,
              llvm::json::Path path);

/// An operation of a program.
struct ProgramOp {
  std::string name;
  /// Absent for LOAD and REALIZE, which the compiler has no operation for.
  std::optional<ops::OpKind> kind;
  /// Ids of operations before this one.
  std::vector<int64_t> sources;
  /// Of a LOAD, EMPTY or CUSTOM.
  ops::Shape shape;
  Fill fill;
  /// Of these and a COPY, by our names: the default device, or the host.
  std::string device;
  /// Of a LOAD, EMPTY, CUSTOM, CONST and CAST.
  DType type = DType::Float32;
  /// Of a CONST.
  Number value;
  /// Of a movement operation or a reduce.
  std::vector<int64_t> ints;
};
bool fromJSON(const llvm::json::Value &value, ProgramOp &result,
              llvm::json::Path path);

/// A node of a kernel. Sources come before it, the STORE last.
struct KernelNode {
  std::string op;
  std::vector<int64_t> sources;
  /// The input that a LOAD reads.
  std::optional<int64_t> buffer;
  std::optional<DType> type;
  std::optional<Number> value;
  std::optional<GoldenTracker> views;
  std::optional<ops::Shape> newShape;
  bool isBitcast = false;
};
bool fromJSON(const llvm::json::Value &value, KernelNode &result,
              llvm::json::Path path);

/// An item of a schedule. Only a kernel has nodes.
struct ScheduleItem {
  std::string kind;
  std::vector<std::string> inputs;
  ops::Shape shape;
  DType type = DType::Float32;
  /// The id of an EMPTY or CUSTOM.
  std::optional<int64_t> value;
  /// The LOAD into whose buffer a kernel writes.
  std::optional<std::string> inPlace;
  std::vector<KernelNode> nodes;
};
bool fromJSON(const llvm::json::Value &value, ScheduleItem &result,
              llvm::json::Path path);

/// Where an output is found: in the buffer of an item, or a constant.
struct OutputPlace {
  std::string item;
  std::optional<Number> constant;
  GoldenTracker views;
};
bool fromJSON(const llvm::json::Value &value, OutputPlace &result,
              llvm::json::Path path);

/// The value at a position of the flattened tensor.
struct Sample {
  int64_t position = 0;
  Number value;
};
bool fromJSON(const llvm::json::Value &value, Sample &result,
              llvm::json::Path path);

/// The values of an output: all of them, or sums and samples.
struct ExpectedValues {
  ops::Shape shape;
  DType type = DType::Float32;
  std::optional<std::vector<Number>> values;
  double sum = 0, absSum = 0;
  std::vector<Sample> samples;
};
bool fromJSON(const llvm::json::Value &value, ExpectedValues &result,
              llvm::json::Path path);

/// Which values of a program stay alive.
enum class Liveness { Dropped, Kept, Traced };

/// Numbers of kernels by level; nothing where the reference has none.
using KernelCounts = std::map<std::string, std::optional<int64_t>>;

/// What a row says for one liveness.
struct ScheduleVariant {
  std::optional<KernelCounts> kernels;
  /// The schedule by level; only level 2 is there.
  std::optional<std::map<std::string, std::vector<ScheduleItem>>> items;
  /// By id.
  std::optional<std::map<std::string, OutputPlace>> outputs;
};

/// A row of schedule.jsonl. What is not compared is not read.
struct ScheduleRow {
  std::string name;
  std::vector<ProgramOp> program;
  std::vector<int64_t> before, outputs, kept;
  /// Pairs of an output and the LOAD into whose buffer it is assigned.
  std::vector<std::vector<int64_t>> assigned;
  /// By Liveness. Only the first has to have kernels, and items and outputs of
  /// the others are the first's where they are absent.
  std::array<ScheduleVariant, 3> variants;
  std::optional<KernelCounts> kernelsBefore;
  /// By id; absent for programs that are too large.
  std::optional<std::map<std::string, ExpectedValues>> expected;
  /// The reference computes something else, or fails.
  bool isReferenceWrong = false;
};
bool fromJSON(const llvm::json::Value &value, ScheduleRow &result,
              llvm::json::Path path);

} // namespace tinygrad::golden

#endif // TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_SCHEDULEROW_H
