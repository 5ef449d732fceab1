//===- RandomGraph.cpp - Random small graphs - c --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;
using ops::OpKind;

bool test::isExact(OpKind kind, DType type) {
  switch (kind) {
  case OpKind::Exp2:
  case OpKind::Log2:
  case OpKind::Exp:
  case OpKind::Log:
  case OpKind::Sin:
    return false;
  case OpKind::Pow:
  case OpKind::MulAcc:
  case OpKind::ReduceSum:
    return !isFloat(type);
  default:
    return true;
  }
}

/// Returns true if a small difference of an operand stays one in the result.
static bool isStable(OpKind kind) {
  switch (kind) {
  case OpKind::Noop:
  case OpKind::Neg:
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::Max:
  case OpKind::MulAcc:
  case OpKind::ReduceSum:
  case OpKind::ReduceMax:
    return true;
  default:
    return ops::getInfo(kind).group == ops::OpGroup::Movement;
  }
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

HostTensor test::makeRandomTensor(Random &random, DType type,
                                  const ops::Shape &shape) {
  HostTensor tensor = llvm::cantFail(HostTensor::create(type, shape));
  bool hasEdges = random.oneIn(3);
  constexpr double edges[] = {0.0,
                              -0.0,
                              std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN(),
                              3e38,
                              -1e-40,
                              65504,
                              2147483647,
                              -9.3e18};
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    if (hasEdges && random.oneIn(8)) {
      tensor.set(i, isFloat(type)
                        ? ops::Scalar::fromDouble(
                              type, edges[random.below(std::size(edges))])
                        : ops::Scalar::fromUInt(type, random.bits()));
      continue;
    }
    tensor.set(
        i, isFloat(type)
               ? ops::Scalar::fromDouble(
                     type, static_cast<double>(random.between(-64, 64)) / 16)
               : ops::Scalar::fromInt(type, random.between(-5, 5)));
  }
  return tensor;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {

class Generator {
public:
  explicit Generator(Random &random) : random(random) {}
  ops::Graph run();

private:
  /// Adds a node unless its types do not fit, or an operand is not exact where
  /// it has to be. Returns true if it was added.
  bool add(OpKind kind, std::vector<int32_t> operands,
           std::vector<int64_t> ints = {}, std::optional<DType> type = {});
  bool addUnary();
  bool addBinary();
  bool addTernary();
  bool addReduce();
  bool addMovement();

  const ops::Shape &getShape(int32_t node) {
    return builder.getNode(node).shape;
  }
  DType getType(int32_t node) { return builder.getNode(node).type; }
  int32_t pick() { return static_cast<int32_t>(random.below(exact.size())); }
  /// Returns a node of `shape` and `type`: one that is there, or a new constant
  /// or conversion.
  int32_t pickLike(const ops::Shape &shape, DType type);
  DType randomType() { return static_cast<DType>(random.below(numDTypes)); }
  ops::Shape randomShape();
  /// Returns a shape of as many elements.
  ops::Shape randomReshape(const ops::Shape &shape);

  Random &random;
  GraphBuilder builder;
  /// For each node whether its value is exact.
  std::vector<bool> exact;
};

} // namespace

ops::Shape Generator::randomShape() {
  ops::Shape shape(random.below(5));
  for (int64_t &extent : shape)
    extent = random.oneIn(25) ? 0 : random.between(1, 5);
  return shape;
}

ops::Shape Generator::randomReshape(const ops::Shape &shape) {
  int64_t rest = *ops::getNumElements(shape);
  if (rest == 0)
    return {random.between(0, 3), 0};
  ops::Shape result;
  while (rest > 1 && result.size() < 4) {
    int64_t extent = random.between(1, rest);
    while (rest % extent)
      --extent;
    result.push_back(extent);
    rest /= extent;
  }
  if (rest > 1 || random.oneIn(3))
    result.push_back(rest);
  return result;
}

bool Generator::add(OpKind kind, std::vector<int32_t> operands,
                    std::vector<int64_t> ints, std::optional<DType> type) {
  std::vector<DType> types;
  for (int32_t operand : operands)
    types.push_back(getType(operand));
  DType resultType = type ? *type : types.back();
  std::string error;
  if (!ops::verifyTypes(kind, types, resultType, error))
    return false;
  bool isNewExact = isExact(kind, types.back());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (exact[operands[i]])
      continue;
    isNewExact = false;
    bool isBranch = kind == OpKind::Where && i > 0;
    bool isFloatCast =
        kind == OpKind::Cast && isFloat(types[i]) && isFloat(resultType);
    if (!isStable(kind) && !isBranch && !isFloatCast)
      return false;
  }
  builder.op(kind, std::move(operands), std::move(ints), resultType);
  exact.push_back(isNewExact);
  return true;
}

int32_t Generator::pickLike(const ops::Shape &shape, DType type) {
  std::vector<int32_t> fitting, convertible;
  for (int32_t node = 0; node < static_cast<int32_t>(exact.size()); ++node) {
    if (getShape(node) != shape)
      continue;
    if (getType(node) == type)
      fitting.push_back(node);
    else
      convertible.push_back(node);
  }
  if (!fitting.empty() && !random.oneIn(4))
    return fitting[random.below(fitting.size())];
  if (!convertible.empty() && !random.oneIn(3) &&
      add(OpKind::Cast, {convertible[random.below(convertible.size())]}, {},
          type))
    return static_cast<int32_t>(exact.size() - 1);
  int32_t constant = builder.constant(
      ops::Scalar::fromInt(type, random.between(-3, 3)), shape);
  exact.push_back(true);
  return constant;
}

