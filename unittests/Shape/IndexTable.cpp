//===- IndexTable.cpp - Movements by brute force --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexTable.h"

#include "TestUtils.h"

#include <numeric>

using namespace tinygrad::shape;
using Kind = MovementOp::Kind;

std::string tinygrad::shape::toString(const MovementOp &op) {
  static constexpr const char *names[] = {
      "reshape", "permute", "expand", "pad", "shrink", "stride", "as_strided"};
  std::string text = names[static_cast<int>(op.kind)];
  if (op.view)
    return text + " " + op.view->toString();
  std::string items;
  for (int64_t value : op.ints)
    items += (items.empty() ? "" : ", ") + std::to_string(value);
  for (auto [first, second] : op.pairs)
    items += (items.empty() ? "[" : ", [") + std::to_string(first) + ", " +
             std::to_string(second) + "]";
  return text + "[" + items + "]";
}

std::string tinygrad::shape::toString(const std::vector<MovementOp> &ops) {
  std::string text;
  for (const MovementOp &op : ops)
    text += (text.empty() ? "" : " ") + toString(op);
  return text;
}

IndexTable IndexTable::fromShape(Dims shape) {
  IndexTable table{std::move(shape), {}};
  table.indices.resize(std::accumulate(table.shape.begin(), table.shape.end(),
                                       int64_t(1), std::multiplies<>()));
  std::iota(table.indices.begin(), table.indices.end(), 0);
  return table;
}

/// Returns the position that `op`, neither a reshape nor an as_strided, reads
/// of a tensor of `shape` for `position`; it is outside where a pad puts a 0.
static Dims getSource(const MovementOp &op, const Dims &shape,
                      const Dims &position) {
  Dims source = position;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (op.kind == Kind::Permute)
      source[op.ints[axis]] = position[axis];
    if (op.kind == Kind::Expand && shape[axis] == 1)
      source[axis] = 0;
    if (op.kind == Kind::Pad)
      source[axis] -= op.pairs[axis].first;
    if (op.kind == Kind::Shrink)
      source[axis] += op.pairs[axis].first;
    if (op.kind == Kind::Stride)
      source[axis] = (op.ints[axis] < 0 ? shape[axis] - 1 : 0) +
                     position[axis] * op.ints[axis];
  }
  return source;
}

IndexTable IndexTable::apply(const MovementOp &op) const {
  IndexTable result{op.getShape(shape), {}};
  if (op.kind == Kind::Reshape) {
    result.indices = indices;
    return result;
  }
  forEachPosition(result.shape, [&](const Dims &position) {
    if (op.kind == Kind::AsStrided)
      return result.indices.push_back(indices.at(op.view->getIndex(position)));
    Dims source = getSource(op, shape, position);
    bool isInside = true;
    int64_t flat = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      isInside &= source[axis] >= 0 && source[axis] < shape[axis];
      flat = flat * shape[axis] + source[axis];
    }
    result.indices.push_back(isInside ? indices.at(flat) : -1);
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
