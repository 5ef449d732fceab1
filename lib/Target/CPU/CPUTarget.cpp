//===- CPUTarget.cpp - The processor that code is made for ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Target/CPUTarget.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
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
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>
#include <vector>

using namespace tinygrad::target;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

/// Returns how many multiply-adds of `vectorBits` bits a core of type `cpu`
/// starts per cycle, from the vendors' optimization manuals.
static int getNumFMAUnits(llvm::StringRef cpu, int vectorBits) {
  // A register of 512 bits goes through both 256-bit pipes of Zen 4 at once.
  if (cpu == "znver4")
    return vectorBits == 512 ? 1 : 2;
  // Zen 1 splits 256 bits into two halves.
  if (cpu == "znver1")
    return vectorBits == 256 ? 1 : 2;
  return llvm::StringSwitch<int>(cpu)
      .Cases({"znver2", "znver3", "znver5"}, 2)
      .Cases({"haswell", "broadwell", "skylake"}, 2)
      .Cases({"skylake-avx512", "cascadelake", "cooperlake"}, 2)
      .Cases({"icelake-server", "sapphirerapids", "emeraldrapids"}, 2)
      .Cases({"graniterapids", "graniterapids-d", "diamondrapids"}, 2)
      .Cases({"alderlake", "raptorlake", "meteorlake", "arrowlake"}, 2)
      // One 512-bit pipe is left out of these.
      .Cases({"icelake-client", "tigerlake", "rocketlake"},
             vectorBits == 512 ? 1 : 2)
      .Default(0);
}

CPUTarget CPUTarget::getHost() {
  CPUTarget target;
  target.triple = llvm::sys::getProcessTriple();
  target.cpu = llvm::sys::getHostCPUName().str();
  if (target.cpu.empty())
    target.cpu = "generic";

  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  // Its conversion to bfloat16 takes subnormal numbers as zero.
  for (llvm::StringRef feature : {"avx512bf16", "avxneconvert"})
    if (features.contains(feature))
      features[feature] = false;
  std::vector<std::string> list;
  for (const auto &feature : features)
    list.push_back((feature.second ? "+" : "-") + feature.first().str());
  // The map's order is that of a hash.
  llvm::sort(list, [](const std::string &a, const std::string &b) {
    return llvm::StringRef(a).drop_front() < llvm::StringRef(b).drop_front();
  });
  target.features = llvm::join(list, ",");

  llvm::Triple triple(target.triple);
  if (triple.isAArch64()) {
    // Neon; vectors of unknown length have no use here.
    target.numVectorRegisters = 32;
    target.hasFMA = true;
    return target;
  }
  target.hasFMA = features.lookup("fma");
  if (features.lookup("avx512f") && features.lookup("avx512vl")) {
    target.vectorBits = 512;
    target.numVectorRegisters = 32;
  } else if (features.lookup("avx")) {
    target.vectorBits = 256;
  }
  if (target.hasFMA)
    target.numFMAUnits = getNumFMAUnits(target.cpu, target.vectorBits);
  return target;
}

//===----------------------------------------------------------------------===//
// Object files
//===----------------------------------------------------------------------===//

/// LLVM's tables of targets are global and not safe to fill from two threads.
static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    // Without the parser inline assembly ends the process.
    llvm::InitializeNativeTargetAsmParser();
  });
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

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CPUTarget &target, int optLevel) {
  initializeTargets();
  std::string message;
  llvm::Triple triple(target.triple);
  const llvm::Target *llvmTarget =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!llvmTarget)
    return makeError("no code generator for the target `" + target.triple +
                     "`");
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      llvmTarget->createMCSubtargetInfo(triple, "", ""));
  // An unknown name would be printed and ignored.
  if (!subtarget || !subtarget->isCPUStringValid(target.cpu))
    return makeError("the target `" + target.triple +
                     "` has no processor called `" + target.cpu + "`");
  for (llvm::StringRef feature : llvm::split(target.features, ',')) {
    auto hasName = [&](const llvm::SubtargetFeatureKV &known) {
      return feature.substr(1) == known.Key;
    };
    if (!feature.empty() &&
        llvm::none_of(subtarget->getAllProcessorFeatures(), hasName))
      return makeError("the target `" + target.triple +
                       "` has no feature called `" + feature + "`");
  }

  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(llvmTarget->createTargetMachine(
      triple, target.cpu, target.features, options,
      // Code is loaded anywhere in the address space, or into a shared library.
      llvm::Reloc::PIC_, llvm::CodeModel::Small,
      *llvm::CodeGenOpt::getLevel(optLevel)));
  if (!machine)
    return makeError("no code generator for the target `" + target.triple +
                     "`");
  return machine;
}

/// Checks that `module` is valid and meant for `machine`.
static llvm::Error checkModule(llvm::Module &module,
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

static void setAttributes(llvm::Module &module, const CPUTarget &target) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    function.removeFnAttr("tune-cpu");
    function.addFnAttr("prefer-vector-width",
                       llvm::Twine(target.vectorBits).str());
  }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     const ObjectOptions &options) {
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
      options.optLevel == 0 ? builder.buildO0DefaultPipeline(level)
                            : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
tinygrad::target::compileToObject(llvm::Module &module, const CPUTarget &target,
                                  const ObjectOptions &options) {
  if (options.optLevel < 0 || options.optLevel > 3)
    return makeError("expects an optimization level of 0 to 3, got " +
                     llvm::Twine(options.optLevel));
  auto machine = createTargetMachine(target, options.optLevel);
  if (!machine)
    return machine.takeError();

  llvm::LLVMContext &context = module.getContext();
  std::string message;
  std::unique_ptr<llvm::DiagnosticHandler> previous =
      context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(message));
  llvm::scope_exit restore(
      [&] { context.setDiagnosticHandler(std::move(previous)); });

  if (llvm::Error error = checkModule(module, **machine))
    return error;
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  setAttributes(module, target);
  optimize(module, **machine, options);
  if (!message.empty())
    return makeError(getSentence(message));

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr,
                                      options.assembly
                                          ? llvm::CodeGenFileType::AssemblyFile
                                          : llvm::CodeGenFileType::ObjectFile))
    return makeError("the target `" + target.triple + "` cannot emit " +
                     (options.assembly ? "assembly" : "object files"));
  passes.run(module);
  if (!message.empty())
    return makeError(getSentence(message));
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(
      std::move(object), module.getModuleIdentifier(),
      /*RequiresNullTerminator=*/false);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
tinygrad::target::compileToObject(llvm::Module &module, const CPUTarget &target,
                                  int optLevel) {
  ObjectOptions options;
  options.optLevel = optLevel;
  return compileToObject(module, target, options);
}
