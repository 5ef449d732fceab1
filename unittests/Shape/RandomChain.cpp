//===- RandomChain.cpp - Random chains of movement ops ----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomChain.h"

#include "TestUtils.h"

#include <algorithm>
#include <numeric>

using namespace tinygrad::shape;

static int64_t countElementsOf(const Dims &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

std::string tinygrad::shape::toString(const Movement &movement) {
  static constexpr const char *names[] = {"reshape", "permute", "expand",
                                          "pad",     "shrink",  "stride"};
  std::string text = names[static_cast<int>(movement.kind)];
  std::string items;
  for (int64_t value : movement.dims)
    items += (items.empty() ? "" : ", ") + std::to_string(value);
  for (auto [first, second] : movement.pairs)
    items += (items.empty() ? "[" : ", [") + std::to_string(first) + ", " +
             std::to_string(second) + "]";
  return text + "[" + items + "]";
}

ShapeTracker tinygrad::shape::apply(const ShapeTracker &tracker,
                                    const Movement &movement) {
  switch (movement.kind) {
  case MovementKind::Reshape:
    return tracker.reshape(movement.dims);
  case MovementKind::Permute:
    return tracker.permute(movement.dims);
  case MovementKind::Expand:
    return tracker.expand(movement.dims);
  case MovementKind::Pad:
    return tracker.pad(movement.pairs);
  case MovementKind::Shrink:
    return tracker.shrink(movement.pairs);
  case MovementKind::Stride:
    break;
  }
  return tracker.stride(movement.dims);
}

IndexTable IndexTable::fromShape(Dims shape) {
  IndexTable table{std::move(shape), {}};
  table.indices.resize(countElementsOf(table.shape));
  std::iota(table.indices.begin(), table.indices.end(), 0);
  return table;
}

IndexTable IndexTable::apply(const Movement &movement) const {
  const auto &[kind, dims, pairs] = movement;
  IndexTable result{shape, {}};
  for (size_t axis = 0; axis < shape.size(); ++axis)
    switch (kind) {
    case MovementKind::Reshape:
      break;
    case MovementKind::Permute:
      result.shape[axis] = shape[dims[axis]];
      break;
    case MovementKind::Expand:
      result.shape[axis] = dims[axis];
      break;
    case MovementKind::Pad:
      result.shape[axis] += pairs[axis].first + pairs[axis].second;
      break;
    case MovementKind::Shrink:
      result.shape[axis] = pairs[axis].second - pairs[axis].first;
      break;
    case MovementKind::Stride:
      result.shape[axis] =
          (shape[axis] + std::abs(dims[axis]) - 1) / std::abs(dims[axis]);
      break;
    }
  if (kind == MovementKind::Reshape)
    return {dims, indices};

  forEachPosition(result.shape, [&](const Dims &position) {
    Dims source = position;
    bool isInside = true;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (kind == MovementKind::Permute)
        source[dims[axis]] = position[axis];
      if (kind == MovementKind::Expand && shape[axis] == 1)
        source[axis] = 0;
      if (kind == MovementKind::Pad)
        source[axis] -= pairs[axis].first;
      if (kind == MovementKind::Shrink)
        source[axis] += pairs[axis].first;
      if (kind == MovementKind::Stride)
        source[axis] = (dims[axis] < 0 ? shape[axis] - 1 : 0) +
                       position[axis] * dims[axis];
    }
    int64_t flat = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      isInside &= source[axis] >= 0 && source[axis] < shape[axis];
      flat = flat * shape[axis] + source[axis];
    }
    result.indices.push_back(isInside ? indices[flat] : -1);
  });
  return result;
}

/// Returns `op`, which is no as_strided, as the tests have it.
static Movement toMovement(const MovementOp &op) {
  return {static_cast<MovementKind>(op.kind), op.ints, op.pairs};
}

std::string tinygrad::shape::toString(const std::vector<MovementOp> &ops) {
  std::string text;
  for (const MovementOp &op : ops)
    text +=
        (text.empty() ? "" : " ") + (op.kind == MovementOp::Kind::AsStrided
                                         ? "as_strided " + op.view->toString()
                                         : toString(toMovement(op)));
  return text;
}

IndexTable IndexTable::apply(const MovementOp &op) const {
  if (op.kind != MovementOp::Kind::AsStrided)
    return apply(toMovement(op));
  IndexTable result{op.view->getShape(), {}};
  forEachPosition(result.shape, [&](const Dims &position) {
    result.indices.push_back(indices.at(op.view->getIndex(position)));
  });
  return result;
}

