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

#include "tinygrad/Shape/MovementChain.h"

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

/// The buffer position that each element of a shape reads, -1 for a pad's 0, in
/// row-major order.
struct Table {
  Dims shape;
  std::vector<int64_t> indices;
};

int64_t countElements(const Dims &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

template <typename Visit>
void forEachPosition(const Dims &shape, Visit visit) {
  Dims position(shape.size(), 0);
  for (int64_t count = countElements(shape); count > 0; --count) {
    visit(position);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++position[axis] < shape[axis])
        break;
      position[axis] = 0;
    }
  }
}

int64_t flatten(const Dims &shape, const Dims &position) {
  int64_t flat = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    flat = flat * shape[axis] + position[axis];
  return flat;
}

/// Returns the position that `op` reads of a tensor of `shape` for `position`.
Dims getSource(const MovementOp &op, const Dims &shape, const Dims &position) {
  Dims source = position;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    switch (op.kind) {
    case Kind::Permute:
      source[op.ints[axis]] = position[axis];
      break;
    case Kind::Expand:
      source[axis] = shape[axis] == 1 ? 0 : position[axis];
      break;
    case Kind::Pad:
      source[axis] = position[axis] - op.pairs[axis].first;
      break;
    case Kind::Shrink:
      source[axis] = position[axis] + op.pairs[axis].first;
      break;
    case Kind::Stride:
      source[axis] = (op.ints[axis] < 0 ? shape[axis] - 1 : 0) +
                     position[axis] * op.ints[axis];
      break;
    case Kind::Reshape:
    case Kind::AsStrided:
      break;
    }
  return source;
}

Table move(const Table &table, const MovementOp &op) {
  Table result{op.shape, {}};
  forEachPosition(op.shape, [&](const Dims &position) {
    if (op.kind == Kind::Reshape)
      return result.indices.push_back(
          table.indices[flatten(op.shape, position)]);
    if (op.kind == Kind::AsStrided)
      return result.indices.push_back(
          table.indices[op.view->getIndex(position)]);
    Dims source = getSource(op, table.shape, position);
    bool isInside = true;
    for (size_t axis = 0; axis < source.size(); ++axis)
      isInside &= source[axis] >= 0 && source[axis] < table.shape[axis];
    result.indices.push_back(
        isInside ? table.indices[flatten(table.shape, source)] : -1);
  });
  return result;
}

