//===- SymbolicAccess.cpp - Where a symbolic chain reads --------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The access of a SymbolicShapeTracker as expressions, and what is read off it:
// real strides, buffer size.
//
//===----------------------------------------------------------------------===//

#include "LinearForm.h"
#include "SymbolicMovement.h"

#include <algorithm>
#include <cassert>

using namespace tinygrad::shape;
using Kind = IndexExpr::Kind;

/// Variables of an access in the making have numbers from here on, out of the
/// way of the caller's.
static constexpr int64_t firstInnerVariable =
    std::numeric_limits<int64_t>::min();

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Adds begin <= expr < end, unless that is provable.
static void addCondition(SymbolicAccess &access, const IndexExpr &expr,
                         const IndexExpr &begin, const IndexExpr &end) {
  if (isProvablyLessOrEqual(begin, expr) && isProvablyLess(expr, end))
    return;
  access.conditions.push_back({expr, begin, end - 1});
}

/// Returns `index` in the radix of `shape`. Where it is read it lies in this
/// shape: the first digit needs no remainder.
static std::vector<IndexExpr> getDigits(const IndexExpr &index,
                                        const SymbolicDims &shape) {
  std::vector<IndexExpr> digits(shape.size(), 0);
  size_t first = 0;
  while (first < shape.size() && shape[first].isConstant(1))
    ++first;
  IndexExpr weight = 1;
  for (size_t axis = shape.size(); axis-- > first;) {
    if (shape[axis].isConstant(1))
      continue;
    digits[axis] = index.floorDiv(weight);
    if (axis != first)
      digits[axis] = digits[axis].mod(shape[axis]);
    weight = weight * shape[axis];
  }
  return digits;
}

/// Reads `views` at `axes`, which lie in the mask of the last view: only the
/// masks of the others become conditions.
static SymbolicAccess readThrough(std::span<const SymbolicView> views,
                                  std::vector<IndexExpr> axes) {
  SymbolicAccess access{0, {}};
  for (size_t i = views.size(); i-- > 0;) {
    const SymbolicView &view = views[i];
    IndexExpr index = view.offset;
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      if (view.mask && i + 1 != views.size())
        addCondition(access, axes[axis], (*view.mask)[axis].first,
                     (*view.mask)[axis].second);
      index = index + axes[axis] * view.strides[axis];
    }
    access.index = index;
    if (i > 0)
      axes = getDigits(index, views[i - 1].shape);
  }
  return access;
}

/// Returns the range of `axis` that `view` does not mask.
static std::pair<IndexExpr, IndexExpr> getRange(const SymbolicView &view,
                                                size_t axis) {
  if (view.mask)
    return (*view.mask)[axis];
  return {0, view.shape[axis]};
}

/// Returns an inner variable that counts the positions in the range of `axis`.
static IndexExpr makeInner(const SymbolicView &view, size_t axis) {
  auto [begin, end] = getRange(view, axis);
  return IndexExpr::variable(firstInnerVariable + static_cast<int64_t>(axis),
                             end - begin);
}

SymbolicAccess
SymbolicShapeTracker::getAccess(std::span<const IndexExpr> axes) const {
  assert(axes.size() == getShape().size() && "one expression per axis");
  SymbolicAccess access{0, {}};
  if (std::optional<ShapeTracker> plain = toStatic()) {
    IndexAccess numbers = plain->getAccess(axes);
    access.index = numbers.index;
    for (const IndexRange &range : numbers.conditions)
      access.conditions.push_back({range.expr, range.min, range.max});
    return access;
  }
  const SymbolicView &outer = views.back();
  std::vector<IndexExpr> inner(axes.begin(), axes.end());
  if (outer.mask)
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      auto [begin, end] = getRange(outer, axis);
      size_t count = access.conditions.size();
      addCondition(access, axes[axis], begin, end);
      // Past the condition the axis lies in its range: simplify with that, and
      // put the caller's expression back afterwards.
      if (access.conditions.size() > count)
        inner[axis] = begin + makeInner(outer, axis);
    }
  SymbolicAccess through = readThrough(views, std::move(inner));
  auto putBack = [&](const IndexExpr &expr) {
    return substitute(expr, [&](const IndexExpr &variable) {
      if (variable.getValue() >= 0)
        return variable;
      auto axis = static_cast<size_t>(variable.getValue() - firstInnerVariable);
      return axes[axis] - getRange(outer, axis).first;
    });
  };
  access.index = putBack(through.index);
  for (const auto &[expr, min, max] : through.conditions)
    access.conditions.push_back({putBack(expr), min, max});
  return access;
}

SymbolicAccess SymbolicShapeTracker::getAccess() const {
  std::vector<IndexExpr> axes;
  for (int64_t axis = 0; axis < getRank(); ++axis)
    axes.push_back(IndexExpr::variable(axis, getShape()[axis]));
  return getAccess(axes);
}

//===----------------------------------------------------------------------===//
// What is read off an access
//===----------------------------------------------------------------------===//

