//===- TensorIndexing.cpp - Elements by their positions -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>
#include <optional>

using namespace tinygrad;
using namespace tinygrad::detail;
using ops::OpKind;

Index::Index(const Tensor &positions, Place place)
    : Base(positions.getImpl()), place(place) {}

Index::Index(const std::vector<int64_t> &positions, Place place)
    : Base(Tensor(positions).getImpl()), place(place) {}

void detail::checkInteger(const char *name, const char *what, const Tensor &x) {
  if (isFloat(x.dtype()) || x.dtype() == DType::Bool)
    throw Error(name, std::string("expects ") + what +
                          " of an integer type, got " +
                          std::string(getName(x.dtype())));
}

//===----------------------------------------------------------------------===//
// Positions, slices and new axes
//===----------------------------------------------------------------------===//

namespace {

/// What an index selects of one axis: every step-th element of a range, from
/// its end where the step is negative.
struct Selection {
  Extent begin = 0, end = 0;
  int64_t step = 1;
  Extent count = 0;
};

/// What indices take of a tensor.
struct Taken {
  /// The range of each axis, and the step in it.
  Ranges ranges;
  std::vector<int64_t> steps;
  /// Without the axes of positions, and with new ones.
  Shape shape;
  /// Tensors of positions, each with the axis of `shape` that it indexes.
  std::vector<std::pair<size_t, Tensor>> positions;
};

} // namespace

/// Returns how many elements every step-th one of `length` elements is.
static Extent countSteps(const Extent &length, int64_t step) {
  return toExtent((toExpr(length) + (step - 1)).floorDiv(step));
}

/// Resolves a slice where an expression is involved.
static Selection resolveSymbolicSlice(const Slice &slice,
                                      const Extent &extent) {
  auto resolve = [&](const std::optional<Extent> &position,
                     const Extent &byDefault) {
    if (!position)
      return byDefault;
    bool isFromEnd = !position->isSymbolic() && *position < 0;
    return isFromEnd ? extent + *position : *position;
  };
  Extent begin, end;
  if (slice.step > 0) {
    begin = resolve(slice.start, 0);
    end = resolve(slice.stop, extent);
  } else {
    begin = resolve(slice.stop, -1) + 1;
    end = resolve(slice.start, extent - 1) + 1;
  }
  // A longer step than the range takes its first element, too, and does not
  // overflow.
  Extent length = end - begin;
  int64_t longest = std::max<int64_t>(toExpr(length).getMax(), 1);
  int64_t step = std::clamp(slice.step, -longest, longest);
  return {begin, end, step, countSteps(length, std::abs(step))};
}

/// Resolves a slice as Python's slice.indices does.
static Selection resolveSlice(const char *name, const Slice &slice,
                              const Extent &wholeExtent) {
  if (slice.step == 0)
    throw Error(name, "expects a step that is not zero");
  auto isSymbolic = [](const std::optional<Extent> &position) {
    return position && position->isSymbolic();
  };
  if (wholeExtent.isSymbolic() || isSymbolic(slice.start) ||
      isSymbolic(slice.stop))
    return resolveSymbolicSlice(slice, wholeExtent);
  int64_t extent = wholeExtent;
  bool isForward = slice.step > 0;
  int64_t lowest = isForward ? 0 : -1;
  int64_t highest = isForward ? extent : extent - 1;
  auto resolve = [&](const std::optional<Extent> &position, int64_t byDefault) {
    if (!position)
      return byDefault;
    // A position below -extent is before the first element.
    int64_t value = position->getValue();
    if (value < 0)
      value = value < -extent ? -1 : value + extent;
    return std::clamp(value, lowest, highest);
  };
  int64_t start = resolve(slice.start, isForward ? lowest : highest);
  int64_t stop = resolve(slice.stop, isForward ? highest : lowest);
  int64_t distance = isForward ? stop - start : start - stop;
  if (distance <= 0)
    return {};
  // The most negative step has no absolute value; no axis is longer.
  int64_t step = slice.step == INT64_MIN ? INT64_MAX : std::abs(slice.step);
  int64_t count = (distance - 1) / step + 1;
  // The range that the selection spans, read from its other end where the step
  // is negative.
  int64_t reach = (count - 1) * step;
  int64_t begin = isForward ? start : start - reach;
  if (count == 1)
    step = 1;
  return {begin, begin + reach + 1, isForward || count == 1 ? step : -step,
          count};
}

