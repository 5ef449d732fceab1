//===- IRModule.cpp - A module without MLIR's headers ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/IRModule.h"
#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"
#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Engine/Diagnostics.h"
#include "tinygrad/Engine/EmitGraph.h"
#include "tinygrad/Engine/ParseSource.h"
#include "tinygrad/InitAll.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <mutex>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;

namespace {

/// A context, which one thread uses at a time.
struct SharedContext {
  SharedContext() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
  }
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  std::mutex mutex;
  MLIRContext context;
};

class IRModuleImpl : public IRModule {
public:
  IRModuleImpl(std::shared_ptr<SharedContext> shared,
               OwningOpRef<ModuleOp> module)
      : shared(std::move(shared)), module(std::move(module)) {}
  ~IRModuleImpl() override {
    std::lock_guard lock(shared->mutex);
    module = nullptr;
  }

  std::string print(bool locations) const override;
  llvm::Expected<IRModuleRef> run(const std::string &pipeline) const override;
  llvm::Expected<std::string> printLLVMIR() const override;
  std::vector<ops::FunctionRecord> getFunctions() const override;
  std::vector<int> getOverwrittenInputs(const std::string &name) const override;

private:
  std::shared_ptr<SharedContext> shared;
  OwningOpRef<ModuleOp> module;
};

} // namespace

llvm::Expected<IRModuleRef> IRModule::parse(const std::string &text,
                                            const std::string &fileName) {
  auto shared = std::make_shared<SharedContext>();
  llvm::Expected<OwningOpRef<ModuleOp>> module =
      parseSource(shared->context, text, fileName);
  if (!module)
    return module.takeError();
  return std::make_shared<IRModuleImpl>(shared, std::move(*module));
}

llvm::Expected<IRModuleRef> IRModule::emit(const ops::Graph &graph) {
  auto shared = std::make_shared<SharedContext>();
  llvm::Expected<OwningOpRef<ModuleOp>> module =
      emitGraph(shared->context, graph);
  if (!module)
    return module.takeError();
  return std::make_shared<IRModuleImpl>(shared, std::move(*module));
}

static std::string printOperation(Operation *op, bool locations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo(locations);
  if (!isa<ModuleOp>(op))
    flags.useLocalScope();
  op->print(stream, flags);
  return text;
}

std::string IRModuleImpl::print(bool locations) const {
  std::lock_guard lock(shared->mutex);
  return printOperation(ModuleOp(*module), locations);
}

/// Returns the first pass of a list, with all that is in its brackets, and
/// takes it and the comma behind it away.
static StringRef takePass(StringRef &passes) {
  int depth = 0;
  size_t end = 0;
  for (; end < passes.size() && (passes[end] != ',' || depth > 0); ++end)
    depth += StringRef("({[").contains(passes[end]) -
             StringRef(")}]").contains(passes[end]);
  StringRef pass = passes.take_front(end).trim();
  passes = passes.drop_front(std::min(end + 1, passes.size()));
  return pass;
}

/// Adds one pass with its options, or a nested list, to `manager`.
static llvm::Error addPass(StringRef pass, PassManager &manager) {
  auto parse = [&](const Twine &text, OpPassManager &target,
                   llvm::raw_ostream &errors) {
    return parsePassPipeline(text.str(), target, errors);
  };
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  DiagnosticCollector diagnostics(manager.getContext());
  // What fails may leave a part of its passes.
  OpPassManager trial(ModuleOp::getOperationName());
  if (succeeded(parse(pass, trial, stream)))
    return succeeded(parse(pass, manager, stream))
               ? llvm::Error::success()
               : diagnostics.takeError(errors);
  std::string nested = ("func.func(" + pass + ")").str();
  OpPassManager nestedTrial(ModuleOp::getOperationName());
  if (succeeded(parse(nested, nestedTrial, llvm::nulls())) &&
      succeeded(parse(nested, manager, llvm::nulls())))
    return llvm::Error::success();
  // The parser of pipelines says itself where and that it is an error, and
  // passes don't.
  StringRef text = StringRef(errors).rtrim();
  return diagnostics.takeError(
      text.empty() ? ("error: pass `" + pass + "` is not valid").str()
                   : (text.contains("error: ") ? "" : "error: ") + text.str());
}

