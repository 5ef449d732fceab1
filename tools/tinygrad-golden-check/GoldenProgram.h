//===- GoldenProgram.h - A row of schedule.jsonl as a function --*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_GOLDENPROGRAM_H
#define TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_GOLDENPROGRAM_H

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

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

/// Which values of a program stay alive.
enum class Liveness { Dropped, Kept, Traced };

/// Builds the program of `row`. Operations get the location `v<id>`. On failure
/// `reason` says what of the row is not supported.
std::optional<GoldenProgram> buildProgram(mlir::MLIRContext *context,
                                          const llvm::json::Object &row,
                                          Liveness liveness,
                                          std::string &reason);

/// Returns a JSON number, or one of "nan", "inf" and "-inf", as an element.
ops::Scalar parseScalar(const llvm::json::Value &value, DType type);

/// Returns a JSON list of integers.
std::vector<int64_t> parseInts(const llvm::json::Value &value);

} // namespace tinygrad::golden

#endif // TINYGRAD_TOOLS_TINYGRAD_GOLDEN_CHECK_GOLDENPROGRAM_H
