//===- SymbolicChain.cpp - Random chains of symbolic movements --*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicChain.h"

#include "IndexTable.h"
#include "TestUtils.h"

#include <algorithm>
#include <numeric>

using namespace tinygrad::shape;
using Kind = MovementOp::Kind;

Dims tinygrad::shape::evaluate(const SymbolicDims &dims,
                               const Bindings &bindings) {
  Dims values;
  for (const IndexExpr &dim : dims)
    values.push_back(dim.evaluate({}, bindings));
  return values;
}

std::vector<Bindings>
tinygrad::shape::getAllBindings(const std::vector<IndexExpr> &variables) {
  Dims extents;
  for (const IndexExpr &variable : variables)
    extents.push_back(variable.getMax() - variable.getMin() + 1);
  std::vector<Bindings> all;
  forEachPosition(extents, [&](const Dims &position) {
    Bindings &bindings = all.emplace_back();
    for (size_t n = 0; n < variables.size(); ++n)
      bindings.emplace(variables[n].getName(),
                       variables[n].getMin() + position[n]);
  });
  return all;
}

MovementOp SymbolicMovement::evaluate(const Bindings &bindings) const {
  MovementOp movement{kind, numbers, {}, {}};
  if (!dims.empty())
    movement.ints = shape::evaluate(dims, bindings);
  for (const auto &[first, second] : pairs)
    movement.pairs.emplace_back(first.evaluate({}, bindings),
                                second.evaluate({}, bindings));
  return movement;
}

std::string tinygrad::shape::toString(const SymbolicMovement &movement) {
  std::string text =
      toString(MovementOp{movement.kind, movement.numbers, {}, {}});
  if (!movement.numbers.empty())
    return text;
  text.resize(text.size() - 2);
  if (movement.pairs.empty())
    return text + toString(movement.dims);
  std::string items;
  for (const auto &[first, second] : movement.pairs)
    items += (items.empty() ? "[" : ", [") + first.toString() + ", " +
             second.toString() + "]";
  return text + "[" + items + "]";
}

SymbolicShapeTracker
tinygrad::shape::apply(const SymbolicMovement &movement,
                       const SymbolicShapeTracker &tracker) {
  switch (movement.kind) {
  case Kind::Reshape:
    return tracker.reshape(movement.dims);
  case Kind::Permute:
    return tracker.permute(movement.numbers);
  case Kind::Expand:
    return tracker.expand(movement.dims);
  case Kind::Pad:
    return tracker.pad(movement.pairs);
  case Kind::Shrink:
    return tracker.shrink(movement.pairs);
  case Kind::Stride:
  case Kind::AsStrided:
    break;
  }
  return tracker.stride(movement.numbers);
}

void SymbolicGenerator::startChain() {
  variables = {pick(0, 1) ? IndexExpr::variable("i", 1, 4)
                          : IndexExpr::variable("i", 0, 3),
               IndexExpr::variable("j", 1, 5)};
  bindings = getAllBindings(variables);
}

IndexExpr SymbolicGenerator::pickSize() {
  const IndexExpr &i = variables[0], &j = variables[1];
  switch (pick(0, 9)) {
  case 0:
  case 1:
  case 2:
    return i;
  case 3:
  case 4:
    return j;
  case 5:
    return i + 1;
  case 6:
    return i + j;
  case 7:
    return i * 2;
  default:
    return pick(1, 4);
  }
}

bool SymbolicGenerator::isSmall(const SymbolicDims &shape,
                                int64_t maxElements) const {
  IndexExpr count = getNumElements(shape);
  return std::all_of(bindings.begin(), bindings.end(), [&](const Bindings &at) {
    return count.evaluate({}, at) <= maxElements;
  });
}

SymbolicDims SymbolicGenerator::makeShape(int64_t maxElements) {
  SymbolicDims shape;
  do {
    shape.clear();
    for (int64_t rank = pick(0, 3); rank > 0; --rank)
      shape.push_back(pickSize());
  } while (!isSmall(shape, maxElements));
  return shape;
}

