//===- Passes.td - Passes on the lazy dialect -----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_TRANSFORMS_PASSES_TD
#define TINYGRAD_DIALECT_LAZY_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"
include "tinygrad/Dialect/Lazy/Transforms/SchedulePasses.td"
include "tinygrad/Dialect/Lazy/Transforms/ViewPasses.td"

def ComposeViewsPass : Pass<"lazy-compose-views", "::mlir::func::FuncOp"> {
  let summary = "Fold each chain of movement operations into one view";
  let description = [{
    A movement operation whose source is another one, or a `lazy.view`, becomes
    a `lazy.view` of the chain's source, with as few views in its tracker as
    composition finds. A chain that changes nothing goes away. Operations of a
    chain that have other users stay for these users. One movement operation
    alone becomes a view too, so that only `lazy.view` is left.

    ```mlir
    // Before
    %p = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
    %s = lazy.shrink %p begin [1, 0] end [3, 4] : tensor<3x4xf32> -> tensor<2x4xf32>
    // After
    %s = lazy.view %x <[2, 4], strides = [1, 3], offset = 1> : tensor<4x3xf32> -> tensor<2x4xf32>
    ```
  }];
  let dependentDialects = ["::tinygrad::lazy::LazyDialect"];
}

def BindVariablesPass : Pass<"lazy-bind-variables", "::mlir::ModuleOp"> {
  let summary = "Give variables numbers";
  let description = [{
    Each `#lazy.variable` that `values` names becomes its number: in types, in
    views and in the integers of operations. A function loses the arguments that
    bound these variables; where such an argument was used otherwise, a constant
    is. Variables that are not named stay.

    It is an error if a number lies outside of its variable's range, if no
    variable has a given name, and if a function that would lose an argument is
    called.

    ```mlir
    // Before
    func.func private @declaration(index {lazy.variable = #i}, tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>)
    // After values=i=4
    func.func private @declaration(tensor<4x3xf32>)
    ```
  }];
  let dependentDialects = [
    "::tinygrad::lazy::LazyDialect", "::mlir::arith::ArithDialect"
  ];
  let options = [
    ListOption<"values", "values", "std::string",
               "what the variables are, as in `i=4,j=2`">
  ];
}

def AutodiffPass : Pass<"lazy-autodiff", "::mlir::ModuleOp"> {
  let summary = "Add the gradient of a function of lazy operations";
  let description = [{
    Adds `@f_grad` after `@f`. Its arguments are those of `@f` and, for each
    result of `@f`, the gradient of a loss by that result; its results are the
    gradients of the loss by the chosen arguments. The rules are those of
    `Ops/`, which `Tensor.backward()` uses too. Run it on `@f_grad` for second
    derivatives.

    A `lazy.view` is differentiated as the movement operations that
    `lazy-expand-views` makes of it. Nothing flows to the target of a
    `lazy.assign`; `@f_grad` writes into it as `@f` does. Sizes may be expressions
    of variables, but for those of views: run `lazy-expand-views` first. A step
    over an axis whose gradient cannot be proven to fit is an error.

    ```mlir
    // Before
    func.func @square(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = lazy.mul %x, %x : tensor<3xf32>
    // After
    func.func @square_grad(%x: tensor<3xf32>, %g: tensor<3xf32>) -> tensor<3xf32> {
      %a = lazy.mul %g, %x : tensor<3xf32>
      %b = lazy.mul %g, %x : tensor<3xf32>
      %s = lazy.add %a, %b : tensor<3xf32>
    ```
  }];
  let dependentDialects = [
    "::tinygrad::lazy::LazyDialect", "::mlir::func::FuncDialect"
  ];
  let options = [
    Option<"function", "function", "std::string", "\"main\"",
           "the function to differentiate">,
    ListOption<"arguments", "arguments", "int64_t",
               "the arguments whose gradients are wanted; all of floats where "
               "none is given">
  ];
}

