//===- MovementChain.cpp - Views as movement operations ---------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view is taken apart by its strides, the largest first: the flat tensor is
// cut into rows along which the finer axes run, each row is cut again, and so
// on. Then axes are put in order, flipped, expanded and padded.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Shape/MovementChain.h"

#include "Arithmetic.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>

using namespace tinygrad::shape;
using Kind = MovementOp::Kind;

/// Operations take tensors of fewer elements than this.
static constexpr int64_t elementLimit = int64_t(1) << 62;

Dims MovementOp::getShape(const Dims &source) const {
  if (kind == Kind::AsStrided)
    return view->getShape();
  if (kind == Kind::Reshape || kind == Kind::Expand)
    return ints;
  Dims result = source;
  for (size_t axis = 0; axis < source.size(); ++axis)
    if (kind == Kind::Permute)
      result[axis] = source[ints[axis]];
    else if (kind == Kind::Pad)
      result[axis] += pairs[axis].first + pairs[axis].second;
    else if (kind == Kind::Shrink)
      result[axis] = pairs[axis].second - pairs[axis].first;
    else
      result[axis] = ceilDivide(source[axis], std::abs(ints[axis]));
  return result;
}

namespace {

/// Operations that follow each other. Those that would change nothing are left
/// out.
class Chain {
public:
  explicit Chain(Dims shape) : shape(std::move(shape)) {}

  const Dims &getShape() const { return shape; }
  std::vector<MovementOp> take() { return std::move(ops); }

  void reshape(const Dims &newShape) {
    // A reshape of a reshape is the second one alone.
    if (!ops.empty() && ops.back().kind == Kind::Reshape) {
      ops.pop_back();
      shape = shapeBeforeLast;
    }
    addIfOther({Kind::Reshape, newShape, {}, {}});
  }

  void permute(Dims order) {
    if (!std::ranges::is_sorted(order))
      add({Kind::Permute, std::move(order), {}, {}});
  }

  void expand(const Dims &newShape) {
    addIfOther({Kind::Expand, newShape, {}, {}});
  }

  void pad(Mask padding) {
    addIfOther({Kind::Pad, {}, std::move(padding), {}});
  }

  void shrink(Mask ranges) {
    addIfOther({Kind::Shrink, {}, std::move(ranges), {}});
  }

  void stride(Dims steps) {
    if (std::ranges::any_of(steps, [](int64_t step) { return step != 1; }))
      add({Kind::Stride, std::move(steps), {}, {}});
  }

  void asStrided(const View &view) { add({Kind::AsStrided, {}, {}, view}); }

  /// Pads and shrinks the last axis to [begin, end) of it; `end` may lie past
  /// it.
  void cutLast(int64_t begin, int64_t end) {
    Mask padding(shape.size(), {0, 0});
    padding.back().second = std::max<int64_t>(end - shape.back(), 0);
    pad(std::move(padding));
    Mask ranges;
    for (int64_t extent : shape)
      ranges.emplace_back(0, extent);
    ranges.back() = {begin, end};
    shrink(std::move(ranges));
  }

  /// Reshapes the last axis to `axes`.
  void splitLast(std::initializer_list<int64_t> axes) {
    Dims newShape(shape.begin(), shape.end() - 1);
    newShape.insert(newShape.end(), axes);
    reshape(newShape);
  }

private:
  void add(MovementOp op) {
    shapeBeforeLast = std::exchange(shape, op.getShape(shape));
    ops.push_back(std::move(op));
  }

  /// Adds an operation that changes nothing unless it changes the shape.
  void addIfOther(MovementOp op) {
    if (op.getShape(shape) != shape)
      add(std::move(op));
  }

  Dims shape;
  std::vector<MovementOp> ops;
  /// The shape before the last operation.
  Dims shapeBeforeLast;
};

/// An axis of a view along which the index moves, upwards once it is flipped.
struct MovingAxis {
  size_t axis;
  int64_t extent;
  int64_t step;
  /// How far this axis and all finer ones move the index.
  int64_t reach = 0;
};

} // namespace

/// Returns the moving axes of a box, the largest step first.
static std::vector<MovingAxis> getMovingAxes(const Dims &extents,
                                             const Dims &strides) {
  std::vector<MovingAxis> axes;
  for (size_t axis = 0; axis < extents.size(); ++axis)
    if (extents[axis] > 1 && strides[axis] != 0)
      axes.push_back({axis, extents[axis], std::abs(strides[axis])});
  std::ranges::sort(axes, [](const MovingAxis &a, const MovingAxis &b) {
    return a.step != b.step ? a.step > b.step : a.axis < b.axis;
  });
  int64_t reach = 0;
  for (size_t i = axes.size(); i-- > 0;)
    axes[i].reach = reach += axes[i].step * (axes[i].extent - 1);
  return axes;
}

