//===- SchedulePasses.td - The scheduler and its rules as passes ----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_TRANSFORMS_SCHEDULEPASSES_TD
#define TINYGRAD_DIALECT_LAZY_TRANSFORMS_SCHEDULEPASSES_TD

include "mlir/Pass/PassBase.td"

class Lazy_RuleOption<string variable, string argument, string flag>
    : Option<variable, argument, "bool", "true",
             flag # " of lazy.py: off whatever the level is, if false">;

class Lazy_SchedulingPass<string argument, list<Option> otherOptions = []>
    : Pass<argument, "::mlir::func::FuncOp"> {
  let dependentDialects = ["::tinygrad::lazy::LazyDialect"];
  let options = [
    Option<"report", "report", "bool", "false",
           "remark how many steps were made and how many kernels formed">
  ] # otherOptions;
}

def SchedulePass : Lazy_SchedulingPass<"lazy-schedule", [
    Option<"rules", "rules", "std::string", "\"reference\"",
           "which rules: `reference`, those of lazy.py">,
    Option<"optLevel", "opt-level", "int", "2", "OPT of lazy.py, from 0 to 4">,
    Option<"liveness", "liveness", "std::string", "\"dropped\"",
           "how long values live: `dropped` after their last use, or `kept`">,
    Option<"cache", "lazy-cache", "bool", "true",
           "LAZYCACHE of lazy.py: equal operations are one">,
    Option<"splitThreshold", "reduce-split-threshold", "int64_t", "32768",
           "REDUCEOP_SPLIT_THRESHOLD of lazy.py, in elements per result">,
    Option<"maxSplitResults", "max-split-results", "int64_t", "0",
           "the most results of a reduce that is split, 0 for no bound: more of "
           "them are work enough for all cores">,
    Option<"maxKernelBuffers", "max-kernel-buffers", "int64_t", "0",
           "the most buffers of a kernel, its output among them: 0 for no bound">,
    ListOption<"disabledRules", "disabled-rules", "std::string",
               "rules that are off, by their labels, as in `COL,CST`">,
    Option<"traceRules", "trace-rules", "bool", "false",
           "note on each kernel in `lazy.rules` the rules that formed it">,
    Lazy_RuleOption<"removeMovementNops", "remove-movement-nops", "REMOVE_MOVEMENT_NOPS">,
    Lazy_RuleOption<"mergeElementwiseIntoReduce", "merge-elementwise-into-reduce", "MERGE_ELEMENTWISE_INTO_REDUCE">,
    Lazy_RuleOption<"shuffleMovementOps", "shuffle-movement-ops", "SHUFFLE_MOVEMENT_OPS">,
    Lazy_RuleOption<"mergeElementwiseOps", "merge-elementwise-ops", "MERGE_ELEMENTWISE_OPS">,
    Lazy_RuleOption<"mergeOneReduceIntoElementwise", "merge-one-reduce-into-elementwise", "MERGE_ONE_REDUCE_INTO_ELEMENTWISE">,
    Lazy_RuleOption<"shufflePadOps", "shuffle-pad-ops", "SHUFFLE_PAD_OPS">,
    Lazy_RuleOption<"pushPermutes", "push-permutes", "PUSH_PERMUTES">,
    Lazy_RuleOption<"pushContiguous", "push-contiguous", "PUSH_CONTIGUOUS">,
    Lazy_RuleOption<"pushReshapes", "push-reshapes", "PUSH_RESHAPES">
  ]> {
  let summary = "Turn a graph of operations into a list of kernels";
  let description = [{
    The operations of a function become `lazy.kernel` operations on tensors, in
    an order in which each comes after its producers. Movement operations become
    the views through which kernels load; constants are made where they are
    read. A value that the function returns without computing it stays a
    `lazy.view` of a buffer, or a `lazy.const`. What nothing needs yields
    nothing, but for `lazy.custom`, which stays as it is, and `lazy.assign` to an
    argument: the kernel of the assigned value has the argument as its init, or,
    where there is no such kernel, a `lazy.assign` of the computed value stays, as
    it does where the target is a view of an argument. What is assigned before
    all of an argument is assigned goes away.
    `lazy.copy` stays too, of a contiguous source, and `lazy.fromcpu` becomes one.
    A kernel is on the device of its values. A device that holds data only, such
    as `HOST`, has no kernel that could make a source contiguous: there the
    elements are copied as they lie, no more than are read, and the view is made
    on the other device.

    Sizes may be expressions of variables. Each kernel gets the values of those
    that it has from the `index` arguments of the function that bind them; a
    variable that none binds is an error, and so is the copy of a view with
    expressions from a device that holds data only, unless it is all of a value.

    The source is rebuilt one operation at a time. Each is offered to the
    enabled rules; what a rule builds is offered again. Rules ask how many
    users a value has at that moment: a value without a user and without a
    further use in the source is gone. With `liveness=kept` values stay to the
    end; the attribute `lazy.kept` on an operation says so of its results alone.
    `lazy.realized` on an operation says that its value is computed there, as by
    `Tensor.realize`: what comes after it reads the value from memory.

    `opt-level` is OPT of lazy.py. Always on are ZER (no elements), CSE (equal
    operations), CTG (contiguous of a contiguous), CPY (copies that lead nowhere), CST
    (constants), COL (two movement operations of a kind), SPL (large reduces in
    two steps) and OUT (kernels that write into an assign's target). From
    level 1: RMN, SMO, MEO, MER; from level 2: SPO, MRE; from level 3: PPE, PCO;
    from level 4: PRE. LIM cuts kernels of more than `max-kernel-buffers`
    buffers. `disabled-rules` switches any of these off. At level 0 each elementwise and reduce operation is a
    kernel of its own.

    A function that holds kernels and nothing else to compute, or no tensor at
    all, is scheduled already and left alone. A function of several blocks with
    tensors is an error, and so is one with `tinygrad.kernel` that holds
    operations of the graph.

    ```mlir
    // Before
    %m = lazy.mul %x, %y : tensor<4x3xf32>
    %s = lazy.reduce_sum %m : tensor<4x3xf32> -> tensor<4x1xf32>
    // After
    %e = lazy.empty : tensor<4x1xf32>
    %s = lazy.kernel @r_4_3 ins(%x, %y : tensor<4x3xf32>, tensor<4x3xf32>) outs(%e : tensor<4x1xf32>) {
    ```
  }];
}

def RemoveMovementNopsPass : Lazy_SchedulingPass<"lazy-remove-movement-nops"> {
  let summary = "Turn movement operations that move nothing into one reshape";
  let description = [{
    `REMOVE_MOVEMENT_NOPS`: a chain of movement operations on a computed value,
    after which the elements lie as before, is one reshape of that value.
    This is `lazy-schedule` with the rule RMN alone, besides those that are
    always on.

    ```mlir
    // Before
    %p = lazy.pad %n low [0, 1] high [0, 0] : tensor<4x3xf32> -> tensor<4x4xf32>
    %s = lazy.shrink %p begin [0, 1] end [4, 4] : tensor<4x4xf32> -> tensor<4x3xf32>
    // After
    // %s is %n
    ```
  }];
}

def MergeElementwiseIntoReducePass : Lazy_SchedulingPass<"lazy-merge-elementwise-into-reduce"> {
  let summary = "Compute what only a reduce reads in its kernel";
  let description = [{
    `MERGE_ELEMENTWISE_INTO_REDUCE`: an elementwise value that only the reduce
    reads becomes a part of the reduce's kernel.
    This is `lazy-schedule` with the rule MER alone, besides those that are
    always on.

    ```mlir
    // Before
    %n = lazy.neg %x : tensor<4x3xf32>
    %s = lazy.reduce_sum %n : tensor<4x3xf32> -> tensor<4x1xf32>
    // After
    %s = lazy.kernel @r_4_3 ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x1xf32>) {
    ```
  }];
}

def ShuffleMovementPass : Lazy_SchedulingPass<"lazy-shuffle-movement"> {
  let summary = "Move movement operations before elementwise ones";
  let description = [{
    `SHUFFLE_MOVEMENT_OPS`: SMO1 turns permute(expand(x)) into
    expand(permute(x)); SMO2 moves a shrink, stride or permute of an elementwise
    value that nothing reads to that value's sources, and the reshape of a unary
    one; SMO3 moves what lies between two elementwise operations, or before a
    reduce, to the sources of the inner one.
    This is `lazy-schedule` with the rule SMO alone, besides those that are
    always on.

    ```mlir
    // Before
    %n = lazy.neg %x : tensor<4x3xf32>
    %p = lazy.permute %n [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
    // After
    %p = lazy.kernel @e_3_4 ins(%x : tensor<4x3xf32>) outs(%e : tensor<3x4xf32>) {
    ```
  }];
}

def MergeElementwisePass : Lazy_SchedulingPass<"lazy-merge-elementwise"> {
  let summary = "Inline elementwise operations into elementwise ones";
  let description = [{
    `MERGE_ELEMENTWISE_OPS`: an elementwise source that nothing reads yet is
    computed in the kernel of the operation that reads it.
    This is `lazy-schedule` with the rule MEO alone, besides those that are
    always on.

    ```mlir
    // Before
    %m = lazy.mul %x, %y : tensor<4x3xf32>
    %a = lazy.add %m, %x : tensor<4x3xf32>
    // After
    %a = lazy.kernel @e_4_3 ins(%x, %y : tensor<4x3xf32>, tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ```
  }];
}

def MergeReduceIntoElementwisePass : Lazy_SchedulingPass<"lazy-merge-reduce-into-elementwise"> {
  let summary = "Compute one reduce in the kernel of its elementwise reader";
  let description = [{
    `MERGE_ONE_REDUCE_INTO_ELEMENTWISE`: the first source of an elementwise
    kernel that is a reduce, perhaps reshaped, and that nothing else reads,
    becomes a part of the kernel.
    This is `lazy-schedule` with the rule MRE alone, besides those that are
    always on.

    ```mlir
    // Before
    %s = lazy.reduce_sum %x : tensor<4x3xf32> -> tensor<4x1xf32>
    %q = lazy.sqrt %s : tensor<4x1xf32>
    // After
    %q = lazy.kernel @r_4_3 ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x1xf32>) {
    ```
  }];
}

def ShufflePadPass : Lazy_SchedulingPass<"lazy-shuffle-pad"> {
  let summary = "Move pads before elementwise operations";
  let description = [{
    `SHUFFLE_PAD_OPS`, with SMO, without which it does nothing: a pad between two
    elementwise operations, or before a reduce, moves too, unless an operation
    would make something else than 0 of the padding.
    This is `lazy-schedule` with the rule SPO alone, besides those that are
    always on.

    ```mlir
    // Before
    %n = lazy.neg %x : tensor<3xf32>
    %p = lazy.pad %n low [1] high [0] : tensor<3xf32> -> tensor<4xf32>
    %a = lazy.add %p, %y : tensor<4xf32>
    // After
    %0 = lazy.load %in <[4], strides = [1], offset = -1, mask = [[1, 4]]> : tensor<3xf32> -> tensor<4xf32>
    ```
  }];
}

def PushPermutesPass : Lazy_SchedulingPass<"lazy-push-permutes"> {
  let summary = "Move permutes before reduces and reshapes";
  let description = [{
    `PUSH_PERMUTES`, with SMO, without which it does nothing: PPE1 turns
    permute(reduce(x)) into reduce(permute(x)), PPE2 permute(reshape(x)) into
    reshape(permute(x)) where the reshape joins whole axes.
    This is `lazy-schedule` with the rule PPE alone, besides those that are
    always on.

    ```mlir
    // Before
    %s = lazy.reduce_sum %x : tensor<4x3xf32> -> tensor<4x1xf32>
    %p = lazy.permute %s [1, 0] : tensor<4x1xf32> -> tensor<1x4xf32>
    // After
    %p = lazy.kernel @r_3_4 ins(%x : tensor<4x3xf32>) outs(%e : tensor<1x4xf32>) {
    ```
  }];
}

def PushContiguousPass : Lazy_SchedulingPass<"lazy-push-contiguous"> {
  let summary = "Move contiguous after elementwise operations";
  let description = [{
    `PUSH_CONTIGUOUS`: e(contiguous(x), y) becomes contiguous(e(x, y)) where
    nothing else reads x.
    This is `lazy-schedule` with the rule PCO alone, besides those that are
    always on.

    ```mlir
    // Before
    %c = lazy.contiguous %p : tensor<3x4xf32>
    %n = lazy.neg %c : tensor<3x4xf32>
    // After
    %n = lazy.kernel @e_3_4 ins(%x : tensor<4x3xf32>) outs(%e : tensor<3x4xf32>) {
    ```
  }];
}

def PushReshapesPass : Lazy_SchedulingPass<"lazy-push-reshapes"> {
  let summary = "Move reshapes before all elementwise operations";
  let description = [{
    `PUSH_RESHAPES`, with SMO, without which it does nothing: SMO2 moves each
    reshape, not only that of a unary operation.
    This is `lazy-schedule` with the rule PRE alone, besides those that are
    always on.

    ```mlir
    // Before
    %a = lazy.add %x, %y : tensor<4x3xf32>
    %r = lazy.reshape %a : tensor<4x3xf32> -> tensor<12xf32>
    // After
    %r = lazy.kernel @e_12 ins(%x, %y : tensor<4x3xf32>, tensor<4x3xf32>) outs(%e : tensor<12xf32>) {
    ```
  }];
}

def PrintSchedulePass : Pass<"lazy-print-schedule", "::mlir::ModuleOp"> {
  let summary = "Print the kernels of each function";
  let description = [{
    A table per function, in any form that a schedule has from `lazy-schedule` to
    `lazy-outline-kernels`: each kernel with its iteration space, the items that
    made its inputs, the bytes that it reads and writes, its arithmetic
    operations, and, after `lazy-schedule=trace-rules`, the rules that had a part
    in it. With `format=dot` the operations and the borders of the kernels as
    a graph for Graphviz. Of a function that still holds operations of the graph
    it says that it is not scheduled. Nothing is changed.

    ```mlir
    // Before and after
    %s = lazy.kernel @r_4_3 ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x1xf32>) attributes {lazy.rules = ["MER"]} {
    // Printed
    //   @main: 1 kernel, 48 bytes read, 16 bytes written, 24 operations
    //     #  name   shape  inputs  read  written  operations  rules
    //     0  r_4_3  4x3    arg0      48       16          24  MER
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", "\"table\"", "`table` or `dot`">,
    Option<"output", "output", "std::string", "\"-\"",
           "the file to write; `-` is the standard output">
  ];
}

#endif // TINYGRAD_DIALECT_LAZY_TRANSFORMS_SCHEDULEPASSES_TD
