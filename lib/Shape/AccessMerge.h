//===- AccessMerge.h - Several views as one, by their access ----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second way to merge views: `compose` takes two of them by arithmetic on
// their numbers; this takes any number by the simplified index expression.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_SHAPE_ACCESSMERGE_H
#define TINYGRAD_LIB_SHAPE_ACCESSMERGE_H

#include "tinygrad/Shape/View.h"

namespace tinygrad::shape {

/// Returns the view that reads through all of `views`, the last outermost, if
/// the simplified access is an affine function on a box. Finds what no two
/// neighbours show, (p mod 12) mod 6 being p mod 6, and what cancels out:
/// 3 * (p floordiv 3) + p mod 3.
std::optional<View> composeByAccess(std::span<const View> views);

} // namespace tinygrad::shape

#endif // TINYGRAD_LIB_SHAPE_ACCESSMERGE_H