/// Splits `moving`, the coarsest axis that is left, off the last axis of
/// `chain`, which stands for it and the finer ones, these with a reach of
/// `finer`, and of which the view starts at `base`. The last axis is what the
/// finer ones move along then. Returns false if that takes too many elements.
static bool splitAxis(Chain &chain, const MovingAxis &moving, int64_t finer,
                      int64_t &base) {
  auto [axis, extent, step, reach] = moving;
  int64_t length = chain.getShape().back();
  auto fits = [&](int64_t rowLength) {
    Dims shape(chain.getShape().begin(), chain.getShape().end() - 1);
    shape.push_back(extent);
    shape.push_back(rowLength);
    return countElements(shape).value_or(elementLimit) < elementLimit;
  };

  if (finer < step) {
    if (!fits(step))
      return false;
    // Rows of `step` elements, each of which holds what the finer axes reach.
    // They may begin before the view does, so as to end inside of the tensor.
    int64_t lowest = std::max<int64_t>(base - (step - 1 - finer), 0);
    int64_t begin = std::max(std::min(base, length - extent * step), lowest);
    chain.cutLast(begin, begin + extent * step);
    chain.splitLast({extent, step});
    base -= begin;
    return true;
  }

  // The piece that is read, once per position of the axis, in rows that are
  // longer than it by `step`: each begins that much later in its copy.
  int64_t piece = reach + 1;
  if (!fits(piece + step))
    return false;
  chain.cutLast(base, base + piece);
  chain.splitLast({1, piece});
  Dims copies = chain.getShape();
  copies[copies.size() - 2] = extent;
  chain.expand(copies);
  Dims flat(chain.getShape().begin(), chain.getShape().end() - 1);
  flat.back() = extent * piece;
  chain.reshape(flat);
  chain.cutLast(0, extent * (piece + step));
  chain.splitLast({extent, piece + step});
  base = 0;
  return true;
}

/// Appends what reads a box of `extents`, not empty, of the flat tensor of
/// `chain` by `strides` and `offset`. Returns false if that takes too many
/// elements on the way.
static bool addBox(Chain &chain, const Dims &extents, const Dims &strides,
                   int64_t offset) {
  std::vector<MovingAxis> moving = getMovingAxes(extents, strides);
  int64_t base = offset;
  for (size_t axis = 0; axis < extents.size(); ++axis)
    base += std::min<int64_t>(strides[axis], 0) * (extents[axis] - 1);

  for (size_t i = 0; i + 1 < moving.size(); ++i)
    if (!splitAxis(chain, moving[i], moving[i + 1].reach, base))
      return false;
  // The finest axis keeps its gaps for now.
  int64_t finest = moving.empty() ? 0 : moving.back().reach;
  chain.cutLast(base, base + finest + 1);

  // From the order of the steps to that of the view.
  if (!moving.empty()) {
    Dims order(moving.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](int64_t i) { return moving[i].axis; });
    chain.permute(std::move(order));
  }
  Dims shape(extents.size(), 1), steps(extents.size(), 1);
  for (const MovingAxis &each : moving) {
    bool isFinest = &each == &moving.back();
    shape[each.axis] = isFinest ? finest + 1 : each.extent;
    int64_t step = isFinest ? each.step : 1;
    steps[each.axis] = strides[each.axis] < 0 ? -step : step;
  }
  chain.reshape(shape);
  chain.stride(std::move(steps));
  chain.expand(extents);
  return true;
}

/// Appends what reads the row-major elements of the tensor of `chain` through
/// `view`.
static void addView(Chain &chain, const View &view) {
  // The box that is read, and what is masked around it.
  Dims extents;
  Mask padding;
  int64_t offset = view.getOffset();
  bool isEmpty = false;
  for (size_t axis = 0; axis < view.getShape().size(); ++axis) {
    int64_t begin = 0, end = view.getShape()[axis];
    if (const Mask *mask = view.getMask())
      std::tie(begin, end) = (*mask)[axis];
    extents.push_back(end - begin);
    padding.emplace_back(begin, view.getShape()[axis] - end);
    isEmpty |= begin == end;
    if (begin != 0)
      offset += begin * view.getStrides()[axis];
  }

  chain.reshape({*countElements(chain.getShape())});
  if (isEmpty) {
    chain.shrink({{0, 0}});
    chain.reshape(extents);
  } else if (Chain attempt = chain;
             addBox(attempt, extents, view.getStrides(), offset)) {
    chain = std::move(attempt);
  } else {
    chain.asStrided(
        View::create(std::move(extents), view.getStrides(), offset));
  }
  chain.pad(std::move(padding));
}

std::vector<MovementOp>
tinygrad::shape::toMovementOps(const ShapeTracker &tracker, Dims source) {
  Chain chain(std::move(source));
  for (const View &view : tracker.getViews())
    addView(chain, view);
  return chain.take();
}

ShapeTracker tinygrad::shape::apply(const MovementOp &op,
                                    const ShapeTracker &tracker) {
  switch (op.kind) {
  case Kind::Reshape:
    return tracker.reshape(op.ints);
  case Kind::Permute:
    return tracker.permute(op.ints);
  case Kind::Expand:
    return tracker.expand(op.ints);
  case Kind::Pad:
    return tracker.pad(op.pairs);
  case Kind::Shrink:
    return tracker.shrink(op.pairs);
  case Kind::Stride:
    return tracker.stride(op.ints);
  case Kind::AsStrided:
    break;
  }
  return tracker.reshape(Dims{tracker.getNumElements()})
      .compose(ShapeTracker::fromViews({*op.view}));
}
