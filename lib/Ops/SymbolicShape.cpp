//===- SymbolicShape.cpp - Shape rules for symbolic sizes -------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/SymbolicShape.h"

#include "tinygrad/Ops/Graph.h"
#include "tinygrad/Shape/SymbolicShapeTracker.h"

#include "ShapeErrors.h"

#include <algorithm>
#include <cassert>

using namespace tinygrad;
using namespace tinygrad::ops;
using namespace tinygrad::shape;

using Wide = __int128;

/// Sums and products of what stays below can't pass 64 bits.
static constexpr int64_t maxIndex = maxElements / 4;

static bool cannotProve(std::string &error, const std::string &what) {
  return fail(error, "cannot prove that " + what);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Checks that a tensor of `shape` can exist at all values of the variables.
static bool verifyShape(const SymbolicDims &shape, std::string &error) {
  Wide count = 1;
  bool isEmpty = false;
  for (const IndexExpr &extent : shape) {
    if (!isProvablyNonNegative(extent))
      return cannotProve(error, "`" + extent.toString() +
                                    "` is not negative in " +
                                    shape::toString(shape));
    isEmpty |= extent.isConstant(0);
    count = std::min<Wide>(count * std::max<int64_t>(extent.getMax(), 0),
                           maxElements);
  }
  if (isEmpty || count < maxElements)
    return true;
  return cannotProve(error,
                     shape::toString(shape) + " has fewer than 2^62 elements");
}

/// Returns the product of `shape`. It is below 2^62 at all values, so that
/// coefficients which wrap do no harm: equal modulo 2^64 is equal.
static IndexExpr countElements(const SymbolicDims &shape) {
  IndexExpr count = 1;
  for (const IndexExpr &extent : shape)
    count = count * extent;
  return count;
}

/// Checks that `ints` has `perAxis` entries for each axis of `source`.
static bool verifyEntries(const SymbolicDims &source, const SymbolicDims &ints,
                          size_t perAxis, std::string &error) {
  if (ints.size() == source.size() * perAxis)
    return true;
  return fail(error, "expects " +
                         plural(static_cast<int64_t>(perAxis * source.size()),
                                "integer") +
                         " for a source of shape " + shape::toString(source) +
                         ", got " + shape::toString(ints));
}

/// Checks that `shape`, which an attribute gives, has the rank of `source`.
static bool verifySameRank(const SymbolicDims &source,
                           const SymbolicDims &shape, std::string &error) {
  if (shape.size() == source.size())
    return true;
  return fail(error, "expects a shape of the source's rank, got " +
                         shape::toString(source) + " and " +
                         shape::toString(shape));
}

static bool inferReduce(const SymbolicDims &source, const SymbolicDims &shape,
                        std::string &error) {
  if (!verifySameRank(source, shape, error))
    return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].isConstant(1) && !isProvablyEqual(shape[i], source[i]))
      return cannotProve(error, "each axis is kept or reduced to 1 from " +
                                    shape::toString(source) + " to " +
                                    shape::toString(shape));
  return true;
}

static bool inferReshape(const SymbolicDims &source, const SymbolicDims &shape,
                         std::string &error) {
  if (!verifyShape(shape, error))
    return false;
  IndexExpr before = countElements(source), after = countElements(shape);
  if (isProvablyEqual(before, after) ||
      isProvablyEqual(resolveVariables(before), resolveVariables(after)))
    return true;
  return cannotProve(error, shape::toString(source) + " and " +
                                shape::toString(shape) +
                                " have the same number of elements");
}

static bool inferExpand(const SymbolicDims &source, const SymbolicDims &shape,
                        std::string &error) {
  if (!verifySameRank(source, shape, error) || !verifyShape(shape, error))
    return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!source[i].isConstant(1) && !isProvablyEqual(shape[i], source[i]))
      return cannotProve(error, "only axes of size 1 are expanded from " +
                                    shape::toString(source) + " to " +
                                    shape::toString(shape));
  return true;
}

