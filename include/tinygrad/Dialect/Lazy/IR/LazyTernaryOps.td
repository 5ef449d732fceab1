//===- LazyTernaryOps.td - Ternary operations -----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYTERNARYOPS_TD
#define TINYGRAD_DIALECT_LAZY_IR_LAZYTERNARYOPS_TD

include "tinygrad/Dialect/Lazy/IR/LazyBase.td"

def Lazy_MulAccOp : Lazy_ElementwiseOp<"mulacc", "MulAcc", [SameOperandsAndResultType]> {
  let summary = "multiply elements and add a third";
  let description = [{
    Computes `lhs * rhs + acc`, rounded once or twice, as the target does it
    best. Integers wrap; of bools, `lhs` and `rhs`, or `acc`. Mirrors
    `TernaryOps.MULACC`.

    ```mlir
    %r = lazy.mulacc %x, %y, %z : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$lhs, Lazy_Tensor:$rhs, Lazy_Tensor:$acc);
  let assemblyFormat = "$lhs `,` $rhs `,` $acc attr-dict `:` type($result)";
}

def Lazy_WhereOp : Lazy_ElementwiseOp<"where", "Where",
    [SameOperandsAndResultShape, AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let summary = "choose between elements";
  let description = [{
    `lhs` where `condition` is not 0, else `rhs`. A NaN is not 0, -0 is; what is
    not chosen has no influence. Mirrors `TernaryOps.WHERE`.

    Constraints:
    - (C1) all have one shape; `lhs`, `rhs` and `result` one element type.

    ```mlir
    %r = lazy.where %c, %x, %y : tensor<2x3xi1>, tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$condition, Lazy_Tensor:$lhs, Lazy_Tensor:$rhs);
  let assemblyFormat = "$condition `,` $lhs `,` $rhs attr-dict `:` type($condition) `,` type($result)";
}

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYTERNARYOPS_TD
