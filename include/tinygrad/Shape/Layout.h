//===- Layout.h - Shapes and views, symbolic or not -------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What code is written in that takes programs with and without variables. Most
// programs have numbers only: these are held as plain numbers and cost what
// plain numbers do.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SHAPE_LAYOUT_H
#define TINYGRAD_SHAPE_LAYOUT_H

#include "tinygrad/Shape/SymbolicShapeTracker.h"

#include <variant>

namespace tinygrad::shape {

/// Extents, paddings or steps: numbers, or expressions where one of them is no
/// number. Equal lists compare equal.
class Sizes {
public:
  Sizes() = default;
  Sizes(Dims numbers) : values(std::move(numbers)) {}
  Sizes(SymbolicDims exprs);

  size_t size() const;
  /// True if an entry is no number.
  bool isSymbolic() const {
    return std::holds_alternative<SymbolicDims>(values);
  }
  /// The entries; none may be symbolic.
  const Dims &getNumbers() const & { return std::get<Dims>(values); }
  Dims getNumbers() && { return std::get<Dims>(std::move(values)); }
  /// The entries, numbers as constants.
  SymbolicDims getExprs() const;
  /// The numbers, each expression as the largest value that it may have.
  Dims getLargest() const;
  /// Returns entry `order[i]` as entry i.
  Sizes permute(std::span<const int64_t> order) const;

  /// Calls `visitor` with the list, of numbers or of expressions.
  template <typename Visitor>
  auto visit(Visitor visitor) const {
    return std::visit(visitor, values);
  }
  /// Calls `visitor` with two lists, both of numbers or both of expressions.
  template <typename Visitor>
  static auto visit(const Sizes &a, const Sizes &b, Visitor visitor) {
    if (!a.isSymbolic() && !b.isSymbolic())
      return visitor(a.getNumbers(), b.getNumbers());
    return visitor(a.getExprs(), b.getExprs());
  }

  bool operator==(const Sizes &) const = default;

private:
  std::variant<Dims, SymbolicDims> values;
};

/// A ShapeTracker, or a SymbolicShapeTracker where an expression occurs.
class Layout {
public:
  Layout(ShapeTracker tracker) : tracker(std::move(tracker)) {}
  Layout(const SymbolicShapeTracker &tracker);
  /// Makes the contiguous layout of `shape`.
  static Layout fromShape(Sizes shape);

  bool isSymbolic() const {
    return std::holds_alternative<SymbolicShapeTracker>(tracker);
  }
  /// The tracker; it must not be symbolic.
  const ShapeTracker &getTracker() const {
    return std::get<ShapeTracker>(tracker);
  }
  /// The tracker, numbers as constants.
  SymbolicShapeTracker getSymbolicTracker() const;

  Sizes getShape() const;
  bool hasShape(const Sizes &shape) const;
  /// True if an extent is 0 for all values of the variables.
  bool hasNoElements() const;
  size_t getNumViews() const;
  /// True if there is one view and it is provably contiguous.
  bool isContiguous() const;
  /// True if a view has a mask.
  bool isMasked() const;
  /// True if both provably have the same number of elements.
  bool hasSizeOf(const Layout &other) const;
  /// As ShapeTracker::isEquivalent; of symbolic ones true only if they are
  /// equal once simplified.
  bool isEquivalent(const Layout &other) const;
  /// As ShapeTracker::getRealStrides.
  std::vector<std::optional<IndexExpr>>
  getRealStrides(bool ignoreValid = false) const;
  /// The tracker with each variable at its largest value.
  ShapeTracker getLargest() const;
  /// Returns the tracker with numbers for the variables; nothing, and in
  /// `error` one sentence, if one has none or one that is out of its bounds.
  std::optional<ShapeTracker> bind(const Bindings &bindings,
                                   std::string &error) const;

  Layout permute(std::span<const int64_t> order) const;
  Layout expand(const Sizes &newShape) const;
  /// `padding`: before and after, axis by axis.
  Layout pad(const Sizes &padding) const;
  /// `ranges`: begin and end, axis by axis.
  Layout shrink(const Sizes &ranges) const;
  Layout stride(std::span<const int64_t> steps) const;
  Layout reshape(const Sizes &newShape) const;
  /// Returns this read through `outer`, as ShapeTracker::compose.
  Layout compose(const Layout &outer) const;
  /// Returns an equal layout with neighbouring views merged where possible.
  Layout simplify() const;

  std::string toString() const;
  bool operator==(const Layout &) const = default;

private:
  std::variant<ShapeTracker, SymbolicShapeTracker> tracker;
};

} // namespace tinygrad::shape

#endif // TINYGRAD_SHAPE_LAYOUT_H
