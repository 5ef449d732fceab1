//===- Pipelines.h - Named pipelines ----------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arrows of docs/Design.md as pipelines. The tools, the just-in-time
// compiler and the ahead-of-time compiler run these and no others.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_PIPELINES_PIPELINES_H
#define TINYGRAD_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace tinygrad {

/// Options of `tinygrad-schedule`.
struct ScheduleOptions : mlir::PassPipelineOptions<ScheduleOptions> {
  Option<int> optLevel{*this, "opt-level",
                       llvm::cl::desc("the level of lazy.py's rules, 0 to 4"),
                       llvm::cl::init(2)};
  Option<int64_t> maxKernelBuffers{
      *this, "max-kernel-buffers",
      llvm::cl::desc("the most buffers of a kernel, or 0"), llvm::cl::init(0)};
  Option<int64_t> maxSplitResults{
      *this, "max-split-results",
      llvm::cl::desc("the most results of a reduce that is split, or 0"),
      llvm::cl::init(0)};
};

/// Options of `tinygrad-to-loops`.
struct LoopsOptions : mlir::PassPipelineOptions<LoopsOptions> {
  Option<int> optLevel{*this, "opt-level",
                       llvm::cl::desc("the level of lazy.py's rules, 0 to 4"),
                       llvm::cl::init(2)};
  Option<int> vectorBits{*this, "vector-bits",
                         llvm::cl::desc("the width of a vector register"),
                         llvm::cl::init(256)};
};

/// Options of `tinygrad-to-gpu`.
struct GPUOptions : mlir::PassPipelineOptions<GPUOptions> {
  Option<int> optLevel{*this, "opt-level",
                       llvm::cl::desc("the level of lazy.py's rules, 0 to 4"),
                       llvm::cl::init(2)};
};

/// Options of `tinygrad-to-spirv`: what OpenCL leaves to the devices.
struct OpenCLOptions : mlir::PassPipelineOptions<OpenCLOptions> {
  Option<bool> hasFloat16{*this, "f16",
                          llvm::cl::desc("devices have cl_khr_fp16"),
                          llvm::cl::init(true)};
  Option<bool> hasFloat64{*this, "f64",
                          llvm::cl::desc("devices have cl_khr_fp64"),
                          llvm::cl::init(true)};
  Option<bool> hasInt64Division{*this, "i64-division",
                                llvm::cl::desc("devices divide i64"),
                                llvm::cl::init(true)};
};

/// Graph to memory: schedules each function of lazy operations into kernels,
/// gives every result a buffer, plans memory and moves each kernel into a
/// function of its own. Runs on a module.
void buildSchedulePipeline(mlir::OpPassManager &manager,
                           const ScheduleOptions &options);

/// Kernels to loops: simplifies and plans each kernel on memrefs that has no
/// plan yet, and lowers all of them. Runs on a module.
void buildKernelsToLoopsPipeline(mlir::OpPassManager &manager, int vectorBits);

/// Kernels to GPU modules and launches: simplifies each kernel on memrefs, and
/// lowers it without a plan. Runs on a module.
void buildKernelsToGPUPipeline(mlir::OpPassManager &manager);

/// GPU modules to the llvm dialect for CUDA, with nvvm. What CUDA lacks without
/// NVIDIA's library of functions is an error. Runs on a module.
void buildGPUToCUDAPipeline(mlir::OpPassManager &manager);

/// GPU modules to the llvm dialect for OpenCL's SPIR-V. What the devices lack
/// is an error. Runs on a module.
void buildGPUToOpenCLPipeline(mlir::OpPassManager &manager,
                              const OpenCLOptions &options);

/// Loops to the llvm dialect, with the C interface of the runtime.
void buildLoopsToLLVMPipeline(mlir::OpPassManager &manager);

} // namespace tinygrad

#endif // TINYGRAD_PIPELINES_PIPELINES_H