def MaterializeBuffersPass : Pass<"lazy-materialize-buffers", "::mlir::func::FuncOp"> {
  let summary = "Give each result, and each constant that a kernel loads, a buffer";
  let description = [{
    A result that is an argument, a constant, a view, or another result becomes
    the result of a kernel that copies it row-major. Results of kernels and of
    `lazy.custom` stay as they are; one that is only seen in another shape gets
    this shape. A constant that a kernel has as an operand, since it loads it
    through a mask, is copied into a buffer too, and so is a view that a
    `lazy.custom` reads. A `lazy.assign` becomes a kernel that writes into its
    target; a result that lies in memory of an argument, or is overwritten later,
    is copied. To a view of an argument the kernel of the assigned value stores
    through the view, if nothing else needs the value and the kernel reads of the
    argument only what it overwrites at the same time; else a kernel copies.
    Kernels that write parts of one argument follow on each other, each with the
    result of the one before as its init.

    A `lazy.copy` or `lazy.fromcpu` to another device stays, as a `lazy.copy` of
    elements that lie side by side, and one to the device where the value is goes
    away. On `HOST` and in a file, where no kernel runs, a `lazy.assign` of such
    elements to such elements stays too, as a copy that `lazy-plan-memory` makes,
    and on `HOST` a `lazy.copy` makes the buffer of a result. Whatever would need
    a kernel there is an error. Run after `lazy-schedule`, before
    `lazy-plan-memory`.

    ```mlir
    // Before
    func.func @transpose(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
      %v = lazy.view %x <[3, 4], strides = [1, 3]> : tensor<4x3xf32> -> tensor<3x4xf32>
    // After
    %e = lazy.empty : tensor<3x4xf32>
    %r = lazy.kernel @copy_3_4 ins(%x : tensor<4x3xf32>) outs(%e : tensor<3x4xf32>) {
    ```
  }];
  let dependentDialects = ["::tinygrad::lazy::LazyDialect"];
}

