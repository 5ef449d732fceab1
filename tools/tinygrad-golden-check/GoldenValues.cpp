//===- GoldenValues.cpp - Numbers and views of the golden files -----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GoldenValues.h"
#include "tinygrad/Ops/Graph.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace tinygrad;
using namespace tinygrad::golden;
namespace json = llvm::json;

bool tinygrad::fromJSON(const json::Value &value, DType &result,
                        json::Path path) {
  std::optional<DType> type;
  if (auto name = value.getAsString())
    type = parseDType(*name);
  if (!type) {
    path.report("expected the name of an element type");
    return false;
  }
  result = *type;
  return true;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

ops::Scalar Number::toScalar(DType type) const {
  if (auto text = value.getAsString()) {
    double number = std::numeric_limits<double>::infinity();
    if (*text == "nan")
      number = std::numeric_limits<double>::quiet_NaN();
    return ops::Scalar::fromDouble(type, *text == "-inf" ? -number : number);
  }
  if (auto boolean = value.getAsBoolean())
    return ops::Scalar::fromInt(type, *boolean);
  // Of a float, LLVM's `getAsInteger` converts 2^63, too, which no int64 holds.
  if (!isFloat(type)) {
    if (auto integer = value.getAsInteger())
      return ops::Scalar::fromInt(type, *integer);
    if (auto integer = value.getAsUINT64())
      return ops::Scalar::fromUInt(type, *integer);
  }
  return ops::Scalar::fromDouble(type, value.getAsNumber().value_or(0));
}

bool golden::fromJSON(const json::Value &value, Number &result,
                      json::Path path) {
  auto text = value.getAsString();
  bool isNumber =
      value.getAsNumber() || value.getAsBoolean() ||
      (text && (*text == "nan" || *text == "inf" || *text == "-inf"));
  if (!isNumber) {
    path.report("expected a number, \"nan\", \"inf\" or \"-inf\"");
    return false;
  }
  result.value = value;
  return true;
}

bool golden::fromJSON(const json::Value &value, Pair &result, json::Path path) {
  std::vector<int64_t> ints;
  if (!json::fromJSON(value, ints, path))
    return false;
  if (ints.size() != 2) {
    path.report("expected a pair of integers");
    return false;
  }
  result = {ints[0], ints[1]};
  return true;
}

bool golden::readInts(const json::Value &value, std::vector<int64_t> &result,
                      json::Path path) {
  const json::Array *list = value.getAsArray();
  if (!list || list->empty() || !list->front().getAsArray())
    return json::fromJSON(value, result, path);
  std::vector<Pair> pairs;
  if (!json::fromJSON(value, pairs, path))
    return false;
  for (const Pair &pair : pairs) {
    result.push_back(pair.first);
    result.push_back(pair.second);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

shape::View GoldenView::toView() const {
  std::optional<shape::Mask> ranges;
  if (mask) {
    ranges.emplace();
    for (const Pair &range : *mask)
      ranges->emplace_back(range.first, range.second);
  }
  return shape::View::create(shape, strides, offset, ranges);
}

std::optional<std::pair<int64_t, int64_t>> GoldenView::getIndexRange() const {
  int64_t min = offset, max = offset;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    Pair range = mask ? (*mask)[axis] : Pair{0, shape[axis]};
    if (range.first >= range.second)
      return std::nullopt;
    int64_t first = range.first * strides[axis];
    int64_t last = (range.second - 1) * strides[axis];
    min += std::min(first, last);
    max += std::max(first, last);
  }
  return std::pair(min, max);
}

/// Returns true if the view has one entry per axis everywhere, and no sum of
/// its parts passes 62 bits.
static bool isValid(const GoldenView &view) {
  size_t rank = view.shape.size();
  if (view.strides.size() != rank || (view.mask && view.mask->size() != rank) ||
      !ops::getNumElements(view.shape))
    return false;
  uint64_t largest = llvm::AbsoluteValue(view.offset);
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t extent = view.shape[axis];
    if (view.mask) {
      const Pair &range = (*view.mask)[axis];
      if (range.first < 0 || range.second > extent)
        return false;
    }
    largest = llvm::SaturatingMultiplyAdd<uint64_t>(
        extent, llvm::AbsoluteValue(view.strides[axis]), largest);
  }
  return largest < static_cast<uint64_t>(ops::maxElements);
}

bool golden::fromJSON(const json::Value &value, GoldenView &result,
                      json::Path path) {
  if (const json::Array *list = value.getAsArray()) {
    if (list->size() != 4) {
      path.report("expected shape, strides, offset and mask");
      return false;
    }
    if (!json::fromJSON((*list)[0], result.shape, path.index(0)) ||
        !json::fromJSON((*list)[1], result.strides, path.index(1)) ||
        !json::fromJSON((*list)[2], result.offset, path.index(2)) ||
        !json::fromJSON((*list)[3], result.mask, path.index(3)))
      return false;
  } else {
    json::ObjectMapper mapper(value, path);
    if (!mapper || !mapper.map("shape", result.shape) ||
        !mapper.map("strides", result.strides) ||
        !mapper.map("offset", result.offset) ||
        !mapper.map("mask", result.mask))
      return false;
  }
  if (isValid(result))
    return true;
  path.report("expected a view with an entry per axis, ranges inside of the "
              "shape, and indices of 62 bits");
  return false;
}

std::optional<shape::ShapeTracker> GoldenTracker::toTracker() const {
  std::vector<shape::View> result;
  for (size_t k = 0; k < views.size(); ++k) {
    auto range = views[k].getIndexRange();
    if (k > 0 && range &&
        (range->first < 0 ||
         range->second >= *ops::getNumElements(views[k - 1].shape)))
      return std::nullopt;
    result.push_back(views[k].toView());
  }
  return shape::ShapeTracker::fromViews(std::move(result));
}

bool golden::fromJSON(const json::Value &value, GoldenTracker &result,
                      json::Path path) {
  if (!json::fromJSON(value, result.views, path))
    return false;
  if (!result.views.empty())
    return true;
  path.report("expected at least one view");
  return false;
}
