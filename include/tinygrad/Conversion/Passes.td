//===- Passes.td - Conversions out of the lazy dialect --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_PASSES_TD
#define TINYGRAD_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLazyToLoopsPass : Pass<"convert-lazy-to-loops"> {
  let summary = "Lower kernels to loops and vectors as their plans say";
  let description = [{
    Each `lazy.kernel` on memrefs becomes one `scf.parallel` over tasks. A kernel
    whose plan has `contract` packs blocks of its two factors and multiplies
    them tile by tile, with the accumulators carried through `iter_args`; any
    other becomes loops over its axes, with vectors along the plan's vector
    axis. A kernel without a plan is one task of scalar loops. A plan that
    cannot be obeyed is an error that names the field.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertTasksToRangesPass
    : Pass<"convert-tasks-to-ranges", "::mlir::ModuleOp"> {
  let summary = "Turn the task loop of a kernel function into a range of tasks";
  let description = [{
    A function with the attribute `tinygrad.kernel` and one `scf.parallel` at its
    top (or none: one task) gets two arguments more, the first task and the end of the tasks that a
    call runs, and a sequential loop over these in place of the parallel one.
    The attribute `tinygrad.tasks` holds the number of all tasks. Memory that
    tasks allocate on the stack is allocated once per call. Arguments are marked
    as not overlapping. A call of such a function passes the range of all tasks.
    Other functions are left alone.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def ConvertKernelsToCABIPass
    : Pass<"convert-kernels-to-c-abi", "::mlir::ModuleOp"> {
  let summary = "Give each kernel function the C interface of the runtime";
  let description = [{
    Each `llvm.func` with the attribute `tinygrad.kernel`, whose arguments are
    one pointer per buffer and the range of tasks, becomes private and inlined
    into a function of its name with the interface
    `void name(void **buffers, int64_t begin, int64_t end)`. A call becomes one
    of `tg_parallel_for`, which runs the tasks on all threads.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TINYGRAD_CONVERSION_PASSES_TD
