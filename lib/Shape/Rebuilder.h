//===- Rebuilder.h - Expressions from their leaves up -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_SHAPE_REBUILDER_H
#define TINYGRAD_LIB_SHAPE_REBUILDER_H

#include "LinearForm.h"

#include <unordered_map>

namespace tinygrad::shape {

/// Rebuilds an expression from its leaves up, each shared node once. A derived
/// class says what it puts in the place of a part; here nothing is replaced,
/// and each part is simplified again.
class Rebuilder {
public:
  virtual ~Rebuilder() = default;

  IndexExpr rebuild(const IndexExpr &expr);

protected:
  /// Returns what stands for all of `expr`, or null: its parts are rebuilt.
  virtual const IndexExpr *find(const IndexExpr &expr) const { return nullptr; }
  /// Returns what stands for a variable, the extent of which is rebuilt.
  virtual IndexExpr replaceVariable(const IndexExpr &variable) const {
    return variable;
  }
  virtual IndexExpr buildSum(LinearForm sum) const { return sum.buildJoined(); }
  virtual IndexExpr divide(const IndexExpr &numerator, int64_t divisor,
                           bool isMod) const {
    return isMod ? numerator.mod(divisor) : numerator.floorDiv(divisor);
  }

private:
  IndexExpr compute(const IndexExpr &expr);

  std::unordered_map<const IndexExpr::Node *, IndexExpr> known;
};

} // namespace tinygrad::shape

#endif // TINYGRAD_LIB_SHAPE_REBUILDER_H
