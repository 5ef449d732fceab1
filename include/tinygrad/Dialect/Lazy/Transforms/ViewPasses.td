//===- ViewPasses.td - Passes on views and accesses -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_TRANSFORMS_VIEWPASSES_TD
#define TINYGRAD_DIALECT_LAZY_TRANSFORMS_VIEWPASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandViewsPass : Pass<"lazy-expand-views", "::mlir::func::FuncOp"> {
  let summary = "Write each view as a chain of movement operations";
  let description = [{
    The way back of `lazy-compose-views`: a `lazy.view` becomes the movement
    operations that make it of its source, view by view. Of each view, the flat
    source is cut into rows, the largest stride first, then axes are put in
    order, flipped, expanded and padded; steps that change nothing are left
    out. Strides that overlap become an expand that is read in longer rows, or,
    where that would make 2^62 elements, `lazy.as_strided`.

    `lazy-compose-views` makes of the chain as many views as it makes of the
    `lazy.view` itself, and the same ones where there is one. Movement
    operations, and the views of loads and stores, stay as they are.

    Each view with expressions becomes a reshape, or `lazy.as_strided` of what is
    not masked with a pad around it. It stays where the ranges of the variables
    do not prove that these are valid.

    ```mlir
    // Before
    %v = lazy.view %x <[2, 4], strides = [1, 3], offset = 1> : tensor<4x3xf32> -> tensor<2x4xf32>
    // After
    %s = lazy.shrink %x begin [0, 1] end [4, 3] : tensor<4x3xf32> -> tensor<4x2xf32>
    %v = lazy.permute %s [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
    ```
  }];
  let dependentDialects = ["::tinygrad::lazy::LazyDialect"];
}

def SimplifyViewsPass : Pass<"lazy-simplify-views", "::mlir::func::FuncOp"> {
  let summary = "Merge the views of each view, load and store where possible";
  let description = [{
    The tracker of each `lazy.view`, and of each `lazy.load` and `lazy.store` of
    both forms of kernels, gets as few views as composition finds. A `lazy.view`
    that reads its source as it is goes away. Unlike `lazy-compose-views` it
    leaves movement operations alone, and a view of a view. A tracker of which
    no views merge stays as it is written.

    ```mlir
    // Before
    %v = lazy.view %x <[3, 4], strides = [1, 3], then [2, 4], strides = [4, 1], offset = 4> : tensor<4x3xf32> -> tensor<2x4xf32>
    // After
    %v = lazy.view %x <[2, 4], strides = [1, 3], offset = 1> : tensor<4x3xf32> -> tensor<2x4xf32>
    ```
  }];
  let dependentDialects = ["::tinygrad::lazy::LazyDialect"];
}

def CheckBoundsPass : Pass<"lazy-check-bounds", "::mlir::func::FuncOp"> {
  let summary = "Prove that each access is inside of its buffer";
  let description = [{
    Takes each `lazy.load` and `lazy.store` of both forms of kernels, each
    `lazy.view` and `lazy.as_strided`, and proves that what it reads or writes
    lies in its buffer or source: by the masks of its views, and by the bounds
    of its index expression under the conditions of the access. The cost depends
    on rank and number of views, never on the number of elements. An access that
    may leave its buffer is an error that names the smallest or largest index
    that cannot be excluded.

    The verifiers refuse the same accesses, each view of a list by itself, so
    that no pass can make a program that verifies fail here. The pass is a proof
    for programs that were not verified on the way, such as with
    `--verify-each=false`; all but the bounds must verify. Of a view with
    expressions, which the verifiers let pass where only some values of the
    variables show that it is wrong, it proves that each view of the list by
    itself stays inside for all values. Where an extent is 0, or the range of a
    mask, nothing is read: such values of the variables do not count. With
    `report` it writes a remark for each
    access: the proven range, and the access as an affine map and an integer
    set.

    ```mlir
    // Before
    %0 = lazy.load %in <[4], strides = [-2], offset = 9> : memref<12xf32> -> tensor<4xf32>
    // After
    // remark: proves indices from 3 to 9 of 12 elements: (d0) -> (d0 * -2 + 9)
    %0 = lazy.load %in <[4], strides = [-2], offset = 9> : memref<12xf32> -> tensor<4xf32>
    ```
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "write a remark with the range of each access">
  ];
}

#endif // TINYGRAD_DIALECT_LAZY_TRANSFORMS_VIEWPASSES_TD
