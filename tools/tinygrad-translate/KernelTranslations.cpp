//===- KernelTranslations.cpp - Kernels as lower stages -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTranslations.h"

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"
#include "tinygrad/InitAll.h"
#include "tinygrad/Pipelines/CheckNesting.h"
#include "tinygrad/Pipelines/Pipelines.h"
#include "tinygrad/Target/CPUTarget.h"
#include "tinygrad/Target/CUDATarget.h"
#include "tinygrad/Target/OpenCLTarget.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tinygrad;

namespace {

/// Those from GPU on are of devices.
enum class Stage { Plan, Loops, LLVMIR, Assembly, GPU, PTX, SPIRV, SPIRVText };

struct TranslationOptions {
  llvm::cl::opt<std::string> kernel{"kernel",
                                    llvm::cl::desc("Print this kernel alone"),
                                    llvm::cl::value_desc("name")};
  llvm::cl::opt<int> optLevel{
      "opt-level", llvm::cl::init(2),
      llvm::cl::desc("The level of lazy.py's rules, 0 to 4")};
};

} // namespace

/// Removes all but the kernel functions, or all but the one that is asked for.
static LogicalResult keepKernels(ModuleOp module, StringRef wanted) {
  bool isFound = wanted.empty();
  std::string names;
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (function->hasAttr(lazy::kernelAttrName)) {
      names += (names.empty() ? "`" : ", `") + function.getName().str() + "`";
      if (wanted.empty() || function.getName() == wanted) {
        isFound = true;
        continue;
      }
    }
    function.erase();
  }
  if (!isFound)
    return module.emitError()
           << "expects the name of a kernel, got `" << wanted << "`; there is "
           << (names.empty() ? "none" : names);
  return success();
}

static LogicalResult
runPipeline(ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext());
  build(manager);
  return manager.run(module);
}

/// Translates all GPU modules of `module` into one of LLVM; null where that
/// fails.
static std::unique_ptr<llvm::Module>
translateGPUModules(ModuleOp module, llvm::LLVMContext &context) {
  auto result = std::make_unique<llvm::Module>("kernels", context);
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>()) {
    // The width of `index` has done its work, and is none of LLVM's.
    gpuModule->removeAttr(DLTIDialect::kDataLayoutAttrName);
    std::unique_ptr<llvm::Module> translated =
        translateModuleToLLVMIR(gpuModule, context, "kernels");
    if (!translated ||
        llvm::Linker::linkModules(*result, std::move(translated)))
      return nullptr;
  }
  return result;
}

/// Lowers the kernels of `module` to `stage` of a GPU and prints it.
static LogicalResult translateForGPU(ModuleOp module, Stage stage,
                                     llvm::raw_ostream &os) {
  if (failed(runPipeline(module, [&](OpPassManager &manager) {
        buildKernelsToGPUPipeline(manager);
        if (stage == Stage::PTX)
          buildGPUToCUDAPipeline(manager);
        else if (stage != Stage::GPU)
          buildGPUToOpenCLPipeline(manager, OpenCLOptions());
      })))
    return failure();
  if (stage == Stage::GPU) {
    module.print(os);
    return success();
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateGPUModules(module, context);
  if (!translated)
    return module.emitError() << "cannot be translated to LLVM IR";
  auto code =
      stage == Stage::PTX
          ? target::compileToPTX(*translated)
          : target::compileToSPIRV(*translated, stage == Stage::SPIRVText);
  if (!code)
    return module.emitError() << llvm::toString(code.takeError());
  os << (*code)->getBuffer();
  return success();
}

/// Lowers `module` to `stage` and prints it.
static LogicalResult translate(ModuleOp module, Stage stage,
                               const TranslationOptions &options,
                               llvm::raw_ostream &os) {
  module.getContext()->printOpOnDiagnostic(false);
  target::CPUTarget target = target::CPUTarget::getHost();
  // Functions on tensors are scheduled; kernels on memrefs pass through.
  if (failed(runPipeline(module,
                         [&](OpPassManager &manager) {
                           ScheduleOptions schedule;
                           schedule.optLevel = options.optLevel.getValue();
                           buildSchedulePipeline(manager, schedule);
                         })) ||
      failed(keepKernels(module, options.kernel)))
    return failure();
  if (stage >= Stage::GPU)
    return translateForGPU(module, stage, os);
  if (stage == Stage::Plan) {
    if (failed(runPipeline(module, [&](OpPassManager &manager) {
          lazy::PlanKernelsPassOptions plan;
          plan.vectorBits = target.vectorBits;
          manager.addNestedPass<func::FuncOp>(lazy::createCollapseAxesPass());
          manager.addNestedPass<func::FuncOp>(
              lazy::createPlanKernelsPass(plan));
        })))
      return failure();
    module.print(os);
    return success();
  }
  if (failed(runPipeline(module, [&](OpPassManager &manager) {
        buildKernelsToLoopsPipeline(manager, target.vectorBits);
      })))
    return failure();
  if (stage == Stage::Loops) {
    module.print(os);
    return success();
  }
  if (failed(runPipeline(module, [&](OpPassManager &manager) {
        buildLoopsToLLVMPipeline(manager);
      })))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, "kernels");
  if (!translated)
    return module.emitError() << "cannot be translated to LLVM IR";
  if (stage == Stage::LLVMIR) {
    translated->print(os, /*AAW=*/nullptr);
    return success();
  }
  target::ObjectOptions objectOptions;
  objectOptions.isSimplified = true;
  objectOptions.assembly = true;
  auto text = target::compileToObject(*translated, target, objectOptions);
  if (!text)
    return module.emitError() << llvm::toString(text.takeError());
  os << (*text)->getBuffer();
  return success();
}