/// Counts the axes that `indices` take.
static size_t countTaken(const std::vector<Index> &indices) {
  size_t count = 0;
  for (const Index &index : indices)
    count += std::holds_alternative<int64_t>(index) ||
             std::holds_alternative<Slice>(index) ||
             std::holds_alternative<std::shared_ptr<TensorImpl>>(index);
  return count;
}

static Taken resolveIndices(const char *name, const Tensor &x,
                            const std::vector<Index> &indices) {
  const Shape &shape = x.shape();
  size_t numTaken = countTaken(indices);
  if (numTaken > shape.size())
    throw Error(name,
                "expects at most " + std::to_string(shape.size()) +
                    " indices for shape " + ops::toString(shape) + ", got " +
                    std::to_string(numTaken),
                {shape});

  Taken taken;
  auto keep = [&](size_t count) {
    for (; count; --count) {
      const Extent &extent = shape[taken.ranges.size()];
      taken.shape.push_back(extent);
      taken.ranges.push_back({0, extent});
      taken.steps.push_back(1);
    }
  };
  bool hasEllipsis = false;
  for (const Index &index : indices) {
    size_t axis = taken.ranges.size();
    if (std::holds_alternative<NewAxis>(index)) {
      taken.shape.push_back(1);
    } else if (std::holds_alternative<Ellipsis>(index)) {
      if (hasEllipsis)
        throw Error(name, "expects at most one ellipsis");
      hasEllipsis = true;
      keep(shape.size() - numTaken);
    } else if (const auto *impl =
                   std::get_if<std::shared_ptr<TensorImpl>>(&index)) {
      checkInteger(name, "a tensor of positions", Tensor(*impl));
      taken.positions.emplace_back(taken.shape.size(), Tensor(*impl));
      keep(1);
    } else if (const auto *position = std::get_if<int64_t>(&index)) {
      const Extent &extent = shape[axis];
      // Where that is an expression, shrinking proves it.
      if (!extent.isSymbolic() && (*position < -extent || *position >= extent))
        throw Error(name,
                    "index " + std::to_string(*position) +
                        " is out of bounds for dimension " +
                        std::to_string(axis) + " with size " +
                        std::to_string(extent),
                    {shape});
      Extent first = *position < 0 ? extent + *position : Extent(*position);
      taken.ranges.push_back({first, first + 1});
      taken.steps.push_back(1);
    } else {
      Selection s = resolveSlice(name, std::get<Slice>(index), shape[axis]);
      taken.ranges.push_back({s.begin, s.end});
      taken.steps.push_back(s.step);
      taken.shape.push_back(s.count);
    }
  }
  keep(shape.size() - taken.ranges.size());
  return taken;
}

static Tensor movement(OpKind kind, const Tensor &x, Shape ints,
                       const char *name) {
  return makeTensor(makeMovement(kind, getNode(x), std::move(ints), name));
}

/// Returns what ranges and steps take.
static Tensor take(const char *name, const Tensor &x, const Taken &taken) {
  Tensor cut = movement(OpKind::Shrink, x, flattenPairs(taken.ranges), name);
  Tensor steps = movement(OpKind::Stride, cut, taken.steps, name);
  return movement(OpKind::Reshape, steps, taken.shape, name);
}

/// Returns a tensor of `shape` that has `value`, of the shape of what is taken,
/// in the places that it was taken from, and 0 elsewhere.
static Tensor putBack(const char *name, const Tensor &value, const Taken &taken,
                      const Shape &shape) {
  Shape counts, split, joined, gaps, kept, padding;
  std::vector<int64_t> signs;
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto &[begin, end] = taken.ranges[i];
    int64_t step = std::abs(taken.steps[i]);
    Extent count = countSteps(end - begin, step);
    counts.push_back(count);
    signs.push_back(taken.steps[i] < 0 ? -1 : 1);
    split.insert(split.end(), {count, 1});
    joined.push_back(count * step);
    // Each element has its gap behind it or, where they are counted from the
    // end, before it.
    if (taken.steps[i] > 0) {
      gaps.insert(gaps.end(), {0, 0, 0, step - 1});
      kept.insert(kept.end(), {0, end - begin});
    } else {
      gaps.insert(gaps.end(), {0, 0, step - 1, 0});
      kept.insert(kept.end(), {count * step - (end - begin), count * step});
    }
    padding.insert(padding.end(), {begin, shape[i] - end});
  }
  Tensor result = movement(OpKind::Reshape, value, counts, name);
  result = movement(OpKind::Stride, result, signs, name);
  result = movement(OpKind::Reshape, result, split, name);
  result = movement(OpKind::Pad, result, gaps, name);
  result = movement(OpKind::Reshape, result, joined, name);
  result = movement(OpKind::Shrink, result, kept, name);
  return movement(OpKind::Pad, result, padding, name);
}