/// Appends factors of `extent` that are an extent again at each binding.
static void appendFactors(SymbolicDims &factors, IndexExpr extent,
                          const std::vector<IndexExpr> &candidates) {
  for (const IndexExpr &candidate : candidates)
    for (int64_t round = 0; round < 2; ++round) {
      IndexExpr quotient = extent.floorDiv(candidate);
      if (candidate.getMin() < 1 || !(quotient * candidate == extent) ||
          extent == candidate)
        break;
      factors.push_back(candidate);
      extent = quotient;
    }
  factors.push_back(extent);
}

SymbolicDims SymbolicGenerator::makeReshape(const SymbolicDims &shape) {
  SymbolicDims factors, result;
  for (const IndexExpr &extent : shape)
    appendFactors(factors, extent,
                  {variables[0], variables[1], 2, 3, variables[0] + 1});
  // Half of the time the factors keep their order, so that axes split and join.
  if (pick(0, 1))
    for (size_t n = factors.size(); n > 1; --n)
      std::swap(factors[n - 1], factors[pick(0, static_cast<int64_t>(n) - 1)]);
  for (const IndexExpr &factor : factors) {
    if (pick(0, 7) == 0)
      result.push_back(1);
    if (result.empty() || pick(0, 1))
      result.push_back(factor);
    else
      result.back() = result.back() * factor;
  }
  if (result.empty())
    result.push_back(1);
  return result;
}

SymbolicMovement SymbolicGenerator::drawMovement(const SymbolicDims &shape) {
  auto kind = static_cast<Kind>(pick(0, 5));
  SymbolicMovement movement{kind, {}, {}, {}};
  switch (kind) {
  case Kind::Reshape:
    movement.dims = makeReshape(shape);
    break;
  case Kind::Permute:
    movement.numbers.resize(shape.size());
    std::iota(movement.numbers.begin(), movement.numbers.end(), 0);
    for (size_t n = shape.size(); n > 1; --n)
      std::swap(movement.numbers[n - 1],
                movement.numbers[pick(0, static_cast<int64_t>(n) - 1)]);
    break;
  case Kind::Expand:
    for (const IndexExpr &extent : shape)
      movement.dims.push_back(extent.isConstant(1) ? pickSize() : extent);
    break;
  case Kind::Pad: {
    auto pickPadding = [&]() -> IndexExpr {
      return pick(0, 2) ? IndexExpr(0) : pick(0, 1) ? pickSize() : pick(0, 2);
    };
    for (size_t axis = 0; axis < shape.size(); ++axis)
      movement.pairs.emplace_back(pickPadding(), pickPadding());
    break;
  }
  case Kind::Shrink:
    for (const IndexExpr &extent : shape) {
      movement.pairs.emplace_back(0, extent);
      if (pick(0, 2) == 0)
        continue;
      IndexExpr begin = pick(0, 1) ? pick(0, 2) : pickSize();
      IndexExpr end = pick(0, 2) == 0   ? extent
                      : pick(0, 1) == 0 ? extent - pickSize()
                                        : begin + pickSize();
      if (isProvablyNonNegative(begin) && isProvablyLessOrEqual(begin, end) &&
          isProvablyLessOrEqual(end, extent))
        movement.pairs.back() = {begin, end};
    }
    break;
  case Kind::Stride:
  case Kind::AsStrided:
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      int64_t step = pick(0, 2) ? 1 : pick(2, 3);
      movement.numbers.push_back(pick(0, 1) ? step : -step);
    }
    break;
  }
  return movement;
}

SymbolicMovement SymbolicGenerator::makeMovement(const SymbolicDims &shape,
                                                 int64_t maxElements) {
  while (true) {
    SymbolicMovement movement = drawMovement(shape);
    SymbolicDims result = shape;
    if (movement.kind == Kind::Expand)
      result = movement.dims;
    for (size_t axis = 0; axis < movement.pairs.size(); ++axis)
      if (movement.kind == Kind::Pad)
        result[axis] = result[axis] + movement.pairs[axis].first +
                       movement.pairs[axis].second;
    if (isSmall(result, maxElements))
      return movement;
  }
}
