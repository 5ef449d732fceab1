//===- LazyLoadOps.td - Load operations -----------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYLOADOPS_TD
#define TINYGRAD_DIALECT_LAZY_IR_LAZYLOADOPS_TD

include "tinygrad/Dialect/Lazy/IR/LazyBase.td"

def Lazy_ConstOp : Lazy_Op<"const", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "make a tensor of one value";
  let description = [{
    Serves both stages: in a graph, and in the body of a kernel. Mirrors
    `LoadOps.CONST` and `BufferOps.CONST`.

    Constraints:
    - (C1) `value` holds one value everywhere.

    ```mlir
    %r = lazy.const dense<1.500000e+00> : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Lazy_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The value of every element.
    ::tinygrad::ops::Scalar getScalar();
  }];
}

def Lazy_EmptyOp : Lazy_Op<"empty", [Pure]> {
  let summary = "make a tensor whose elements are not set";
  let description = [{
    The destination of a kernel, or a tensor that a caller fills later. Reading
    an element that nothing has set gives some value. Mirrors `LoadOps.EMPTY`.

    ```mlir
    %r = lazy.empty : tensor<4x3xf32>
    ```
  }];
  let results = (outs Lazy_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Lazy_ContiguousOp : Lazy_Op<"contiguous", [Pure, SameOperandsAndResultType]> {
  let summary = "make the elements row-major in a buffer";
  let description = [{
    The value of `source`; it is computed into a buffer of its own, and what
    follows reads it from there. Mirrors `LoadOps.CONTIGUOUS`.

    ```mlir
    %r = lazy.contiguous %x : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$source);
  let results = (outs Lazy_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Lazy_CopyOp : Lazy_Op<"copy", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "move a value to another device";
  let description = [{
    The value of `source`, on the device of `result`; no element changes. A copy
    of a copy reads from the first source, and a copy to the device where the
    value is does nothing. Mirrors `LoadOps.COPY`.

    On flat memrefs there is no result: `size` elements of `source` from `offset`
    on are written to `target` from `target_offset` on; it may be on another
    device. Without a `size` they are as many as `target` has from there on.

    Constraints:
    - (C1) on tensors there is a result, which has the shape and element type of
      `source`, and neither `target`, offsets nor `size`.
    - (C2) on memrefs there is no result; `target` has the element type of
      `source`, and the elements lie in both. The size of a memref with `?` is
      not known here.

    ```mlir
    %r = lazy.copy %x : tensor<4x3xf32> -> tensor<4x3xf32, #lazy.type<device = "HOST">>
    lazy.copy %m offset 2 into %n : memref<12xf32>, memref<4xf32>
    lazy.copy %n into %m at 8 size 2 : memref<4xf32>, memref<12xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Lazy_Tensor, Lazy_Memory]>:$source,
                       Optional<Lazy_Memory>:$target,
                       DefaultValuedAttr<I64Attr, "0">:$offset,
                       DefaultValuedAttr<I64Attr, "0">:$target_offset,
                       OptionalAttr<I64Attr>:$size);
  let results = (outs Optional<Lazy_Tensor>:$result);
  let assemblyFormat = [{
    $source (`offset` $offset^)? (`into` $target^)? (`at` $target_offset^)?
    (`size` $size^)? attr-dict `:` type($source) (`,` type($target)^)?
    (`->` type($result)^)?
  }];
  let builders = [
    // The form on tensors.
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source), [{
      build($_builder, $_state, result, source, ::mlir::Value(), 0, 0,
            ::mlir::IntegerAttr());
    }]>
  ];
  let extraClassDeclaration = [{
    /// Returns how many elements are copied on memrefs; -1 where it is as many
    /// as a target of unknown size has.
    int64_t getNumElements();
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Lazy_FromCPUOp : Lazy_Op<"fromcpu", [Pure]> {
  let summary = "copy a buffer of the host to the default device";
  let description = [{
    The value of `source`, which lies in memory of the host, in a buffer of the
    default device; no element changes. Mirrors `LoadOps.FROMCPU` of early
    tinygrad, whose buffer is a numpy array.

    Constraints:
    - (C1) `result` has the shape and element type of `source`.
    - (C2) `source` is on `HOST` or the default device, `result` on the latter.

    ```mlir
    %r = lazy.fromcpu %x : tensor<4x3xf32> -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$source);
  let results = (outs Lazy_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Lazy_AssignOp : Lazy_Op<"assign", [
    SameOperandsAndResultType, MemoryEffects<[MemWrite]>]> {
  let summary = "write a value into the storage of another";
  let description = [{
    The result is `value`, in the storage of `target`: the only operation that
    works in place. On tensors it has value semantics, and what reads `target`
    itself reads the value from before. An assign has the effect of a write, so
    that it stays where nothing uses its result: who calls the function sees its
    arguments. Mirrors `Tensor.assign`.

    The storage of a view or of a movement operation is that of its source, and
    the result of an assign lies where its target does: a target that shows a
    part of an argument has that part written alone, in the order of the program.
    Passes refuse a target of an argument or a computed value that is padded,
    that has two elements in one place, as after `lazy.expand`, or that is a part
    of a reshaped part which no one view shows.

    Constraints:
    - (C1) `target`, `value` and `result` have one type.

    ```mlir
    %r = lazy.assign %x, %y : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Lazy_Tensor:$target, Lazy_Tensor:$value);
  let results = (outs Lazy_Tensor:$result);
  let assemblyFormat = "$target `,` $value attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Lazy_CustomOp : Lazy_Op<"custom", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "fill a tensor by a callback of the host";
  let description = [{
    Calls the function that was registered with the engine under `callback`; it
    reads `operands` and sets every element of `result`. On flat memrefs there
    is no result: the last operand is written. An unknown name is an error when
    the program is loaded. Mirrors `LoadOps.CUSTOM`.

    Constraints:
    - (C1) operands are all tensors, and there is one result; or all are
      memrefs, at least one, and there is no result.

    ```mlir
    %r = lazy.custom "rand"(%seed, %counter) : (tensor<i64>, tensor<i64>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins StrAttr:$callback, Variadic<Lazy_TensorOrMemory>:$operands);
  let results = (outs Optional<Lazy_Tensor>:$result);
  let assemblyFormat = [{
    $callback `(` $operands `)` attr-dict `:` functional-type($operands, results)
  }];
  let hasVerifier = 1;
}

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYLOADOPS_TD
