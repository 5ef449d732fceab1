//===- KernelEmitter.h - The body of a kernel at one position ---*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_KERNELBODY_KERNELEMITTER_H
#define TINYGRAD_LIB_CONVERSION_KERNELBODY_KERNELEMITTER_H

#include "EmitAccess.h"

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

namespace tinygrad {

/// Emits the values of a kernel's body, at any position and width.
class KernelEmitter {
public:
  /// `arguments` holds the flat memref that each block argument is, then the
  /// value of each variable.
  KernelEmitter(mlir::ImplicitLocOpBuilder &builder, lazy::KernelOp kernel,
                mlir::ValueRange arguments);

  /// Values that are already there at a position, by value of the body.
  using Known = llvm::DenseMap<mlir::Value, mlir::Value>;

  /// Emits `value` at `position`. What is in `known` is taken from there; what
  /// is emitted is added.
  mlir::Value emit(mlir::Value value, const Position &position, Known &known);

  /// Emits `store` at `position`.
  void emitStore(lazy::StoreOp store, const Position &position, Known &known);

  /// Emits the start value of a reduce, for `width` accumulators at once.
  mlir::Value emitIdentity(lazy::ReduceOpInterface reduce, int64_t width);

  /// Emits one step of `reduce` with the element at `position`. A product that
  /// feeds a sum of floats is fused with it.
  mlir::Value emitReduceStep(lazy::ReduceOpInterface reduce,
                             mlir::Value accumulator, const Position &position,
                             Known &known);

  /// Emits the combination of all lanes of a vector of accumulators with a
  /// scalar one.
  mlir::Value emitHorizontal(lazy::ReduceOpInterface reduce,
                             mlir::Value vectorAccumulator,
                             mlir::Value accumulator);

  /// Emits the result of `reduce` from its accumulator.
  mlir::Value emitReduceResult(lazy::ReduceOpInterface reduce,
                               mlir::Value accumulator);

  /// True if the indices and conditions of all accesses that were emitted can
  /// be computed in 32 bits.
  bool hasNarrowIndices() const { return accesses.isNarrow(); }

  /// The variables of the kernel and their values.
  using Bindings = mlir::ArrayRef<std::pair<shape::IndexExpr, mlir::Value>>;
  Bindings getBindings() const { return bindings; }

  /// Returns the element type of a value of the body.
  static DType getType(mlir::Value value);
  /// Returns the type in which `reduce` accumulates.
  static DType getAccumulationType(lazy::ReduceOpInterface reduce);

private:
  mlir::Value emitOp(mlir::Operation *op, const Position &position,
                     Known &known);

  mlir::ImplicitLocOpBuilder &b;
  lazy::KernelOp kernel;
  mlir::SmallVector<mlir::Value> memory;
  mlir::SmallVector<std::pair<shape::IndexExpr, mlir::Value>> bindings;
  AccessCache accesses;
};

/// Makes the constant `value`, of `width` lanes.
mlir::Value emitScalar(mlir::ImplicitLocOpBuilder &builder,
                       const ops::Scalar &value, int64_t width);

} // namespace tinygrad

#endif // TINYGRAD_LIB_CONVERSION_KERNELBODY_KERNELEMITTER_H
