//===- TensorMovement.cpp - Views of tensors ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <algorithm>
#include <numeric>

using namespace tinygrad;
using namespace tinygrad::detail;
using ops::OpKind;

static Tensor movement(OpKind kind, const Tensor &x, Shape ints,
                       const char *name = nullptr) {
  return makeTensor(makeMovement(kind, getNode(x), std::move(ints), name));
}

Shape detail::flattenPairs(const Ranges &pairs) {
  Shape result;
  for (const auto &[first, second] : pairs) {
    result.push_back(first);
    result.push_back(second);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// One operation each
//===----------------------------------------------------------------------===//

Tensor tinygrad::reshape(const Tensor &x, const Shape &shape) {
  Shape result = shape;
  auto unknown = std::ranges::find(result, -1);
  if (unknown != result.end()) {
    *unknown = 1;
    if (std::ranges::count(result, -1))
      throw Error("reshape",
                  "expects at most one extent of -1, got " +
                      ops::toString(shape),
                  {x.shape(), shape});
    Extent known = countElements("reshape", result);
    std::optional<Extent> rest = divideExactly(x.numel(), known);
    if (!rest)
      throw Error("reshape",
                  "cannot infer the extent -1 of " + ops::toString(shape) +
                      " from shape " + ops::toString(x.shape()),
                  {x.shape(), shape});
    *unknown = *rest;
  }
  return movement(OpKind::Reshape, x, std::move(result));
}

Tensor tinygrad::permute(const Tensor &x, const std::vector<int64_t> &order) {
  std::vector<int64_t> axes;
  for (int64_t axis : order)
    axes.push_back(resolveAxis("permute", axis, x.shape().size()));
  return movement(OpKind::Permute, x, std::move(axes));
}

Tensor tinygrad::transpose(const Tensor &x, int64_t axis0, int64_t axis1) {
  size_t rank = x.shape().size();
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[resolveAxis("transpose", axis0, rank)],
            order[resolveAxis("transpose", axis1, rank)]);
  return movement(OpKind::Permute, x, std::move(order));
}

Tensor detail::broadcastTo(const char *name, const Tensor &x,
                           const Shape &shape) {
  if (x.shape() == shape)
    return makeTensor(getNode(x));
  Shape source = x.shape();
  if (source.size() < shape.size())
    source.insert(source.begin(), shape.size() - source.size(), 1);
  Tensor aligned = movement(OpKind::Reshape, x, source, name);
  return movement(OpKind::Expand, aligned, shape, name);
}

Tensor tinygrad::expand(const Tensor &x, const Shape &shape) {
  Shape result = shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != -1)
      continue;
    size_t missing = shape.size() - std::min(shape.size(), x.shape().size());
    result[i] = i < missing ? Extent(1) : x.shape()[i - missing];
  }
  return broadcastTo("expand", x, result);
}

/// Returns how far a count of elements is below 0 with some values of the
/// variables in it, though not with those that they are bound to.
static int64_t findLack(const Extent &count) {
  if (!count.isSymbolic())
    return 0;
  shape::IndexExpr expr = toExpr(count);
  return shape::resolveVariables(expr).getValue() >= 0
             ? std::max<int64_t>(-expr.getMin(), 0)
             : 0;
}

static Tensor padWithZeros(const Tensor &x, const Ranges &padding) {
  Ranges enough, kept;
  bool lacks = false;
  for (size_t i = 0; i < padding.size(); ++i) {
    const auto &[before, after] = padding[i];
    int64_t first = findLack(before), last = findLack(after);
    lacks |= first || last;
    enough.push_back({before + first, after + last});
    if (i < x.shape().size())
      kept.push_back({first, first + before + x.shape()[i] + after});
  }
  Tensor padded = movement(OpKind::Pad, x, flattenPairs(enough), "pad");
  // No value of a variable pads by less than nothing: what is too much is cut.
  return lacks ? movement(OpKind::Shrink, padded, flattenPairs(kept), "pad")
               : padded;
}