//===----------------------------------------------------------------------===//
// Tensors of positions
//===----------------------------------------------------------------------===//

/// Reduces `axes`, which get size 1.
static Tensor reduce(OpKind kind, const Tensor &x,
                     const std::vector<int64_t> &axes) {
  Shape shape = x.shape();
  for (int64_t axis : axes)
    shape[axis] = 1;
  return movement(kind, x, std::move(shape), "getitem");
}

namespace {

/// Integers that are equal at what is asked for. Axes of size 1 are repeated.
using Equality = std::pair<Tensor, Tensor>;

} // namespace

/// Returns the number of elements of `shape` if that is a number.
static std::optional<int64_t> multiplyExtents(const Shape &shape) {
  int64_t count = 1;
  for (const Extent &extent : shape)
    if (extent.isSymbolic() ||
        llvm::MulOverflow(count, static_cast<int64_t>(extent), count))
      return std::nullopt;
  return count;
}

/// Returns where all of `equalities` hold.
static Tensor makeMask(const std::vector<Equality> &equalities) {
  Tensor mask = equal(equalities[0].first, equalities[0].second);
  for (size_t i = 1; i < equalities.size(); ++i)
    mask = mask * equal(equalities[i].first, equalities[i].second);
  return mask;
}

/// Returns along `axes`, which get size 1, the only element of `values` where
/// all of `equalities` hold, and 0 where they nowhere do. All have as many
/// axes; those of size 1 are repeated.
static Tensor pick(const std::vector<Equality> &equalities,
                   const Tensor &values, const std::vector<int64_t> &axes) {
  std::vector<Shape> shapes = {values.shape()};
  for (const auto &[lhs, rhs] : equalities)
    shapes.insert(shapes.end(), {lhs.shape(), rhs.shape()});
  // Repeated before anything is computed of them, so that neither a mask nor
  // bits are stored: the kernel compares, and skips what is not asked for.
  Shape shape = broadcastShapes("getitem", shapes);
  std::vector<Equality> everywhere;
  for (const auto &[lhs, rhs] : equalities)
    everywhere.emplace_back(broadcastTo("getitem", lhs, shape),
                            broadcastTo("getitem", rhs, shape));
  Tensor mask = makeMask(everywhere);
  // The bits are summed, not the numbers: a -0 stays one.
  Tensor bits = broadcastTo("getitem", values.detach(), shape);
  DType type = values.dtype();
  if (type == DType::Bool) {
    bits = cast(bits, DType::UInt8);
  } else if (isFloat(type)) {
    int64_t width = getByteWidth(type);
    bits = bitcast(bits, width == 2   ? DType::UInt16
                         : width == 4 ? DType::UInt32
                                      : DType::UInt64);
  }
  Tensor picked = reduce(OpKind::ReduceSum, where(mask, bits, 0), axes);
  if (!isFloat(type))
    return cast(picked, type);
  auto backward = [mask](const std::vector<NodeRef> &inputs, const NodeRef &,
                         const NodeRef &grad) -> std::vector<NodeRef> {
    Tensor spread = where(mask, makeTensor(grad), 0);
    std::vector<int64_t> repeated;
    for (size_t i = 0; i < inputs[0]->shape.size(); ++i)
      if (inputs[0]->shape[i] == 1)
        repeated.push_back(static_cast<int64_t>(i));
    return {getNode(reduce(OpKind::ReduceSum, spread, repeated))};
  };
  return makeTensor(makeDifferentiable(getNode(bitcast(picked, type)),
                                       {getNode(values)}, backward));
}

Tensor detail::alignRank(const Tensor &x, size_t rank) {
  Shape shape = x.shape();
  shape.insert(shape.begin(), rank - shape.size(), 1);
  return reshape(x, shape);
}

namespace {

/// How tensors of positions index some axes of a tensor. The axes are taken in
/// the order: those of the positions, those without positions ("rest"), and
/// those with positions ("indexed").
struct Positions {
  Positions(const char *name, const Tensor &x, const Taken &taken);

