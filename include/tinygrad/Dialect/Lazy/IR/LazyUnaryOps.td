//===- LazyUnaryOps.td - Unary operations ---------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYUNARYOPS_TD
#define TINYGRAD_DIALECT_LAZY_IR_LAZYUNARYOPS_TD

include "tinygrad/Dialect/Lazy/IR/LazyBase.td"

/// A unary operation that keeps the element type.
class Lazy_UnaryOp<string mnemonic, string opKind>
    : Lazy_ElementwiseOp<mnemonic, opKind, [SameOperandsAndResultType]> {
  let arguments = (ins Lazy_Tensor:$source);
  let assemblyFormat = "$source attr-dict `:` type($result)";
}

/// `create(builder, loc, source, elementType)`: the result has the shape and
/// encoding of `source`.
def Lazy_ElementTypeBuilder : OpBuilder<
    (ins "::mlir::Value":$source, "::mlir::Type":$elementType), [{
      build($_builder, $_state,
            ::tinygrad::lazy::detail::withElementType(source.getType(), elementType),
            source);
    }]>;

/// A unary operation that changes the element type.
class Lazy_ConversionOp<string mnemonic, string opKind>
    : Lazy_ElementwiseOp<mnemonic, opKind, [SameOperandsAndResultShape]> {
  let arguments = (ins Lazy_Tensor:$source);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let builders = [Lazy_ElementTypeBuilder];
}

def Lazy_NoopOp : Lazy_UnaryOp<"noop", "Noop"> {
  let summary = "copy each element";
  let description = [{
    The elements of `source` as they are, each bit of them. Mirrors
    `UnaryOps.NOOP`.

    ```mlir
    %r = lazy.noop %x : tensor<4xf32>
    ```
  }];
}

def Lazy_Exp2Op : Lazy_UnaryOp<"exp2", "Exp2"> {
  let summary = "raise 2 to each element";
  let description = [{
    Computes `2^x` in the element type: 0 at -inf, inf where the result is too
    large, NaN at NaN. Mirrors `UnaryOps.EXP2`.

    Constraints:
    - (C1) elements are floats.

    ```mlir
    %r = lazy.exp2 %x : tensor<2x3xf32>
    ```
  }];
}

def Lazy_Log2Op : Lazy_UnaryOp<"log2", "Log2"> {
  let summary = "take the base-2 logarithm of each element";
  let description = [{
    Computes `log2(x)`: -inf at both zeros, NaN below, inf at inf. Mirrors
    `UnaryOps.LOG2`.

    Constraints:
    - (C1) elements are floats.

    ```mlir
    %r = lazy.log2 %x : tensor<2x3xf32>
    ```
  }];
}

def Lazy_ExpOp : Lazy_UnaryOp<"exp", "Exp"> {
  let summary = "raise e to each element";
  let description = [{
    Computes `e^x` in the element type: 0 at -inf, inf where the result is too
    large, NaN at NaN. Mirrors `UnaryOps.EXP` of early tinygrad.

    Constraints:
    - (C1) elements are floats.

    ```mlir
    %r = lazy.exp %x : tensor<2x3xf32>
    ```
  }];
}

def Lazy_LogOp : Lazy_UnaryOp<"log", "Log"> {
  let summary = "take the natural logarithm of each element";
  let description = [{
    Computes `ln(x)`: -inf at both zeros, NaN below, inf at inf. Mirrors
    `UnaryOps.LOG` of early tinygrad.

    Constraints:
    - (C1) elements are floats.

    ```mlir
    %r = lazy.log %x : tensor<2x3xf32>
    ```
  }];
}

def Lazy_SinOp : Lazy_UnaryOp<"sin", "Sin"> {
  let summary = "take the sine of each element";
  let description = [{
    Computes `sin(x)`, `x` in radians: NaN at the infinities, -0 at -0. Mirrors
    `UnaryOps.SIN`.

    Constraints:
    - (C1) elements are floats.

    ```mlir
    %r = lazy.sin %x : tensor<2x3xf32>
    ```
  }];
}