static bool inferPermute(const SymbolicDims &source, const SymbolicDims &order,
                         SymbolicDims &result, std::string &error) {
  if (!verifyEntries(source, order, 1, error))
    return false;
  std::vector<bool> isSeen(source.size());
  for (const IndexExpr &entry : order) {
    int64_t axis = entry.isConstant() ? entry.getValue() : -1;
    if (axis < 0 || axis >= static_cast<int64_t>(source.size()) || isSeen[axis])
      return fail(error, "expects each axis of " + shape::toString(source) +
                             " exactly once, got order " +
                             shape::toString(order));
    isSeen[axis] = true;
    result.push_back(source[axis]);
  }
  return true;
}

static bool inferPad(const SymbolicDims &source, const SymbolicDims &padding,
                     SymbolicDims &result, std::string &error) {
  if (!verifyEntries(source, padding, 2, error))
    return false;
  for (const IndexExpr &count : padding)
    if (!isProvablyNonNegative(count))
      return cannotProve(error, "the padding `" + count.toString() +
                                    "` is not negative for a source of shape " +
                                    shape::toString(source));
  for (size_t i = 0; i < source.size(); ++i) {
    const IndexExpr &before = padding[2 * i], &after = padding[2 * i + 1];
    if (Wide(source[i].getMax()) + before.getMax() + after.getMax() >=
        maxElements)
      return cannotProve(error, "there are fewer than 2^62 elements, with "
                                "padding " +
                                    shape::toString(padding) +
                                    " for a source of shape " +
                                    shape::toString(source));
    result.push_back(source[i] + before + after);
  }
  return verifyShape(result, error);
}

static bool inferShrink(const SymbolicDims &source, const SymbolicDims &ranges,
                        SymbolicDims &result, std::string &error) {
  if (!verifyEntries(source, ranges, 2, error))
    return false;
  for (size_t i = 0; i < source.size(); ++i) {
    const IndexExpr &begin = ranges[2 * i], &end = ranges[2 * i + 1];
    if (!isProvablyNonNegative(begin) || !isProvablyLessOrEqual(begin, end) ||
        !isProvablyLessOrEqual(end, source[i]))
      return cannotProve(error, "0 <= " + begin.toString() +
                                    " <= " + end.toString() +
                                    " <= " + source[i].toString() +
                                    ", a range of the source's shape " +
                                    shape::toString(source));
    result.push_back(end - begin);
  }
  return true;
}

static bool inferStride(const SymbolicDims &source, const SymbolicDims &steps,
                        SymbolicDims &result, std::string &error) {
  if (!verifyEntries(source, steps, 1, error))
    return false;
  Dims numbers;
  for (size_t i = 0; i < source.size(); ++i) {
    if (!steps[i].isConstant() || steps[i].isConstant(0))
      return fail(error, "expects steps that are not zero, got " +
                             shape::toString(steps) +
                             " for a source of shape " +
                             shape::toString(source));
    numbers.push_back(steps[i].getValue());
  }
  result = SymbolicShapeTracker::fromShape(source).stride(numbers).getShape();
  return true;
}

/// Checks that `result` elements, `strides` apart, are inside the source.
static bool verifyIndices(const SymbolicDims &source,
                          const SymbolicDims &result,
                          const SymbolicDims &strides,
                          const IndexExpr &offset) {
  IndexExpr low = offset, high = offset;
  auto magnitude = [](const IndexExpr &expr) {
    return std::max<Wide>(expr.getMax(), -Wide(expr.getMin()));
  };
  Wide reach = magnitude(offset);
  for (size_t i = 0; i < result.size(); ++i) {
    Wide extent = std::max<int64_t>(result[i].getMax(), 1);
    reach += magnitude(strides[i]) * extent;
    if (reach >= maxIndex)
      return false;
    bool isForward = isProvablyNonNegative(strides[i]);
    if (!isForward && !isProvablyLessOrEqual(strides[i], 0))
      return false;
    IndexExpr &end = isForward ? high : low;
    end = end + strides[i] * (result[i] - 1);
  }
  return isProvablyNonNegative(low) &&
         isProvablyLess(high, countElements(source));
}