Tensor tinygrad::pad(const Tensor &x, const Ranges &padding, double value) {
  Tensor padded = padWithZeros(x, padding);
  if (value == 0 || padded.shape() == x.shape())
    return padded;
  // Selected rather than added: the value may be infinite.
  Tensor isInside = padWithZeros(Tensor::ones(x.shape(), DType::Bool), padding);
  return where(
      isInside, padded,
      makeTensor(makeConst(ops::Scalar::fromDouble(x.dtype(), value))));
}

Tensor tinygrad::pad2d(const Tensor &x, const std::vector<int64_t> &padding,
                       double value) {
  size_t rank = x.shape().size();
  if (padding.size() % 2 || padding.size() / 2 > rank)
    throw Error("pad2d",
                "expects two numbers for each of the last axes of shape " +
                    ops::toString(x.shape()) + ", got " +
                    ops::toString(padding),
                {x.shape()});
  // The numbers begin with the last axis. A negative one cuts off.
  Ranges added(rank), kept;
  for (const Extent &extent : x.shape())
    kept.push_back({0, extent});
  for (size_t i = 0; i < padding.size() / 2; ++i) {
    size_t axis = rank - 1 - i;
    int64_t before = padding[2 * i], after = padding[2 * i + 1];
    added[axis] = {std::max<int64_t>(before, 0), std::max<int64_t>(after, 0)};
    kept[axis].first -= std::min<int64_t>(before, 0);
    kept[axis].second += std::min<int64_t>(after, 0);
  }
  return pad(shrink(x, kept), added, value);
}

/// Returns how far `ranges` reach beyond each axis of `x` with some values of
/// the variables in them, though not with those that they are bound to.
static Ranges findOverhang(const Tensor &x, const Ranges &ranges) {
  Ranges result;
  for (size_t i = 0; i < ranges.size() && i < x.shape().size(); ++i) {
    const auto &[begin, end] = ranges[i];
    const Extent &extent = x.shape()[i];
    result.push_back({0, 0});
    if (extent.isSymbolic() || !(begin.isSymbolic() || end.isSymbolic()))
      continue;
    shape::IndexExpr first = toExpr(begin), last = toExpr(end);
    bool isInside =
        shape::resolveVariables(first).getValue() >= 0 &&
        shape::resolveVariables(last).getValue() <= extent.getValue();
    if (isInside)
      result.back() = {std::max<int64_t>(-first.getMin(), 0),
                       std::max<int64_t>(last.getMax() - extent.getValue(), 0)};
  }
  return result;
}

Tensor tinygrad::shrink(const Tensor &x, const Ranges &ranges) {
  Ranges overhang = findOverhang(x, ranges);
  if (std::ranges::all_of(overhang, [](const auto &pair) {
        return pair.first == 0 && pair.second == 0;
      }))
    return movement(OpKind::Shrink, x, flattenPairs(ranges));
  // Zeros there, so that no value of a variable reads what is outside.
  Ranges moved = ranges;
  for (size_t i = 0; i < overhang.size(); ++i) {
    moved[i].first += overhang[i].first;
    moved[i].second += overhang[i].first;
  }
  return movement(OpKind::Shrink,
                  movement(OpKind::Pad, x, flattenPairs(overhang), "shrink"),
                  flattenPairs(moved));
}

Tensor tinygrad::flip(const Tensor &x, const Axes &axes) {
  std::vector<int64_t> steps(x.shape().size(), 1);
  for (int64_t axis : axes.resolve("flip", x.shape().size()))
    steps[axis] = -1;
  return movement(OpKind::Stride, x, std::move(steps), "flip");
}

Tensor tinygrad::stride(const Tensor &x, const std::vector<int64_t> &steps) {
  return movement(OpKind::Stride, x, steps);
}

Tensor tinygrad::unsqueeze(const Tensor &x, int64_t axis) {
  Shape shape = x.shape();
  shape.insert(shape.begin() + resolveAxis("unsqueeze", axis, shape.size() + 1),
               1);
  return movement(OpKind::Reshape, x, std::move(shape), "unsqueeze");
}