def PlanMemoryPass : Pass<"lazy-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Turn a schedule on tensors into one on flat memrefs";
  let description = [{
    Arguments become flat memrefs, and each result a memref argument after them,
    in order, that the function writes; a bool is an `i8`, unsigned integers are
    signless. Other values of the schedule get a `memref.alloc` before the
    kernel that writes them and a `memref.dealloc` after their last use. Memory of
    a tensor whose size is no number is a `memref<?xT>`; where it is allocated, the
    size is computed of the arguments that bind variables, which stay. That of an
    argument is the matter of who calls.

    Values share memory of one type, size and device where they do not live at
    once; sizes that are expressions must be equal ones. A kernel that reads an
    allocated value for the last time, each element only for its own position and
    not for a reduce, writes its result over it; one that would then only copy
    elements to where they are goes away. A value that is dead before a result is
    written lies in the memory of the result, which the caller sees only at the
    end; memory of inputs, and of a device that only holds data, is used for
    nothing else. Any other value takes memory that is dead, or new memory.

    `tinygrad.peak_bytes` on the function is the most bytes that are allocated
    at once, each allocation counted from its `memref.alloc` to its
    `memref.dealloc`, and arguments not at all; a size that is an expression
    counts as the largest that it may be, so that no run takes more. It is never
    more than what the values that live at once take at the worst place, counted
    so, if each lives from the kernel that makes it to its last reader in memory
    of its own: dead memory is not kept for later where that would lift the peak.

    A kernel whose init is no `lazy.empty` writes into the memory where the init
    lies: so does `lazy.assign`, after `lazy-schedule`. On tensors whoever reads
    the old value sees the old value, wherever it stands. In memory it is
    overwritten, so readers of it go before that kernel. Where they cannot, since
    they need what it makes, the old value is copied before it. A kernel that
    reads itself what it overwrites reads it through its init, if it reads each
    element only for its own position; else it reads a copy.

    `lazy.versions` notes what the schedule relies on. Each value that some memory
    holds is a version with a number of its own: those with which the arguments
    begin, in their order from 0 on, and one for each write. A kernel, custom or
    copy notes for each operand the version that it reads, or that it makes where
    it writes. Where a kernel loads what it overwrites, or does not store all of
    it, the version that lies there comes before the one that it makes. A
    deallocation notes what is there in the end, the return the same for each
    argument, and an allocation what it begins with, where the program reads a
    `lazy.empty`. `lazy-verify-schedule` checks that.

    A tensor on another device than the default one becomes memory there: its
    argument or allocation says so in `lazy.device`, which the type of a memref
    does not. A `lazy.copy` writes memory on one device from memory on another, or
    on one. So does a `lazy.assign` on a device that holds data only, at once if
    what it assigns is a `lazy.copy` that nothing else uses; the old contents are
    copied to `HOST` where something reads them later.

    Every operation on tensors must be a `lazy.kernel`, a `lazy.custom`, a
    `lazy.copy`, such a `lazy.assign` or a `lazy.empty`, and every result one that `lazy-materialize-buffers` leaves;
    other functions of lazy operations are an error. A function without tensors
    is left alone.

    ```mlir
    // Before
    func.func @sum(%x: tensor<4x3xf32>) -> tensor<4xf32> {
      %e = lazy.empty : tensor<4xf32>
      %s = lazy.kernel @sum ins(%x : tensor<4x3xf32>) outs(%e : tensor<4xf32>) {
    // After
    func.func @sum(%x: memref<12xf32>, %s: memref<4xf32>) {
      lazy.kernel @sum ins(%x : memref<12xf32>) outs(%s : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 2>} {
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::tinygrad::lazy::LazyDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def VerifySchedulePass : Pass<"lazy-verify-schedule", "::mlir::func::FuncOp"> {
  let summary = "Check that kernels on memory run in a right order";
  let description = [{
    Goes through the schedule once and keeps, for each memref, the version that
    it holds. That an operation reads what its memory does not hold, makes a
    version that was made before, or uses memory which was freed, is an error,
    with a note at the operation that is in the wrong place; so is a deallocation
    or a return that does not find the version that it notes. Memory that was not
    written holds none. The numbers are those that `lazy-plan-memory` wrote down:
    they say which value each operand is, so that a pass, or a hand, that has since
    moved or deleted operations, or put other memory in, is found, whether values
    share memory or not. Customs keep their order.

    A kernel that loads what it overwrites must load it index by index as it
    stores it, not for a reduce, and have no other store; no operation may write
    memory that is one of its other operands. Variables must be given by the
    arguments that bind them. Allocated memory must be freed, once, that of
    arguments never, and `tinygrad.peak_bytes` is computed again.

    The schedule must be one block of these operations, computations of sizes
    between them, without results. So no two memrefs are one piece of memory, but
    that of two arguments may be: that is the matter of who calls, and so is the
    size of an argument of unknown size. What a kernel computes is not checked.
    Without any note there is no order to compare with; all else is checked, and
    that no operation reads memory which nobody has written. A function without notes
    that holds anything else, or no such operation since its kernels have been
    outlined, is left alone. The cost is that of looking at each operand a few times:
    `report` counts it.

    ```mlir
    // Accepted
    lazy.kernel @read ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 2>} {
    lazy.kernel @write outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 3>} {
    ```
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "remark how many operations and operands were looked at">
  ];
}

def OutlineKernelsPass : Pass<"lazy-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Move each kernel on memrefs into a function of its own";
  let description = [{
    A kernel becomes a call of a function with the attribute `tinygrad.kernel`,
    whose arguments are the kernel's operands and whose body is the kernel.
    Kernels that are equal share one function. A name that is taken gets a
    number. Functions with the attribute are left alone. Notes of versions go.

    ```mlir
    // Before
    lazy.kernel @sum ins(%x : memref<12xf32>) outs(%s : memref<4xf32>) {
    // After
    func.call @sum(%x, %s) : (memref<12xf32>, memref<4xf32>) -> ()
    ```
  }];
  let dependentDialects = [
    "::tinygrad::lazy::LazyDialect", "::mlir::func::FuncDialect"
  ];
}

def CollapseAxesPass : Pass<"lazy-collapse-axes", "::mlir::func::FuncOp"> {
  let summary = "Merge neighbouring axes of each kernel where all views allow it";
  let description = [{
    Axes of extent 1 go away, and two neighbouring axes, both reduced or both
    kept, become one where no access needs more views for it and each value has
    both or neither. A kernel that has a plan keeps its axes, since the plan
    names them.

    ```mlir
    // Before
    %0 = lazy.load %in <[4, 1, 3]> : memref<12xf32> -> tensor<4x1x3xf32>
    // After
    %0 = lazy.load %in <[12]> : memref<12xf32> -> tensor<12xf32>
    ```
  }];
  let dependentDialects = ["::tinygrad::lazy::LazyDialect"];
}

def PlanKernelsPass : Pass<"lazy-plan-kernels", "::mlir::func::FuncOp"> {
  let summary = "Write a plan for each kernel that has none";
  let description = [{
    Heuristics for a CPU. A sum of products whose factors vary along different
    axes becomes a contraction with a register tile that fills the vector
    registers; any other kernel is vectorized along the axis that most accesses
    step through one by one, and split into tasks of about 32,000 operations.
    What a plan says does not depend on the number of threads.

    ```mlir
    // Before
    lazy.kernel @e_4096 ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) {
    // After
    lazy.kernel @e_4096 ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) plan <vector = 0 : 8, unroll = 4> {
    ```
  }];
  let dependentDialects = ["::tinygrad::lazy::LazyDialect"];
  let options = [
    Option<"vectorBits", "vector-bits", "int", "256",
           "the width of a vector register, a power of two from 64">
  ];
}

#endif // TINYGRAD_DIALECT_LAZY_TRANSFORMS_PASSES_TD
