//===- LazyKernelOps.td - Kernels and their accesses ----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYKERNELOPS_TD
#define TINYGRAD_DIALECT_LAZY_IR_LAZYKERNELOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "tinygrad/Dialect/Lazy/IR/LazyBase.td"

def Lazy_KernelOp : Lazy_Op<"kernel", [
    AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock, NoTerminator,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "load, compute and store elements in one go";
  let description = [{
    The unit of stage 2. The body has one argument per operand, `inputs` first,
    then `inits`. It loads elements of the inputs through views, computes with
    elementwise and reduce operations, and stores one value into each init.

    On tensors a kernel has value semantics: result `i` is init `i` after the
    stores. On flat memrefs it has no results, reads its inputs and writes its
    inits.

    Types and views of a kernel have numbers only. Values of the body are on no
    device: what is loaded is plain.

    All values of a body have one rank, that of the iteration space; along each
    of its axes a value has the extent of the axis, or 1.

    Constraints:
    - (C1) operands are all tensors or all memrefs; on tensors there is a result
      for each init, of its type, on memrefs there is none.
    - (C2) the block arguments have the types of the operands.
    - (C3) the body holds only elementwise, reduce, `lazy.const`, `lazy.load`
      and `lazy.store` operations; its arguments are what these two read and
      write, and nothing else.
    - (C4) the body stores exactly once into each init.
    - (C5) along each axis the extents of all values are equal or 1.
    - (C6) axes that `plan` names exist.
    - (C7) on memrefs, an init is no other operand too: a kernel may write its
      outputs in any order while it reads its inputs.
    - (C8) on tensors, all operands are on one device.

    ```mlir
    %s = lazy.kernel @sum ins(%x : tensor<4x3xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      %1 = lazy.reduce_sum %0 : tensor<4x3xf32> -> tensor<4x1xf32>
      lazy.store %1, %out <[4, 1]> : tensor<4x1xf32>, tensor<4xf32>
    } -> tensor<4xf32>
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    Variadic<Lazy_TensorOrMemory>:$inputs,
    Variadic<Lazy_TensorOrMemory>:$inits,
    OptionalAttr<Lazy_PlanAttr>:$plan
  );
  let results = (outs Variadic<Lazy_BufferTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
    ::mlir::Block *getBlock() { return &getBody().front(); }
    /// The extents of the iteration space: the largest of all values of the
    /// body, axis by axis.
    ::llvm::SmallVector<int64_t> getIterationShape();
    /// For each axis whether a reduce runs along it.
    ::llvm::SmallVector<bool> getReducedAxes();
    /// True for the form on memrefs.
    bool isOnMemory();
  }];
}

def Lazy_LoadOp : Lazy_Op<"load", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    HasParent<"KernelOp">]> {
  let summary = "read elements of a kernel's input through views";
  let description = [{
    Mirrors `BufferOps.LOAD`.

    Constraints:
    - (C1) `source` is an argument of the kernel's body.
    - (C2) `result` has the logical shape of `tracker` and the element type of
      `source`; a bool in memory is an `i8`.
    - (C3) the first view of `tracker` reads no element past those of `source`,
      wherever the other views read it.

    ```mlir
    %0 = lazy.load %in <[4, 3], strides = [1, 4]> : tensor<3x4xf32> -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Lazy_TensorOrMemory:$source, Lazy_ShapeTrackerAttr:$tracker);
  let results = (outs Lazy_PlainTensor:$result);
  let assemblyFormat = "$source $tracker attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Lazy_StoreOp : Lazy_Op<"store", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    HasParent<"KernelOp">]> {
  let summary = "write elements to a kernel's output through views";
  let description = [{
    Mirrors `BufferOps.STORE`.

    Constraints:
    - (C1) `target` is an argument of the kernel's body that stands for an init.
    - (C2) `value` has the logical shape of `tracker` and the element type of
      `target`; a bool in memory is an `i8`.
    - (C3) `tracker` is one view without a mask, and writes no element twice nor
      past those of `target`.

    ```mlir
    lazy.store %1, %out <[4, 1]> : tensor<4x1xf32>, tensor<4xf32>
    ```
  }];
  let arguments = (ins Lazy_PlainTensor:$value, Lazy_TensorOrMemory:$target,
                       Lazy_ShapeTrackerAttr:$tracker);
  let assemblyFormat = "$value `,` $target $tracker attr-dict `:` type($value) `,` type($target)";
  let hasVerifier = 1;
}

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYKERNELOPS_TD
