//===- LazyBase.td - Types and base classes of operations -----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYBASE_TD
#define TINYGRAD_DIALECT_LAZY_IR_LAZYBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tinygrad/Dialect/Lazy/IR/LazyAttrs.td"
include "tinygrad/Dialect/Lazy/IR/LazyDialect.td"
include "tinygrad/Dialect/Lazy/IR/LazyInterfaces.td"

/// A value of the graph.
def Lazy_Tensor : Type<
    CPred<"::tinygrad::lazy::isGraphTensor($_self)">,
    "a ranked tensor of fewer than 2^62 elements, each extent of which is a "
    "number or an expression of a #lazy.type, whose elements are i1, i8, i16, "
    "i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 or f64",
    "::mlir::RankedTensorType">;

/// A value in a kernel, which is on no device: none but the default one.
def Lazy_KernelTensor : Type<
    CPred<"::tinygrad::lazy::isKernelTensor($_self)">,
    "a ranked tensor on the default device of fewer than 2^62 elements, each "
    "extent of which is a number or an expression of a #lazy.type, whose "
    "elements are i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 "
    "or f64",
    "::mlir::RankedTensorType">;

/// A flat piece of memory that a kernel works on; `?` where its size is an
/// expression.
def Lazy_Memory : Type<
    And<[CPred<"::llvm::isa<::mlir::MemRefType>($_self)">,
         CPred<"::llvm::cast<::mlir::MemRefType>($_self).getRank() == 1">,
         CPred<"::llvm::cast<::mlir::MemRefType>($_self).getLayout().isIdentity()">,
         CPred<"!::llvm::cast<::mlir::MemRefType>($_self).getMemorySpace()">]>,
    "a one-dimensional memref without a memory space", "::mlir::MemRefType">;

def Lazy_TensorOrMemory : AnyTypeOf<[Lazy_Tensor, Lazy_Memory]>;

class Lazy_Op<string mnemonic, list<Trait> traits = []>
    : Op<Lazy_Dialect, mnemonic, traits>;

/// An operation with an entry in Ops.def, called `opKind` there.
class Lazy_ComputeOp<string mnemonic, string opKind, list<Trait> traits>
    : Lazy_Op<mnemonic, !listconcat([Pure], traits)> {
  let extraClassDeclaration = [{
    static constexpr ::tinygrad::ops::OpKind kind =
        ::tinygrad::ops::OpKind::}] # opKind # [{;
    ::tinygrad::ops::OpKind getKind() { return kind; }
    std::vector<::tinygrad::shape::IndexExpr> getSizes();
  }];
  let results = (outs Lazy_Tensor:$result);
  let hasFolder = 1;
}

class Lazy_ElementwiseOp<string mnemonic, string opKind, list<Trait> traits>
    : Lazy_ComputeOp<mnemonic, opKind, !listconcat([
        Lazy_ComputeOpInterface,
        Lazy_ElementwiseOpInterface], traits)> {
  // Elementwise operations have nothing besides operands and types.
  let extraClassDefinition = [{
    std::vector<::tinygrad::shape::IndexExpr> $cppClass::getSizes() { return {}; }
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::tinygrad::lazy::detail::foldElementwise(*this, adaptor.getOperands());
    }
  }];
}

/// `create(builder, loc, source, shape)`: the result has `shape`, and the element
/// type and encoding of `source`.
def Lazy_ShapeBuilder : OpBuilder<
    (ins "::mlir::Value":$source, "::llvm::ArrayRef<int64_t>":$shape), [{
      build($_builder, $_state,
            ::tinygrad::lazy::detail::withShape(source.getType(), shape), source);
    }]>;

class Lazy_MovementOp<string mnemonic, string opKind, list<Trait> traits = []>
    : Lazy_ComputeOp<mnemonic, opKind, !listconcat([
        Lazy_ComputeOpInterface,
        DeclareOpInterfaceMethods<Lazy_MovementOpInterface, ["moveTracker", "applyToSymbolic"]>], traits)> {
  let extraClassDefinition = [{
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::tinygrad::lazy::detail::foldMovement(*this, adaptor.getSource());
    }
  }];
}

class Lazy_ReduceOp<string mnemonic, string opKind>
    : Lazy_ComputeOp<mnemonic, opKind, [
        Lazy_ComputeOpInterface,
        Lazy_ReduceOpInterface]> {
  let arguments = (ins Lazy_Tensor:$source);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let builders = [Lazy_ShapeBuilder];
  let extraClassDefinition = [{
    std::vector<::tinygrad::shape::IndexExpr> $cppClass::getSizes() {
      return ::tinygrad::lazy::getSymbolicShape(getType());
    }
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::tinygrad::lazy::detail::foldReduce(*this, adaptor.getSource());
    }
  }];
}

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYBASE_TD