  /// Moves the indexed axes of a tensor with the axes of `x` to the end, and
  /// puts axes of size 1 in front.
  Tensor arrange(const Tensor &x) const;
  /// Returns the elements of what `arrange` returned that are asked for.
  Tensor pickAll(const Tensor &arranged) const;

  /// The shape to which the positions broadcast, and the others.
  Shape batch, rest, indexed;
  /// The axes of the tensor in the order rest, indexed.
  std::vector<int64_t> order;
  /// Hold where the element at `indexed` is the one that `batch` asks for; the
  /// rest has size 1.
  std::vector<Equality> equalities;
  /// How many of the rest come before the batch in the result.
  size_t numBefore = 0;
};

} // namespace

Positions::Positions(const char *name, const Tensor &x, const Taken &taken) {
  std::vector<Shape> shapes;
  std::vector<size_t> axes;
  for (const auto &[axis, position] : taken.positions) {
    shapes.push_back(position.shape());
    axes.push_back(axis);
  }
  batch = broadcastShapes(name, shapes);
  for (size_t i = 0; i < x.shape().size(); ++i) {
    if (std::ranges::count(axes, i))
      continue;
    rest.push_back(x.shape()[i]);
    order.push_back(static_cast<int64_t>(i));
  }
  order.insert(order.end(), axes.begin(), axes.end());
  bool isTogether = axes.back() - axes.front() + 1 == axes.size();
  numBefore = isTogether ? axes.front() : 0;

  size_t rank = batch.size() + rest.size() + axes.size();
  for (size_t i = 0; i < axes.size(); ++i) {
    const Extent &extent = x.shape()[axes[i]];
    indexed.push_back(extent);
    Tensor position = taken.positions[i].second;
    // A count that the type does not hold widens it.
    if (!isUnsigned(position.dtype()))
      position =
          where(less(position, 0), position + makeNumber(extent), position);
    Shape aligned = alignRank(position, batch.size()).shape();
    aligned.insert(aligned.end(), rest.size() + axes.size(), 1);
    Shape range(rank, 1);
    range[batch.size() + rest.size() + i] = extent;
    equalities.emplace_back(reshape(position, aligned),
                            reshape(makeRange(x, 0, extent), range));
  }
}

Tensor Positions::arrange(const Tensor &x) const {
  return alignRank(permute(x, order), batch.size() + order.size());
}

Tensor Positions::pickAll(const Tensor &arranged) const {
  std::vector<int64_t> axes(indexed.size());
  std::iota(axes.begin(), axes.end(),
            static_cast<int64_t>(batch.size() + rest.size()));
  // Axis by axis takes as many comparisons as the axes have places in sum, and
  // not in product, but stores what the first of them leaves.
  constexpr int64_t maxStored = int64_t(1) << 26;
  Shape stored = batch;
  stored.insert(stored.end(), rest.begin(), rest.end());
  stored.insert(stored.end(), indexed.begin() + 1, indexed.end());
  std::optional<int64_t> count = multiplyExtents(stored);
  if (!count || *count > maxStored)
    return pick(equalities, arranged, axes);
  Tensor picked = arranged;
  for (size_t i = 0; i < axes.size(); ++i)
    picked = pick({equalities[i]}, picked, {axes[i]});
  return picked;
}

Tensor tinygrad::getitem(const Tensor &x, const std::vector<Index> &indices) {
  Taken taken = resolveIndices("getitem", x, indices);
  Tensor cut = take("getitem", x, taken);
  if (taken.positions.empty())
    return cut;
  Positions positions("getitem", cut, taken);
  Tensor picked = positions.pickAll(positions.arrange(cut));
  Shape shape = positions.batch;
  shape.insert(shape.end(), positions.rest.begin(), positions.rest.end());
  // The axes of the batch take their place among the rest.
  size_t numBatch = positions.batch.size();
  std::vector<int64_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + numBatch,
              order.begin() + numBatch + positions.numBefore);
  return permute(reshape(picked, shape), order);
}

