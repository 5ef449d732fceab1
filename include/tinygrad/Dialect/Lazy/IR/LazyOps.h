//===- LazyOps.h - Operations of the lazy dialect ---------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYOPS_H
#define TINYGRAD_DIALECT_LAZY_IR_LAZYOPS_H

#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.h"
#include "tinygrad/Dialect/Lazy/IR/LazyDialect.h"
#include "tinygrad/Dialect/Lazy/IR/LazyInterfaces.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tinygrad/Dialect/Lazy/IR/LazyOps.h.inc"

namespace tinygrad::lazy {

/// The unit attribute of a function that holds one kernel.
inline constexpr llvm::StringLiteral kernelAttrName = "tinygrad.kernel";
/// The attribute of a lowered kernel function: its number of tasks, an i64, or
/// a SizesAttr of one entry where it depends on variables.
inline constexpr llvm::StringLiteral tasksAttrName = "tinygrad.tasks";

/// True if an expression of variables occurs in `op`: in a type, in the view or
/// in the integers that it has.
bool isSymbolic(mlir::Operation *op);

/// Returns the variables of the types, the view and the integers that `op` has.
/// Of a load or a store, those of its view: the memory is described elsewhere.
std::vector<shape::IndexExpr> getVariables(mlir::Operation *op);

/// True if `op` has numbers only, and values on the default device: what passes
/// and programs take that know neither expressions nor devices.
bool isPlain(mlir::Operation *op);

/// The same; emits an error if it is not so.
mlir::LogicalResult verifyPlain(mlir::Operation *op);

/// Where the target of an assign lies.
struct Storage {
  /// The value in whose memory it lies: an argument, or what no view and no
  /// assign makes.
  mlir::Value base;
  /// The target as a view of `base`, simplified.
  shape::Layout layout;
  /// The one view of `base` through which all of the target is written.
  shape::Layout target;
  /// How an assigned value is read to be written through `target`: where
  /// `layout` has several views, the order or the shape is another one.
  shape::Layout source;

  /// True if the target is all of `base`, in its order.
  bool isWhole() const;
};

/// Tells where targets of assigns lie, and remembers it: a chain of assigns is
/// walked once. It must not be asked again after the program has changed.
class StorageFinder {
public:
  /// Returns where the target of `assign` lies: through views and movement
  /// operations, and through other assigns, whose results lie where their
  /// targets do. Nothing and one sentence in `error` if it is padded, if an
  /// element of it may share its memory with another one, if it is a part of a
  /// reshaped part that no one view shows, or if a view has expressions.
  std::optional<Storage> find(AssignOp assign, std::string &error);

private:
  /// A value as a view of a base.
  struct Place {
    mlir::Value base;
    shape::Layout layout;
  };
  llvm::DenseMap<mlir::Value, Place> places;
};

/// Makes a constant of `type`; one of a size that is no number is expanded.
mlir::Value createConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::RankedTensorType type,
                           const ops::Scalar &value);
/// Makes the operation of group unary, binary, ternary, reduce or movement
/// called `kind` with a result of `type`. Operands and attributes must be ones
/// that `ops::inferShape` and `ops::verifyTypes` accept.
mlir::Value createCompute(mlir::OpBuilder &builder, mlir::Location loc,
                          ops::OpKind kind, mlir::ValueRange operands,
                          mlir::RankedTensorType type,
                          const ops::OpAttributes &attributes = {});
/// The same with expressions among the integers; `ops::inferSymbolicShape`
/// must accept them.
mlir::Value createCompute(mlir::OpBuilder &builder, mlir::Location loc,
                          ops::OpKind kind, mlir::ValueRange operands,
                          mlir::RankedTensorType type,
                          llvm::ArrayRef<shape::IndexExpr> sizes);

} // namespace tinygrad::lazy

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYOPS_H
