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
  manager.addNestedPass<func::FuncOp>(lazy::createSchedulePass(schedule));
  manager.addNestedPass<func::FuncOp>(lazy::createMaterializeBuffersPass());
  manager.addNestedPass<func::FuncOp>(lazy::createPlanMemoryPass());
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
  PassPipelineRegistration<>("tinygrad-to-llvm",
                             "Loops and vectors to the llvm dialect",
                             buildLoopsToLLVMPipeline);
}
