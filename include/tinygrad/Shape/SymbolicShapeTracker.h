//===- SymbolicShapeTracker.h - Views of symbolic sizes ---------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views and ShapeTrackers whose numbers are expressions of named variables.
// Without variables they do what View and ShapeTracker do, which hold plain
// numbers because most programs have only these and compose many of them.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SHAPE_SYMBOLICSHAPETRACKER_H
#define TINYGRAD_SHAPE_SYMBOLICSHAPETRACKER_H

#include "tinygrad/Shape/IndexExpr.h"
#include "tinygrad/Shape/ShapeTracker.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad::shape {

/// A half-open range [first, second) per axis.
using SymbolicMask = std::vector<std::pair<IndexExpr, IndexExpr>>;

/// A strided view, as View is. A mask range may pass the extent of its axis on
/// either side; it means the positions that are in both.
struct SymbolicView {
  SymbolicDims shape, strides;
  IndexExpr offset = IndexExpr::constant(0);
  std::optional<SymbolicMask> mask;

  /// Makes a view; row-major strides where `strides` is absent. What is
  /// provable is canonical as in View: stride 0 for extent 1, no mask that
  /// covers the shape.
  static SymbolicView create(SymbolicDims shape,
                             std::optional<SymbolicDims> strides = std::nullopt,
                             IndexExpr offset = IndexExpr::constant(0),
                             std::optional<SymbolicMask> mask = std::nullopt);
  /// Makes the view of which every element is masked; its rank is not 0.
  static SymbolicView createEmpty(SymbolicDims shape);
  static SymbolicView fromStatic(const View &view);

  int64_t getRank() const { return static_cast<int64_t>(shape.size()); }

  /// True if provably position i of the flattened view is element i of the
  /// buffer.
  bool isContiguous() const;
  /// True if provably every element is masked.
  bool isEmpty() const;
  /// True if all indices fit in 62 bits, whatever the variables are.
  bool hasSmallIndices() const;
  /// Returns the view without expressions, or nothing if a variable is left.
  std::optional<View> toStatic() const;
  /// Writes as View::toString does, with expressions.
  std::string toString() const;
  bool operator==(const SymbolicView &) const = default;
};

/// Returns row-major strides of `shape`; 0 for axes of extent 1.
SymbolicDims getRowMajorStrides(const SymbolicDims &shape);

/// Returns the product of `shape`.
IndexExpr getNumElements(const SymbolicDims &shape);

/// Returns the view that reads `outer` through `inner`, as `compose` of two
/// Views does, where one view provably expresses it at all values of the
/// variables.
std::optional<SymbolicView> compose(const SymbolicView &inner,
                                    const SymbolicView &outer);

/// The condition `min <= expr <= max`.
struct SymbolicRange {
  IndexExpr expr, min, max;
};

/// Where an access goes, as IndexAccess: the flat index, and the conditions
/// under which it is read at all. Where a condition fails the index may be any
/// number, and a divisor in it 0, which counts as 1.
struct SymbolicAccess {
  IndexExpr index;
  std::vector<SymbolicRange> conditions;
};

/// A non-empty list of views, as ShapeTracker is, with the same operations.
/// Every operation is right at every value of the variables within their
/// bounds for which its arguments are valid. It expects arguments that are
/// valid at all of them (`ops::inferSymbolicShape` accepts them). Views merge
/// where this is provable; the cost never depends on the bounds.
class SymbolicShapeTracker {
public:
  static SymbolicShapeTracker fromShape(SymbolicDims shape);
  static SymbolicShapeTracker fromViews(std::vector<SymbolicView> views);
  static SymbolicShapeTracker fromStatic(const ShapeTracker &tracker);

  const std::vector<SymbolicView> &getViews() const { return views; }
  const SymbolicDims &getShape() const { return views.back().shape; }
  int64_t getRank() const {
    return static_cast<int64_t>(views.back().shape.size());
  }
  IndexExpr getNumElements() const;
  /// True if there is one view and it is provably contiguous.
  bool isContiguous() const;
  /// True if any named variable occurs.
  bool isSymbolic() const;
  /// Returns the named variables, as `collectVariables` does.
  std::vector<IndexExpr> getVariables() const;
  /// Returns an upper bound on the buffer elements used, never negative: an
  /// expression where the signs of the innermost view's strides are provable,
  /// else a constant.
  IndexExpr getBufferSize() const;

  SymbolicShapeTracker permute(std::span<const int64_t> order) const;
  SymbolicShapeTracker expand(const SymbolicDims &newShape) const;
  SymbolicShapeTracker pad(const SymbolicMask &padding) const;
  SymbolicShapeTracker shrink(const SymbolicMask &ranges) const;
  SymbolicShapeTracker stride(std::span<const int64_t> steps) const;
  SymbolicShapeTracker reshape(const SymbolicDims &newShape) const;
  /// Returns this tracker read through `outer`, as ShapeTracker::compose.
  SymbolicShapeTracker compose(const SymbolicShapeTracker &outer) const;
  /// Returns an equal tracker with neighbouring views merged where possible.
  SymbolicShapeTracker simplify() const;

  /// As ShapeTracker::getRealStrides.
  std::vector<std::optional<IndexExpr>>
  getRealStrides(bool ignoreValid = false) const;
  /// Returns the access at logical position `axes` (one expression per axis).
  SymbolicAccess getAccess(std::span<const IndexExpr> axes) const;
  /// Returns the access with variable k, in [0, shape[k]), for axis k.
  SymbolicAccess getAccess() const;

  /// Returns the tracker with numbers for the variables that `bindings` names;
  /// others stay. A number outside of its variable's bounds is an error, said
  /// in `error`, and nothing is returned.
  std::optional<SymbolicShapeTracker> bind(const Bindings &bindings,
                                           std::string &error) const;
  /// Returns the tracker with its bound variables (IndexExpr::bind) free, and
  /// what they were bound to; nothing if one variable has two values.
  std::optional<std::pair<SymbolicShapeTracker, Bindings>> unbind() const;
  /// Returns the tracker without expressions, or nothing if a variable is left.
  std::optional<ShapeTracker> toStatic() const;

  std::string toString() const;
  bool operator==(const SymbolicShapeTracker &) const = default;

private:
  explicit SymbolicShapeTracker(std::vector<SymbolicView> views)
      : views(std::move(views)) {}
  std::vector<SymbolicView> views;
};

} // namespace tinygrad::shape

#endif // TINYGRAD_SHAPE_SYMBOLICSHAPETRACKER_H
