//===- Graph.cpp - Rules for shapes and element types ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/Graph.h"

#include "ShapeErrors.h"

#include <algorithm>
#include <cassert>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::ops;

using Ints = std::vector<int64_t>;

std::optional<int64_t> ops::getNumElements(const Shape &shape) {
  // A zero anywhere makes the product small, however large the others are.
  int64_t product = 1;
  bool isTooLarge = false, isEmpty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    isEmpty |= extent == 0;
    isTooLarge |= __builtin_mul_overflow(product, extent, &product);
  }
  if (isEmpty)
    return 0;
  if (isTooLarge || product >= maxElements)
    return std::nullopt;
  return product;
}

std::string ops::toString(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i)
      text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

bool ops::fail(std::string &error, std::string sentence) {
  error = std::move(sentence);
  return false;
}

std::string ops::plural(int64_t count, const std::string &noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

bool ops::verifyNumOperands(OpKind kind, size_t count, std::string &error) {
  int arity = getInfo(kind).arity;
  if (arity < 0 || static_cast<size_t>(arity) == count)
    return true;
  return fail(error, "expects " + plural(arity, "operand") + ", got " +
                         std::to_string(count));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Checks that a tensor of `shape` can exist.
static bool verifyShape(const Shape &shape, std::string &error) {
  if (std::ranges::any_of(shape, [](int64_t extent) { return extent < 0; }))
    return fail(error, "expects extents that are not negative, got " +
                           toString(shape));
  if (!getNumElements(shape))
    return fail(error,
                "expects fewer than 2^62 elements, got " + toString(shape));
  return true;
}

/// Checks that `ints` has `perAxis` entries for each axis of `source`.
static bool verifyEntries(const Shape &source, const Ints &ints, size_t perAxis,
                          std::string &error) {
  if (ints.size() == source.size() * perAxis)
    return true;
  return fail(error, "expects " + plural(perAxis * source.size(), "integer") +
                         " for a source of shape " + toString(source) +
                         ", got " + toString(ints));
}

/// Checks that `shape`, which an attribute gives, has the rank of `source`.
static bool verifySameRank(const Shape &source, const Shape &shape,
                           std::string &error) {
  if (shape.size() == source.size())
    return true;
  return fail(error, "expects a shape of the source's rank, got " +
                         toString(source) + " and " + toString(shape));
}

static bool inferReduce(const Shape &source, const Ints &shape,
                        std::string &error) {
  if (!verifySameRank(source, shape, error))
    return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != source[i] && shape[i] != 1)
      return fail(error, "expects each axis to be kept or reduced to 1, got " +
                             toString(source) + " and " + toString(shape));
  return true;
}

static bool inferReshape(const Shape &source, const Ints &shape,
                         std::string &error) {
  if (!verifyShape(shape, error))
    return false;
  if (getNumElements(source) == getNumElements(shape))
    return true;
  return fail(error, "expects the same number of elements, got " +
                         toString(source) + " and " + toString(shape));
}

static bool inferExpand(const Shape &source, const Ints &shape,
                        std::string &error) {
  if (!verifySameRank(source, shape, error) || !verifyShape(shape, error))
    return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != source[i] && source[i] != 1)
      return fail(error, "expects only axes of size 1 to be expanded, got " +
                             toString(source) + " and " + toString(shape));
  return true;
}

static bool inferPermute(const Shape &source, const Ints &order, Shape &result,
                         std::string &error) {
  if (!verifyEntries(source, order, 1, error))
    return false;
  std::vector<bool> isSeen(source.size());
  for (int64_t axis : order) {
    if (axis < 0 || axis >= static_cast<int64_t>(source.size()) || isSeen[axis])
      return fail(error, "expects each axis of " + toString(source) +
                             " exactly once, got order " + toString(order));
    isSeen[axis] = true;
    result.push_back(source[axis]);
  }
  return true;
}

