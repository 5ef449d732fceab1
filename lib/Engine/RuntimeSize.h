//===- RuntimeSize.h - Numbers that variables decide ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_ENGINE_RUNTIMESIZE_H
#define TINYGRAD_LIB_ENGINE_RUNTIMESIZE_H

#include "tinygrad/Shape/IndexExpr.h"

namespace tinygrad::engine {

/// A number that is not negative, or an expression of variables as plain data:
/// a size or a number of tasks, which a run evaluates and a cache keeps.
struct RuntimeSize {
  RuntimeSize() = default;
  RuntimeSize(int64_t number) : number(number) {}

  /// Returns `expr` with variable i for the one called `names[i]`, or nothing
  /// if another variable occurs in it.
  static std::optional<RuntimeSize> create(const shape::IndexExpr &expr,
                                           std::span<const std::string> names);

  bool isNumber() const { return code.empty(); }
  /// Returns the value with `values[i]` for variable i, 0 for a negative one.
  int64_t evaluate(std::span<const int64_t> values) const;
  /// True if it can be evaluated with as many values.
  bool isValid(size_t numVariables) const;

  bool operator==(const RuntimeSize &) const = default;

  /// The number, or the largest that it may be.
  int64_t number = 0;
  /// For an expression: pairs of an instruction and its number, for a machine
  /// with a stack.
  std::vector<int64_t> code;
};

} // namespace tinygrad::engine

#endif // TINYGRAD_LIB_ENGINE_RUNTIMESIZE_H