/// Returns `x` with `value` at the positions.
static Tensor put(const Tensor &x, const Taken &taken, const Tensor &value) {
  Positions at("setitem", x, taken);
  // Arranged as the result of getitem, then with the batch in front.
  Shape shape(at.rest.begin(), at.rest.begin() + at.numBefore);
  shape.insert(shape.end(), at.batch.begin(), at.batch.end());
  shape.insert(shape.end(), at.rest.begin() + at.numBefore, at.rest.end());
  Tensor values = broadcastTo("setitem", value, shape);
  std::vector<int64_t> front(shape.size());
  std::iota(front.begin(), front.end(), 0);
  std::rotate(front.begin(), front.begin() + at.numBefore,
              front.begin() + at.numBefore + at.batch.size());
  values = permute(values, front);

  // Each element of the batch has a number; of those that hit one place the
  // last one counts.
  Shape arranged = values.shape(), numbers = at.batch;
  arranged.insert(arranged.end(), at.indexed.size(), 1);
  numbers.insert(numbers.end(), at.rest.size() + at.indexed.size(), 1);
  int64_t count = countElements("setitem", at.batch);
  Tensor number = reshape(makeRange(x, 0, count), numbers);
  std::vector<int64_t> batchAxes(at.batch.size());
  std::iota(batchAxes.begin(), batchAxes.end(), 0);
  Tensor last = where(makeMask(at.equalities), number, -1);
  if (count == 0)
    return x;
  last = reduce(OpKind::ReduceMax, last, batchAxes);
  Tensor placed = pick({{number, last}}, reshape(values, arranged), batchAxes);
  Tensor result = where(less(last, 0), at.arrange(x), placed);

  // Back to the order of the axes of `x`.
  Shape ordered = at.rest;
  ordered.insert(ordered.end(), at.indexed.begin(), at.indexed.end());
  std::vector<int64_t> inverse(at.order.size());
  for (size_t i = 0; i < at.order.size(); ++i)
    inverse[at.order[i]] = static_cast<int64_t>(i);
  return permute(reshape(result, ordered), inverse);
}

Tensor tinygrad::setitem(const Tensor &x, const std::vector<Index> &indices,
                         const Tensor &value) {
  const char *name = "setitem";
  Taken taken = resolveIndices(name, x, indices);
  // A number takes the type of the tensor with all its bits.
  const auto &number = value.getImpl()->number;
  if (number)
    noteRead(value.getImpl());
  Tensor fitting = number ? makeTensor(makeConst(ops::cast(*number, x.dtype())))
                          : cast(value, x.dtype());
  Tensor part = taken.positions.empty()
                    ? broadcastTo(name, fitting, taken.shape)
                    : put(take(name, x, taken), taken, fitting);
  Tensor isPart = Tensor::ones(taken.shape, DType::Bool);
  return where(putBack(name, isPart, taken, x.shape()),
               putBack(name, part, taken, x.shape()), x);
}

Tensor Tensor::setitem(const std::vector<Index> &indices, const Tensor &value,
                       Place place) const {
  PlaceScope scope(place);
  if (!device().starts_with("DISK:"))
    return assign(tinygrad::setitem(*this, indices, value));
  Tensor part = tinygrad::getitem(*this, indices);
  Tensor fitting = value.dtype() == dtype() ? value : value.cast(dtype());
  part.assign(broadcastTo("setitem", fitting, part.shape()));
  return *this;
}

Tensor tinygrad::gather(const Tensor &x, const Tensor &index, int64_t axis) {
  checkInteger("gather", "an index", index);
  int64_t along = resolveAxis("gather", axis, x.shape().size());
  Ranges ranges;
  bool fits = index.shape().size() == x.shape().size();
  for (int64_t i = 0; fits && i < x.ndim(); ++i) {
    Extent extent = i == along ? x.shape(i) : index.shape(i);
    fits = shape::isProvablyLessOrEqual(toExpr(extent), toExpr(x.shape(i)));
    ranges.push_back({0, extent});
  }
  if (!fits)
    throw Error(
        "gather",
        "expects an index whose axes are no longer than those of shape " +
            ops::toString(x.shape()) + " but for axis " +
            std::to_string(along) + ", got shape " +
            ops::toString(index.shape()),
        {x.shape(), index.shape()});
  // The axis goes to the end; an axis of size 1 takes its place.
  Tensor values = transpose(unsqueeze(shrink(x, ranges), -1), along, -1);
  Shape range(x.shape().size() + 1, 1);
  range.back() = x.shape(along);
  Tensor positions = reshape(makeRange(x, 0, x.shape(along)), range);
  return reshape(pick({{unsqueeze(index, -1), positions}}, values, {x.ndim()}),
                 index.shape());
}
