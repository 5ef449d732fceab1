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

    An extent that is an expression of variables becomes a bound that is computed
    of the kernel's bindings, and so does the number of tasks. A contraction
    wants extents that are numbers.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertLazyToGPUPass
    : Pass<"convert-lazy-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Lower kernels to functions of a GPU and their launches";
  let description = [{
    Each `lazy.kernel` on memrefs becomes a `gpu.module` with one kernel
    function, and a `gpu.launch_func` in its place. There is one work item per
    stored element; reduces are serial loops in it. Blocks have `block-size`
    work items along x, or all of them where there are fewer; where the last
    block is not full, the work items past the end do nothing. A kernel that
    stores nothing is not launched.

    This is the lowering without tuning, which needs no plan: it says what a
    kernel computes on any GPU. A kernel with a plan is an error, and so are
    stores of several shapes in one kernel, and variables.

    Buffers are in the address space `global`. The cast on the host's side says
    that the launch takes buffers that the device can reach. The data layout of
    a module says how wide `index` is: 32 bits where the bounds of all indices
    prove that these do, else 64.

    ```mlir
    lazy.kernel @neg ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
    ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
      %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
      %1 = lazy.neg %0 : tensor<4xf32>
      lazy.store %1, %out <[4]> : tensor<4xf32>, memref<4xf32>
    }
    ```
  }];
  let options = [
    Option<"blockSize", "block-size", "int64_t", "256",
           "the number of work items of a block, 1 to 1024">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::DLTIDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def ConvertMathToArithPass : Pass<"convert-math-to-arith"> {
  let summary = "Write functions of math that a target lacks as arithmetic";
  let description = [{
    Expands the operations that `ops` names. Functions are expanded on f32
    alone: they are computed in f64 and rounded once, to half a unit in the last
    place nearly always, also for subnormal numbers, infinities and NaN, and for
    the sine of large numbers. `arith.maximumf` is expanded on every float type.
    Other types are left alone, and so are vectors.
  }];
  let options = [
    ListOption<"ops", "ops", "std::string",
               "the operations to expand, of: arith.maximumf, arith.remf, "
               "math.exp, math.exp2, math.log, math.log2, math.powf, math.sin">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def CheckGPUSupportPass
    : Pass<"check-gpu-support", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Refuse operations and types that a target lacks";
  let description = [{
    Fails where an operation takes or gives what `lacks` names: a type, as
    `f64`, or a type for one operation, as `math.sin:f64`. An `index` is the
    integer that the module's data layout makes of it. So does a number of a type
    that no kernel has, such as `i100` or `f80`. Code generators of LLVM end the process on such operations, or call functions that are not
    there.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "the name of the target, for the error">,
    ListOption<"lacks", "lacks", "std::string", "what the target lacks">
  ];
}

def ConvertGPUToCUDAPass
    : Pass<"convert-gpu-to-cuda", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower a GPU module to the llvm dialect for CUDA";
  let description = [{
    Buffers become pointers to global memory, `index` has the width that the
    module's data layout says, and numbers of work items are read by nvvm. What is
    left of math becomes intrinsics of LLVM, not calls of NVIDIA's library.
    Structured control flow must be lowered before.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"
  ];
}

def ConvertGPUToOpenCLPass
    : Pass<"convert-gpu-to-opencl", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower a GPU module to the llvm dialect for OpenCL's SPIR-V";
  let description = [{
    Buffers become pointers to global memory, `index` has the width that the
    module's data layout says, and work item functions become OpenCL's. A bf16 is
    its bits, an `i16`: it is extended by a shift, and rounded to the nearest
    even number by integer operations. There must be no arithmetic on bf16:
    `arith-emulate-unsupported-floats` removes it. Structured control flow must
    be lowered before.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ConvertTasksToRangesPass
    : Pass<"convert-tasks-to-ranges", "::mlir::ModuleOp"> {
  let summary = "Turn the task loop of a kernel function into a range of tasks";
  let description = [{
    A function with the attribute `tinygrad.kernel` and one `scf.parallel` at its
    top (or none: one task) gets two arguments more, the first task and the end of the tasks that a
    call runs, and a sequential loop over these in place of the parallel one.
    The attribute `tinygrad.tasks` holds the number of all tasks: an i64, or
    a `#lazy.sizes` of one expression where the end of the loop is computed of
    arguments that bind variables. Memory that tasks allocate on the stack is
    allocated once per call. Buffers are marked as not overlapping. A call of
    such a function passes the range of all tasks. Memory whose size is no number
    is passed as memory of one element: what goes from function to function is its
    address.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::tinygrad::lazy::LazyDialect"
  ];
}

def ConvertKernelsToCABIPass
    : Pass<"convert-kernels-to-c-abi", "::mlir::ModuleOp"> {
  let summary = "Give each kernel function the C interface of the runtime";
  let description = [{
    Each `llvm.func` with the attribute `tinygrad.kernel`, whose arguments are
    one pointer per buffer, one i64 per variable and the range of tasks, becomes
    private and inlined into a function of its name with the interface
    `void name(void **buffers, int64_t begin, int64_t end)`. The value of a
    variable lies in memory too, and `buffers` has a pointer to it: so there is
    one signature, whatever a kernel needs, for all that call kernels. A call
    becomes one of `tg_parallel_for`, which runs the tasks on all threads.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TINYGRAD_CONVERSION_PASSES_TD
