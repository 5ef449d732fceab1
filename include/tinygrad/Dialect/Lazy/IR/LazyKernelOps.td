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
    then `inits`, then `bindings`. It loads elements of the inputs through views, computes with
    elementwise and reduce operations, and stores one value into each init.

    On tensors a kernel has value semantics: result `i` is init `i` after the
    stores. An init that is an argument of the function is written in place: the
    kernel stays where nothing uses that result. On flat memrefs it has no
    results, reads its inputs and writes its inits.

    Sizes of values and views may be expressions of `variables`. The kernel is
    told their values when it runs: `bindings` has one `index` for each. Values
    of the body are on no device: what is loaded is on the default one.

    All values of a body have one rank, that of the iteration space; along each
    of its axes a value has the extent of the axis, or 1.

    Constraints:
    - (C1) operands are all tensors or all memrefs; on tensors there is a result
      for each init, of its type, on memrefs there is none.
    - (C2) the block arguments have the types of the operands.
    - (C3) the body holds only elementwise, reduce, `lazy.const`, `lazy.load`
      and `lazy.store` operations, and `lazy.expand` of a constant; its
      arguments are what loads read and stores write, and nothing else.
    - (C4) the body stores exactly once into each init.
    - (C5) along each axis the extents of all values are equal or 1.
    - (C6) axes that `plan` names exist.
    - (C7) on memrefs, an init is no other operand too: a kernel may write its
      outputs in any order while it reads its inputs.
    - (C8) on tensors, all operands but the bindings are on one device.
    - (C9) `variables` has one entry for each of `bindings`, each name once.
    - (C10) every variable of a value or view in the body is one of `variables`,
      with its bounds.

    ```mlir
    %s = lazy.kernel @sum ins(%x : tensor<4x3xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      %1 = lazy.reduce_sum %0 : tensor<4x3xf32> -> tensor<4x1xf32>
      lazy.store %1, %out <[4, 1]> : tensor<4x1xf32>, tensor<4xf32>
    } -> tensor<4xf32>
    ```
    ```mlir
    lazy.kernel @neg ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) variables(#i = %n) {
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    Variadic<Lazy_TensorOrMemory>:$inputs,
    Variadic<Lazy_TensorOrMemory>:$inits,
    Variadic<Index>:$bindings,
    OptionalAttr<TypedArrayAttrBase<Lazy_VariableAttr, "variables">>:$variables,
    OptionalAttr<Lazy_PlanAttr>:$plan
  );
  let results = (outs Variadic<Lazy_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  /// A kernel without variables.
  let builders = [OpBuilder<
      (ins "::mlir::TypeRange":$results, "::mlir::StringAttr":$name,
           "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$inits,
           "PlanAttr":$plan), [{
        build($_builder, $_state, results, name, inputs, inits,
              ::mlir::ValueRange(), ::mlir::ArrayAttr(), plan);
      }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
    ::mlir::Block *getBlock() { return &getBody().front(); }
    /// The operands but for the bindings: tensors or memrefs.
    ::mlir::OperandRange getData() {
      return getOperands().drop_back(getBindings().size());
    }
    /// The extents of the iteration space, axis by axis: that of the values of
    /// the body that is not 1.
    ::tinygrad::shape::Sizes getIterationSizes();
    /// The same of a kernel without variables.
    ::llvm::SmallVector<int64_t> getIterationShape();
    /// The variables, one for each of the bindings.
    ::llvm::SmallVector<::tinygrad::shape::IndexExpr> getVariableExprs();
    /// Adds a binding for each variable that the body has and that has none yet;
    /// `find` returns its value.
    void addBindings(
        ::llvm::function_ref<::mlir::Value(const ::tinygrad::shape::IndexExpr &)>
            find);
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
      wherever the other views read it. The size of a memref with `?` is not
      known here.

    ```mlir
    %0 = lazy.load %in <[4, 3], strides = [1, 4]> : tensor<3x4xf32> -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Lazy_TensorOrMemory:$source, Lazy_ShapeTrackerAttr:$tracker);
  let results = (outs Lazy_KernelTensor:$result);
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
    - (C3) `tracker` is one view without a mask, and provably writes no element
      twice, nor past those of `target`, if their number is known.

    ```mlir
    lazy.store %1, %out <[4, 1]> : tensor<4x1xf32>, tensor<4xf32>
    ```
  }];
  let arguments = (ins Lazy_KernelTensor:$value, Lazy_TensorOrMemory:$target,
                       Lazy_ShapeTrackerAttr:$tracker);
  let assemblyFormat = "$value `,` $target $tracker attr-dict `:` type($value) `,` type($target)";
  let hasVerifier = 1;
}

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYKERNELOPS_TD
