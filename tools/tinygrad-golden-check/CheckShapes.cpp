//===- CheckShapes.cpp - Judges rows about views --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckShapes.h"
#include "../../unittests/Shape/TestUtils.h"
#include "tinygrad/Ops/Movement.h"

#include <numeric>

using namespace tinygrad;
using namespace tinygrad::golden;
using shape::ShapeTracker;

using Table = std::vector<int64_t>;

/// Tables are compared position by position, several times.
static constexpr int64_t maxTableSize = 1 << 20;

/// Moves `tracker`; returns false and a reason where the chain is not valid.
static bool applyAll(const std::vector<Movement> &movements,
                     ShapeTracker &tracker, std::string &reason) {
  for (const Movement &movement : movements) {
    ops::Shape result;
    if (!ops::inferShape(movement.kind, {tracker.getShape()},
                         movement.attributes, result, reason))
      return false;
    tracker = shape::apply(
        ops::toMovementOp(movement.kind, movement.attributes), tracker);
  }
  return true;
}

/// Returns the tracker of a chain, or nothing and a reason where the chain is
/// not valid.
static std::optional<ShapeTracker> buildTracker(const ShapeRow &row,
                                                std::string &reason) {
  auto numElements = ops::getNumElements(row.shape);
  if (!numElements) {
    reason = "the buffer is too large";
    return std::nullopt;
  }
  ShapeTracker tracker = ShapeTracker::fromShape(row.shape);
  if (!applyAll(row.movements, tracker, reason))
    return std::nullopt;
  if (tracker.getNumElements() <= maxTableSize)
    return tracker;
  reason = "the result is too large for a table";
  return std::nullopt;
}

static std::string toText(std::optional<int64_t> value) {
  return value ? std::to_string(*value) : "none";
}

/// Returns the first difference, or an empty text.
static std::string compareTables(const Table &actual, const Table &expected) {
  if (actual.size() != expected.size())
    return std::to_string(actual.size()) + " positions instead of " +
           std::to_string(expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    if (actual[i] != expected[i])
      return "position " + std::to_string(i) + " reads " +
             std::to_string(actual[i]) + " instead of " +
             std::to_string(expected[i]);
  return "";
}

/// True for 0, 1, 2, …
static bool isIdentity(const Table &table) {
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i] != static_cast<int64_t>(i))
      return false;
  return true;
}

static std::string checkIndex(const ShapeRow &row,
                              const ShapeTracker &tracker) {
  for (const ShapeTracker &each : {tracker, tracker.simplify()}) {
    Table table = shape::getTable(each);
    std::string difference = compareTables(shape::getAccessTable(each), table);
    if (!difference.empty())
      return "the access expression differs from the views: " + difference;
    if (row.index)
      difference = compareTables(table, *row.index);
    if (!difference.empty())
      return "index: " + difference;
    int64_t sum = std::accumulate(table.begin(), table.end(), int64_t(0));
    if (row.indexSum && sum != *row.indexSum)
      return "index_sum is " + std::to_string(sum) + " instead of " +
             std::to_string(*row.indexSum);
  }
  return "";
}

/// Compares all positions of `moved` with those of `tracker`.
static std::string compareTrackers(const ShapeTracker &moved,
                                   const ShapeTracker &tracker) {
  if (moved.getShape() != tracker.getShape())
    return "shape " + ops::toString(moved.getShape()) + " instead of " +
           ops::toString(tracker.getShape());
  return compareTables(shape::getTable(moved), shape::getTable(tracker));
}

/// Checks that the tracker, written as movement operations on a flat buffer,
/// reads the same, and so do the operations that the reference has.
static std::string checkMovementOps(const ShapeRow &row,
                                    const ShapeTracker &tracker) {
  ShapeTracker moved =
      ShapeTracker::fromShape({std::max<int64_t>(tracker.getBufferSize(), 1)});
  for (const shape::MovementOp &op :
       shape::toMovementOps(tracker, moved.getShape()))
    moved = shape::apply(op, moved);
  std::string difference = compareTrackers(moved, tracker);
  if (!difference.empty())
    return "as movement operations: " + difference;
  if (row.isReferenceWrong)
    return "";
  ShapeTracker theirs =
      ShapeTracker::fromShape({*ops::getNumElements(row.shape)});
  if (applyAll(row.movementOps, theirs, difference))
    difference = compareTrackers(theirs, tracker);
  return difference.empty() ? "" : "`movement_ops`: " + difference;
}

