//===- TestUtils.h - Index tables of trackers -------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Brute force, for small shapes: what each logical position reads.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_SHAPE_TESTUTILS_H
#define TINYGRAD_UNITTESTS_SHAPE_TESTUTILS_H

#include "tinygrad/Shape/ShapeTracker.h"

#include <functional>
#include <ostream>

namespace tinygrad::shape {

/// How GoogleTest shows trackers and views.
inline void PrintTo(const ShapeTracker &tracker, std::ostream *os) {
  *os << tracker.toString();
}
inline void PrintTo(const View &view, std::ostream *os) {
  *os << view.toString();
}
inline void PrintTo(const IndexExpr &expr, std::ostream *os) {
  *os << expr.toString();
}

/// Calls `visit` with each position of `shape` in row-major order.
void forEachPosition(const Dims &shape,
                     const std::function<void(const Dims &)> &visit);

/// Returns what `getIndex` gives for each position in row-major order.
std::vector<int64_t> getTable(const ShapeTracker &tracker);

/// Writes "index, min <= condition <= max, …".
std::string toString(const IndexAccess &access);

/// Returns the index of `access` at `position`, -1 where a condition fails.
int64_t evaluateAccess(const IndexAccess &access, const Dims &position);

/// As getTable, by evaluating `getAccess()`.
std::vector<int64_t> getAccessTable(const ShapeTracker &tracker);

/// Returns the number of positions on `axis` at which something is read.
int64_t countReadPositions(const ShapeTracker &tracker, size_t axis);

/// Returns true if each stride given is the step of the index between read
/// positions, and, unless `ignoreValid`, no axis with a stride is one along
/// which some positions are read and others are not.
bool areRealStrides(const ShapeTracker &tracker,
                    const std::vector<std::optional<int64_t>> &strides,
                    bool ignoreValid);

} // namespace tinygrad::shape

#endif // TINYGRAD_UNITTESTS_SHAPE_TESTUTILS_H
