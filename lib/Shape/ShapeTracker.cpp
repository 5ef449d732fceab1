//===- ShapeTracker.cpp - A chain of views ----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Movement functions act on the outermost view and then merge it with those
// before it. Accesses are in IndexAccess.cpp.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Shape/ShapeTracker.h"

#include "AccessMerge.h"
#include "Arithmetic.h"

#include <algorithm>
#include <cassert>

using namespace tinygrad::shape;

/// How many neighbouring views are looked at together. Two views that do not
/// merge can still do so with the next one; longer windows find next to
/// nothing.
static constexpr size_t maxWindow = 4;

/// Returns the one view that equals `window`, if that is found.
static std::optional<View> mergeWindow(std::span<const View> window) {
  if (window.size() == 2)
    if (std::optional<View> merged = compose(window[0], window[1]);
        merged && merged->hasSmallIndices())
      return merged;
  std::optional<View> merged = composeByAccess(window);
  return merged && merged->hasSmallIndices() ? merged : std::nullopt;
}

/// Merges views that end with the last one, as far as that goes. All views
/// before the last are merged as far as possible already.
static void mergeLast(std::vector<View> &views) {
  for (size_t size = 2; size <= std::min(views.size(), maxWindow);) {
    std::optional<View> merged = mergeWindow(std::span(views).last(size));
    if (!merged) {
      ++size;
      continue;
    }
    views.resize(views.size() - size + 1, *merged);
    views.back() = std::move(*merged);
    size = 2;
  }
}

/// Returns `views` with `last` in place of the last one, merged.
static std::vector<View> replaceLast(std::vector<View> views, View last) {
  views.back() = std::move(last);
  mergeLast(views);
  return views;
}

/// Returns `views` with `last`, which is the last one with its axes reordered,
/// repeated, flipped or padded. Views that did not merge before this do not
/// after it either: where one view could say the result, undoing the step would
/// leave one that says what was before. Without elements anything merges.
static std::vector<View> replaceLastAlike(std::vector<View> views, View last) {
  const Dims &shape = last.getShape();
  bool isEmpty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  views.back() = std::move(last);
  if (isEmpty)
    mergeLast(views);
  return views;
}

ShapeTracker ShapeTracker::fromShape(Dims shape) {
  return ShapeTracker({View::create(std::move(shape))});
}

ShapeTracker ShapeTracker::fromViews(std::vector<View> views) {
  assert(!views.empty() && "a tracker has a view");
  return ShapeTracker(std::move(views));
}

int64_t ShapeTracker::getNumElements() const {
  return countElements(getShape())
      .value_or(std::numeric_limits<int64_t>::max());
}

bool ShapeTracker::isContiguous() const {
  return views.size() == 1 && views.front().isContiguous();
}

ShapeTracker ShapeTracker::permute(std::span<const int64_t> order) && {
  View last = views.back().permute(order);
  return ShapeTracker(replaceLastAlike(std::move(views), std::move(last)));
}

ShapeTracker ShapeTracker::expand(std::span<const int64_t> newShape) && {
  View last = views.back().expand(newShape);
  return ShapeTracker(replaceLastAlike(std::move(views), std::move(last)));
}

ShapeTracker
ShapeTracker::pad(std::span<const std::pair<int64_t, int64_t>> padding) && {
  // A view of its own counts from 0 again, with the strides of its shape.
  if (!views.back().hasSmallIndices(padding)) {
    views.push_back(View::create(getShape()).pad(padding));
    return ShapeTracker(std::move(views));
  }
  View last = views.back().pad(padding);
  return ShapeTracker(replaceLastAlike(std::move(views), std::move(last)));
}

ShapeTracker
ShapeTracker::shrink(std::span<const std::pair<int64_t, int64_t>> ranges) && {
  View last = views.back().shrink(ranges);
  return ShapeTracker(replaceLast(std::move(views), std::move(last)));
}

ShapeTracker ShapeTracker::stride(std::span<const int64_t> steps) && {
  bool takesAll = std::all_of(steps.begin(), steps.end(), [](int64_t step) {
    return step == 1 || step == -1;
  });
  View last = views.back().stride(steps);
  return ShapeTracker(takesAll
                          ? replaceLastAlike(std::move(views), std::move(last))
                          : replaceLast(std::move(views), std::move(last)));
}

ShapeTracker ShapeTracker::reshape(std::span<const int64_t> newShape) && {
  if (std::optional<View> reshaped = views.back().reshape(newShape))
    return ShapeTracker(replaceLast(std::move(views), std::move(*reshaped)));
  views.push_back(View::create(Dims(newShape.begin(), newShape.end())));
  mergeLast(views);
  return ShapeTracker(std::move(views));
}

ShapeTracker ShapeTracker::compose(const ShapeTracker &outer) && {
  for (const View &view : outer.views) {
    views.push_back(view);
    mergeLast(views);
  }
  return ShapeTracker(std::move(views));
}

ShapeTracker ShapeTracker::simplify() const {
  // Merging from the innermost view outwards leaves no two that merge, but for
  // what a merge changes before it: go on until nothing does.
  std::vector<View> result = views;
  while (true) {
    std::vector<View> merged;
    for (const View &view : result) {
      merged.push_back(view);
      mergeLast(merged);
    }
    if (merged.size() == result.size())
      return ShapeTracker(std::move(merged));
    result = std::move(merged);
  }
}

int64_t ShapeTracker::getIndex(std::span<const int64_t> position) const {
  int64_t index = views.back().getIndex(position);
  for (size_t i = views.size() - 1; i-- > 0 && index >= 0;) {
    const Dims &shape = views[i].getShape();
    Dims digits(shape.size());
    for (size_t axis = shape.size(); axis-- > 0;) {
      digits[axis] = index % shape[axis];
      index /= shape[axis];
    }
    index = views[i].getIndex(digits);
  }
  return index;
}

std::string ShapeTracker::toString() const {
  std::string text = "shape_tracker<";
  for (size_t i = 0; i < views.size(); ++i)
    text += (i ? ", " : "") + views[i].toString();
  return text + '>';
}
