//===- ShapeRows.h - Rows of shapetracker and view_merge --------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_SHAPEROWS_H
#define TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_SHAPEROWS_H

#include "GoldenValues.h"
#include "tinygrad/Ops/Graph.h"

namespace tinygrad::golden {

/// A movement operation.
struct Movement {
  ops::OpKind kind = ops::OpKind::Reshape;
  ops::OpAttributes attributes;
};
bool fromJSON(const llvm::json::Value &value, Movement &result,
              llvm::json::Path path);

/// A row of shapetracker.jsonl. What is not compared is not read.
struct ShapeRow {
  shape::Dims shape, outShape;
  std::vector<Movement> movements;
  /// One of the two is there.
  std::optional<std::vector<int64_t>> index;
  std::optional<int64_t> indexSum;
  GoldenTracker views, simplifiedViews;
  /// What makes the simplified views of the flat buffer.
  std::vector<Movement> movementOps;
  bool isContiguous = false, isContiguousSimplified = false;
  std::vector<std::optional<int64_t>> realStrides, realStridesIgnoreValid;
  int64_t size = 0, maxIndex = 0;
  /// The reference disagrees with the index table.
  bool isReferenceWrong = false;
};
bool fromJSON(const llvm::json::Value &value, ShapeRow &result,
              llvm::json::Path path);

/// A row of view_merge.jsonl. It is about the chain of the row of
/// shapetracker.jsonl that has its name.
struct MergeRow {
  std::optional<GoldenView> singleView;
  std::optional<int64_t> minViews;
  int64_t referenceViews = 0;
  std::optional<bool> isContiguous;
};
bool fromJSON(const llvm::json::Value &value, MergeRow &result,
              llvm::json::Path path);

} // namespace tinygrad::golden

#endif // TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_SHAPEROWS_H
