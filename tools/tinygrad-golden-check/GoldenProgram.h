//===- GoldenProgram.h - A row of schedule.jsonl as a function --*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_GOLDENPROGRAM_H
#define TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_GOLDENPROGRAM_H

#include "Outcome.h"
#include "ScheduleRow.h"
#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tinygrad::golden {

/// A program of the golden data as a module of one function.
struct GoldenProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  /// The ids of the LOADs that the arguments stand for, in order.
  llvm::SmallVector<int64_t> argumentIds;
  /// The ids of the values that are returned: those of `pre`, then `outputs`.
  llvm::SmallVector<int64_t> resultIds;
};

/// What a program is built for.
enum class Purpose {
  /// Its schedule.
  Schedule,
  /// Its values: an EMPTY or CUSTOM is an argument, as a LOAD is, and a
  /// REALIZE does nothing.
  Values,
};

/// Builds the program of `row`. Operations get the location `v<id>`. Otherwise
/// `outcome` says what of the row is not supported, or not valid.
std::optional<GoldenProgram> buildProgram(mlir::MLIRContext *context,
                                          const ScheduleRow &row,
                                          Liveness liveness, Purpose purpose,
                                          Outcome &outcome);

} // namespace tinygrad::golden

#endif // TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_GOLDENPROGRAM_H
