//===- CheckShapes.h - Judges rows about views ------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_CHECKSHAPES_H
#define TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_CHECKSHAPES_H

#include "Outcome.h"
#include "ShapeRows.h"

namespace tinygrad::golden {

/// Index tables bind always; views, flags, strides and sizes where the row does
/// not mark the reference wrong. To have fewer views, or a stride that the
/// reference does not find, is right.
Outcome checkShapes(const ShapeRow &row);

/// One view wherever one is enough, equal to the row's; never more views than
/// are needed or than the reference has. `chain` has the name of `row`.
Outcome checkMerge(const MergeRow &row, const ShapeRow &chain);

} // namespace tinygrad::golden

#endif // TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_CHECKSHAPES_H
