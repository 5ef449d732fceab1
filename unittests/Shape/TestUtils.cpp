//===- TestUtils.cpp - Index tables of trackers -----------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <set>

using namespace tinygrad::shape;

void tinygrad::shape::forEachPosition(
    const Dims &shape, const std::function<void(const Dims &)> &visit) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  Dims position(shape.size(), 0);
  while (true) {
    visit(position);
    size_t axis = shape.size();
    while (axis > 0 && ++position[axis - 1] == shape[axis - 1])
      position[--axis] = 0;
    if (axis == 0)
      return;
  }
}

std::vector<int64_t> tinygrad::shape::getTable(const ShapeTracker &tracker) {
  std::vector<int64_t> table;
  forEachPosition(tracker.getShape(), [&](const Dims &position) {
    table.push_back(tracker.getIndex(position));
  });
  return table;
}

std::string tinygrad::shape::toString(const IndexAccess &access) {
  std::string text = access.index.toString();
  for (const IndexRange &range : access.conditions)
    text += ", " + std::to_string(range.min) + " <= " + range.expr.toString() +
            " <= " + std::to_string(range.max);
  return text;
}

int64_t tinygrad::shape::evaluateAccess(const IndexAccess &access,
                                        const Dims &position) {
  for (const IndexRange &range : access.conditions) {
    int64_t value = range.expr.evaluate(position);
    if (value < range.min || value > range.max)
      return -1;
  }
  return access.index.evaluate(position);
}

std::vector<int64_t>
tinygrad::shape::getAccessTable(const ShapeTracker &tracker) {
  IndexAccess access = tracker.getAccess();
  std::vector<int64_t> table;
  forEachPosition(tracker.getShape(), [&](const Dims &position) {
    table.push_back(evaluateAccess(access, position));
  });
  return table;
}

int64_t tinygrad::shape::countReadPositions(const ShapeTracker &tracker,
                                            size_t axis) {
  std::set<int64_t> positions;
  forEachPosition(tracker.getShape(), [&](const Dims &position) {
    if (tracker.getIndex(position) >= 0)
      positions.insert(position[axis]);
  });
  return static_cast<int64_t>(positions.size());
}

bool tinygrad::shape::areRealStrides(
    const ShapeTracker &tracker,
    const std::vector<std::optional<int64_t>> &strides, bool ignoreValid) {
  bool areReal = true;
  forEachPosition(tracker.getShape(), [&](const Dims &position) {
    int64_t index = tracker.getIndex(position);
    for (size_t axis = 0; axis < strides.size(); ++axis) {
      if (!strides[axis])
        continue;
      // Every two positions on the axis, so that gaps of the mask don't hide a
      // step.
      Dims other = position;
      for (other[axis] = 0; other[axis] < position[axis]; ++other[axis]) {
        int64_t otherIndex = tracker.getIndex(other);
        if (index >= 0 && otherIndex >= 0)
          areReal &= index - otherIndex ==
                     *strides[axis] * (position[axis] - other[axis]);
        else if (!ignoreValid)
          areReal &= index < 0 && otherIndex < 0;
      }
    }
  });
  return areReal;
}
