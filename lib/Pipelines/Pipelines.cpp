//===- Pipelines.cpp - Named pipelines ------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Pipelines/Pipelines.h"
#include "tinygrad/Conversion/Passes.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"
#include "tinygrad/InitAll.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tinygrad;

void tinygrad::buildSchedulePipeline(OpPassManager &manager,
                                     const ScheduleOptions &options) {
  lazy::SchedulePassOptions schedule;
  schedule.optLevel = options.optLevel;
  schedule.maxKernelBuffers = options.maxKernelBuffers;
  schedule.maxSplitResults = options.maxSplitResults;
  manager.addNestedPass<func::FuncOp>(lazy::createSchedulePass(schedule));
  manager.addNestedPass<func::FuncOp>(lazy::createMaterializeBuffersPass());
  manager.addNestedPass<func::FuncOp>(lazy::createPlanMemoryPass());
  manager.addNestedPass<func::FuncOp>(lazy::createVerifySchedulePass());
  manager.addPass(lazy::createOutlineKernelsPass());
}

void tinygrad::buildKernelsToLoopsPipeline(OpPassManager &manager,
                                           int vectorBits) {
  lazy::PlanKernelsPassOptions plan;
  plan.vectorBits = vectorBits;
  manager.addNestedPass<func::FuncOp>(lazy::createCollapseAxesPass());
  manager.addNestedPass<func::FuncOp>(lazy::createPlanKernelsPass(plan));
  manager.addPass(createConvertLazyToLoopsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createLoopInvariantCodeMotionPass());
}

void tinygrad::buildKernelsToGPUPipeline(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(lazy::createCollapseAxesPass());
  manager.addPass(createConvertLazyToGPUPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createLoopInvariantCodeMotionPass());
}

void tinygrad::buildGPUToCUDAPipeline(OpPassManager &manager) {
  OpPassManager &modules = manager.nest<gpu::GPUModuleOp>();
  // NVIDIA's library of functions is part of its toolkit: it is not asked for.
  const SmallVector<std::string> functions = {
      "arith.remf", "math.exp",  "math.exp2", "math.log",
      "math.log2",  "math.powf", "math.sin"};
  ConvertMathToArithPassOptions expand;
  expand.ops = functions;
  modules.addPass(createConvertMathToArithPass(expand));
  CheckGPUSupportPassOptions check;
  check.target = "cuda";
  for (const std::string &function : functions)
    check.lacks.push_back(function + ":f64");
  modules.addPass(createCheckGPUSupportPass(check));
  modules.addPass(createCanonicalizerPass());
  modules.addPass(createCSEPass());
  modules.addPass(createSCFToControlFlowPass());
  modules.addPass(createConvertGPUToCUDAPass());
  modules.addPass(createCanonicalizerPass());
}

void tinygrad::buildGPUToOpenCLPipeline(OpPassManager &manager,
                                        const OpenCLOptions &options) {
  OpPassManager &modules = manager.nest<gpu::GPUModuleOp>();
  CheckGPUSupportPassOptions check;
  check.target = "opencl";
  check.lacks.push_back("i128");
  if (!options.hasFloat16)
    check.lacks.push_back("f16");
  if (!options.hasFloat64)
    check.lacks.push_back("f64");
  if (!options.hasInt64Division)
    for (const char *op :
         {"arith.divsi", "arith.divui", "arith.remsi", "arith.remui"})
      check.lacks.push_back(std::string(op) + ":i64");
  modules.addPass(createCheckGPUSupportPass(check));
  arith::ArithEmulateUnsupportedFloatsOptions floats;
  floats.sourceTypeStrs = {"bf16"};
  floats.targetTypeStr = "f32";
  modules.addPass(arith::createArithEmulateUnsupportedFloats(floats));
  // OpenCL's fmax gives the number where one operand is NaN.
  ConvertMathToArithPassOptions expand;
  expand.ops = {"arith.maximumf"};
  modules.addPass(createConvertMathToArithPass(expand));
  modules.addPass(createCanonicalizerPass());
  modules.addPass(createCSEPass());
  modules.addPass(createSCFToControlFlowPass());
  modules.addPass(createConvertGPUToOpenCLPass());
  // Folds the structs that stand for memrefs: SPIR-V has no place for them.
  modules.addPass(createCanonicalizerPass());
}

void tinygrad::buildLoopsToLLVMPipeline(OpPassManager &manager) {
  manager.addPass(createConvertTasksToRangesPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  manager.addPass(createConvertFuncToLLVMPass(functions));
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createConvertKernelsToCABIPass());
}

void tinygrad::registerAllPipelines() {
  PassPipelineRegistration<ScheduleOptions>(
      "tinygrad-schedule",
      "Graph to kernels in functions of their own, on memory",
      buildSchedulePipeline);
  PassPipelineRegistration<LoopsOptions>(
      "tinygrad-to-loops", "Graph or kernels to loops and vectors",
      [](OpPassManager &manager, const LoopsOptions &options) {
        ScheduleOptions schedule;
        schedule.optLevel = options.optLevel;
        buildSchedulePipeline(manager, schedule);
        buildKernelsToLoopsPipeline(manager, options.vectorBits);
      });
  PassPipelineRegistration<GPUOptions>(
      "tinygrad-to-gpu", "Graph or kernels to functions of a GPU",
      [](OpPassManager &manager, const GPUOptions &options) {
        ScheduleOptions schedule;
        schedule.optLevel = options.optLevel;
        buildSchedulePipeline(manager, schedule);
        buildKernelsToGPUPipeline(manager);
      });
  PassPipelineRegistration<>("tinygrad-to-cuda",
                             "Functions of a GPU to the llvm dialect for CUDA",
                             buildGPUToCUDAPipeline);
  PassPipelineRegistration<OpenCLOptions>(
      "tinygrad-to-spirv",
      "Functions of a GPU to the llvm dialect for OpenCL's SPIR-V",
      buildGPUToOpenCLPipeline);
  PassPipelineRegistration<>("tinygrad-to-llvm",
                             "Loops and vectors to the llvm dialect",
                             buildLoopsToLLVMPipeline);
}