bool Generator::addUnary() {
  constexpr OpKind kinds[] = {
      OpKind::Noop, OpKind::Exp2, OpKind::Log2,  OpKind::Exp, OpKind::Log,
      OpKind::Sin,  OpKind::Sqrt, OpKind::Recip, OpKind::Neg, OpKind::Not};
  int32_t x = pick();
  if (random.oneIn(3))
    return add(random.oneIn(4) ? OpKind::Bitcast : OpKind::Cast, {x}, {},
               randomType());
  return add(kinds[random.below(std::size(kinds))], {x});
}

bool Generator::addBinary() {
  constexpr OpKind kinds[] = {
      OpKind::Add, OpKind::Sub,   OpKind::Mul,   OpKind::Div, OpKind::Max,
      OpKind::Mod, OpKind::CmpLt, OpKind::CmpEq, OpKind::Xor, OpKind::Pow};
  int32_t x = pick();
  int32_t y = pickLike(getShape(x), getType(x));
  OpKind kind = kinds[random.below(std::size(kinds))];
  bool isComparison = kind == OpKind::CmpLt || kind == OpKind::CmpEq;
  return add(kind, {x, y}, {},
             isComparison && !random.oneIn(4) ? DType::Bool : getType(x));
}

bool Generator::addTernary() {
  int32_t x = pick();
  int32_t y = pickLike(getShape(x), getType(x));
  if (random.oneIn(3))
    return add(OpKind::MulAcc, {x, y, pickLike(getShape(x), getType(x))});
  int32_t condition =
      pickLike(getShape(x), random.oneIn(3) ? randomType() : DType::Bool);
  return add(OpKind::Where, {condition, x, y});
}

bool Generator::addReduce() {
  int32_t x = pick();
  ops::Shape shape = getShape(x);
  for (int64_t &extent : shape)
    if (random.oneIn(2))
      extent = 1;
  return add(random.oneIn(3) ? OpKind::ReduceMax : OpKind::ReduceSum, {x},
             shape);
}

bool Generator::addMovement() {
  int32_t x = pick();
  const ops::Shape shape = getShape(x);
  std::vector<int64_t> ints;
  switch (random.below(7)) {
  case 0:
    return add(OpKind::Reshape, {x}, randomReshape(shape));
  case 1:
    for (size_t i = 0; i < shape.size(); ++i)
      ints.insert(ints.begin() + random.between(0, static_cast<int64_t>(i)),
                  static_cast<int64_t>(i));
    return add(OpKind::Permute, {x}, ints);
  case 2:
    for (int64_t extent : shape)
      ints.push_back(extent == 1 ? random.between(1, 5) : extent);
    return add(OpKind::Expand, {x}, ints);
  case 3:
    for (size_t i = 0; i < 2 * shape.size(); ++i)
      ints.push_back(random.between(0, 2));
    return add(OpKind::Pad, {x}, ints);
  case 4:
    for (int64_t extent : shape) {
      int64_t begin = random.between(0, extent);
      // Rarely nothing at all.
      int64_t end = random.between(begin, extent);
      if (begin == end && extent > 0 && !random.oneIn(10))
        begin = 0, end = extent;
      ints.push_back(begin);
      ints.push_back(end);
    }
    return add(OpKind::Shrink, {x}, ints);
  case 5:
    for (size_t i = 0; i < shape.size(); ++i)
      ints.push_back(random.oneIn(2) ? random.between(1, 3)
                                     : -random.between(1, 3));
    return add(OpKind::Stride, {x}, ints);
  default: {
    // Two axes anywhere inside of the flattened source.
    int64_t rest = *ops::getNumElements(shape) - 1;
    if (rest < 0)
      return false;
    int64_t offset = random.between(0, rest);
    int64_t rows = random.between(1, 3), columns = random.between(1, 4);
    int64_t step = random.between(0, (rest - offset) / columns);
    int64_t stride =
        random.between(0, (rest - offset - step * (columns - 1)) / rows);
    return add(OpKind::AsStrided, {x}, {rows, columns, stride, step, offset});
  }
  }
}

ops::Graph Generator::run() {
  int64_t numInputs = random.between(1, 4);
  ops::Shape shape = randomShape();
  for (int64_t i = 0; i < numInputs; ++i) {
    // Often one shape and one type, so that operations find operands.
    builder.input(random.oneIn(2) ? DType::Float32 : randomType(),
                  random.oneIn(3) ? randomShape() : shape);
    exact.push_back(true);
  }
  int64_t numOperations = random.between(1, 14);
  for (int64_t i = 0; i < numOperations; ++i) {
    constexpr int64_t maxTries = 20;
    for (int64_t k = 0; k < maxTries; ++k) {
      int64_t choice = random.below(10);
      bool isAdded = choice < 2   ? addUnary()
                     : choice < 5 ? addBinary()
                     : choice < 6 ? addTernary()
                     : choice < 7 ? addReduce()
                                  : addMovement();
      if (isAdded)
        break;
    }
    if (random.oneIn(15))
      add(OpKind::Contiguous, {pick()});
  }
  int32_t last = static_cast<int32_t>(exact.size() - 1);
  std::vector<int32_t> outputs{last};
  for (int64_t i = random.below(3); i > 0; --i)
    outputs.push_back(pick());
  return builder.build(std::move(outputs));
}

ops::Graph test::makeRandomGraph(Random &random) {
  return Generator(random).run();
}
