//===- TensorContraction.cpp - Products and windows -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <algorithm>
#include <atomic>

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

Tensor detail::sumProducts(const Tensor &products, const Axes &axes) {
  Tensor result = sum(products, axes);
  return isInteger(products.dtype()) ? cast(result, products.dtype()) : result;
}

Tensor tinygrad::dot(const Tensor &x, const Tensor &w) {
  int64_t rankX = x.ndim(), rankW = w.ndim();
  int64_t contracted = rankW == 1 ? 0 : rankW - 2;
  if (rankX == 0 || rankW == 0 || x.shape(-1) != w.shape(contracted))
    throw Error("dot",
                "cannot multiply shapes " + ops::toString(x.shape()) + " and " +
                    ops::toString(w.shape()),
                {x.shape(), w.shape()});
  // [.., n, 1, k] * [.., 1, m, k], summed over k. An axis of the result is
  // there only where both sides have one.
  bool isMatrix = rankX > 1 && rankW > 1;
  Shape left = x.shape(), right = w.shape();
  if (isMatrix) {
    left.insert(left.end() - 1, 1);
    right.insert(right.end() - 2, 1);
  }
  Tensor columns = reshape(w, right);
  if (rankW > 1)
    columns = transpose(columns, -1, -2);
  Tensor product = mul(reshape(x, left), columns);
  return sumProducts(product, -1);
}

Tensor tinygrad::matmul(const Tensor &x, const Tensor &w) { return dot(x, w); }

Tensor tinygrad::linear(const Tensor &x, const Tensor &weight) {
  // A vector of weights scales the last axis. Source: `Tensor.linear`.
  return weight.ndim() == 1 ? mul(x, weight) : dot(x, weight);
}

