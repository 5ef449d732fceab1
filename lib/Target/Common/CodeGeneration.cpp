//===- CodeGeneration.cpp - What all code generators share ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeGeneration.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace tinygrad::target;

llvm::Error tinygrad::target::makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {
/// Keeps the first error of the code generator, which would otherwise print it
/// and exit, and drops everything else.
struct ErrorCollector : llvm::DiagnosticHandler {
  explicit ErrorCollector(std::string &message) : message(message) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error || !message.empty())
      return true;
    if (info.getKind() == llvm::DK_SrcMgr) {
      const auto &source = llvm::cast<llvm::DiagnosticInfoSrcMgr>(info);
      message = source.getSMDiag().getMessage().str();
    } else {
      llvm::raw_string_ostream os(message);
      llvm::DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
    }
    if (message.empty())
      message = "unknown error";
    return true;
  }

  std::string &message;
};
} // namespace

/// Returns the first line of `text` without a mark at its end.
static llvm::StringRef getSentence(llvm::StringRef text) {
  return text.split('\n').first.rtrim(".! ");
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
tinygrad::target::createTargetMachine(const std::string &tripleName,
                                      const std::string &cpu,
                                      const std::string &features,
                                      int optLevel) {
  std::string message;
  llvm::Triple triple(tripleName);
  const llvm::Target *llvmTarget =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!llvmTarget)
    return makeError("no code generator for the target `" + tripleName + "`");
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      llvmTarget->createMCSubtargetInfo(triple, "", ""));
  // An unknown name would be printed and ignored.
  if (!subtarget || (!cpu.empty() && !subtarget->isCPUStringValid(cpu)))
    return makeError("the target `" + tripleName +
                     "` has no processor called `" + cpu + "`");
  for (llvm::StringRef feature : llvm::split(features, ',')) {
    auto hasName = [&](const llvm::SubtargetFeatureKV &known) {
      return feature.substr(1) == known.Key;
    };
    if (!feature.empty() &&
        llvm::none_of(subtarget->getAllProcessorFeatures(), hasName))
      return makeError("the target `" + tripleName +
                       "` has no feature called `" + feature + "`");
  }

  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(llvmTarget->createTargetMachine(
      triple, cpu, features, options,
      // Code is loaded anywhere in the address space, or into a shared library.
      llvm::Reloc::PIC_, llvm::CodeModel::Small,
      *llvm::CodeGenOpt::getLevel(optLevel)));
  if (!machine)
    return makeError("no code generator for the target `" + tripleName + "`");
  return machine;
}

llvm::Error tinygrad::target::checkModule(llvm::Module &module,
                                          const llvm::TargetMachine &machine) {
  const llvm::Triple &triple = module.getTargetTriple();
  const llvm::Triple &wanted = machine.getTargetTriple();
  if (!triple.str().empty() &&
      (triple.getArch() != wanted.getArch() ||
       triple.getOS() != wanted.getOS() ||
       triple.getObjectFormat() != wanted.getObjectFormat()))
    return makeError("expects code for the target `" + wanted.str() +
                     "`, got code for `" + triple.str() + "`");

  llvm::DataLayout layout = machine.createDataLayout();
  const std::string &layoutText = module.getDataLayoutStr();
  if (!layoutText.empty() && module.getDataLayout() != layout)
    return makeError("expects the data layout `" +
                     layout.getStringRepresentation() + "`, got `" +
                     layoutText + "`");

  std::string message;
  llvm::raw_string_ostream os(message);
  bool hasBrokenDebugInfo = false;
  if (llvm::verifyModule(module, &os, &hasBrokenDebugInfo))
    return makeError("invalid LLVM IR: " + getSentence(message));
  if (hasBrokenDebugInfo)
    llvm::StripDebugInfo(module);
  return llvm::Error::success();
}

/// What is left to do after MLIR's passes. Full unrolling turns the divisions
/// of a gather's addresses into constants; all else was measured to cost much
/// and gain nothing (see docs/Performance.md).
static llvm::ModulePassManager makeShortPipeline(int optLevel) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LoopFullUnrollPass(optLevel)));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(
      llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1)));
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager modulePasses;
  modulePasses.addPass(
      llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  return modulePasses;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     const GenerationOptions &options) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = options.vectorize;
  tuning.SLPVectorization = options.vectorize;
  tuning.LoopInterleaving = options.vectorize;

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel level = levels[options.optLevel];
  llvm::ModulePassManager passes =
      options.optLevel == 0  ? builder.buildO0DefaultPipeline(level)
      : options.isSimplified ? makeShortPipeline(options.optLevel)
                             : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
tinygrad::target::generateCode(llvm::Module &module,
                               llvm::TargetMachine &machine,
                               const GenerationOptions &options) {
  llvm::LLVMContext &context = module.getContext();
  std::string message;
  std::unique_ptr<llvm::DiagnosticHandler> previous =
      context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(message));
  llvm::scope_exit restore(
      [&] { context.setDiagnosticHandler(std::move(previous)); });

  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  optimize(module, machine, options);
  if (!message.empty())
    return makeError(getSentence(message));

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr, options.fileType))
    return makeError("the target `" + machine.getTargetTriple().str() +
                     "` cannot emit " +
                     (options.fileType == llvm::CodeGenFileType::AssemblyFile
                          ? "assembly"
                          : "object files"));
  passes.run(module);
  if (!message.empty())
    return makeError(getSentence(message));
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(
      std::move(object), module.getModuleIdentifier(),
      /*RequiresNullTerminator=*/false);
}
