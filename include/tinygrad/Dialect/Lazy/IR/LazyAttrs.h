//===- LazyAttrs.h - Attributes and element types ---------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYATTRS_H
#define TINYGRAD_DIALECT_LAZY_IR_LAZYATTRS_H

#include "tinygrad/Ops/DType.h"
#include "tinygrad/Ops/DeviceName.h"
#include "tinygrad/Ops/Graph.h"
#include "tinygrad/Shape/Layout.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"

namespace tinygrad::lazy {

/// The expressions of a SizesAttr, in the order of its entries.
struct SizeExprs {
  std::vector<shape::IndexExpr> exprs;
  bool operator==(const SizeExprs &) const = default;
};
llvm::hash_code hash_value(const SizeExprs &param);

/// What a ViewAttr with expressions holds; nothing where all are numbers.
struct SymbolicViewParam {
  std::optional<shape::SymbolicView> view;
  bool operator==(const SymbolicViewParam &) const = default;
};
llvm::hash_code hash_value(const SymbolicViewParam &param);

} // namespace tinygrad::lazy

#define GET_ATTRDEF_CLASSES
#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.h.inc"

namespace tinygrad::lazy {

/// The name of the attribute of a function's argument whose value is that of a
/// variable.
inline constexpr llvm::StringLiteral variableAttrName = "lazy.variable";

/// The device of values without an encoding.
inline constexpr llvm::StringLiteral defaultDevice = "CPU";

/// The name of the attribute of an allocation or an argument on memory that
/// says on which device the memory is: a string. The default one has none.
inline constexpr llvm::StringLiteral deviceAttrName = "lazy.device";

/// Returns the element type that `type` is, or nothing for a type that is no
/// element of the dialect.
std::optional<DType> getDType(mlir::Type type);

/// Returns the element type of tensors for `type`: `i1` for bool.
mlir::Type getElementType(mlir::MLIRContext *context, DType type);

/// Returns the element type of memory for `type`: `i8` for bool, signless
/// integers for all.
mlir::Type getMemoryType(mlir::MLIRContext *context, DType type);

/// Returns the one type of graph values of this shape on `device`.
mlir::RankedTensorType getTensorType(mlir::MLIRContext *context,
                                     const shape::Sizes &shape, DType type,
                                     llvm::StringRef device = defaultDevice);

/// Returns the type of a tensor on `device`, of which extents may be
/// expressions. Every type with an encoding is made here.
mlir::RankedTensorType getTensorType(mlir::MLIRContext *context,
                                     const shape::SymbolicDims &shape,
                                     mlir::Type elementType,
                                     llvm::StringRef device);

/// Returns `type` with another shape, on the same device.
mlir::RankedTensorType withShape(mlir::RankedTensorType type,
                                 const shape::SymbolicDims &shape);

/// True if `type` is one of graph values: a ranked tensor of fewer than
/// `ops::maxElements` elements with a DType, whose encoding, if any, is a
/// `#lazy.type`.
bool isGraphTensor(mlir::Type type);

/// True if `type` is a graph value whose extents are numbers and whose device
/// is the default one: what passes take that know neither.
bool isPlainTensor(mlir::Type type);

/// True if an encoding may name `device`: `NAME`, `NAME:2` or `NAME:/path`, but
/// not the default one. The first device of a name has no index.
bool isDeviceName(llvm::StringRef device);

/// True if `type` is a graph value on the default device: what the values in a
/// kernel are, wherever it runs.
bool isKernelTensor(mlir::Type type);

/// Returns the device of a graph value.
llvm::StringRef getDevice(mlir::RankedTensorType type);

/// Returns the shape of `type` as `Ops/` and `Shape/` take it; it must be
/// static.
ops::Shape getShape(mlir::ShapedType type);

/// Returns the shape of a graph value.
shape::SymbolicDims getSymbolicShape(mlir::RankedTensorType type);

/// Returns the shape of a graph value, as numbers where it is static.
shape::Sizes getSizes(mlir::RankedTensorType type);

/// Writes and reads `[#i * 4, 3]`, the list of a SizesAttr without its name.
void printSizes(mlir::AsmPrinter &printer, mlir::MLIRContext *context,
                llvm::ArrayRef<shape::IndexExpr> sizes);
mlir::ParseResult parseSizes(mlir::AsmParser &parser,
                             llvm::SmallVectorImpl<shape::IndexExpr> &sizes);
/// The same as a directive of assembly formats: `custom<Sizes>($low)`.
void printSizes(mlir::AsmPrinter &printer, mlir::Operation *op,
                SizesAttr sizes);
mlir::ParseResult parseSizes(mlir::AsmParser &parser, SizesAttr &sizes);

/// Writes and reads one entry of such a list.
void printSize(mlir::AsmPrinter &printer, mlir::MLIRContext *context,
               const shape::IndexExpr &size);
mlir::FailureOr<shape::IndexExpr> parseSize(mlir::AsmParser &parser);
/// The same as a directive, for an attribute of one entry: `custom<Size>($x)`.
void printSize(mlir::AsmPrinter &printer, mlir::Operation *op, SizesAttr size);
mlir::ParseResult parseSize(mlir::AsmParser &parser, SizesAttr &size);

/// Calls `check` with numbers for the variables of `exprs`: with all at their
/// smallest, all at their largest, and, where they are few, with each
/// combination of both. Stops, and returns failure, where `check` does. What
/// holds there need not hold in between.
mlir::LogicalResult checkAtBounds(
    llvm::ArrayRef<shape::IndexExpr> exprs,
    llvm::function_ref<mlir::LogicalResult(const shape::Bindings &)> check);

/// Writes "where i = 3, j = 1".
std::string toString(const shape::Bindings &bindings);

/// Checks that all variables of one name in `exprs` have one range; if not, the
/// name is in `error`.
bool haveConsistentVariables(llvm::ArrayRef<shape::IndexExpr> exprs,
                             std::string &error);

/// Returns a splat of `value`, the payload of a `lazy.const`.
mlir::DenseElementsAttr getSplatAttr(mlir::RankedTensorType type,
                                     const ops::Scalar &value);

/// Returns the value of a splat.
ops::Scalar getSplatScalar(mlir::DenseElementsAttr splat);

} // namespace tinygrad::lazy

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYATTRS_H
