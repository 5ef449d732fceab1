//===- KernelCompiler.cpp - From one kernel to machine code ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCompiler.h"
#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Engine/Diagnostics.h"
#include "tinygrad/InitAll.h"
#include "tinygrad/Pipelines/Pipelines.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

static void eraseLocations(Operation *root) {
  auto unknown = UnknownLoc::get(root->getContext());
  root->walk([&](Operation *op) {
    op->setLoc(unknown);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(unknown);
  });
}

std::string engine::writeBytecode(ModuleOp module, bool withLocations) {
  if (!withLocations)
    eraseLocations(module);
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  // Fails only where an old version is asked for.
  (void)writeBytecodeToFile(module, stream);
  return bytecode;
}

KernelSource engine::takeKernelSource(func::FuncOp function,
                                      const std::string &keyPrefix) {
  KernelSource source;
  source.name = function.getName().str();
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  function->remove();
  module->push_back(function);
  function.setName(kernelSymbol);
  function.setPublic();
  function.walk([](lazy::KernelOp kernel) { kernel.setSymName(kernelSymbol); });

  source.bytecode = writeBytecode(*module, /*withLocations=*/true);
  source.key =
      CacheKey(keyPrefix + writeBytecode(*module, /*withLocations=*/false));
  return source;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Turns `module`, in the llvm dialect, into an object file.
static llvm::Expected<std::string>
emitObject(ModuleOp module, const target::CPUTarget &target,
           llvm::function_ref<void(StringRef stage, const llvm::Module &code)>
               onCode) {
  DiagnosticCollector diagnostics(module.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, kernelSymbol);
  if (!translated)
    return diagnostics.takeError("failed to translate a kernel to LLVM IR");
  onCode("llvm", *translated);
  target::ObjectOptions options;
  options.isSimplified = true;
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> object =
      target::compileToObject(*translated, target, options);
  if (!object)
    return makeErrorAt(module.lookupSymbol(kernelSymbol),
                       llvm::toString(object.takeError()));
  return (*object)->getBuffer().str();
}

/// Returns the names of the variables that a kernel is told, in their order.
static std::vector<std::string> getVariableNames(ModuleOp module) {
  std::vector<std::string> names;
  module.walk([&](lazy::KernelOp kernel) {
    for (const shape::IndexExpr &variable : kernel.getVariableExprs())
      names.push_back(variable.getName());
  });
  return names;
}

/// Returns the number of tasks that the lowering has left on the kernel.
static llvm::Expected<RuntimeSize>
getNumTasks(ModuleOp module, std::span<const std::string> variables) {
  Operation *op = module.lookupSymbol(kernelSymbol);
  std::optional<shape::IndexExpr> tasks =
      op ? lazy::getNumTasks(op) : std::nullopt;
  std::optional<RuntimeSize> size =
      tasks ? RuntimeSize::create(*tasks, variables) : std::nullopt;
  if (!size)
    return makeErrorAt(op ? op : module.getOperation(),
                       "expects the number of tasks in `tinygrad.tasks`");
  return std::move(*size);
}

llvm::Expected<KernelObject>
engine::compileKernel(const KernelSource &source,
                      const target::CPUTarget &target,
                      const RunPassesOptions &options) {
  if (options.stop.stop_requested())
    return makeCancelledError();
  DialectRegistry registry;
  registerHostDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  OwningOpRef<ModuleOp> module;
  {
    DiagnosticCollector diagnostics(&context);
    Block block;
    if (failed(readBytecodeFile(
            llvm::MemoryBufferRef(source.bytecode, kernelSymbol), &block,
            ParserConfig(&context, /*verifyAfterParse=*/options.verify))))
      return diagnostics.takeError("failed to read a kernel");
    module = cast<ModuleOp>(block.front());
    module->getOperation()->remove();
  }
  std::vector<std::string> variables = getVariableNames(*module);
  if (llvm::Error error = runPasses(
          *module, "lower a kernel to loops",
          [&](OpPassManager &manager) {
            buildKernelsToLoopsPipeline(manager, target.vectorBits);
          },
          options))
    return error;
  auto onCode = [&](StringRef stage, const auto &code) {
    if (!options.onCode)
      return;
    std::string text;
    llvm::raw_string_ostream(text) << code;
    options.onCode({source.name, stage.str(), text});
  };
  onCode("loops", *module);
  if (llvm::Error error =
          runPasses(*module, "lower the loops of a kernel to LLVM",
                    buildLoopsToLLVMPipeline, options))
    return error;
  llvm::Expected<RuntimeSize> numTasks = getNumTasks(*module, variables);
  if (!numTasks)
    return numTasks.takeError();
  llvm::Expected<std::string> code = emitObject(*module, target, onCode);
  if (!code)
    return code.takeError();
  return KernelObject{std::move(*code), std::move(*numTasks)};
}
