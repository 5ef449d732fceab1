//===- Graph.h - A graph of operations as plain data ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a front end hands to the engine: operations in program order with
// shapes and types, without MLIR. Also the rules for shapes, which the
// dialect's verifiers and the front end share.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPS_GRAPH_H
#define TINYGRAD_OPS_GRAPH_H

#include "tinygrad/Ops/DType.h"
#include "tinygrad/Ops/OpKind.h"
#include "tinygrad/Ops/Scalar.h"
#include "tinygrad/Shape/IndexExpr.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tinygrad::ops {

/// The extents of a tensor; empty for a scalar.
using Shape = std::vector<int64_t>;

/// What an operation has besides its operands, shape and type.
///
/// `ints` by kind:
/// - reshape, expand, reduce_sum, reduce_max: the result's shape;
/// - permute: for each result axis the source axis;
/// - pad: before0, after0, before1, after1, …;
/// - shrink: begin0, end0, begin1, end1, …;
/// - stride: a step per axis, negative where the axis is flipped;
/// - as_strided: the shape, then the strides, then the offset, all counted in
///   elements of the source read as one row-major line;
/// - empty, const, custom: the result's shape;
/// - copy, contiguous, fromcpu: empty, or the result's shape;
/// - every other kind: empty.
struct OpAttributes {
  std::vector<int64_t> ints;
  /// The value of a const, of the result's type.
  Scalar value;
  /// The callback of a custom; empty elsewhere.
  std::string name;
  /// True for a cast that brings an operand to the type of those beside it.
  /// Rules of the scheduler ask for it; values do not depend on it.
  bool isImplicit = false;
};

/// One value of a graph: an input, or the result of an operation.
struct GraphNode {
  /// Nothing: the node is an input.
  std::optional<OpKind> kind;
  /// Positions of the operands in Graph::nodes, all smaller than this node's.
  std::vector<int32_t> operands;
  Shape shape;
  DType type = DType::Float32;
  OpAttributes attributes;
  /// Where the value is; empty for the default device. Operands are on the same
  /// device, but for those of a copy or a custom.
  std::string device = {};
  /// The extents, where one of them is an expression of variables, none of
  /// which is bound; `shape` is empty then. Else empty.
  shape::SymbolicDims symbolicShape = {};
  /// The same for `attributes.ints`.
  shape::SymbolicDims symbolicInts = {};
  /// True for a value that somebody holds to the end, whether it is wanted or
  /// not. Rules of the scheduler ask for it; values do not depend on it.
  bool isKept = false;
};

/// A program: nodes in order, each after its operands. Its variables are those
/// in its expressions; a run is told their values.
struct Graph {
  std::vector<GraphNode> nodes;
  /// The input nodes, in the order in which buffers are passed.
  std::vector<int32_t> inputs;
  /// The values that are wanted, in order; a node may occur twice.
  std::vector<int32_t> outputs;
};

/// The number of elements that no tensor reaches: it leaves room for sums of
/// indices in 64 bits.
inline constexpr int64_t maxElements = int64_t(1) << 62;

/// Returns the number of elements of `shape`, or nothing if it does not fit in
/// 62 bits or an extent is negative. The empty shape has one element.
std::optional<int64_t> getNumElements(const Shape &shape);

/// Computes the shape of the result of `kind` on operands of `shapes`.
/// Returns false and one sentence in `error` (lower case, no period, with the
/// shapes in it) if operands or attributes are not allowed; `result` is then
/// unchanged. No extent is negative and no tensor has 2^62 elements or more.
///
/// - elementwise: all operands have one shape;
/// - reduce: the rank stays, and each axis is kept or becomes 1;
/// - reshape: the number of elements stays;
/// - expand: the rank stays, and only axes of size 1 change (also to 0);
/// - permute: each axis occurs once;
/// - pad: nothing is negative;
/// - shrink: 0 <= begin <= end <= extent;
/// - stride: no step is 0; the extent becomes ceil(extent / |step|);
/// - as_strided: every index is inside the source, if there is one;
/// - empty, const, custom: any shape;
/// - copy, contiguous, fromcpu: the shape stays;
/// - assign: target and value have one shape.
bool inferShape(OpKind kind, const std::vector<Shape> &shapes,
                const OpAttributes &attributes, Shape &result,
                std::string &error);

/// Checks the element types of an operation: one type among the operands and
/// the result, but for these exceptions. Returns false and one sentence in
/// `error` where they do not fit.
///
/// - cast, empty, const, custom: any types;
/// - bitcast: any types of equal width;
/// - where: the condition has any type;
/// - cmplt, cmpeq: the result has the operands' type, or bool;
/// - exp2, log2, exp, log, sin, sqrt, recip: floats only;
/// - not: bool only;
/// - xor: no floats.
bool verifyTypes(OpKind kind, const std::vector<DType> &operands, DType result,
                 std::string &error);

/// Writes `shape` as in "[2, 3]".
std::string toString(const Shape &shape);

} // namespace tinygrad::ops

#endif // TINYGRAD_OPS_GRAPH_H
