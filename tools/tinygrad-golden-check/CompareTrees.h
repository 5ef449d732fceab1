//===- CompareTrees.h - Compares kernels ------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_COMPARETREES_H
#define TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_COMPARETREES_H

#include "GoldenProgram.h"

namespace tinygrad::golden {

/// Compares the kernels of the scheduled `program` with `items`, a schedule:
/// the same operations on the same sources, equal accesses, no more views. Also
/// where each output is found (`outMap`). Returns what differs first, or an
/// empty text.
std::string compareTrees(GoldenProgram &program,
                         llvm::ArrayRef<ScheduleItem> items,
                         const std::map<std::string, OutputPlace> &outMap);

} // namespace tinygrad::golden

#endif // TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_COMPARETREES_H