/// Registers a translation of a module that the parser can hold.
static void
add(StringRef name, StringRef description,
    std::function<LogicalResult(ModuleOp, llvm::raw_ostream &)> function) {
  auto parseAndTranslate = [function = std::move(function)](
                               const std::shared_ptr<llvm::SourceMgr> &sources,
                               llvm::raw_ostream &os,
                               MLIRContext *context) -> LogicalResult {
    const llvm::MemoryBuffer *text =
        sources->getMemoryBuffer(sources->getMainFileID());
    if (llvm::Error error =
            checkNesting(text->getBuffer(), text->getBufferIdentifier())) {
      llvm::errs() << llvm::toString(std::move(error)) << '\n';
      return failure();
    }
    DialectRegistry registry;
    registerAllDialects(registry);
    context->appendDialectRegistry(registry);
    OwningOpRef<ModuleOp> module =
        parseSourceFile<ModuleOp>(sources, ParserConfig(context));
    return success(module && succeeded(function(*module, os)));
  };
  TranslateRegistration(name, description, parseAndTranslate);
}

void tinygrad::registerTranslations() {
  // Command-line options live as long as the tool.
  static TranslationOptions options;
  auto addStage = [](StringRef name, StringRef description, Stage stage) {
    add(name, description, [stage](ModuleOp module, llvm::raw_ostream &os) {
      return translate(module, stage, options, os);
    });
  };
  addStage("kernel-to-plan", "print kernels with their plans", Stage::Plan);
  addStage("kernel-to-loops", "print kernels as loops and vectors",
           Stage::Loops);
  addStage("kernel-to-llvmir", "print kernels as LLVM IR", Stage::LLVMIR);
  addStage("kernel-to-asm", "print kernels as assembly of this machine",
           Stage::Assembly);
  addStage("kernel-to-gpu", "print kernels as functions of a GPU", Stage::GPU);
  addStage("kernel-to-ptx", "print kernels as PTX", Stage::PTX);
  addStage("kernel-to-spirv", "write kernels as a SPIR-V binary for OpenCL",
           Stage::SPIRV);
  addStage("kernel-to-spirv-text", "print kernels as SPIR-V for OpenCL",
           Stage::SPIRVText);
  add("mlir-to-llvmir", "print the llvm dialect as LLVM IR",
      [](ModuleOp module, llvm::raw_ostream &os) -> LogicalResult {
        llvm::LLVMContext context;
        auto translated = translateModuleToLLVMIR(module, context);
        if (!translated)
          return failure();
        translated->print(os, /*AAW=*/nullptr);
        return success();
      });
}
