//===- shape-chain-fuzzer.cpp - Chains of movement operations -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a shape and movement operations on it from the input, any bytes, and
// compares all that ShapeTracker says of the chain with a table of indices that
// is moved element by element. Prints the chain and aborts where they differ.
//
//===----------------------------------------------------------------------===//

#include "../unittests/Shape/IndexTable.h"
#include "../unittests/Shape/TestUtils.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

using namespace tinygrad::shape;
using Kind = MovementOp::Kind;

namespace {

/// Tables stay below this.
constexpr int64_t maxElements = 160;
constexpr size_t maxOps = 10;
constexpr size_t maxRank = 4;

/// Numbers out of the input; zeros past its end.
class Input {
public:
  Input(const uint8_t *data, size_t size) : bytes(data, size) {}

  bool isAtEnd() const { return bytes.empty(); }

  /// Returns a number in [min, max].
  int64_t take(int64_t min, int64_t max) {
    uint8_t byte = 0;
    if (!bytes.empty()) {
      byte = bytes.front();
      bytes = bytes.subspan(1);
    }
    return min + byte % (max - min + 1);
  }

private:
  std::span<const uint8_t> bytes;
};

//===----------------------------------------------------------------------===//
// From bytes to operations
//===----------------------------------------------------------------------===//

int64_t countElements(const Dims &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

/// Deals the prime factors of `count` out to some axes.
Dims takeReshape(Input &input, int64_t count) {
  Dims shape(input.take(count == 1 ? 0 : 1, maxRank), 1);
  if (count == 0) {
    for (int64_t &extent : shape)
      extent = input.take(0, 3);
    shape[input.take(0, static_cast<int64_t>(shape.size()) - 1)] = 0;
    return shape;
  }
  for (int64_t factor = 2; count > 1;) {
    if (count % factor) {
      ++factor;
      continue;
    }
    count /= factor;
    shape[input.take(0, static_cast<int64_t>(shape.size()) - 1)] *= factor;
  }
  return shape;
}

/// Returns an operation that is valid on a tensor of `shape`.
MovementOp takeOp(Input &input, const Dims &shape) {
  MovementOp op{static_cast<Kind>(input.take(0, 5)), {}, {}, {}};
  size_t rank = shape.size();
  int64_t others = std::max<int64_t>(countElements(shape), 1);
  // Takes what grows an axis to `extent` where that leaves the table small.
  auto fits = [&](size_t axis, int64_t extent) {
    int64_t rest = others / std::max<int64_t>(shape[axis], 1);
    if (rest * extent > maxElements)
      return false;
    others = rest * std::max<int64_t>(extent, 1);
    return true;
  };
  switch (op.kind) {
  case Kind::Reshape:
    op.ints = takeReshape(input, countElements(shape));
    break;
  case Kind::Permute:
    op.ints.resize(rank);
    std::iota(op.ints.begin(), op.ints.end(), 0);
    for (size_t i = rank; i > 1; --i)
      std::swap(op.ints[i - 1],
                op.ints[input.take(0, static_cast<int64_t>(i) - 1)]);
    break;
  case Kind::Expand:
    op.ints = shape;
    for (size_t axis = 0; axis < rank; ++axis)
      if (shape[axis] == 1)
        if (int64_t extent = input.take(0, 4); fits(axis, extent))
          op.ints[axis] = extent;
    break;
  case Kind::Pad:
    for (size_t axis = 0; axis < rank; ++axis) {
      int64_t before = input.take(0, 3), after = input.take(0, 3);
      bool isGrown = fits(axis, shape[axis] + before + after);
      op.pairs.emplace_back(isGrown ? before : 0, isGrown ? after : 0);
    }
    break;
  case Kind::Shrink:
    for (size_t axis = 0; axis < rank; ++axis) {
      int64_t begin = input.take(0, shape[axis]);
      int64_t end = shape[axis] - input.take(0, shape[axis] - begin);
      op.pairs.emplace_back(begin, end);
    }
    break;
  case Kind::Stride:
  case Kind::AsStrided:
    for (size_t axis = 0; axis < rank; ++axis) {
      int64_t step = input.take(-3, 2);
      op.ints.push_back(step < 0 ? step : step + 1);
    }
    break;
  }
  return op;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Returns what `tracker` says that is not so, or null.
const char *findError(const ShapeTracker &tracker, const IndexTable &expected) {
  if (tracker.getShape() != expected.shape)
    return "shape";
  if (getTable(tracker) != expected.indices)
    return "indices";
  if (getAccessTable(tracker) != expected.indices)
    return "access";
  auto range = tracker.getIndexRange();
  bool isIdentity = true;
  for (size_t i = 0; i < expected.indices.size(); ++i) {
    int64_t index = expected.indices[i];
    isIdentity &= index == static_cast<int64_t>(i);
    if (index >= 0 && (!range || index < range->first || index > range->second))
      return "index range";
  }
  if (!expected.indices.empty() && tracker.isContiguous() && !isIdentity)
    return "contiguous";
  return nullptr;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  Dims source(input.take(0, maxRank));
  for (int64_t &extent : source)
    extent = input.take(0, source.size() > 2 ? 3 : 7);

  IndexTable table = IndexTable::fromShape(source);
  ShapeTracker tracker = ShapeTracker::fromShape(source);
  std::vector<View> unmerged = tracker.getViews();
  std::vector<MovementOp> ops;
  while (!input.isAtEnd() && ops.size() < maxOps) {
    ops.push_back(takeOp(input, table.shape));
    unmerged.push_back(
        apply(ops.back(), ShapeTracker::fromShape(table.shape)).getViews()[0]);
    table = table.apply(ops.back());
    tracker = apply(ops.back(), tracker);
  }

  auto check = [&](const char *what, bool isRight) {
    if (isRight)
      return;
    std::fprintf(stderr, "wrong: %s\n", what);
    std::fprintf(stderr, "%s of %s gives %s\n", toString(ops).c_str(),
                 View::create(source).toString().c_str(),
                 tracker.toString().c_str());
    std::abort();
  };
  ShapeTracker list = ShapeTracker::fromViews(unmerged);
  for (const ShapeTracker &each :
       {tracker, tracker.simplify(), list, list.simplify()}) {
    const char *error = findError(each, table);
    check(error ? error : "", !error);
  }
  check("simplify adds views",
        tracker.simplify().getViews().size() <= tracker.getViews().size());
  check("equivalence", tracker.isEquivalent(list));

  IndexTable back = IndexTable::fromShape(source);
  for (const MovementOp &op : toMovementOps(tracker, source)) {
    check("as_strided of a chain", op.kind != Kind::AsStrided);
    back = back.apply(op);
  }
  check("movement operations", back == table);
  return 0;
}
