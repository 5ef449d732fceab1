//===- Layout.cpp - Shapes and views, symbolic or not ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Shape/Layout.h"

#include <algorithm>

using namespace tinygrad::shape;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Sizes::Sizes(SymbolicDims exprs) {
  if (std::optional<Dims> numbers = toNumbers(exprs))
    values = std::move(*numbers);
  else
    values = std::move(exprs);
}

size_t Sizes::size() const {
  return visit([](const auto &list) { return list.size(); });
}

SymbolicDims Sizes::getExprs() const {
  return visit(
      [](const auto &list) { return SymbolicDims(list.begin(), list.end()); });
}

Dims Sizes::getLargest() const {
  if (!isSymbolic())
    return getNumbers();
  Dims largest;
  for (const IndexExpr &expr : getExprs())
    largest.push_back(expr.getMax());
  return largest;
}

Sizes Sizes::permute(std::span<const int64_t> order) const {
  return visit([&](const auto &list) -> Sizes {
    std::decay_t<decltype(list)> result;
    for (int64_t axis : order)
      result.push_back(list[axis]);
    return result;
  });
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

Layout::Layout(const SymbolicShapeTracker &symbolic) : tracker(symbolic) {
  if (std::optional<ShapeTracker> plain = symbolic.toStatic())
    tracker = std::move(*plain);
}

Layout Layout::fromShape(Sizes shape) {
  if (shape.isSymbolic())
    return SymbolicShapeTracker::fromShape(shape.getExprs());
  return ShapeTracker::fromShape(std::move(shape).getNumbers());
}

SymbolicShapeTracker Layout::getSymbolicTracker() const {
  if (isSymbolic())
    return std::get<SymbolicShapeTracker>(tracker);
  return SymbolicShapeTracker::fromStatic(getTracker());
}

Sizes Layout::getShape() const {
  return std::visit([](const auto &views) -> Sizes { return views.getShape(); },
                    tracker);
}

bool Layout::hasShape(const Sizes &shape) const {
  if (!isSymbolic())
    return !shape.isSymbolic() && getTracker().getShape() == shape.getNumbers();
  return getShape() == shape;
}

bool Layout::hasNoElements() const {
  return std::visit(
      [](const auto &views) {
        const auto &shape = views.getShape();
        return std::any_of(shape.begin(), shape.end(),
                           [](const auto &extent) { return extent == 0; });
      },
      tracker);
}

size_t Layout::getNumViews() const {
  return std::visit([](const auto &views) { return views.getViews().size(); },
                    tracker);
}

bool Layout::isContiguous() const {
  return std::visit([](const auto &views) { return views.isContiguous(); },
                    tracker);
}

bool Layout::isMasked() const {
  if (!isSymbolic())
    return std::any_of(getTracker().getViews().begin(),
                       getTracker().getViews().end(),
                       [](const View &view) { return view.getMask(); });
  const auto &views = std::get<SymbolicShapeTracker>(tracker).getViews();
  return std::any_of(views.begin(), views.end(), [](const SymbolicView &view) {
    return view.mask.has_value();
  });
}

bool Layout::hasSizeOf(const Layout &other) const {
  if (!isSymbolic() && !other.isSymbolic())
    return getTracker().getNumElements() == other.getTracker().getNumElements();
  return isProvablyEqual(getSymbolicTracker().getNumElements(),
                         other.getSymbolicTracker().getNumElements());
}

bool Layout::isEquivalent(const Layout &other) const {
  if (!isSymbolic() && !other.isSymbolic())
    return getTracker().isEquivalent(other.getTracker());
  return simplify() == other.simplify();
}

std::vector<std::optional<IndexExpr>>
Layout::getRealStrides(bool ignoreValid) const {
  return getSymbolicTracker().getRealStrides(ignoreValid);
}

ShapeTracker Layout::getLargest() const {
  if (!isSymbolic())
    return getTracker();
  Bindings bindings;
  for (const IndexExpr &variable : getSymbolicTracker().getVariables())
    bindings[variable.getName()] = variable.getMax();
  std::string error;
  return *bind(bindings, error);
}

std::optional<ShapeTracker> Layout::bind(const Bindings &bindings,
                                         std::string &error) const {
  if (!isSymbolic())
    return getTracker();
  std::optional<SymbolicShapeTracker> bound =
      getSymbolicTracker().bind(bindings, error);
  if (!bound)
    return std::nullopt;
  std::optional<ShapeTracker> numbers = bound->toStatic();
  if (!numbers)
    error = "expects a value for each variable";
  return numbers;
}

/// Returns the pairs of which `flat` is the list.
template <typename T>
static std::vector<std::pair<T, T>> makePairs(const std::vector<T> &flat) {
  std::vector<std::pair<T, T>> pairs;
  for (size_t i = 0; i < flat.size(); i += 2)
    pairs.emplace_back(flat[i], flat[i + 1]);
  return pairs;
}

Layout Layout::permute(std::span<const int64_t> order) const {
  return std::visit(
      [&](const auto &views) -> Layout { return views.permute(order); },
      tracker);
}

Layout Layout::stride(std::span<const int64_t> steps) const {
  return std::visit(
      [&](const auto &views) -> Layout { return views.stride(steps); },
      tracker);
}

Layout Layout::expand(const Sizes &newShape) const {
  if (!isSymbolic() && !newShape.isSymbolic())
    return getTracker().expand(newShape.getNumbers());
  return getSymbolicTracker().expand(newShape.getExprs());
}

Layout Layout::reshape(const Sizes &newShape) const {
  if (!isSymbolic() && !newShape.isSymbolic())
    return getTracker().reshape(newShape.getNumbers());
  return getSymbolicTracker().reshape(newShape.getExprs());
}

Layout Layout::pad(const Sizes &padding) const {
  if (!isSymbolic() && !padding.isSymbolic())
    return getTracker().pad(makePairs(padding.getNumbers()));
  return getSymbolicTracker().pad(makePairs(padding.getExprs()));
}

Layout Layout::shrink(const Sizes &ranges) const {
  if (!isSymbolic() && !ranges.isSymbolic())
    return getTracker().shrink(makePairs(ranges.getNumbers()));
  return getSymbolicTracker().shrink(makePairs(ranges.getExprs()));
}

Layout Layout::compose(const Layout &outer) const {
  if (!isSymbolic() && !outer.isSymbolic())
    return getTracker().compose(outer.getTracker());
  return getSymbolicTracker().compose(outer.getSymbolicTracker());
}

Layout Layout::simplify() const {
  return std::visit(
      [](const auto &views) -> Layout { return views.simplify(); }, tracker);
}

std::string Layout::toString() const {
  return std::visit([](const auto &views) { return views.toString(); },
                    tracker);
}
