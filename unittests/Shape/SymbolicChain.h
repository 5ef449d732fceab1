//===- SymbolicChain.h - Random chains of symbolic movements ----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generator of movement operations on shapes of two named variables, and what
// they are at each binding.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_SHAPE_SYMBOLICCHAIN_H
#define TINYGRAD_UNITTESTS_SHAPE_SYMBOLICCHAIN_H

#include "RandomChain.h"

#include "tinygrad/Shape/SymbolicShapeTracker.h"

#include <ostream>

namespace tinygrad::shape {

/// How GoogleTest shows symbolic trackers.
inline void PrintTo(const SymbolicShapeTracker &tracker, std::ostream *os) {
  *os << tracker.toString();
}

/// One operation: `dims` for reshape and expand, `pairs` for pad and shrink,
/// `numbers` for permute and stride.
struct SymbolicMovement {
  MovementOp::Kind kind;
  SymbolicDims dims;
  SymbolicMask pairs;
  Dims numbers;

  MovementOp evaluate(const Bindings &bindings) const;
};

/// Writes "pad[[0, i], [2, 0]]".
std::string toString(const SymbolicMovement &movement);

SymbolicShapeTracker apply(const SymbolicMovement &movement,
                           const SymbolicShapeTracker &tracker);

/// Returns the values of `dims`.
Dims evaluate(const SymbolicDims &dims, const Bindings &bindings);

/// Returns every binding of `variables`.
std::vector<Bindings> getAllBindings(const std::vector<IndexExpr> &variables);

/// Makes shapes and movements of the variables i and j.
class SymbolicGenerator {
public:
  explicit SymbolicGenerator(uint64_t seed) : numbers(seed) {}

  /// Draws new bounds of the variables.
  void startChain();
  const std::vector<IndexExpr> &getVariables() const { return variables; }
  /// Returns a shape that has at most `maxElements` at each binding.
  SymbolicDims makeShape(int64_t maxElements);
  /// Returns an operation on `shape` whose result has at most `maxElements` at
  /// each binding.
  SymbolicMovement makeMovement(const SymbolicDims &shape, int64_t maxElements);
  /// Returns a number in [min, max].
  int64_t pick(int64_t min, int64_t max) { return numbers.pick(min, max); }

private:
  IndexExpr pickSize();
  bool isSmall(const SymbolicDims &shape, int64_t maxElements) const;
  SymbolicDims makeReshape(const SymbolicDims &shape);
  SymbolicMovement drawMovement(const SymbolicDims &shape);

  ChainGenerator numbers;
  std::vector<IndexExpr> variables;
  std::vector<Bindings> bindings;
};

} // namespace tinygrad::shape

#endif // TINYGRAD_UNITTESTS_SHAPE_SYMBOLICCHAIN_H