//===----------------------------------------------------------------------===//
// From bytes to operations
//===----------------------------------------------------------------------===//

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
  MovementOp op{static_cast<Kind>(input.take(0, 5)), {}, {}, {}, shape};
  size_t rank = shape.size();
  int64_t others = countElements(shape);
  // Grows an axis where that leaves the table small.
  auto grow = [&](size_t axis, int64_t extent) {
    int64_t rest = others / std::max<int64_t>(op.shape[axis], 1);
    if (rest * extent > maxElements)
      return false;
    others = rest * std::max<int64_t>(extent, 1);
    op.shape[axis] = extent;
    return true;
  };
  others = std::max<int64_t>(others, 1);
  switch (op.kind) {
  case Kind::Reshape:
    op.shape = takeReshape(input, countElements(shape));
    op.ints = op.shape;
    break;
  case Kind::Permute:
    op.ints.resize(rank);
    std::iota(op.ints.begin(), op.ints.end(), 0);
    for (size_t i = rank; i > 1; --i)
      std::swap(op.ints[i - 1],
                op.ints[input.take(0, static_cast<int64_t>(i) - 1)]);
    for (size_t axis = 0; axis < rank; ++axis)
      op.shape[axis] = shape[op.ints[axis]];
    break;
  case Kind::Expand:
    for (size_t axis = 0; axis < rank; ++axis)
      if (shape[axis] == 1)
        grow(axis, input.take(0, 4));
    op.ints = op.shape;
    break;
  case Kind::Pad:
    for (size_t axis = 0; axis < rank; ++axis) {
      int64_t before = input.take(0, 3), after = input.take(0, 3);
      bool isGrown = grow(axis, shape[axis] + before + after);
      op.pairs.emplace_back(isGrown ? before : 0, isGrown ? after : 0);
    }
    break;
  case Kind::Shrink:
    for (size_t axis = 0; axis < rank; ++axis) {
      int64_t begin = input.take(0, shape[axis]);
      int64_t end = shape[axis] - input.take(0, shape[axis] - begin);
      op.pairs.emplace_back(begin, end);
      op.shape[axis] = end - begin;
    }
    break;
  case Kind::Stride:
  case Kind::AsStrided:
    for (size_t axis = 0; axis < rank; ++axis) {
      int64_t step = input.take(-3, 2);
      op.ints.push_back(step < 0 ? step : step + 1);
      op.shape[axis] = (shape[axis] + std::abs(op.ints.back()) - 1) /
                       std::abs(op.ints.back());
    }
    break;
  }
  return op;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void print(const Dims &shape, const std::vector<MovementOp> &ops) {
  static constexpr const char *names[] = {
      "reshape", "permute", "expand", "pad", "shrink", "stride", "as_strided"};
  std::fprintf(stderr, "%s\n", View::create(shape).toString().c_str());
  for (const MovementOp &op : ops) {
    std::fprintf(stderr, "  %s", names[static_cast<int>(op.kind)]);
    for (int64_t value : op.ints)
      std::fprintf(stderr, " %ld", static_cast<long>(value));
    for (auto [first, second] : op.pairs)
      std::fprintf(stderr, " [%ld, %ld]", static_cast<long>(first),
                   static_cast<long>(second));
    std::fprintf(stderr, "%s\n", op.view ? op.view->toString().c_str() : "");
  }
}

std::vector<int64_t> getTable(const ShapeTracker &tracker) {
  std::vector<int64_t> table;
  forEachPosition(tracker.getShape(), [&](const Dims &position) {
    table.push_back(tracker.getIndex(position));
  });
  return table;
}

std::vector<int64_t> getAccessTable(const ShapeTracker &tracker) {
  IndexAccess access = tracker.getAccess();
  std::vector<int64_t> table;
  forEachPosition(tracker.getShape(), [&](const Dims &position) {
    bool isRead = true;
    for (const IndexRange &range : access.conditions) {
      int64_t value = range.expr.evaluate(position);
      isRead &= value >= range.min && value <= range.max;
    }
    table.push_back(isRead ? access.index.evaluate(position) : -1);
  });
  return table;
}

/// Returns what `tracker` says that is not so, or null.
const char *findError(const ShapeTracker &tracker, const Table &expected) {
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

  Table table{source, std::vector<int64_t>(countElements(source))};
  std::iota(table.indices.begin(), table.indices.end(), 0);
  const Table identity = table;
  ShapeTracker tracker = ShapeTracker::fromShape(source);
  std::vector<View> unmerged = tracker.getViews();
  std::vector<MovementOp> ops;
  while (!input.isAtEnd() && ops.size() < maxOps) {
    ops.push_back(takeOp(input, table.shape));
    unmerged.push_back(
        apply(ops.back(), ShapeTracker::fromShape(table.shape)).getViews()[0]);
    table = move(table, ops.back());
    tracker = apply(ops.back(), tracker);
  }

  auto check = [&](const char *what, bool isRight) {
    if (isRight)
      return;
    std::fprintf(stderr, "wrong: %s\n", what);
    print(source, ops);
    std::fprintf(stderr, "gives %s\n", tracker.toString().c_str());
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

  Table back = identity;
  for (const MovementOp &op : toMovementOps(tracker, source)) {
    check("as_strided of a chain", op.kind != Kind::AsStrided);
    back = move(back, op);
  }
  check("movement operations",
        back.shape == table.shape && back.indices == table.indices);
  return 0;
}
