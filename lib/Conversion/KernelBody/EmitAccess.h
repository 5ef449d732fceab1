//===- EmitAccess.h - Loads and stores through views ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_KERNELBODY_EMITACCESS_H
#define TINYGRAD_LIB_CONVERSION_KERNELBODY_EMITACCESS_H

#include "tinygrad/Ops/DType.h"
#include "tinygrad/Shape/Layout.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <deque>

namespace tinygrad {

/// Where code is emitted: the iteration, or the `width` iterations along one
/// variable, that one value of the code stands for.
struct Position {
  /// One expression per axis of the iteration space, over the variables.
  std::vector<shape::IndexExpr> axes;
  /// The value of each variable, of type index; of the vector variable the
  /// first of `width` consecutive values.
  mlir::SmallVector<mlir::Value> variables;
  /// The variable along which lanes run, or -1 where width is 1.
  int64_t vectorVariable = -1;
  int64_t width = 1;
  /// Conditions under which the iteration exists. Outside of them loads give
  /// 0 and stores do nothing.
  std::vector<shape::SymbolicRange> guards;
  /// The named variables of the kernel and their values.
  mlir::ArrayRef<std::pair<shape::IndexExpr, mlir::Value>> bindings;
};

/// Computes accesses, each once: simplifying one costs far more than looking it
/// up, and a kernel emits each load at several positions.
class AccessCache {
public:
  /// Returns the access through `layout` at `position`, without the guards.
  /// `key` stands for the layout. Axes along which it has extent 1 are read at
  /// 0.
  const shape::SymbolicAccess &get(const void *key, const shape::Layout &layout,
                                   const Position &position);

  /// True if all accesses so far can be computed in 32 bits.
  bool isNarrow() const;

private:
  struct Entry {
    const void *key;
    std::vector<shape::IndexExpr> axes;
    shape::SymbolicAccess access;
  };
  std::deque<Entry> entries;
};

/// Emits `expr`, which does not depend on the vector variable, as an index.
mlir::Value emitIndex(mlir::ImplicitLocOpBuilder &builder,
                      const shape::IndexExpr &expr, const Position &position);

/// Emits the load of an element, or a vector of them, of type `type` from the
/// flat `memory`. Masked elements are 0.
mlir::Value emitLoad(mlir::ImplicitLocOpBuilder &builder, mlir::Value memory,
                     const shape::SymbolicAccess &access,
                     const Position &position, DType type);

/// Emits the store of `value` of type `type` into the flat `memory`. Elements
/// whose conditions fail are not written.
void emitStore(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
               mlir::Value memory, const shape::SymbolicAccess &access,
               const Position &position, DType type);

} // namespace tinygrad

#endif // TINYGRAD_LIB_CONVERSION_KERNELBODY_EMITACCESS_H