std::optional<View> tinygrad::shape::findSingleView(const IndexTable &table) {
  const Dims &shape = table.shape;
  size_t rank = shape.size();
  // The box around what is read, and the index at its low corner and one step
  // from there on each axis: that is all a view can be.
  Mask box;
  int64_t readCount = 0;
  std::vector<Dims> positions;
  forEachPosition(shape, [&](const Dims &position) {
    if (table.indices[positions.size()] >= 0) {
      if (readCount++ == 0)
        for (int64_t at : position)
          box.emplace_back(at, at + 1);
      for (size_t axis = 0; axis < rank; ++axis) {
        box[axis].first = std::min(box[axis].first, position[axis]);
        box[axis].second = std::max(box[axis].second, position[axis] + 1);
      }
    }
    positions.push_back(position);
  });
  if (readCount == 0)
    return rank == 0 ? std::nullopt
                     : std::optional(View::create(shape, std::nullopt, 0,
                                                  Mask(rank, {0, 0})));
  int64_t boxSize = 1;
  for (auto [begin, end] : box)
    boxSize *= end - begin;
  if (boxSize != readCount)
    return std::nullopt;
  auto indexAt = [&](const Dims &position) {
    int64_t flat = 0;
    for (size_t axis = 0; axis < rank; ++axis)
      flat = flat * shape[axis] + position[axis];
    return table.indices[flat];
  };
  Dims low, strides(rank, 0);
  for (auto [begin, end] : box)
    low.push_back(begin);
  int64_t offset = indexAt(low);
  for (size_t axis = 0; axis < rank; ++axis) {
    if (box[axis].second - box[axis].first < 2)
      continue;
    Dims next = low;
    ++next[axis];
    strides[axis] = indexAt(next) - indexAt(low);
    offset -= strides[axis] * low[axis];
  }
  View view = View::create(shape, strides, offset, box);
  for (size_t i = 0; i < positions.size(); ++i)
    if (view.getIndex(positions[i]) != table.indices[i])
      return std::nullopt;
  return view;
}

int64_t ChainGenerator::pick(int64_t min, int64_t max) {
  return min +
         static_cast<int64_t>(engine() % static_cast<uint64_t>(max - min + 1));
}

Dims ChainGenerator::makeShape() {
  Dims shape(pick(0, 4));
  for (int64_t &extent : shape)
    extent = pick(0, 40) == 0 ? 0 : pick(1, shape.size() > 2 ? 4 : 7);
  return shape;
}

Dims ChainGenerator::makeReshape(const Dims &shape) {
  // Deal the prime factors out to some axes.
  int64_t count = countElementsOf(shape);
  Dims result(count == 1 ? pick(0, 3) : pick(1, 4), 1);
  if (count == 0) {
    for (int64_t &extent : result)
      extent = pick(0, 3);
    result[pick(0, static_cast<int64_t>(result.size()) - 1)] = 0;
    return result;
  }
  for (int64_t factor = 2; count > 1;) {
    if (count % factor) {
      ++factor;
      continue;
    }
    count /= factor;
    result[pick(0, static_cast<int64_t>(result.size()) - 1)] *= factor;
  }
  return result;
}

Movement ChainGenerator::makeMovement(const Dims &shape, int64_t maxElements) {
  auto kind = static_cast<MovementKind>(pick(0, 5));
  size_t rank = shape.size();
  Movement movement{kind, {}, {}};
  int64_t elements = std::max<int64_t>(countElementsOf(shape), 1);
  switch (kind) {
  case MovementKind::Reshape:
    movement.dims = makeReshape(shape);
    break;
  case MovementKind::Permute:
    movement.dims.resize(rank);
    std::iota(movement.dims.begin(), movement.dims.end(), 0);
    for (size_t i = rank; i > 1; --i)
      std::swap(movement.dims[i - 1],
                movement.dims[pick(0, static_cast<int64_t>(i) - 1)]);
    break;
  case MovementKind::Expand:
    movement.dims = shape;
    for (int64_t &extent : movement.dims) {
      int64_t wanted = pick(0, 20) == 0 ? 0 : pick(1, 4);
      if (extent != 1 || elements * wanted > maxElements)
        continue;
      extent = wanted;
      elements *= std::max<int64_t>(wanted, 1);
    }
    break;
  case MovementKind::Pad:
    for (int64_t extent : shape) {
      std::pair<int64_t, int64_t> pair(std::max<int64_t>(0, pick(-2, 3)),
                                       std::max<int64_t>(0, pick(-2, 3)));
      int64_t divisor = std::max<int64_t>(extent, 1);
      int64_t padded = extent + pair.first + pair.second;
      if (elements / divisor * padded > maxElements)
        pair = {0, 0};
      else
        elements = elements / divisor * std::max<int64_t>(padded, 1);
      movement.pairs.push_back(pair);
    }
    break;
  case MovementKind::Shrink:
    for (int64_t extent : shape) {
      bool isKept = pick(0, 1) == 0;
      int64_t begin = isKept ? 0 : pick(0, extent);
      int64_t end = isKept ? extent : pick(begin, extent);
      // Keep most results from being empty.
      if (begin == end && extent > 0 && pick(0, 9) != 0) {
        begin = std::min(begin, extent - 1);
        end = begin + 1;
      }
      movement.pairs.emplace_back(begin, end);
    }
    break;
  case MovementKind::Stride:
    for (size_t axis = 0; axis < rank; ++axis) {
      int64_t step = pick(0, 2) ? 1 : pick(2, 3);
      movement.dims.push_back(pick(0, 1) ? step : -step);
    }
    break;
  }
  return movement;
}
