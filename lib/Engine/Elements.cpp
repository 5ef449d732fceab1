//===- Elements.cpp - Operations on whole tensors -------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions are computed from the definition of a view, not through the index
// expressions that lowering uses: the two check each other.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <memory>

using namespace tinygrad;
using namespace tinygrad::engine;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

namespace {

/// Walks the positions of a view in row-major order.
class ViewWalker {
public:
  explicit ViewWalker(const shape::View &view)
      : view(view), position(view.getShape().size(), 0),
        index(view.getOffset()) {
    if (const shape::Mask *mask = view.getMask())
      for (auto [coordinate, range] : llvm::zip(position, *mask))
        numOutside += isOutside(coordinate, range);
  }

  /// The index of the current position, or -1 where it is masked.
  int64_t getIndex() const { return numOutside ? -1 : index; }

  void advance() {
    for (size_t axis = position.size(); axis-- > 0;) {
      int64_t extent = view.getShape()[axis];
      int64_t next = position[axis] + 1 == extent ? 0 : position[axis] + 1;
      if (const shape::Mask *mask = view.getMask())
        numOutside += isOutside(next, (*mask)[axis]) -
                      isOutside(position[axis], (*mask)[axis]);
      index += (next - position[axis]) * view.getStrides()[axis];
      position[axis] = next;
      if (next != 0)
        return;
    }
  }

private:
  static int isOutside(int64_t coordinate, std::pair<int64_t, int64_t> range) {
    return coordinate < range.first || coordinate >= range.second;
  }

  const shape::View &view;
  llvm::SmallVector<int64_t> position;
  int64_t index;
  /// On how many axes the position lies outside of the mask.
  int numOutside = 0;
};

} // namespace

/// Returns the index of row-major position `flat` of `view`, or -1 where it is
/// masked.
static int64_t getFlatIndex(const shape::View &view, int64_t flat) {
  int64_t index = view.getOffset();
  const shape::Mask *mask = view.getMask();
  for (size_t axis = view.getShape().size(); axis-- > 0;) {
    int64_t extent = view.getShape()[axis];
    int64_t coordinate = flat % extent;
    flat /= extent;
    if (mask && (coordinate < (*mask)[axis].first ||
                 coordinate >= (*mask)[axis].second))
      return -1;
    index += coordinate * view.getStrides()[axis];
  }
  return index;
}

/// Calls `visit` with each row-major position of `tracker` and the index in the
/// buffer that belongs to it, -1 where it is masked. Fails at an index outside
/// of a buffer of `bufferSize` elements.
static llvm::Error
forEachIndex(const shape::ShapeTracker &tracker, int64_t bufferSize,
             llvm::function_ref<void(int64_t, int64_t)> visit) {
  llvm::ArrayRef<shape::View> inner = tracker.getViews();
  inner = inner.drop_back();
  ViewWalker walker(tracker.getViews().back());
  int64_t numElements = tracker.getNumElements();
  for (int64_t i = 0; i < numElements; ++i, walker.advance()) {
    int64_t index = walker.getIndex();
    for (size_t k = inner.size(); index >= 0 && k-- > 0;)
      index = getFlatIndex(inner[k], index);
    if (index >= bufferSize)
      return llvm::createStringError(
          "expects a view that stays inside of " + std::to_string(bufferSize) +
          " elements, got index " + std::to_string(index));
    visit(i, index);
  }
  return llvm::Error::success();
}

/// Calls `body` with an integral constant of `width`, so that copies of single
/// elements have a size that the compiler knows.
template <typename BodyT>
static llvm::Error withWidth(int width, BodyT body) {
  switch (width) {
  case 1:
    return body(std::integral_constant<size_t, 1>());
  case 2:
    return body(std::integral_constant<size_t, 2>());
  case 4:
    return body(std::integral_constant<size_t, 4>());
  default:
    return body(std::integral_constant<size_t, 8>());
  }
}

