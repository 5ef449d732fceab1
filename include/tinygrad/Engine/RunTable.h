//===- RunTable.h - What a run did, as a table ------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_ENGINE_RUNTABLE_H
#define TINYGRAD_ENGINE_RUNTABLE_H

#include "tinygrad/Engine/Engine.h"

#include "llvm/Support/raw_ostream.h"

namespace tinygrad::engine {

/// Writes a row per kernel of `record`, and one of sums, in colour where the
/// stream has colours. `number` says which run it was.
void printRunTable(llvm::raw_ostream &stream, const RunRecord &record,
                   int64_t number);

} // namespace tinygrad::engine

#endif // TINYGRAD_ENGINE_RUNTABLE_H