Tensor tinygrad::squeeze(const Tensor &x, const Axes &axes) {
  Shape shape;
  // As in PyTorch, a scalar may be asked for its last axis.
  size_t rank = std::max<size_t>(x.shape().size(), 1);
  std::vector<int64_t> removed = axes.resolve("squeeze", rank);
  for (size_t i = 0; i < x.shape().size(); ++i)
    if (x.shape()[i] != 1 || !std::ranges::count(removed, i))
      shape.push_back(x.shape()[i]);
  return movement(OpKind::Reshape, x, std::move(shape), "squeeze");
}

Tensor tinygrad::flatten(const Tensor &x, int64_t startAxis) {
  size_t rank = x.shape().size();
  if (rank == 0)
    return movement(OpKind::Reshape, x, {1}, "flatten");
  // tinygrad adds an axis where there is none to join.
  bool joinsNone = startAxis == static_cast<int64_t>(rank);
  int64_t start =
      joinsNone ? startAxis : resolveAxis("flatten", startAxis, rank);
  // Not -1, which a size of 0 would leave open.
  Shape shape(x.shape().begin(), x.shape().begin() + start);
  shape.push_back(countElements(
      "flatten", Shape(x.shape().begin() + start, x.shape().end())));
  return movement(OpKind::Reshape, x, std::move(shape), "flatten");
}

Tensor tinygrad::repeat(const Tensor &x, const std::vector<int64_t> &counts) {
  if (counts.size() < x.shape().size())
    throw Error("repeat",
                "expects a count for each axis of shape " +
                    ops::toString(x.shape()) + ", got " + ops::toString(counts),
                {x.shape()});
  Shape source(counts.size() - x.shape().size(), 1);
  source.insert(source.end(), x.shape().begin(), x.shape().end());
  Shape split, repeated, result;
  for (size_t i = 0; i < counts.size(); ++i) {
    split.insert(split.end(), {1, source[i]});
    repeated.insert(repeated.end(), {counts[i], source[i]});
    result.push_back(counts[i] * source[i]);
  }
  Tensor expanded =
      movement(OpKind::Expand, movement(OpKind::Reshape, x, split, "repeat"),
               repeated, "repeat");
  return movement(OpKind::Reshape, expanded, std::move(result), "repeat");
}

Tensor tinygrad::slice(const Tensor &x,
                       const std::vector<std::pair<int64_t, int64_t>> &ranges,
                       double value) {
  const Shape &shape = x.shape();
  std::vector<std::pair<int64_t, int64_t>> padding, kept;
  for (size_t i = 0; i < ranges.size() && i < shape.size(); ++i) {
    auto [begin, end] = ranges[i];
    constexpr int64_t limit = int64_t{1} << 62;
    if (begin <= -limit || end >= limit || begin > end)
      throw Error(
          "slice",
          "expects ranges that do not end before they begin, got from " +
              std::to_string(begin) + " to " + std::to_string(end),
          {shape});
    int64_t before = std::max<int64_t>(-begin, 0);
    padding.push_back({before, std::max<int64_t>(end - shape[i], 0)});
    kept.push_back({begin + before, end + before});
  }
  if (ranges.size() != shape.size())
    throw Error("slice",
                "expects a range for each axis of shape " +
                    ops::toString(shape) + ", got " +
                    std::to_string(ranges.size()),
                {shape});
  return shrink(pad(x, padding, value), kept);
}

/// Returns true where j - i is at least, or at most, k along the last two axes.
static Tensor makeTriangle(const char *name, const Tensor &x, int64_t k,
                           bool isUpper) {
  if (x.ndim() < 2)
    throw Error(name,
                "expects at least two axes, got shape " +
                    ops::toString(x.shape()),
                {x.shape()});
  // Beyond its ends every diagonal does the same.
  k = std::clamp(k, -toExpr(x.shape(-2)).getMax(),
                 toExpr(x.shape(-1)).getMax());
  Tensor rows = unsqueeze(makeRange(x, k, x.shape(-2)), 1);
  Tensor columns = makeRange(x, 0, x.shape(-1));
  return isUpper ? columns >= rows : columns <= rows;
}