/// Adds the passes of a pipeline's text to `manager`.
static llvm::Error addPasses(StringRef pipeline, PassManager &manager) {
  static std::once_flag isRegistered;
  std::call_once(isRegistered, [] {
    registerAllPasses();
    registerAllPipelines();
  });
  StringRef passes = pipeline.trim();
  if (passes.consume_front("builtin.module("))
    if (!passes.consume_back(")"))
      return llvm::createStringError("error: expects a `)` at the end of the "
                                     "pipeline");
  while (!passes.trim().empty())
    if (llvm::Error error = addPass(takePass(passes), manager))
      return error;
  return llvm::Error::success();
}

llvm::Expected<IRModuleRef>
IRModuleImpl::run(const std::string &pipeline) const {
  std::lock_guard lock(shared->mutex);
  PassManager manager(&shared->context);
  if (llvm::Error error = addPasses(pipeline, manager))
    return error;
  OwningOpRef<ModuleOp> result = ModuleOp(*module).clone();
  DiagnosticCollector diagnostics(&shared->context);
  if (failed(manager.run(*result)))
    return diagnostics.takeError("error: a pass failed");
  return std::make_shared<IRModuleImpl>(shared, std::move(result));
}

llvm::Expected<std::string> IRModuleImpl::printLLVMIR() const {
  std::lock_guard lock(shared->mutex);
  DiagnosticCollector diagnostics(&shared->context);
  WalkResult isLowered = (*module)->walk([](Operation *op) {
    if (isa<ModuleOp>(op) || op->getName().getDialectNamespace() == "llvm")
      return WalkResult::advance();
    op->emitError() << "expects a module of the llvm dialect, which "
                       "`tinygrad-to-llvm` makes; got `"
                    << op->getName() << "`";
    return WalkResult::interrupt();
  });
  if (isLowered.wasInterrupted())
    return diagnostics.takeError("error: cannot be translated to LLVM IR");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(*module, context, "module");
  if (!translated)
    return diagnostics.takeError("error: cannot be translated to LLVM IR");
  std::string text;
  llvm::raw_string_ostream stream(text);
  translated->print(stream, /*AAW=*/nullptr);
  return text;
}

std::vector<ops::FunctionRecord> IRModuleImpl::getFunctions() const {
  std::lock_guard lock(shared->mutex);
  std::vector<ops::FunctionRecord> functions;
  ModuleOp op = *module;
  for (auto function : op.getOps<FunctionOpInterface>()) {
    ops::FunctionRecord &result = functions.emplace_back();
    result.name = function.getName().str();
    result.text = printOperation(function, /*locations=*/false);
    result.isKernel = function->hasAttr(lazy::kernelAttrName);
    function->walk([&](Operation *inner) {
      if (auto call = dyn_cast<CallOpInterface>(inner))
        if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
          result.callees.push_back(callee.getLeafReference().str());
      if (auto kernel = dyn_cast<lazy::KernelOp>(inner)) {
        lazy::KernelCost cost = lazy::computeKernelCost(kernel);
        result.flops += cost.flops;
        result.bytes += cost.bytesRead + cost.bytesWritten;
      }
    });
  }
  return functions;
}

std::vector<int>
IRModuleImpl::getOverwrittenInputs(const std::string &name) const {
  std::lock_guard lock(shared->mutex);
  ModuleOp op = *module;
  auto function = op.lookupSymbol<func::FuncOp>(name);
  if (!function || function.isExternal())
    return {};
  llvm::SmallDenseSet<unsigned> written;
  auto note = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == &function.getBody().front())
      written.insert(argument.getArgNumber());
  };
  lazy::StorageFinder finder;
  function.walk([&](Operation *inner) {
    if (auto kernel = dyn_cast<lazy::KernelOp>(inner))
      llvm::for_each(kernel.getInits(), note);
    std::string error;
    if (auto assign = dyn_cast<lazy::AssignOp>(inner))
      if (auto storage = finder.find(assign, error))
        note(storage->base);
  });
  std::vector<int> result;
  int input = 0;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (function.getArgAttr(i, lazy::variableAttrName))
      continue;
    if (written.contains(i))
      result.push_back(input);
    ++input;
  }
  return result;
}
