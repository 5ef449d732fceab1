//===- LazyMovementOps.td - Movement operations ---------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYMOVEMENTOPS_TD
#define TINYGRAD_DIALECT_LAZY_IR_LAZYMOVEMENTOPS_TD

include "tinygrad/Dialect/Lazy/IR/LazyBase.td"

/// One integer, or an expression.
def Lazy_SizeAttr : ConfinedAttr<Lazy_SizesAttr, [
    AttrConstraint<CPred<"::llvm::cast<::tinygrad::lazy::SizesAttr>($_self).size() == 1">,
                   "of one entry">]>;

/// `create(builder, loc, source, first, second)` of two lists of numbers.
def Lazy_NumbersBuilder : OpBuilder<
    (ins "::mlir::Value":$source, "::llvm::ArrayRef<int64_t>":$first,
         "::llvm::ArrayRef<int64_t>":$second), [{
      build($_builder, $_state, source,
            SizesAttr::get($_builder.getContext(), first),
            SizesAttr::get($_builder.getContext(), second));
    }]>;

def Lazy_ReshapeOp : Lazy_MovementOp<"reshape", "Reshape"> {
  let summary = "give the elements another shape";
  let description = [{
    The elements keep their row-major order. A tensor without elements takes any
    shape without elements, a scalar any shape of one. Mirrors
    `MovementOps.RESHAPE`.

    Constraints:
    - (C1) `source` and `result` have the same number of elements, and one
      element type.

    ```mlir
    %r = lazy.reshape %x : tensor<4x3xf32> -> tensor<2x6xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$source);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let builders = [Lazy_ShapeBuilder];
}

def Lazy_PermuteOp : Lazy_MovementOp<"permute", "Permute", [InferTypeOpAdaptor]> {
  let summary = "reorder the axes of a tensor";
  let description = [{
    Axis `i` of `result` is axis `order[i]` of `source`. Only the view changes:
    no element moves until the value is realized. Mirrors
    `MovementOps.PERMUTE`.

    Constraints:
    - (C1) `order` has one entry per axis of `source`.
    - (C2) `order` holds every axis of `source` exactly once.
    - (C3) `result` has the element type of `source`, and
      `shape(result)[i] = shape(source)[order[i]]`.

    ```mlir
    %r = lazy.permute %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$source, DenseI64ArrayAttr:$order);
  let assemblyFormat = "$source $order attr-dict `:` type($source) `->` type($result)";
}

def Lazy_ExpandOp : Lazy_MovementOp<"expand", "Expand"> {
  let summary = "repeat a tensor along axes of extent 1";
  let description = [{
    Each axis of extent 1 may get any extent, 0 as well. Mirrors
    `MovementOps.EXPAND`.

    Constraints:
    - (C1) both have one rank and one element type, and each extent of `result`
      is that of `source`, or that of `source` is 1.

    ```mlir
    %r = lazy.expand %x : tensor<1x3xf32> -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$source);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let builders = [Lazy_ShapeBuilder];
}

def Lazy_PadOp : Lazy_MovementOp<"pad", "Pad", [InferTypeOpAdaptor]> {
  let summary = "surround a tensor with zeros";
  let description = [{
    Adds `low[i]` zeros before and `high[i]` zeros after axis `i`: +0 of floats,
    false of bools. A source without elements gives zeros alone. Mirrors
    `MovementOps.PAD`.

    Constraints:
    - (C1) `low` and `high` have one entry per axis, none negative.
    - (C2) `result` has the element type of `source`, and
      `shape(result)[i] = low[i] + shape(source)[i] + high[i]`.

    ```mlir
    %r = lazy.pad %x low [0, 1] high [2, 0] : tensor<4x3xf32> -> tensor<6x4xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$source, Lazy_SizesAttr:$low, Lazy_SizesAttr:$high);
  let assemblyFormat = [{
    $source `low` custom<Sizes>($low) `high` custom<Sizes>($high) attr-dict `:` type($source) `->` type($result)
  }];
  let builders = [Lazy_NumbersBuilder];
}

def Lazy_ShrinkOp : Lazy_MovementOp<"shrink", "Shrink", [InferTypeOpAdaptor]> {
  let summary = "keep a box of a tensor";
  let description = [{
    Keeps positions `begin[i]` to `end[i]`, the end exclusive, of axis `i`; an
    axis of which nothing is kept has extent 0. Mirrors `MovementOps.SHRINK`.

    Constraints:
    - (C1) `begin` and `end` have one entry per axis, and
      `0 <= begin[i] <= end[i] <= shape(source)[i]`.
    - (C2) `result` has the element type of `source`, and
      `shape(result)[i] = end[i] - begin[i]`.

    ```mlir
    %r = lazy.shrink %x begin [1, 0] end [3, 3] : tensor<4x3xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$source, Lazy_SizesAttr:$begin, Lazy_SizesAttr:$end);
  let assemblyFormat = [{
    $source `begin` custom<Sizes>($begin) `end` custom<Sizes>($end) attr-dict `:` type($source) `->` type($result)
  }];
  let builders = [Lazy_NumbersBuilder];
}

def Lazy_StrideOp : Lazy_MovementOp<"stride", "Stride", [InferTypeOpAdaptor]> {
  let summary = "keep every n-th position of each axis";
  let description = [{
    Keeps every `steps[i]`-th position of axis `i`, from its first; where the
    step is negative, from its last, backwards. A step beyond the extent keeps
    one position. Mirrors `MovementOps.STRIDE`.

    Constraints:
    - (C1) `steps` has one entry per axis, none 0.
    - (C2) `result` has the element type of `source`, and `shape(result)[i]` is
      `shape(source)[i] / |steps[i]|`, rounded up.

    ```mlir
    %r = lazy.stride %x [2, -1] : tensor<4x3xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$source, DenseI64ArrayAttr:$steps);
  let assemblyFormat = "$source $steps attr-dict `:` type($source) `->` type($result)";
}

def Lazy_AsStridedOp : Lazy_MovementOp<"as_strided", "AsStrided"> {
  let summary = "view the row-major elements of a tensor through strides";
  let description = [{
    Position `(i0, …)` of `result` is element `offset + sum(ik * strides[k])` of
    the flattened `source`. Strides may be 0 or negative, and an element may be
    read several times; a result without elements reads none, wherever it lies.
    Mirrors `MovementOps.AS_STRIDED`.

    Constraints:
    - (C1) `strides` has one entry per axis of `result`.
    - (C2) every position of `result` lies inside of `source`; both have one
      element type.

    ```mlir
    %r = lazy.as_strided %x [1, 2] offset 1 : tensor<12xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$source, Lazy_SizesAttr:$strides, Lazy_SizeAttr:$offset);
  let assemblyFormat = [{
    $source custom<Sizes>($strides) `offset` custom<Size>($offset) attr-dict `:` type($source) `->` type($result)
  }];
  let builders = [OpBuilder<
      (ins "::mlir::Value":$source, "::llvm::ArrayRef<int64_t>":$shape,
           "::llvm::ArrayRef<int64_t>":$strides, "int64_t":$offset), [{
        build($_builder, $_state,
              ::tinygrad::lazy::detail::withShape(source.getType(), shape), source,
              SizesAttr::get($_builder.getContext(), strides),
              SizesAttr::get($_builder.getContext(), offset));
      }]>];
  let hasCanonicalizeMethod = 1;
}

def Lazy_ViewOp : Lazy_Op<"view", [Pure, InferTypeOpAdaptor]> {
  let summary = "view the row-major elements of a tensor through a ShapeTracker";
  let description = [{
    What `lazy-compose-views` leaves of a chain of movement operations. Masked
    positions are 0.

    Constraints:
    - (C1) `result` has the logical shape of `tracker` and the element type of
      `source`.
    - (C2) the first view of `tracker` reads no element past those of `source`,
      wherever the other views read it.

    ```mlir
    %r = lazy.view %x <[3, 4], strides = [1, 3]> : tensor<4x3xf32> -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$source, Lazy_ShapeTrackerAttr:$tracker);
  let results = (outs Lazy_Tensor:$result);
  let assemblyFormat = "$source $tracker attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYMOVEMENTOPS_TD
