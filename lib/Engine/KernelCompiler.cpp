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

namespace {

/// A kernel on its way from bytecode to LLVM IR.
class Lowering {
public:
  Lowering(const std::string &name, const target::CPUTarget &target,
           const RunPassesOptions &options)
      : name(name), target(target), options(options), registry(makeRegistry()),
        context(registry, MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
  }

  /// Lowers the kernel to the llvm dialect.
  llvm::Error run(StringRef bytecode);
  /// Returns the number of tasks that the lowering has left on the kernel.
  llvm::Expected<RuntimeSize> getNumTasks();
  /// Translates the kernel to LLVM IR.
  llvm::Expected<std::unique_ptr<llvm::Module>>
  translate(llvm::LLVMContext &context);
  /// Turns LLVM IR into an object file.
  llvm::Expected<std::string> emitObject(llvm::Module &translated);

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerHostDialects(registry);
    return registry;
  }
  template <typename T>
  void show(StringRef stage, const T &code) const {
    if (!options.onCode)
      return;
    std::string text;
    llvm::raw_string_ostream(text) << code;
    options.onCode({name, stage.str(), text});
  }

  const std::string &name;
  const target::CPUTarget &target;
  const RunPassesOptions &options;
  DialectRegistry registry;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  /// The names of the variables that the kernel is told, in their order.
  std::vector<std::string> variables;
};

} // namespace

llvm::Error Lowering::run(StringRef bytecode) {
  {
    DiagnosticCollector diagnostics(&context);
    Block block;
    if (failed(readBytecodeFile(
            llvm::MemoryBufferRef(bytecode, kernelSymbol), &block,
            ParserConfig(&context, /*verifyAfterParse=*/options.verify))))
      return diagnostics.takeError("failed to read a kernel");
    module = cast<ModuleOp>(block.front());
    module->getOperation()->remove();
  }
  module->walk([&](lazy::KernelOp kernel) {
    for (const shape::IndexExpr &variable : kernel.getVariableExprs())
      variables.push_back(variable.getName());
  });
  if (llvm::Error error = runPasses(
          *module, "lower a kernel to loops",
          [&](OpPassManager &manager) {
            buildKernelsToLoopsPipeline(manager, target.vectorBits);
          },
          options))
    return error;
  show("loops", *module);
  return runPasses(*module, "lower the loops of a kernel to LLVM",
                   buildLoopsToLLVMPipeline, options);
}

llvm::Expected<RuntimeSize> Lowering::getNumTasks() {
  Operation *op = module->lookupSymbol(kernelSymbol);
  std::optional<shape::IndexExpr> tasks =
      op ? lazy::getNumTasks(op) : std::nullopt;
  std::optional<RuntimeSize> size =
      tasks ? RuntimeSize::create(*tasks, variables) : std::nullopt;
  if (!size)
    return makeErrorAt(op ? op : module->getOperation(),
                       "expects the number of tasks in `tinygrad.tasks`");
  return std::move(*size);
}

llvm::Expected<std::unique_ptr<llvm::Module>>
Lowering::translate(llvm::LLVMContext &llvmContext) {
  DiagnosticCollector diagnostics(&context);
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(*module, llvmContext, kernelSymbol);
  if (!translated)
    return diagnostics.takeError("failed to translate a kernel to LLVM IR");
  show("llvm", *translated);
  return translated;
}

llvm::Expected<std::string> Lowering::emitObject(llvm::Module &translated) {
  target::ObjectOptions objectOptions;
  objectOptions.isSimplified = true;
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> object =
      target::compileToObject(translated, target, objectOptions);
  if (!object)
    return makeErrorAt(module->lookupSymbol(kernelSymbol),
                       llvm::toString(object.takeError()));
  return (*object)->getBuffer().str();
}

llvm::Expected<KernelObject>
engine::compileKernel(const KernelSource &source,
                      const target::CPUTarget &target,
                      const RunPassesOptions &options) {
  if (options.isStopRequested())
    return makeCancelledError();
  Lowering lowering(source.name, target, options);
  if (llvm::Error error = lowering.run(source.bytecode))
    return error;
  llvm::Expected<RuntimeSize> numTasks = lowering.getNumTasks();
  if (!numTasks)
    return numTasks.takeError();
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> translated =
      lowering.translate(context);
  if (!translated)
    return translated.takeError();
  llvm::Expected<std::string> code = lowering.emitObject(**translated);
  if (!code)
    return code.takeError();
  return KernelObject{std::move(*code), std::move(*numTasks)};
}

void engine::showKernel(StringRef bytecode, const std::string &name,
                        const target::CPUTarget &target,
                        const RunPassesOptions &options) {
  if (!options.onCode)
    return;
  Lowering lowering(name, target, options);
  llvm::Error error = lowering.run(bytecode);
  llvm::LLVMContext context;
  if (!error)
    error = lowering.translate(context).takeError();
  // It was compiled before: only a stop can be the reason.
  llvm::consumeError(std::move(error));
}