static bool inferPad(const Shape &source, const Ints &padding, Shape &result,
                     std::string &error) {
  if (!verifyEntries(source, padding, 2, error))
    return false;
  if (std::ranges::any_of(padding, [](int64_t n) { return n < 0; }))
    return fail(error, "expects padding that is not negative, got " +
                           toString(padding) + " for a source of shape " +
                           toString(source));
  for (size_t i = 0; i < source.size(); ++i) {
    int64_t extent;
    if (__builtin_add_overflow(source[i], padding[2 * i], &extent) ||
        __builtin_add_overflow(extent, padding[2 * i + 1], &extent))
      return fail(error, "expects fewer than 2^62 elements, got padding " +
                             toString(padding) + " for a source of shape " +
                             toString(source));
    result.push_back(extent);
  }
  return verifyShape(result, error);
}

static bool inferShrink(const Shape &source, const Ints &ranges, Shape &result,
                        std::string &error) {
  if (!verifyEntries(source, ranges, 2, error))
    return false;
  for (size_t i = 0; i < source.size(); ++i) {
    int64_t begin = ranges[2 * i], end = ranges[2 * i + 1];
    if (begin < 0 || begin > end || end > source[i])
      return fail(error, "expects ranges inside the source's shape " +
                             toString(source) + ", got " + toString(ranges));
    result.push_back(end - begin);
  }
  return true;
}

static bool inferStride(const Shape &source, const Ints &steps, Shape &result,
                        std::string &error) {
  if (!verifyEntries(source, steps, 1, error))
    return false;
  for (size_t i = 0; i < source.size(); ++i) {
    if (steps[i] == 0)
      return fail(error, "expects steps that are not zero, got " +
                             toString(steps) + " for a source of shape " +
                             toString(source));
    // Unsigned, because the most negative step has no absolute value.
    uint64_t step = steps[i] < 0 ? -static_cast<uint64_t>(steps[i])
                                 : static_cast<uint64_t>(steps[i]);
    uint64_t extent = static_cast<uint64_t>(source[i]);
    result.push_back(
        static_cast<int64_t>(extent / step + (extent % step != 0)));
  }
  return true;
}

static bool inferAsStrided(const Shape &source, const Ints &ints, Shape &result,
                           std::string &error) {
  if (ints.size() % 2 == 0)
    return fail(error, "expects a shape, as many strides and an offset, got " +
                           toString(ints));
  size_t rank = ints.size() / 2;
  result.assign(ints.begin(), ints.begin() + rank);
  if (!verifyShape(result, error))
    return false;
  if (*getNumElements(result) == 0)
    return true; // Nothing is read, so the offset may be anything.

  // `low` only falls and `high` only rises: leaving at the first one outside
  // keeps both far from the ends of 128 bits.
  std::optional<int64_t> numElements = getNumElements(source);
  __int128 low = ints.back(), high = ints.back();
  for (size_t i = 0; i <= rank; ++i) {
    if (low < 0 || high >= numElements.value_or(0))
      return fail(error,
                  "expects indices inside the source's shape " +
                      toString(source) + ", got shape " + toString(result) +
                      ", strides " +
                      toString(Ints(ints.begin() + rank, ints.end() - 1)) +
                      " and offset " + std::to_string(ints.back()));
    if (i == rank)
      break;
    __int128 reach = static_cast<__int128>(ints[rank + i]) * (result[i] - 1);
    (reach < 0 ? low : high) += reach;
  }
  return true;
}