llvm::Error engine::gather(const shape::ShapeTracker &tracker,
                           const HostTensor &source, const HostTensor &result) {
  const uint8_t *from = source.getData();
  uint8_t *to = result.getData();
  return withWidth(getByteWidth(result.getType()), [&](auto width) {
    return forEachIndex(
        tracker, source.getNumElements(), [&](int64_t position, int64_t index) {
          if (index >= 0)
            std::memcpy(to + position * width, from + index * width, width);
          else
            std::memset(to + position * width, 0, width);
        });
  });
}

llvm::Error engine::scatter(const shape::ShapeTracker &tracker,
                            const HostTensor &value, const HostTensor &target) {
  const uint8_t *from = value.getData();
  uint8_t *to = target.getData();
  return withWidth(getByteWidth(value.getType()), [&](auto width) {
    return forEachIndex(
        tracker, target.getNumElements(), [&](int64_t position, int64_t index) {
          if (index >= 0)
            std::memcpy(to + index * width, from + position * width, width);
        });
  });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void engine::fill(const HostTensor &result, const ops::Scalar &value) {
  assert(value.getType() == result.getType() && "another type");
  if (result.getNumElements() == 0)
    return;
  size_t width = static_cast<size_t>(getByteWidth(result.getType()));
  size_t total = static_cast<size_t>(result.getNumBytes());
  uint8_t *data = result.getData();
  value.store(data);
  // Each copy doubles what is filled.
  for (size_t done = width; done < total;) {
    size_t step = std::min(done, total - done);
    std::memcpy(data + done, data, step);
    done += step;
  }
}

void engine::computeElementwise(ops::OpKind kind,
                                std::span<const HostTensor> operands,
                                const HostTensor &result) {
  int64_t numElements = result.getNumElements();
  DType type = result.getType();
  switch (kind) {
  case ops::OpKind::Noop:
    std::memcpy(result.getData(), operands[0].getData(),
                static_cast<size_t>(result.getNumBytes()));
    return;
  case ops::OpKind::Bitcast:
    for (int64_t i = 0; i < numElements; ++i)
      result.set(i, ops::bitcast(operands[0].get(i), type));
    return;
  case ops::OpKind::Cast:
    for (int64_t i = 0; i < numElements; ++i)
      result.set(i, ops::cast(operands[0].get(i), type));
    return;
  default:
    break;
  }
  assert(operands.size() <= 3 && "more operands than a ternary operation has");
  ops::Scalar elements[3];
  std::span<const ops::Scalar> arguments(elements, operands.size());
  for (int64_t i = 0; i < numElements; ++i) {
    for (size_t k = 0; k < operands.size(); ++k)
      elements[k] = operands[k].get(i);
    result.set(i, ops::evaluate(kind, type, arguments));
  }
}

llvm::Error engine::computeReduce(ops::OpKind kind, const HostTensor &source,
                                  const HostTensor &result) {
  // A reduce that combines nothing is its source: 0 + -0 would be 0.
  if (source.getShape() == result.getShape()) {
    computeElementwise(ops::OpKind::Noop, {&source, 1}, result);
    return llvm::Error::success();
  }
  DType accumulated = getAccumulationType(source.getType());
  // Not a vector: it could not report that memory ran out.
  llvm::Expected<HostTensor> accumulators =
      HostTensor::create(accumulated, result.getShape());
  if (!accumulators)
    return accumulators.takeError();
  fill(*accumulators, ops::getIdentity(kind, accumulated));

  // The result, seen under the shape of the source: all elements along a
  // reduced axis meet in one.
  shape::Dims strides = shape::getRowMajorStrides(result.getShape());
  for (size_t axis = 0; axis < strides.size(); ++axis)
    if (result.getShape()[axis] != source.getShape()[axis])
      strides[axis] = 0;
  auto tracker = shape::ShapeTracker::fromViews(
      {shape::View::create(source.getShape(), strides)});
  llvm::Error error = forEachIndex(
      tracker, result.getNumElements(), [&](int64_t position, int64_t index) {
        ops::Scalar element = ops::cast(source.get(position), accumulated);
        accumulators->set(
            index, ops::accumulate(kind, accumulators->get(index), element));
      });
  if (error)
    return error;
  computeElementwise(ops::OpKind::Cast, {&*accumulators, 1}, result);
  return llvm::Error::success();
}
