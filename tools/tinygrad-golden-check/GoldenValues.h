//===- GoldenValues.h - Numbers and views of the golden files ---*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_GOLDENVALUES_H
#define TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_GOLDENVALUES_H

#include "tinygrad/Ops/Scalar.h"
#include "tinygrad/Shape/ShapeTracker.h"

#include "llvm/Support/JSON.h"

namespace tinygrad {

/// Reads the name of a type.
bool fromJSON(const llvm::json::Value &value, DType &result,
              llvm::json::Path path);

} // namespace tinygrad

namespace tinygrad::golden {

/// A number, a bool, or one of "nan", "inf" and "-inf". Its element type is
/// said elsewhere in the row.
struct Number {
  llvm::json::Value value = nullptr;

  ops::Scalar toScalar(DType type) const;
};
bool fromJSON(const llvm::json::Value &value, Number &result,
              llvm::json::Path path);

/// A pair of integers: a range of a mask, or what a pad or shrink does to an
/// axis.
struct Pair {
  int64_t first = 0, second = 0;
};
bool fromJSON(const llvm::json::Value &value, Pair &result,
              llvm::json::Path path);

/// A view, as an object or as the list [shape, strides, offset, mask]. What is
/// read is a view whose indices fit in 62 bits.
struct GoldenView {
  shape::Dims shape, strides;
  int64_t offset = 0;
  std::optional<std::vector<Pair>> mask;

  shape::View toView() const;
  /// Returns the smallest and the largest index that is read, or nothing where
  /// nothing is read.
  std::optional<std::pair<int64_t, int64_t>> getIndexRange() const;
};
bool fromJSON(const llvm::json::Value &value, GoldenView &result,
              llvm::json::Path path);

/// A non-empty list of views, the outermost last.
struct GoldenTracker {
  std::vector<GoldenView> views;

  /// Returns nothing where a view reads outside of the one before it.
  std::optional<shape::ShapeTracker> toTracker() const;
};
bool fromJSON(const llvm::json::Value &value, GoldenTracker &result,
              llvm::json::Path path);

/// Reads the argument of a movement operation or a reduce, in the form that
/// `ops::OpAttributes::ints` has: pairs are flattened.
bool readInts(const llvm::json::Value &value, std::vector<int64_t> &result,
              llvm::json::Path path);

} // namespace tinygrad::golden

#endif // TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_GOLDENVALUES_H
