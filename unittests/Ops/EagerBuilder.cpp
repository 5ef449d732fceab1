//===- EagerBuilder.cpp - A builder that computes at once -----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EagerBuilder.h"

#include "gtest/gtest.h"

using namespace tinygrad;
using namespace tinygrad::ops;
using namespace tinygrad::ops::test;

/// Returns the position along each axis of element `flat` of `shape`.
static Shape unflatten(int64_t flat, const Shape &shape) {
  Shape index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    index[i] = flat % shape[i];
    flat /= shape[i];
  }
  return index;
}

static int64_t flatten(const Shape &index, const Shape &shape) {
  int64_t flat = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    flat = flat * shape[i] + index[i];
  return flat;
}

/// Returns which element of `source` a movement op puts at `index` of its
/// result, or -1 where it puts a zero.
static int64_t findSource(OpKind kind, const std::vector<int64_t> &ints,
                          const Shape &source, const Shape &result,
                          const Shape &index) {
  size_t rank = source.size();
  Shape at(rank);
  switch (kind) {
  case OpKind::Reshape:
    return flatten(index, result);
  case OpKind::AsStrided: {
    int64_t flat = ints.back();
    for (size_t i = 0; i < index.size(); ++i)
      flat += index[i] * ints[index.size() + i];
    return flat;
  }
  case OpKind::Permute:
    for (size_t i = 0; i < rank; ++i)
      at[ints[i]] = index[i];
    break;
  case OpKind::Expand:
    for (size_t i = 0; i < rank; ++i)
      at[i] = source[i] == 1 ? 0 : index[i];
    break;
  case OpKind::Pad:
    for (size_t i = 0; i < rank; ++i) {
      at[i] = index[i] - ints[2 * i];
      if (at[i] < 0 || at[i] >= source[i])
        return -1;
    }
    break;
  case OpKind::Shrink:
    for (size_t i = 0; i < rank; ++i)
      at[i] = index[i] + ints[2 * i];
    break;
  case OpKind::Stride:
    for (size_t i = 0; i < rank; ++i)
      at[i] = (ints[i] < 0 ? source[i] - 1 : 0) + index[i] * ints[i];
    break;
  default:
    ADD_FAILURE() << "not a movement op";
  }
  return flatten(at, source);
}

static std::vector<Scalar> compute(const Tensor &op) {
  OpGroup group = getInfo(*op.kind).group;
  int64_t size = *getNumElements(op.shape);
  // What copy, contiguous, fromcpu and assign are.
  if (group == OpGroup::Load)
    return EagerBuilder::get(op.operands.back()).elements;

  std::vector<Scalar> elements;
  if (group == OpGroup::Reduce) {
    const Tensor &source = EagerBuilder::get(op.operands[0]);
    DType type = getAccumulationType(op.type);
    elements.assign(size, getIdentity(*op.kind, type));
    for (size_t i = 0; i < source.elements.size(); ++i) {
      Shape index = unflatten(static_cast<int64_t>(i), source.shape);
      for (size_t axis = 0; axis < index.size(); ++axis)
        if (op.shape[axis] == 1)
          index[axis] = 0;
      Scalar &sum = elements[flatten(index, op.shape)];
      sum = accumulate(*op.kind, sum, cast(source.elements[i], type));
    }
    for (Scalar &element : elements)
      element = cast(element, op.type);
    return elements;
  }

  for (int64_t i = 0; i < size; ++i) {
    if (group == OpGroup::Movement) {
      const Tensor &source = EagerBuilder::get(op.operands[0]);
      int64_t from = findSource(*op.kind, op.ints, source.shape, op.shape,
                                unflatten(i, op.shape));
      elements.push_back(from < 0 ? Scalar::fromInt(op.type, 0)
                                  : source.elements.at(from));
      continue;
    }
    std::vector<Scalar> operands;
    operands.reserve(op.operands.size());
    for (Ref operand : op.operands)
      operands.push_back(EagerBuilder::get(operand).elements[i]);
    elements.push_back(evaluate(*op.kind, op.type, operands));
  }
  return elements;
}

Ref EagerBuilder::create(OpKind kind, std::span<const Ref> operands, DType type,
                         const shape::Sizes &ints) {
  Tensor op;
  op.type = type;
  op.kind = kind;
  op.operands.assign(operands.begin(), operands.end());
  op.ints = ints.getNumbers();
  std::vector<Shape> shapes;
  std::vector<DType> types;
  for (Ref operand : operands) {
    shapes.push_back(get(operand).shape);
    types.push_back(getType(operand));
  }
  std::string error;
  if (!verifyTypes(kind, types, type, error) ||
      !inferShape(kind, shapes, {op.ints, {}, {}}, op.shape, error))
    ADD_FAILURE() << getInfo(kind).name << ": " << error;
  op.elements = compute(op);
  tensors.push_back(std::move(op));
  return {&tensors.back()};
}

Ref EagerBuilder::createConst(double value, DType type,
                              const shape::Sizes &shape) {
  const Shape &numbers = shape.getNumbers();
  return input(type, numbers,
               std::vector<double>(*getNumElements(numbers), value));
}

Ref EagerBuilder::input(DType type, const Shape &shape,
                        const std::vector<double> &values) {
  Tensor tensor;
  tensor.shape = shape;
  tensor.type = type;
  EXPECT_EQ(*getNumElements(shape), static_cast<int64_t>(values.size()));
  tensor.elements.reserve(values.size());
  for (double value : values)
    tensor.elements.push_back(Scalar::fromDouble(type, value));
  tensors.push_back(std::move(tensor));
  return {&tensors.back()};
}

std::vector<double> EagerBuilder::values(Ref value) {
  std::vector<double> result;
  for (const Scalar &element : get(value).elements)
    result.push_back(element.toDouble());
  return result;
}

std::vector<Ref> EagerBuilder::backward(Ref output, Ref seed,
                                        std::span<const Ref> inputs) {
  std::map<const void *, Ref> grads = {{output.handle, seed}};
  // Tensors were made in order, so the reverse order visits users first; those
  // that the rules add lie behind `end` and are not visited.
  size_t end = tensors.size();
  for (size_t i = end; i-- > 0;) {
    const Tensor &op = tensors[i];
    auto found = grads.find(&op);
    if (found == grads.end() || !op.kind)
      continue;
    std::vector<std::optional<Ref>> parts =
        gradient(*this, *op.kind, op.ints, op.operands, {&op}, found->second);
    EXPECT_EQ(parts.size(), op.operands.size());
    for (size_t j = 0; j < parts.size(); ++j) {
      if (!parts[j])
        continue;
      EXPECT_EQ(getShape(*parts[j]), getShape(op.operands[j]));
      EXPECT_EQ(getType(*parts[j]), getType(op.operands[j]));
      auto [slot, isNew] = grads.try_emplace(op.operands[j].handle, *parts[j]);
      if (!isNew)
        slot->second = binary(OpKind::Add, slot->second, *parts[j]);
    }
  }
  std::vector<Ref> results;
  for (Ref input : inputs) {
    auto found = grads.find(input.handle);
    results.push_back(found == grads.end()
                          ? createConst(0, getType(input), getShape(input))
                          : found->second);
  }
  return results;
}

int EagerBuilder::count(OpKind kind) const {
  int result = 0;
  for (const Tensor &tensor : tensors)
    result += tensor.kind == kind;
  return result;
}

int EagerBuilder::countAll() const {
  int result = 0;
  for (const Tensor &tensor : tensors)
    result += tensor.kind.has_value();
  return result;
}
