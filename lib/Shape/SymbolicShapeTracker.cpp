//===- SymbolicShapeTracker.cpp - Chains of symbolic views ------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Movement functions act on the outermost view and then merge it with those
// before it. Without variables ShapeTracker does all of it, so that results
// are the same. Accesses are in SymbolicAccess.cpp.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Shape/SymbolicShapeTracker.h"

#include "SymbolicMovement.h"

#include <algorithm>
#include <cassert>

using namespace tinygrad::shape;

//===----------------------------------------------------------------------===//
// Expressions and numbers
//===----------------------------------------------------------------------===//

static std::optional<Dims> toStatic(const SymbolicDims &dims) {
  Dims numbers;
  for (const IndexExpr &dim : dims) {
    if (!dim.isConstant())
      return std::nullopt;
    numbers.push_back(dim.getValue());
  }
  return numbers;
}

static std::optional<Mask> toStatic(const SymbolicMask &mask) {
  Mask numbers;
  for (const auto &[first, second] : mask) {
    if (!first.isConstant() || !second.isConstant())
      return std::nullopt;
    numbers.emplace_back(first.getValue(), second.getValue());
  }
  return numbers;
}

/// Returns `view` with `replace(e)` for each expression e.
static SymbolicView
mapView(const SymbolicView &view,
        const std::function<IndexExpr(const IndexExpr &)> &replace) {
  SymbolicDims shape, strides;
  std::optional<SymbolicMask> mask;
  for (const IndexExpr &extent : view.shape)
    shape.push_back(replace(extent));
  for (const IndexExpr &stride : view.strides)
    strides.push_back(replace(stride));
  if (view.mask) {
    mask.emplace();
    for (const auto &[begin, end] : *view.mask)
      mask->emplace_back(replace(begin), replace(end));
  }
  return SymbolicView::create(std::move(shape), std::move(strides),
                              replace(view.offset), std::move(mask));
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// Merges views that end with the last one, as far as that goes. All views
/// before the last are merged as far as possible already.
static void mergeLast(std::vector<SymbolicView> &views) {
  while (views.size() > 1) {
    std::optional<SymbolicView> merged =
        compose(views[views.size() - 2], views.back());
    if (!merged || !merged->hasSmallIndices())
      return;
    views.pop_back();
    views.back() = std::move(*merged);
  }
}

/// Applies `movement` to the last view. Where one view cannot express the
/// result, a contiguous one is added and moved instead.
template <typename Movement>
static std::vector<SymbolicView> moveLast(std::vector<SymbolicView> views,
                                          Movement movement) {
  std::optional<SymbolicView> moved = movement(views.back());
  if (moved) {
    views.back() = std::move(*moved);
  } else {
    moved = movement(SymbolicView::create(views.back().shape));
    assert(moved && "a view without mask can be moved");
    views.push_back(std::move(*moved));
  }
  mergeLast(views);
  return views;
}

//===----------------------------------------------------------------------===//
// SymbolicShapeTracker
//===----------------------------------------------------------------------===//

SymbolicShapeTracker SymbolicShapeTracker::fromShape(SymbolicDims shape) {
  return SymbolicShapeTracker({SymbolicView::create(std::move(shape))});
}

SymbolicShapeTracker
SymbolicShapeTracker::fromViews(std::vector<SymbolicView> views) {
  assert(!views.empty() && "a tracker has a view");
  return SymbolicShapeTracker(std::move(views));
}

SymbolicShapeTracker
SymbolicShapeTracker::fromStatic(const ShapeTracker &tracker) {
  std::vector<SymbolicView> views;
  for (const View &view : tracker.getViews())
    views.push_back(SymbolicView::fromStatic(view));
  return SymbolicShapeTracker(std::move(views));
}

std::optional<ShapeTracker> SymbolicShapeTracker::toStatic() const {
  std::vector<View> result;
  for (const SymbolicView &view : views) {
    std::optional<View> plain = view.toStatic();
    if (!plain)
      return std::nullopt;
    result.push_back(std::move(*plain));
  }
  return ShapeTracker::fromViews(std::move(result));
}

IndexExpr SymbolicShapeTracker::getNumElements() const {
  return shape::getNumElements(getShape());
}

bool SymbolicShapeTracker::isContiguous() const {
  return views.size() == 1 && views.front().isContiguous();
}

/// Returns all expressions of `views`.
static std::vector<IndexExpr>
collectExprs(const std::vector<SymbolicView> &views) {
  std::vector<IndexExpr> exprs;
  for (const SymbolicView &view : views) {
    exprs.insert(exprs.end(), view.shape.begin(), view.shape.end());
    exprs.insert(exprs.end(), view.strides.begin(), view.strides.end());
    exprs.push_back(view.offset);
    if (view.mask)
      for (const auto &[begin, end] : *view.mask) {
        exprs.push_back(begin);
        exprs.push_back(end);
      }
  }
  return exprs;
}

bool SymbolicShapeTracker::isSymbolic() const {
  std::vector<IndexExpr> exprs = collectExprs(views);
  return std::any_of(exprs.begin(), exprs.end(), shape::isSymbolic);
}

std::vector<IndexExpr> SymbolicShapeTracker::getVariables() const {
  return collectVariables(collectExprs(views));
}

SymbolicShapeTracker
SymbolicShapeTracker::permute(std::span<const int64_t> order) const {
  if (std::optional<ShapeTracker> plain = toStatic())
    return fromStatic(plain->permute(order));
  return SymbolicShapeTracker(moveLast(views, [&](const SymbolicView &view) {
    return shape::permute(view, order);
  }));
}

SymbolicShapeTracker
SymbolicShapeTracker::expand(const SymbolicDims &newShape) const {
  std::optional<Dims> extents = ::toStatic(newShape);
  if (std::optional<ShapeTracker> plain = toStatic(); plain && extents)
    return fromStatic(plain->expand(*extents));
  return SymbolicShapeTracker(moveLast(views, [&](const SymbolicView &view) {
    return shape::expand(view, newShape);
  }));
}

SymbolicShapeTracker
SymbolicShapeTracker::pad(const SymbolicMask &padding) const {
  std::optional<Mask> pairs = ::toStatic(padding);
  if (std::optional<ShapeTracker> plain = toStatic(); plain && pairs)
    return fromStatic(plain->pad(*pairs));
  // A view of its own counts from 0 again, with the strides of its shape.
  bool isLast = true;
  return SymbolicShapeTracker(moveLast(views, [&](const SymbolicView &view) {
    std::optional<SymbolicView> moved = shape::pad(view, padding);
    bool mustFit = std::exchange(isLast, false);
    return mustFit && moved && !moved->hasSmallIndices() ? std::nullopt : moved;
  }));
}

SymbolicShapeTracker
SymbolicShapeTracker::shrink(const SymbolicMask &ranges) const {
  std::optional<Mask> pairs = ::toStatic(ranges);
  if (std::optional<ShapeTracker> plain = toStatic(); plain && pairs)
    return fromStatic(plain->shrink(*pairs));
  return SymbolicShapeTracker(moveLast(views, [&](const SymbolicView &view) {
    return shape::shrink(view, ranges);
  }));
}

SymbolicShapeTracker
SymbolicShapeTracker::stride(std::span<const int64_t> steps) const {
  if (std::optional<ShapeTracker> plain = toStatic())
    return fromStatic(plain->stride(steps));
  return SymbolicShapeTracker(moveLast(views, [&](const SymbolicView &view) {
    return shape::stride(view, steps);
  }));
}

SymbolicShapeTracker
SymbolicShapeTracker::reshape(const SymbolicDims &newShape) const {
  std::optional<Dims> extents = ::toStatic(newShape);
  if (std::optional<ShapeTracker> plain = toStatic(); plain && extents)
    return fromStatic(plain->reshape(*extents));
  std::vector<SymbolicView> result = views;
  result.push_back(SymbolicView::create(newShape));
  mergeLast(result);
  return SymbolicShapeTracker(std::move(result));
}

SymbolicShapeTracker
SymbolicShapeTracker::compose(const SymbolicShapeTracker &outer) const {
  std::optional<ShapeTracker> plain = toStatic(), plainOuter = outer.toStatic();
  if (plain && plainOuter)
    return fromStatic(plain->compose(*plainOuter));
  std::vector<SymbolicView> result = views;
  for (const SymbolicView &view : outer.views) {
    result.push_back(view);
    mergeLast(result);
  }
  return SymbolicShapeTracker(std::move(result));
}

SymbolicShapeTracker SymbolicShapeTracker::simplify() const {
  if (std::optional<ShapeTracker> plain = toStatic())
    return fromStatic(plain->simplify());
  std::vector<SymbolicView> result = views;
  while (true) {
    std::vector<SymbolicView> merged;
    for (const SymbolicView &view : result) {
      merged.push_back(view);
      mergeLast(merged);
    }
    if (merged.size() == result.size())
      return SymbolicShapeTracker(std::move(merged));
    result = std::move(merged);
  }
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

std::optional<SymbolicShapeTracker>
SymbolicShapeTracker::bind(const Bindings &bindings, std::string &error) const {
  if (!verifyBindings(getVariables(), bindings, /*needsAll=*/false, error))
    return std::nullopt;
  std::vector<SymbolicView> bound;
  for (const SymbolicView &view : views)
    bound.push_back(mapView(view, [&](const IndexExpr &expr) {
      return bindVariables(expr, bindings);
    }));
  return SymbolicShapeTracker(std::move(bound));
}

std::optional<std::pair<SymbolicShapeTracker, Bindings>>
SymbolicShapeTracker::unbind() const {
  Bindings bindings;
  bool isConsistent = true;
  std::vector<SymbolicView> free;
  for (const SymbolicView &view : views)
    free.push_back(mapView(view, [&](const IndexExpr &expr) {
      std::optional<IndexExpr> unbound = unbindVariables(expr, bindings);
      isConsistent &= unbound.has_value();
      return unbound.value_or(expr);
    }));
  if (!isConsistent)
    return std::nullopt;
  return std::pair(SymbolicShapeTracker(std::move(free)), std::move(bindings));
}

std::string SymbolicShapeTracker::toString() const {
  std::string text = "shape_tracker<";
  for (size_t i = 0; i < views.size(); ++i)
    text += (i ? ", " : "") + views[i].toString();
  return text + '>';
}