Tensor tinygrad::linear(const Tensor &x, const Tensor &weight,
                        const Tensor &bias) {
  return add(linear(x, weight), bias);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Returns `list` with one entry per axis of a window.
static std::vector<int64_t> perAxis(const char *name, const char *what,
                                    const std::vector<int64_t> &list,
                                    size_t count, int64_t lowest) {
  std::vector<int64_t> result = list;
  if (result.size() == 1)
    result.assign(count, list[0]);
  if (result.size() != count ||
      std::ranges::any_of(result, [&](int64_t n) { return n < lowest; }))
    throw Error(name, std::string("expects ") + what + " of at least " +
                          std::to_string(lowest) + " for " +
                          std::to_string(count) + " axes, got " +
                          ops::toString(list));
  return result;
}

namespace {

/// A window over the last axes of a tensor.
struct Window {
  std::vector<int64_t> kernel, stride, dilation;

  /// The number of places of axis `i` of the window along `extent` elements;
  /// not positive where it doesn't fit.
  int64_t countPlaces(size_t i, int64_t extent) const {
    int64_t reach = dilation[i] * (kernel[i] - 1) + 1;
    return extent < reach ? 0 : (extent - reach) / stride[i] + 1;
  }
};

} // namespace

/// Returns windows where no two overlap: each axis is cut into pieces of one
/// step, of which the window is the beginning. Shape: see `pool`.
static Tensor poolApart(const Tensor &x, const Window &window,
                        const Shape &prefix, const Shape &places) {
  size_t rank = prefix.size(), count = places.size();
  Ranges padding(rank), kept, beginning;
  for (const Extent &extent : prefix) {
    kept.push_back({0, extent});
    beginning.push_back({0, extent});
  }
  Shape pieces = prefix;
  for (size_t i = 0; i < count; ++i) {
    int64_t needed = places[i] * window.stride[i];
    int64_t extent = x.shape()[rank + i];
    // The last window may end within a piece that the tensor doesn't fill.
    padding.push_back({0, std::max<int64_t>(needed - extent, 0)});
    kept.push_back({0, needed});
    pieces.insert(pieces.end(), {places[i], window.stride[i]});
    beginning.push_back({0, places[i]});
    beginning.push_back({0, window.kernel[i]});
  }
  return shrink(reshape(shrink(pad(x, padding), kept), pieces), beginning);
}

/// Returns windows where neighbours overlap. Each axis of `extent` elements is
/// repeated and cut into rows that are longer than it by the dilation: a row
/// begins that much further into the tensor than the row before, so that row k
/// holds what element k of each window reads. Shape: see `pool`, but the axes
/// of kernel and places are exchanged.
static Tensor poolOverlapping(const Tensor &x, const Window &window,
                              const Shape &prefix, const Shape &places) {
  size_t rank = prefix.size(), count = places.size();
  std::vector<int64_t> counts(rank, 1), steps(rank, 1);
  Ranges kept, read;
  for (const Extent &extent : prefix) {
    kept.push_back({0, extent});
    read.push_back({0, extent});
  }
  Shape rows = prefix;
  for (size_t i = 0; i < count; ++i) {
    int64_t extent = x.shape()[rank + i], kernel = window.kernel[i];
    int64_t length = extent + window.dilation[i];
    counts.push_back((kernel * length + extent - 1) / extent);
    kept.push_back({0, kernel * length});
    rows.insert(rows.end(), {kernel, length});
    read.push_back({0, kernel});
    read.push_back({0, (places[i] - 1) * window.stride[i] + 1});
    steps.insert(steps.end(), {1, window.stride[i]});
  }
  Tensor cut = reshape(shrink(repeat(x, counts), kept), rows);
  return stride(shrink(cut, read), steps);
}

/// Returns the windows over the last axes of `x`. Shape: what is before them,
/// the places of the window per axis, then the window.
static Tensor pool(const char *name, const Tensor &x, const Window &window) {
  size_t count = window.kernel.size();
  if (x.shape().size() < count)
    throw Error(name,
                "expects at least " + std::to_string(count) +
                    " axes, got shape " + ops::toString(x.shape()),
                {x.shape()});
  size_t rank = x.shape().size() - count;
  Shape prefix(x.shape().begin(), x.shape().begin() + rank), places;
  bool isApart = true;
  for (size_t i = 0; i < count; ++i) {
    places.push_back(window.countPlaces(i, x.shape()[rank + i]));
    if (places[i] < 1)
      throw Error(name,
                  "expects a window that fits into shape " +
                      ops::toString(x.shape()) + ", got kernel " +
                      ops::toString(window.kernel) + " with dilation " +
                      ops::toString(window.dilation),
                  {x.shape(), window.kernel});
    isApart &= window.kernel[i] <= window.stride[i] && window.dilation[i] == 1;
  }
  Tensor windows = isApart ? poolApart(x, window, prefix, places)
                           : poolOverlapping(x, window, prefix, places);
  std::vector<int64_t> order;
  for (size_t i = 0; i < rank; ++i)
    order.push_back(i);
  for (size_t i = 0; i < count; ++i)
    order.push_back(rank + 2 * i + (isApart ? 0 : 1));
  for (size_t i = 0; i < count; ++i)
    order.push_back(rank + 2 * i + (isApart ? 1 : 0));
  return permute(windows, order);
}

static Window makeWindow(const char *name, const std::vector<int64_t> &kernel,
                         const PoolOptions &options) {
  Window window;
  window.kernel = perAxis(name, "a kernel", kernel, kernel.size(), 1);
  window.stride =
      options.stride.empty()
          ? window.kernel
          : perAxis(name, "a stride", options.stride, kernel.size(), 1);
  window.dilation =
      perAxis(name, "a dilation", options.dilation, kernel.size(), 1);
  return window;
}

/// Returns the last `count` axes.
static Axes lastAxes(size_t count) {
  std::vector<int64_t> axes;
  for (size_t i = 0; i < count; ++i)
    axes.push_back(-1 - static_cast<int64_t>(i));
  return axes;
}

Tensor tinygrad::max_pool2d(const Tensor &x, const std::vector<int64_t> &kernel,
                            const PoolOptions &options) {
  Window window = makeWindow("max_pool2d", kernel, options);
  return max(pool("max_pool2d", x, window), lastAxes(kernel.size()));
}

Tensor tinygrad::avg_pool2d(const Tensor &x, const std::vector<int64_t> &kernel,
                            const PoolOptions &options) {
  Window window = makeWindow("avg_pool2d", kernel, options);
  return mean(pool("avg_pool2d", x, window), lastAxes(kernel.size()));
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// Returns the padding in the order of `pad2d`.
static std::vector<int64_t> resolvePadding(const std::vector<int64_t> &padding,
                                           size_t count) {
  if (padding.size() == 2 * count)
    return padding;
  std::vector<int64_t> one =
      perAxis("conv2d", "a padding", padding, count, INT32_MIN);
  std::vector<int64_t> result;
  for (size_t i = count; i-- > 0;)
    result.insert(result.end(), {one[i], one[i]});
  return result;
}

// What guards of this thread say, and what holds where there is none.
static thread_local std::optional<bool> useWinograd;
static std::atomic<bool> useWinogradByDefault = false;

WinogradGuard::WinogradGuard(bool value)
    : previous(std::exchange(useWinograd, value)) {}

WinogradGuard::~WinogradGuard() { useWinograd = previous; }

bool tinygrad::isWinograd() {
  return useWinograd.value_or(useWinogradByDefault);
}

void tinygrad::setWinograd(bool value) { useWinogradByDefault = value; }

/// Multiplies each of the last `count` axes by a matrix with `rows` rows.
static Tensor transformLast(const Tensor &x, const std::vector<double> &matrix,
                            int64_t rows, size_t count) {
  int64_t columns = static_cast<int64_t>(matrix.size()) / rows;
  Context::Scope scope(x.getContext());
  Tensor factor = Tensor(matrix, {rows, columns}).cast(x.dtype());
  factor = transpose(factor.to(x.device()));
  Tensor result = x;
  for (int64_t axis = -static_cast<int64_t>(count); axis < 0; ++axis)
    result = transpose(dot(transpose(result, axis, -1), factor), axis, -1);
  return result;
}

/// Returns the correlation of `x` with a kernel of 3 along `count` axes, by
/// tiles of 4 results, which take 6 elements each.
static Tensor convolveTiles(const Tensor &x, const Tensor &weight,
                            int64_t groups, std::vector<int64_t> padding) {
  const Shape &filter = weight.shape();
  size_t count = filter.size() - 2;
  const Extent &batch = x.shape()[0];
  int64_t outputs = filter[0] / groups;
  Ranges kept = {{0, batch}, {0, filter[0]}};
  for (size_t i = 0; i < count; ++i) {
    // The padding begins with the last axis.
    int64_t *ends = &padding[2 * (count - 1 - i)];
    int64_t extent = x.shape()[2 + i] + ends[0] + ends[1] - 2;
    kept.push_back({0, extent});
    ends[1] += (4 - extent % 4) % 4;
  }
  Window window = {Shape(count, 6), Shape(count, 4), Shape(count, 1)};
  Tensor tiles = pool("conv2d", pad2d(x, padding), window);
  Shape places(tiles.shape().begin() + 2, tiles.shape().end() - count);

  // The matrices B^T, G and A^T of the paper.
  Tensor data = transformLast(tiles, {4, 0, -5, 0,  1, 0, 0, -4, -4, 1,  1, 0,
                                      0, 4, -4, -1, 1, 0, 0, -2, -1, 2,  1, 0,
                                      0, 2, -1, -2, 1, 0, 0, 4,  0,  -5, 0, 1},
                              6, count);
  Tensor factors = transformLast(weight,
                                 {1. / 4, 0, 0, -1. / 6, -1. / 6, -1. / 6,
                                  -1. / 6, 1. / 6, -1. / 6, 1. / 24, 1. / 12,
                                  1. / 6, 1. / 24, -1. / 12, 1. / 6, 0, 0, 1},
                                 6, count);
  // Shapes: [N, G, 1, C, places.., 6..] and [1, G, K, C, 1.., 6..].
  Shape dataShape = {batch, groups, 1, filter[1]};
  Shape factorShape = {1, groups, outputs, filter[1]};
  dataShape.insert(dataShape.end(), places.begin(), places.end());
  factorShape.insert(factorShape.end(), count, 1);
  dataShape.insert(dataShape.end(), count, 6);
  factorShape.insert(factorShape.end(), count, 6);
  Tensor products = sum(mul(reshape(contiguous(data), dataShape),
                            reshape(contiguous(factors), factorShape)),
                        3);
  Tensor results =
      transformLast(products, {1, 1, 1, 1, 1, 0, 0, 1, -1, 2, -2, 0,
                               0, 1, 1, 4, 4, 0, 0, 1, -1, 8, -8, 1},
                    4, count);

  // From [N, G, K, places.., 4..] to [N, G*K, ..]: each place before its four.
  std::vector<int64_t> order = {0, 1, 2};
  Shape joined = {batch, filter[0]};
  for (size_t i = 0; i < count; ++i) {
    order.push_back(static_cast<int64_t>(3 + i));
    order.push_back(static_cast<int64_t>(3 + count + i));
    joined.push_back(places[i] * 4);
  }
  return shrink(reshape(permute(results, order), joined), kept);
}

Tensor tinygrad::conv2d(const Tensor &x, const Tensor &weight,
                        const ConvOptions &options) {
  const Shape &shape = x.shape(), &filter = weight.shape();
  int64_t groups = options.groups;
  if (shape.size() < 3 || shape.size() != filter.size() || groups < 1 ||
      shape[1] != groups * filter[1] || filter[0] % groups)
    throw Error("conv2d",
                "expects an input of shape [N, groups*C, ..] and a weight of "
                "shape [groups*K, C, ..], got " +
                    ops::toString(shape) + " and " + ops::toString(filter) +
                    " with " + std::to_string(groups) + " groups",
                {shape, filter});
  size_t count = shape.size() - 2;
  Window window;
  window.kernel.assign(filter.begin() + 2, filter.end());
  window.stride = perAxis("conv2d", "a stride", options.stride, count, 1);
  window.dilation = perAxis("conv2d", "a dilation", options.dilation, count, 1);
  std::vector<int64_t> padding = resolvePadding(options.padding, count);
  auto areAll = [](const std::vector<int64_t> &list, int64_t value) {
    return std::ranges::all_of(list, [=](int64_t n) { return n == value; });
  };
  if (isWinograd() && isFloat(x.dtype()) && areAll(window.kernel, 3) &&
      areAll(window.stride, 1) && areAll(window.dilation, 1)) {
    // What does not fit is told below.
    bool fits = true;
    for (size_t i = 0; i < count; ++i)
      fits &= shape[2 + i] + padding[2 * (count - 1 - i)] +
                  padding[2 * (count - 1 - i) + 1] >=
              3;
    if (fits)
      return convolveTiles(x, weight, groups, padding);
  }
  Tensor windows = pool("conv2d", pad2d(x, padding), window);

  // Windows are [N, G*C, places.., kernel..]. The product has the shape
  // [N, G, K, places.., C, kernel..], and what is summed is at its end.
  const Extent &batch = shape[0];
  int64_t channels = filter[1], outputs = filter[0] / groups;
  Shape split = {batch, groups, channels, 1},
        weightShape = {1, groups, outputs};
  split.insert(split.end(), windows.shape().begin() + 2, windows.shape().end());
  std::vector<int64_t> order = {0, 1, 3};
  Shape result = {batch, filter[0]};
  for (size_t i = 0; i < count; ++i) {
    order.push_back(4 + i);
    weightShape.push_back(1);
    result.push_back(windows.shape()[2 + i]);
  }
  order.push_back(2);
  weightShape.insert(weightShape.end(), filter.begin() + 1, filter.end());
  for (size_t i = 0; i < count; ++i)
    order.push_back(4 + count + i);

  Tensor product = mul(permute(reshape(windows, split), order),
                       reshape(weight, weightShape));
  return reshape(sumProducts(product, lastAxes(1 + count)), result);
}

Tensor tinygrad::conv2d(const Tensor &x, const Tensor &weight,
                        const Tensor &bias, const ConvOptions &options) {
  Tensor result = conv2d(x, weight, options);
  if (bias.shape() != Shape{weight.shape()[0]})
    throw Error("conv2d",
                "expects a bias of shape [" +
                    std::to_string(weight.shape()[0]) + "], got " +
                    ops::toString(bias.shape()),
                {bias.shape()});
  Shape shape(result.shape().size(), 1);
  shape[1] = bias.shape()[0];
  return result + reshape(bias, shape);
}

/// Puts `step` - 1 zeros between neighbours of the axes after the first two.
static Tensor spread(const Tensor &x, const std::vector<int64_t> &steps) {
  Shape split(x.shape().begin(), x.shape().begin() + 2), joined = split;
  std::vector<std::pair<int64_t, int64_t>> padding(2), kept;
  kept.push_back({0, joined[0]});
  kept.push_back({0, joined[1]});
  for (size_t i = 0; i < steps.size(); ++i) {
    int64_t extent = x.shape()[2 + i];
    split.insert(split.end(), {extent, 1});
    padding.insert(padding.end(), {{0, 0}, {0, steps[i] - 1}});
    joined.push_back(extent * steps[i]);
    kept.push_back({0, std::max<int64_t>(joined.back() - steps[i] + 1, 0)});
  }
  return shrink(reshape(pad(reshape(x, split), padding), joined), kept);
}

Tensor tinygrad::conv_transpose2d(const Tensor &x, const Tensor &weight,
                                  const ConvTransposeOptions &options) {
  const char *name = "conv_transpose2d";
  const Shape &shape = x.shape(), &filter = weight.shape();
  int64_t groups = options.groups;
  if (shape.size() < 3 || shape.size() != filter.size() || groups < 1 ||
      shape[1] != filter[0] || filter[0] % groups)
    throw Error(name,
                "expects an input of shape [N, groups*K, ..] and a weight of "
                "shape [groups*K, C, ..], got " +
                    ops::toString(shape) + " and " + ops::toString(filter) +
                    " with " + std::to_string(groups) + " groups",
                {shape, filter});
  size_t count = shape.size() - 2;
  std::vector<int64_t> steps =
      perAxis(name, "a stride", options.stride, count, 1);
  std::vector<int64_t> dilation =
      perAxis(name, "a dilation", options.dilation, count, 1);
  std::vector<int64_t> cut =
      perAxis(name, "a padding", options.padding, count, 0);
  std::vector<int64_t> added =
      perAxis(name, "an output padding", options.output_padding, count, 0);

  // The correlation of the input, whose elements are a stride apart, with the
  // filter turned round, whose inputs and outputs are exchanged.
  Shape grouped = {groups, filter[0] / groups}, flat = {groups * filter[1]};
  grouped.insert(grouped.end(), filter.begin() + 1, filter.end());
  flat.push_back(filter[0] / groups);
  flat.insert(flat.end(), filter.begin() + 2, filter.end());
  Tensor turned = transpose(reshape(weight, grouped), 1, 2);
  if (count)
    turned = flip(turned, lastAxes(count));
  ConvOptions conv;
  conv.groups = groups;
  conv.dilation = dilation;
  conv.padding.clear();
  for (size_t i = count; i-- > 0;) {
    int64_t reach = (filter[2 + i] - 1) * dilation[i];
    conv.padding.insert(conv.padding.end(),
                        {reach - cut[i], reach - cut[i] + added[i]});
  }
  return conv2d(spread(x, steps), reshape(turned, flat), conv);
}

Tensor tinygrad::conv_transpose2d(const Tensor &x, const Tensor &weight,
                                  const Tensor &bias,
                                  const ConvTransposeOptions &options) {
  Tensor result = conv_transpose2d(x, weight, options);
  Shape shape(result.shape().size(), 1);
  shape[1] = result.shape()[1];
  if (bias.shape() != Shape{shape[1]})
    throw Error("conv_transpose2d",
                "expects a bias of shape [" + std::to_string(shape[1]) +
                    "], got " + ops::toString(bias.shape()),
                {bias.shape()});
  return result + reshape(bias, shape);
}