bool ops::inferShape(OpKind kind, const std::vector<Shape> &shapes,
                     const OpAttributes &attributes, Shape &result,
                     std::string &error) {
  if (!verifyNumOperands(kind, shapes.size(), error))
    return false;
  for (const Shape &shape : shapes)
    if (!verifyShape(shape, error))
      return false;

  const Ints &ints = attributes.ints;
  // Built apart: `result` may be one of `shapes`.
  Shape inferred;
  switch (kind) {
  case OpKind::ReduceSum:
  case OpKind::ReduceMax:
    inferred = ints;
    if (!inferReduce(shapes[0], ints, error))
      return false;
    break;
  case OpKind::Reshape:
    inferred = ints;
    if (!inferReshape(shapes[0], ints, error))
      return false;
    break;
  case OpKind::Expand:
    inferred = ints;
    if (!inferExpand(shapes[0], ints, error))
      return false;
    break;
  case OpKind::Permute:
    if (!inferPermute(shapes[0], ints, inferred, error))
      return false;
    break;
  case OpKind::Pad:
    if (!inferPad(shapes[0], ints, inferred, error))
      return false;
    break;
  case OpKind::Shrink:
    if (!inferShrink(shapes[0], ints, inferred, error))
      return false;
    break;
  case OpKind::Stride:
    if (!inferStride(shapes[0], ints, inferred, error))
      return false;
    break;
  case OpKind::AsStrided:
    if (!inferAsStrided(shapes[0], ints, inferred, error))
      return false;
    break;
  case OpKind::Copy:
  case OpKind::Contiguous:
  case OpKind::FromCPU:
    if (!ints.empty() && ints != shapes[0])
      return fail(error, "expects the source's shape " + toString(shapes[0]) +
                             ", got " + toString(ints));
    inferred = shapes[0];
    break;
  case OpKind::Empty:
  case OpKind::Const:
  case OpKind::Custom:
    inferred = ints;
    if (!verifyShape(ints, error))
      return false;
    break;
  default:
    assert((isElementwise(kind) || kind == OpKind::Assign) &&
           "a kind without a rule for shapes");
    for (const Shape &shape : shapes)
      if (shape != shapes[0])
        return fail(error, "expects operands of one shape, got " +
                               toString(shapes[0]) + " and " + toString(shape));
    inferred = shapes[0];
    break;
  }
  result = std::move(inferred);
  return true;
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// Checks that `types` are all the same, from the one at `first` on.
static bool verifyOneType(const std::vector<DType> &types, size_t first,
                          std::string_view what, std::string &error) {
  for (size_t i = first; i < types.size(); ++i)
    if (types[i] != types[first])
      return fail(error, "expects " + std::string(what) + " of one type, got " +
                             std::string(getName(types[first])) + " and " +
                             std::string(getName(types[i])));
  return true;
}

static bool verifyResult(DType expected, DType result, std::string &error) {
  if (result == expected)
    return true;
  return fail(error, "expects a result of type " +
                         std::string(getName(expected)) + ", got " +
                         std::string(getName(result)));
}

bool ops::verifyTypes(OpKind kind, const std::vector<DType> &operands,
                      DType result, std::string &error) {
  if (!verifyNumOperands(kind, operands.size(), error))
    return false;

  switch (kind) {
  case OpKind::Cast:
  case OpKind::Empty:
  case OpKind::Const:
  case OpKind::Custom:
    return true;

  case OpKind::Bitcast:
    // A bool has one bit and a byte of memory: no bits of another type.
    if (getByteWidth(operands[0]) == getByteWidth(result) &&
        (operands[0] == DType::Bool) == (result == DType::Bool))
      return true;
    return fail(error, "expects types of equal width, got " +
                           std::string(getName(operands[0])) + " and " +
                           std::string(getName(result)));

  case OpKind::Where:
    return verifyOneType(operands, 1, "values", error) &&
           verifyResult(operands[1], result, error);

  case OpKind::CmpLt:
  case OpKind::CmpEq:
    if (!verifyOneType(operands, 0, "operands", error))
      return false;
    if (result == DType::Bool || result == operands[0])
      return true;
    return fail(error, "expects a result of type bool or " +
                           std::string(getName(operands[0])) + ", got " +
                           std::string(getName(result)));

  case OpKind::Exp2:
  case OpKind::Log2:
  case OpKind::Exp:
  case OpKind::Log:
  case OpKind::Sin:
  case OpKind::Sqrt:
  case OpKind::Recip:
    if (!isFloat(operands[0]))
      return fail(error, "expects a float operand, got " +
                             std::string(getName(operands[0])));
    return verifyResult(operands[0], result, error);

  case OpKind::Not:
    if (operands[0] != DType::Bool)
      return fail(error, "expects a bool operand, got " +
                             std::string(getName(operands[0])));
    return verifyResult(operands[0], result, error);

  case OpKind::Xor:
    if (!verifyOneType(operands, 0, "operands", error))
      return false;
    if (isFloat(operands[0]))
      return fail(error, "expects integer or bool operands, got " +
                             std::string(getName(operands[0])));
    return verifyResult(operands[0], result, error);

  default:
    return verifyOneType(operands, 0, "operands", error) &&
           verifyResult(operands[0], result, error);
  }
}