static bool inferAsStrided(const SymbolicDims &source, const SymbolicDims &ints,
                           SymbolicDims &result, std::string &error) {
  if (ints.size() % 2 == 0)
    return fail(error, "expects a shape, as many strides and an offset, got " +
                           shape::toString(ints));
  size_t rank = ints.size() / 2;
  result.assign(ints.begin(), ints.begin() + rank);
  if (!verifyShape(result, error))
    return false;
  SymbolicDims strides(ints.begin() + rank, ints.end() - 1);
  bool isEmpty =
      std::any_of(result.begin(), result.end(),
                  [](const IndexExpr &extent) { return extent.isConstant(0); });
  if (isEmpty || verifyIndices(source, result, strides, ints.back()))
    return true;
  return cannotProve(error, "indices are inside the source's shape " +
                                shape::toString(source) + ", with shape " +
                                shape::toString(result) + ", strides " +
                                shape::toString(strides) + " and offset " +
                                ints.back().toString());
}

//===----------------------------------------------------------------------===//
// inferSymbolicShape
//===----------------------------------------------------------------------===//

/// Checks that `other` is provably the shape of rank and extents of `shape`.
static bool isOneShape(const SymbolicDims &shape, const SymbolicDims &other) {
  return std::equal(shape.begin(), shape.end(), other.begin(), other.end(),
                    isProvablyEqual);
}

/// As inferSymbolicShape where not all are numbers; may leave part of a result
/// in `inferred`.
static bool infer(OpKind kind, const std::vector<SymbolicDims> &shapes,
                  const SymbolicDims &ints, SymbolicDims &inferred,
                  std::string &error) {
  switch (kind) {
  case OpKind::ReduceSum:
  case OpKind::ReduceMax:
    inferred = ints;
    return inferReduce(shapes[0], ints, error);
  case OpKind::Reshape:
    inferred = ints;
    return inferReshape(shapes[0], ints, error);
  case OpKind::Expand:
    inferred = ints;
    return inferExpand(shapes[0], ints, error);
  case OpKind::Permute:
    return inferPermute(shapes[0], ints, inferred, error);
  case OpKind::Pad:
    return inferPad(shapes[0], ints, inferred, error);
  case OpKind::Shrink:
    return inferShrink(shapes[0], ints, inferred, error);
  case OpKind::Stride:
    return inferStride(shapes[0], ints, inferred, error);
  case OpKind::AsStrided:
    return inferAsStrided(shapes[0], ints, inferred, error);
  case OpKind::Copy:
  case OpKind::Contiguous:
  case OpKind::FromCPU:
    inferred = shapes[0];
    if (ints.empty() || isOneShape(ints, shapes[0]))
      return true;
    return cannotProve(error, shape::toString(ints) +
                                  " is the source's shape " +
                                  shape::toString(shapes[0]));
  case OpKind::Empty:
  case OpKind::Const:
  case OpKind::Custom:
    inferred = ints;
    return verifyShape(ints, error);
  default:
    assert((isElementwise(kind) || kind == OpKind::Assign) &&
           "a kind without a rule for shapes");
    inferred = shapes[0];
    for (const SymbolicDims &shape : shapes)
      if (!isOneShape(shape, shapes[0]))
        return cannotProve(error, shape::toString(shapes[0]) + " and " +
                                      shape::toString(shape) +
                                      " are one shape");
    return true;
  }
}

bool ops::inferSymbolicShape(OpKind kind,
                             const std::vector<SymbolicDims> &shapes,
                             const std::vector<IndexExpr> &ints,
                             SymbolicDims &result, std::string &error) {
  OpAttributes attributes;
  std::vector<Shape> numbers;
  std::optional<Shape> intNumbers = toNumbers(ints);
  for (const SymbolicDims &shape : shapes)
    if (std::optional<Shape> extents = toNumbers(shape))
      numbers.push_back(std::move(*extents));
  if (intNumbers && numbers.size() == shapes.size()) {
    attributes.ints = std::move(*intNumbers);
    Shape inferred;
    if (!inferShape(kind, numbers, attributes, inferred, error))
      return false;
    result.assign(inferred.begin(), inferred.end());
    return true;
  }

  if (!verifyNumOperands(kind, shapes.size(), error))
    return false;
  for (const SymbolicDims &shape : shapes)
    if (!verifyShape(shape, error))
      return false;
  // Built apart: `result` may be one of `shapes`.
  SymbolicDims inferred;
  if (!infer(kind, shapes, ints, inferred, error))
    return false;
  result = std::move(inferred);
  return true;
}