Tensor tinygrad::triu(const Tensor &x, int64_t k) {
  return where(makeTriangle("triu", x, k, true), x, 0);
}

Tensor tinygrad::tril(const Tensor &x, int64_t k) {
  return where(makeTriangle("tril", x, k, false), x, 0);
}

//===----------------------------------------------------------------------===//
// Several tensors
//===----------------------------------------------------------------------===//

Tensor tinygrad::cat(const std::vector<Tensor> &tensors, int64_t axis) {
  if (tensors.empty())
    throw Error("cat", "expects at least one tensor, got none");
  std::vector<Tensor> parts = promote(tensors);
  Shape shape = parts[0].shape();
  size_t rank = shape.size();
  size_t joined = resolveAxis("cat", axis, rank);
  Extent total = 0;
  for (const Tensor &part : parts) {
    Shape other = part.shape();
    if (other.size() == rank) {
      total += other[joined];
      other[joined] = shape[joined];
    }
    if (other != shape)
      throw Error("cat",
                  "expects shapes that differ in axis " +
                      std::to_string(joined) + " alone, got " +
                      ops::toString(shape) + " and " +
                      ops::toString(part.shape()),
                  {shape, part.shape()});
  }
  // Each part with zeros around it; together they cover the result once. Parts
  // without elements add nothing but their gradients.
  std::optional<Tensor> result;
  Extent before = 0;
  for (const Tensor &part : parts) {
    Ranges padding(rank);
    const Extent &extent = part.shape()[joined];
    if (extent == 0 && total != 0 && !getNode(part)->requiresGrad)
      continue;
    padding[joined] = {before, total - before - extent};
    before += extent;
    Tensor padded = pad(part, padding);
    result = result ? *result + padded : padded;
  }
  return *result;
}

Tensor tinygrad::stack(const std::vector<Tensor> &tensors, int64_t axis) {
  if (tensors.empty())
    throw Error("stack", "expects at least one tensor, got none");
  int64_t position = resolveAxis("stack", axis, tensors[0].shape().size() + 1);
  std::vector<Tensor> parts;
  for (const Tensor &tensor : tensors) {
    if (tensor.shape() != tensors[0].shape())
      throw Error("stack",
                  "expects tensors of one shape, got " +
                      ops::toString(tensors[0].shape()) + " and " +
                      ops::toString(tensor.shape()),
                  {tensors[0].shape(), tensor.shape()});
    parts.push_back(unsqueeze(tensor, position));
  }
  return cat(parts, position);
}

std::vector<Tensor> tinygrad::split(const Tensor &x, int64_t size,
                                    int64_t axis) {
  if (size < 1)
    throw Error("split", "expects parts of at least one element, got " +
                             std::to_string(size));
  size_t cut = resolveAxis("split", axis, x.shape().size());
  Ranges ranges;
  for (const Extent &extent : x.shape())
    ranges.push_back({0, extent});
  int64_t extent = x.shape()[cut];
  std::vector<Tensor> parts;
  for (int64_t begin = 0; begin < extent; begin += size) {
    ranges[cut] = {begin, std::min(begin + size, extent)};
    parts.push_back(shrink(x, ranges));
  }
  return parts;
}

std::vector<Tensor> tinygrad::chunk(const Tensor &x, int64_t count,
                                    int64_t axis) {
  if (count < 1)
    throw Error("chunk",
                "expects at least one part, got " + std::to_string(count));
  int64_t extent = x.shape()[resolveAxis("chunk", axis, x.shape().size())];
  // Nothing has as many parts as are asked for, as in numpy and PyTorch.
  if (extent == 0)
    return std::vector<Tensor>(count, x);
  return split(x, (extent + count - 1) / count, axis);
}
