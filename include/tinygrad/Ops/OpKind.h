//===- OpKind.h - What each operation is ------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kinds of operations, their groups and their facts, read from Ops.def.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPS_OPKIND_H
#define TINYGRAD_OPS_OPKIND_H

#include "tinygrad/Ops/DType.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tinygrad::ops {

/// What an operation does with its operands.
enum class OpGroup : uint8_t {
  Unary,    ///< one element in, one element out
  Binary,   ///< two elements in, one element out
  Ternary,  ///< three elements in, one element out
  Reduce,   ///< combines the elements along axes, which keep size 1
  Movement, ///< rearranges elements without computing any
  Load,     ///< makes a buffer, or puts a value into one
};

/// An operation of stage 1.
enum class OpKind : uint8_t {
#define TINYGRAD_OP(kind, name, group, arity, unsafePad) kind,
#include "tinygrad/Ops/Ops.def"
};

/// The number of operations.
inline constexpr int numOpKinds = static_cast<int>(OpKind::Assign) + 1;

/// The facts of one operation.
struct OpInfo {
  OpKind kind;
  /// The word after `lazy.`.
  std::string_view name;
  OpGroup group;
  /// The number of tensor operands; -1: any number.
  int arity;
  /// True where op(0, ...) is not 0: a pad must not move above it. Passes ask
  /// the function isUnsafePad, which knows the type too.
  bool isUnsafePad;
};

/// Returns the facts of `kind`.
const OpInfo &getInfo(OpKind kind);

/// Returns the operation called `name` in the dialect, or nothing.
std::optional<OpKind> parseOpKind(std::string_view name);

/// Returns true if a pad must not move above `kind` with operands of `type`:
/// where the flag says so, and for `neg` of bool, which is a logical not.
inline bool isUnsafePad(OpKind kind, DType type) {
  return getInfo(kind).isUnsafePad ||
         (kind == OpKind::Neg && type == DType::Bool);
}

/// Returns true for the unary, binary and ternary operations.
inline bool isElementwise(OpKind kind) {
  return getInfo(kind).group <= OpGroup::Ternary;
}

} // namespace tinygrad::ops

#endif // TINYGRAD_OPS_OPKIND_H
