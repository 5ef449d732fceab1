//===- SymbolicMovement.h - Movements of one symbolic view ------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What movement operations make of one view. Each returns nothing where one
// view does not provably express the result; on a view without mask, only
// reshape does so. SymbolicShapeTracker then adds a view.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_SHAPE_SYMBOLICMOVEMENT_H
#define TINYGRAD_LIB_SHAPE_SYMBOLICMOVEMENT_H

#include "tinygrad/Shape/SymbolicShapeTracker.h"

namespace tinygrad::shape {

std::optional<SymbolicView> permute(const SymbolicView &view,
                                    std::span<const int64_t> order);
std::optional<SymbolicView> expand(const SymbolicView &view,
                                   const SymbolicDims &newShape);
std::optional<SymbolicView> pad(const SymbolicView &view,
                                const SymbolicMask &padding);
std::optional<SymbolicView> shrink(const SymbolicView &view,
                                   const SymbolicMask &ranges);
std::optional<SymbolicView> stride(const SymbolicView &view,
                                   std::span<const int64_t> steps);

/// Returns true if an extent is the constant 0.
bool hasNoElements(const SymbolicDims &shape);

/// Returns the one that is provably the smaller (larger), or nothing.
std::optional<IndexExpr> findSmaller(const IndexExpr &a, const IndexExpr &b);
std::optional<IndexExpr> findLarger(const IndexExpr &a, const IndexExpr &b);

} // namespace tinygrad::shape

#endif // TINYGRAD_LIB_SHAPE_SYMBOLICMOVEMENT_H
