//===- LazyBinaryOps.td - Binary operations -------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYBINARYOPS_TD
#define TINYGRAD_DIALECT_LAZY_IR_LAZYBINARYOPS_TD

include "tinygrad/Dialect/Lazy/IR/LazyBase.td"

/// A binary operation that keeps the element type.
class Lazy_BinaryOp<string mnemonic, string opKind, list<Trait> traits = []>
    : Lazy_ElementwiseOp<mnemonic, opKind,
                         !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins Lazy_Tensor:$lhs, Lazy_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

/// A comparison: bool, or 0 and 1 in the operands' type.
class Lazy_ComparisonOp<string mnemonic, string opKind>
    : Lazy_ElementwiseOp<mnemonic, opKind, [SameTypeOperands, SameOperandsAndResultShape]> {
  let arguments = (ins Lazy_Tensor:$lhs, Lazy_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  // Without a type the result is a bool.
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs), [{
    build($_builder, $_state,
          ::tinygrad::lazy::detail::withElementType(lhs.getType(),
                                                    $_builder.getI1Type()),
          lhs, rhs);
  }]>];
}

def Lazy_AddOp : Lazy_BinaryOp<"add", "Add", [Commutative]> {
  let summary = "add elements";
  let description = [{
    Integers wrap; bools are or. Of floats `-0 + 0` is 0, and inf and -inf give
    NaN. Mirrors `BinaryOps.ADD`.

    ```mlir
    %r = lazy.add %x, %y : tensor<2x3xf32>
    ```
  }];
}

def Lazy_SubOp : Lazy_BinaryOp<"sub", "Sub"> {
  let summary = "subtract elements";
  let description = [{
    Integers wrap; bools are exclusive or. Of floats an infinity less itself is
    NaN. Mirrors `BinaryOps.SUB`.

    ```mlir
    %r = lazy.sub %x, %y : tensor<2x3xf32>
    ```
  }];
}

def Lazy_MulOp : Lazy_BinaryOp<"mul", "Mul", [Commutative]> {
  let summary = "multiply elements";
  let description = [{
    Integers wrap; bools are and. Of floats zero times an infinity or NaN is
    NaN. A product and a sum are rounded apart, but where the product feeds a
    `lazy.reduce_sum`. Mirrors `BinaryOps.MUL`.

    ```mlir
    %r = lazy.mul %x, %y : tensor<2x3xf32>
    ```
  }];
}

def Lazy_DivOp : Lazy_BinaryOp<"div", "Div"> {
  let summary = "divide elements";
  let description = [{
    Integer division truncates toward 0; x / 0 is 0 and MIN / -1 is MIN. Bools
    are and. A float divided by a zero is an infinity by the signs of both, or
    NaN where it is 0 or NaN itself. Mirrors `BinaryOps.DIV`.

    ```mlir
    %r = lazy.div %x, %y : tensor<2x3xf32>
    ```
  }];
}

def Lazy_MaxOp : Lazy_BinaryOp<"max", "Max", [Commutative]> {
  let summary = "take the larger element";
  let description = [{
    IEEE 754 maximum: NaN where either is NaN, and +0 over -0. Integers compare
    by the sign of their type. Bools are or. Mirrors `BinaryOps.MAX`.

    ```mlir
    %r = lazy.max %x, %y : tensor<2x3xf32>
    ```
  }];
}

def Lazy_ModOp : Lazy_BinaryOp<"mod", "Mod"> {
  let summary = "take the remainder of a division";
  let description = [{
    The remainder of a truncating division, with the sign of the dividend, as
    `%` and `fmod` of C. Integer x mod 0 is 0, MIN mod -1 is 0, a bool modulo
    anything is false. A float modulo a zero, and an infinity modulo anything,
    is NaN. Mirrors `BinaryOps.MOD`.

    ```mlir
    %r = lazy.mod %x, %y : tensor<4xi32>
    ```
  }];
}

def Lazy_XorOp : Lazy_BinaryOp<"xor", "Xor", [Commutative]> {
  let summary = "combine bits by exclusive or";
  let description = [{
    Of bools, true where they differ. Mirrors `BinaryOps.XOR`.

    Constraints:
    - (C1) elements are integers or bools.

    ```mlir
    %r = lazy.xor %x, %y : tensor<4xui32>
    ```
  }];
}

def Lazy_PowOp : Lazy_BinaryOp<"pow", "Pow"> {
  let summary = "raise elements to powers";
  let description = [{
    libm's `pow` with its edges: 1 for y = 0 and for x = 1, whatever the other
    is, NaN included; NaN where x is below 0 and y is no integer. Integers wrap;
    0^0 is 1; a negative exponent gives the reciprocal, truncated: 1 or -1 where
    x is 1 or -1, else 0. Of bools, x or not y. Mirrors `BinaryOps.POW` of early
    tinygrad.

    ```mlir
    %r = lazy.pow %x, %y : tensor<4xf32>
    ```
  }];
}

def Lazy_CmpLtOp : Lazy_ComparisonOp<"cmplt", "CmpLt"> {
  let summary = "compare elements for less-than";
  let description = [{
    True where `lhs < rhs`; false where either is NaN. -0 is not below 0.
    Integers compare by the sign of their type, and false is below true. Mirrors
    `BinaryOps.CMPLT`, whose result has the type of the operands.

    Constraints:
    - (C1) `result` has elements `i1`, or those of the operands (0 and 1).

    ```mlir
    %r = lazy.cmplt %x, %y : tensor<4xf32> -> tensor<4xi1>
    ```
  }];
}

def Lazy_CmpEqOp : Lazy_ComparisonOp<"cmpeq", "CmpEq"> {
  let summary = "compare elements for equality";
  let description = [{
    True where both are equal: 0 equals -0, NaN equals nothing. Mirrors
    `BinaryOps.CMPEQ` of early tinygrad.

    Constraints:
    - (C1) `result` has elements `i1`, or those of the operands (0 and 1).

    ```mlir
    %r = lazy.cmpeq %x, %y : tensor<4xi32> -> tensor<4xi32>
    ```
  }];
}

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYBINARYOPS_TD