def Lazy_SqrtOp : Lazy_UnaryOp<"sqrt", "Sqrt"> {
  let summary = "take the square root of each element";
  let description = [{
    Computes the square root, rounded once: NaN below 0, -0 at -0. Mirrors
    `UnaryOps.SQRT`.

    Constraints:
    - (C1) elements are floats.

    ```mlir
    %r = lazy.sqrt %x : tensor<2x3xf32>
    ```
  }];
}

def Lazy_RecipOp : Lazy_UnaryOp<"recip", "Recip"> {
  let summary = "take the reciprocal of each element";
  let description = [{
    Computes `1 / x`, rounded once: inf at 0, -inf at -0, and a zero of the
    operand's sign at an infinity. Mirrors `UnaryOps.RECIP`.

    Constraints:
    - (C1) elements are floats.

    ```mlir
    %r = lazy.recip %x : tensor<2x3xf32>
    ```
  }];
}

def Lazy_NegOp : Lazy_UnaryOp<"neg", "Neg"> {
  let summary = "negate each element";
  let description = [{
    Flips the sign of floats, that of zeros and NaN too. Integers wrap, so that
    MIN stays MIN and unsigned `1` becomes the largest value; a bool becomes its
    opposite. Mirrors `UnaryOps.NEG`.

    ```mlir
    %r = lazy.neg %x : tensor<2x3xi32>
    ```
  }];
}

def Lazy_NotOp : Lazy_UnaryOp<"not", "Not"> {
  let summary = "negate each element as a truth value";
  let description = [{
    True where the element is false. Numbers have no truth value here: compare
    them with 0. Mirrors `UnaryOps.NOT` of early tinygrad.

    Constraints:
    - (C1) elements are `i1`.

    ```mlir
    %r = lazy.not %x : tensor<4xi1>
    ```
  }];
}

def Lazy_CastOp : Lazy_ConversionOp<"cast", "Cast"> {
  let summary = "convert each element to another type";
  let description = [{
    A float becomes a float of another type by one rounding to nearest, ties to
    even; what is too large becomes an infinity, NaN stays NaN and -0 stays -0. A
    float becomes an integer by truncation; one that does not fit saturates, and
    NaN becomes 0. An integer becomes a float by one rounding. Integers wrap, and
    are extended by their sign where they have one. A bool is true for anything
    but zero, NaN included, and becomes 0 or 1. Mirrors `UnaryOps.CAST`.

    A front end that follows tinygrad's promotion marks the casts that it adds
    with `implicit`: the rules of lazy.py treat such a cast as part of its user.
    Movement operations carry it along, to the elementwise operation that reads
    what they give: below, one kernel loads the halves of `%w` through all three
    and casts what it has loaded. Where anything else reads the value, a reduce or
    the caller, it is a cast like any other, after the movements.

    Constraints:
    - (C1) `source` and `result` have one shape.

    ```mlir
    %r = lazy.cast %x : tensor<2x3xf32> -> tensor<2x3xi8>
    %s = lazy.cast %y implicit : tensor<4xi32> -> tensor<4xf32>

    %c = lazy.cast %w implicit : tensor<3x4xf16> -> tensor<3x4xf32>
    %p = lazy.permute %c [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
    %r = lazy.reshape %p : tensor<4x3xf32> -> tensor<1x4x3xf32>
    %e = lazy.expand %r : tensor<1x4x3xf32> -> tensor<2x4x3xf32>
    %m = lazy.mul %x, %e : tensor<2x4x3xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$source, UnitAttr:$implicit);
  let assemblyFormat = [{
    $source (`implicit` $implicit^)? attr-dict `:` type($source) `->` type($result)
  }];
}

def Lazy_BitcastOp : Lazy_ConversionOp<"bitcast", "Bitcast"> {
  let summary = "read the bits of each element as another type";
  let description = [{
    Keeps every bit, those of a NaN as well. Mirrors `UnaryOps.CAST` with
    `bitcast=True`.

    Constraints:
    - (C1) `source` and `result` have one shape.
    - (C2) both element types have one width, and both or neither are `i1`.

    ```mlir
    %r = lazy.bitcast %x : tensor<4xf32> -> tensor<4xui32>
    ```
  }];
}

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYUNARYOPS_TD
