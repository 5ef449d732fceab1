//===- CPUTarget.cpp - The processor that code is made for ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Target/CPUTarget.h"
#include "tinygrad/Target/IRCheck.h"

#include "../Common/CodeGeneration.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>
#include <vector>

using namespace tinygrad::target;

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

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
tinygrad::target::compileToObject(llvm::Module &module, const CPUTarget &target,
                                  const ObjectOptions &options) {
  if (options.optLevel < 0 || options.optLevel > 3)
    return makeError("expects an optimization level of 0 to 3, got " +
                     llvm::Twine(options.optLevel));
  initializeTargets();
  auto machine = createTargetMachine(target.triple, target.cpu, target.features,
                                     options.optLevel);
  if (!machine)
    return machine.takeError();
  if (llvm::Error error = checkModule(module, **machine))
    return error;
  if (!options.isChecked)
    if (llvm::Error error = checkForCodeGenerator(module))
      return error;
  setAttributes(module, target);
  GenerationOptions generation;
  generation.optLevel = options.optLevel;
  generation.vectorize = options.vectorize;
  generation.isSimplified = options.isSimplified;
  if (options.assembly)
    generation.fileType = llvm::CodeGenFileType::AssemblyFile;
  return generateCode(module, **machine, generation);
}
