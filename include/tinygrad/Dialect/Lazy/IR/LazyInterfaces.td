//===- LazyInterfaces.td - Groups of operations ---------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYINTERFACES_TD
#define TINYGRAD_DIALECT_LAZY_IR_LAZYINTERFACES_TD

include "mlir/IR/OpBase.td"

def Lazy_ComputeOpInterface : OpInterface<"ComputeOpInterface"> {
  let description = [{
    An operation of stage 1 with an entry in `Ops/`: elementwise, reduce or
    movement. What it means, which types and shapes it takes and what its
    gradient is follow from its kind.
  }];
  let cppNamespace = "::tinygrad::lazy";
  let methods = [
    InterfaceMethod<"Returns the operation's kind.",
      "::tinygrad::ops::OpKind", "getKind">,
    InterfaceMethod<[{
      Returns the integers that the operation has besides operands and types, in
      the order of `ops::OpAttributes::ints`; some may be expressions.
      }],
      "std::vector<::tinygrad::shape::IndexExpr>", "getSizes">,
  ];
  let extraClassDeclaration = [{
    /// True if the operation has an expression: in an operand, the result or
    /// the integers.
    bool isSymbolic() {
      return ::tinygrad::lazy::detail::isSymbolic(this->getOperation());
    }
    /// Returns what the operation has besides operands and types; it must not
    /// be symbolic.
    ::tinygrad::ops::OpAttributes getOpAttributes() {
      return ::tinygrad::lazy::detail::getOpAttributes(this->getOperation());
    }
  }];
  let verify = [{ return ::tinygrad::lazy::detail::verifyComputeOp($_op); }];
}

def Lazy_ElementwiseOpInterface
    : OpInterface<"ElementwiseOpInterface", [Lazy_ComputeOpInterface]> {
  let description = "A unary, binary or ternary operation on equal shapes.";
  let cppNamespace = "::tinygrad::lazy";
}

def Lazy_ReduceOpInterface
    : OpInterface<"ReduceOpInterface", [Lazy_ComputeOpInterface]> {
  let description = "An operation that combines elements along axes, which keep size 1.";
  let cppNamespace = "::tinygrad::lazy";
}

def Lazy_MovementOpInterface
    : OpInterface<"MovementOpInterface", [Lazy_ComputeOpInterface]> {
  let description = "An operation that rearranges elements without computing any.";
  let cppNamespace = "::tinygrad::lazy";
  let methods = [
    InterfaceMethod<[{
      Moves `tracker`, a view of a buffer with the shape of the source, by this
      operation, which must not be symbolic.
      }],
      "void", "moveTracker", (ins "::tinygrad::shape::ShapeTracker &":$tracker)>,
    InterfaceMethod<"The same with expressions.",
      "::tinygrad::shape::SymbolicShapeTracker", "applyToSymbolic",
      (ins "const ::tinygrad::shape::SymbolicShapeTracker &":$tracker)>,
  ];
  let extraSharedClassDeclaration = [{
    /// Returns `tracker` moved.
    ::tinygrad::shape::ShapeTracker
    applyTo(::tinygrad::shape::ShapeTracker tracker) {
      $_op.moveTracker(tracker);
      return tracker;
    }
    /// The same of a view that may be symbolic, as the operation may.
    ::tinygrad::shape::Layout
    applyTo(const ::tinygrad::shape::Layout &layout) {
      if (!layout.isSymbolic() && !$_op.isSymbolic())
        return applyTo(layout.getTracker());
      return $_op.applyToSymbolic(layout.getSymbolicTracker());
    }
  }];
}

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYINTERFACES_TD
