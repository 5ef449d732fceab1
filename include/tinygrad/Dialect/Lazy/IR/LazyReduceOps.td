//===- LazyReduceOps.td - Reduce operations -------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYREDUCEOPS_TD
#define TINYGRAD_DIALECT_LAZY_IR_LAZYREDUCEOPS_TD

include "tinygrad/Dialect/Lazy/IR/LazyBase.td"

def Lazy_ReduceSumOp : Lazy_ReduceOp<"reduce_sum", "ReduceSum"> {
  let summary = "sum elements along axes";
  let description = [{
    Sums along each axis whose extent in `result` differs from that in `source`;
    such an axis keeps size 1. Where none differs, the result is `source`.

    A sum begins with 0: the sum of nothing is 0, and that of -0 and -0 is 0. The
    order of the additions is not fixed, but it is the same for one shape and one
    plan. `f16` and `bf16` are summed in `f32` and rounded once; integers wrap in
    their own type; bools are or. Mirrors `ReduceOps.SUM`.

    Constraints:
    - (C1) `result` has the rank and element type of `source`, and each extent
      is that of `source` or 1.

    ```mlir
    %r = lazy.reduce_sum %x : tensor<4x3xf32> -> tensor<4x1xf32>
    ```
  }];
}

def Lazy_ReduceMaxOp : Lazy_ReduceOp<"reduce_max", "ReduceMax"> {
  let summary = "take the largest element along axes";
  let description = [{
    As `lazy.reduce_sum`, with the `lazy.max` of the elements: NaN where one is
    NaN, 0 over -0. The maximum of nothing is the lowest value: -inf for floats,
    MIN for signed integers, 0 for unsigned ones, false. Mirrors `ReduceOps.MAX`.

    Constraints:
    - (C1) `result` has the rank and element type of `source`, and each extent
      is that of `source` or 1.

    ```mlir
    %r = lazy.reduce_max %x : tensor<4x3xf32> -> tensor<1x3xf32>
    ```
  }];
}

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYREDUCEOPS_TD