/// Reads `views` at inner variables, one per axis.
static SymbolicAccess getInnerAccess(std::span<const SymbolicView> views) {
  std::vector<IndexExpr> axes;
  for (size_t axis = 0; axis < views.back().shape.size(); ++axis)
    axes.push_back(getRange(views.back(), axis).first +
                   makeInner(views.back(), axis));
  return readThrough(views, std::move(axes));
}

/// Calls `visit` with the axis of each inner variable in `expr`.
static void visitAxes(const IndexExpr &expr,
                      const std::function<void(size_t)> &visit) {
  visitVariables(expr, [&](const IndexExpr &variable) {
    if (variable.getValue() < 0)
      visit(static_cast<size_t>(variable.getValue() - firstInnerVariable));
  });
}

static bool isInnerVariable(const IndexExpr &expr) {
  return expr.getKind() == Kind::Variable && expr.getValue() < 0;
}

/// Returns the factor of each inner variable in `index`; nothing for one that
/// occurs under a division or in a product with another.
static std::vector<std::optional<IndexExpr>> getSteps(const IndexExpr &index,
                                                      size_t rank) {
  std::vector<std::optional<IndexExpr>> steps(rank, 0);
  std::vector<bool> isPlain(rank, true);
  for (const LinearTerm &term : LinearForm(index).terms) {
    std::vector<size_t> axes;
    visitAxes(term.expr, [&](size_t axis) { axes.push_back(axis); });
    std::span<const IndexExpr> atoms(&term.expr, 1);
    if (term.expr.getKind() == Kind::Product)
      atoms = term.expr.getOperands();
    bool isLinear =
        axes.size() == 1 &&
        std::count_if(atoms.begin(), atoms.end(), [](const IndexExpr &atom) {
          bool occurs = false;
          visitAxes(atom, [&](size_t) { occurs = true; });
          return occurs;
        }) == 1;
    IndexExpr step = term.factor;
    bool isStep = false;
    for (const IndexExpr &atom : atoms) {
      if (isInnerVariable(atom))
        isStep = true;
      else
        step = step * atom;
    }
    for (size_t axis : axes) {
      if (isLinear && isStep)
        steps[axis] = *steps[axis] + step;
      else
        isPlain[axis] = false;
    }
  }
  for (size_t axis = 0; axis < rank; ++axis)
    if (!isPlain[axis])
      steps[axis] = std::nullopt;
  return steps;
}

std::vector<std::optional<IndexExpr>>
SymbolicShapeTracker::getRealStrides(bool ignoreValid) const {
  if (std::optional<ShapeTracker> plain = toStatic()) {
    std::vector<std::optional<IndexExpr>> strides;
    for (std::optional<int64_t> stride : plain->getRealStrides(ignoreValid))
      strides.push_back(stride ? std::optional<IndexExpr>(*stride)
                               : std::nullopt);
    return strides;
  }
  const SymbolicView &outer = views.back();
  std::vector<std::optional<IndexExpr>> strides(outer.strides.begin(),
                                                outer.strides.end());
  if (views.size() > 1) {
    SymbolicAccess inner = getInnerAccess(views);
    strides = getSteps(inner.index, strides.size());
    if (!ignoreValid)
      for (const SymbolicRange &range : inner.conditions)
        visitAxes(range.expr,
                  [&](size_t axis) { strides[axis] = std::nullopt; });
  }
  if (!ignoreValid && outer.mask)
    for (size_t axis = 0; axis < strides.size(); ++axis) {
      const auto &[begin, end] = (*outer.mask)[axis];
      if (!begin.isConstant(0) || !(end == outer.shape[axis]))
        strides[axis] = std::nullopt;
    }
  return strides;
}

IndexExpr SymbolicShapeTracker::getBufferSize() const {
  if (std::optional<ShapeTracker> plain = toStatic())
    return plain->getBufferSize();
  const SymbolicView &innermost = views.front();
  // Where every stride's sign is known, the largest index is at a corner.
  IndexExpr size = innermost.offset + 1, index = innermost.offset;
  bool isCorner = true;
  for (size_t axis = 0; axis < innermost.shape.size(); ++axis) {
    const IndexExpr &stride = innermost.strides[axis];
    auto [begin, end] = getRange(innermost, axis);
    begin = findLarger(begin, 0).value_or(begin);
    end = findSmaller(end, innermost.shape[axis]).value_or(end);
    if (isProvablyNonNegative(stride))
      size = size + stride * (end - 1);
    else if (isProvablyLessOrEqual(stride, 0))
      size = size + stride * begin;
    else
      isCorner = false;
    index = index + stride * IndexExpr::variable(static_cast<int64_t>(axis),
                                                 innermost.shape[axis]);
  }
  if (isCorner && isProvablyNonNegative(size))
    return size;
  int64_t largest = std::max<int64_t>(index.getMax(), -1);
  return largest == std::numeric_limits<int64_t>::max() ? largest : largest + 1;
}