/// Compares with the views that the reference has at one moment, and with what
/// it says about them.
static std::string checkViews(const std::string &field,
                              const ShapeTracker &tracker,
                              const GoldenTracker &expected,
                              bool isContiguous) {
  if (tracker.getViews().size() > expected.views.size())
    return std::to_string(tracker.getViews().size()) +
           " views instead of the " + std::to_string(expected.views.size()) +
           " of `" + field + "`: " + tracker.toString();
  std::optional<ShapeTracker> theirs = expected.toTracker();
  if (!theirs || theirs->getShape() != tracker.getShape())
    return "`" + field + "` has no views of this chain";
  Table table = shape::getTable(tracker);
  std::string difference = compareTables(table, shape::getTable(*theirs));
  if (!difference.empty())
    return "`" + field + "`: " + difference;
  // The reference looks at the form of its views: a mask that hides nothing,
  // or a second view, make it miss a contiguous one.
  bool mayMiss = expected.views.size() > 1 || expected.views.front().mask;
  if (mayMiss && !table.empty())
    isContiguous |= isIdentity(table);
  if (tracker.isContiguous() != isContiguous)
    return std::string(isContiguous ? "not contiguous" : "contiguous") +
           ", unlike `" + field + "`: " + tracker.toString();
  return "";
}

static std::string
checkStrides(const std::string &field, const ShapeTracker &tracker,
             const std::vector<std::optional<int64_t>> &expected,
             bool ignoreValid) {
  std::vector<std::optional<int64_t>> strides =
      tracker.getRealStrides(ignoreValid);
  if (strides.size() != expected.size())
    return "`" + field + "` has another rank";
  if (!shape::areRealStrides(tracker, strides, ignoreValid))
    return "real strides that are none: " + tracker.toString();
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    // Where one position or none is read, any stride is as good.
    if (!expected[axis] || strides[axis] == expected[axis] ||
        shape::countReadPositions(tracker, axis) < 2)
      continue;
    return "`" + field + "` of axis " + std::to_string(axis) + " is " +
           toText(strides[axis]) + " instead of " + toText(expected[axis]);
  }
  return "";
}

static std::string checkSize(const ShapeRow &row, const ShapeTracker &tracker) {
  int64_t size = tracker.getBufferSize(), exact = row.maxIndex + 1;
  bool isExact = tracker.getViews().size() == 1;
  if (size < exact || (isExact && size != exact))
    return "size " + std::to_string(size) + ", but the largest index is " +
           std::to_string(row.maxIndex);
  if (row.isReferenceWrong)
    return "";
  // Without masks the reference's size of one view is exact too.
  const std::vector<GoldenView> &views = row.simplifiedViews.views;
  bool binds = views.size() == 1 && !views.front().mask;
  if (size > row.size || (binds && size != row.size))
    return "size " + std::to_string(size) + " instead of " +
           std::to_string(row.size);
  return "";
}

Outcome golden::checkShapes(const ShapeRow &row) {
  std::string reason;
  std::optional<ShapeTracker> tracker = buildTracker(row, reason);
  if (!tracker)
    return Outcome::fail(reason);
  if (tracker->getShape() != row.outShape)
    return Outcome::fail("shape " + ops::toString(tracker->getShape()) +
                         " instead of " + ops::toString(row.outShape));
  reason = checkIndex(row, *tracker);
  if (reason.empty())
    reason = checkMovementOps(row, *tracker);
  if (reason.empty() && !row.isReferenceWrong) {
    reason = checkViews("views", *tracker, row.views, row.isContiguous);
    if (reason.empty())
      reason = checkViews("views_simplified", tracker->simplify(),
                          row.simplifiedViews, row.isContiguousSimplified);
    if (reason.empty())
      reason = checkStrides("real_strides", *tracker, row.realStrides, false);
    if (reason.empty())
      reason = checkStrides("real_strides_ignore_valid", *tracker,
                            row.realStridesIgnoreValid, true);
  }
  if (reason.empty())
    reason = checkSize(row, *tracker);
  return reason.empty() ? Outcome() : Outcome::fail(reason);
}

Outcome golden::checkMerge(const MergeRow &row, const ShapeRow &chain) {
  std::string reason;
  std::optional<ShapeTracker> tracker = buildTracker(chain, reason);
  if (!tracker)
    return Outcome::fail(reason);
  auto count = static_cast<int64_t>(tracker->getViews().size());
  if (row.minViews && count != *row.minViews)
    return Outcome::fail(std::to_string(count) + " views instead of " +
                         std::to_string(*row.minViews) + ": " +
                         tracker->toString());
  if (!chain.isReferenceWrong && count > row.referenceViews)
    return Outcome::fail(std::to_string(count) + " views, the reference has " +
                         std::to_string(row.referenceViews));
  if (row.singleView) {
    ShapeTracker expected = ShapeTracker::fromViews({row.singleView->toView()});
    if (*tracker != expected)
      return Outcome::fail(tracker->toString() + " instead of " +
                           expected.toString());
  } else if (count == 1) {
    return Outcome::fail("one view where none exists: " + tracker->toString());
  }
  if (row.isContiguous && tracker->isContiguous() != *row.isContiguous)
    return Outcome::fail(
        std::string(*row.isContiguous ? "not contiguous: " : "contiguous: ") +
        tracker->toString());
  return {};
}
