//===- Engine.cpp - Compile and run graphs - c ----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Engine.h"
#include "CPUCompiler.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"
#include "tinygrad/Engine/Diagnostics.h"
#include "tinygrad/Engine/EmitGraph.h"
#include "tinygrad/Engine/ParseSource.h"
#include "tinygrad/InitAll.h"

#include <chrono>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;

namespace {

class EngineImpl : public engine::Engine {
public:
  EngineImpl(const Options &options, runtime::DeviceRef device,
             std::shared_ptr<runtime::DeviceRegistry> devices)
      : options(options), device(std::move(device)),
        devices(std::move(devices)),
        callbacks(std::make_shared<CallbackTable>()), library(options) {}

  runtime::Device &getDevice() override { return *device; }
  llvm::Expected<runtime::DeviceRef>
  getDevice(const std::string &name) override {
    std::string canonical = runtime::DeviceRegistry::getCanonicalName(name);
    if (canonical.empty() || canonical == options.device)
      return device;
    return devices->getDevice(canonical);
  }
  llvm::Error registerDevice(const std::string &name,
                             runtime::DeviceFactory factory) override {
    return devices->registerDevice(name, std::move(factory));
  }

  llvm::Expected<std::shared_ptr<Executable>>
  compile(const ops::Graph &graph, std::stop_token stop, Watch *watch) override;
  llvm::Expected<std::shared_ptr<Executable>>
  compile(const std::string &text, const std::string &fileName,
          const std::string &entry, std::stop_token stop,
          Watch *watch) override;

  llvm::Expected<std::vector<ops::ScheduleRecord>>
  schedule(const ops::Graph &graph) override;

  void registerCallback(const std::string &name, Callback callback) override {
    callbacks->set(name, std::move(callback));
  }

  CompileStatistics getCompileStatistics() const override {
    CompileStatistics result;
    {
      std::lock_guard lock(mutex);
      result = statistics;
    }
    library.addTo(result);
    return result;
  }

private:
  /// Compiles the function that `makeModule` makes in a new context, and keeps
  /// the time.
  llvm::Expected<std::shared_ptr<Executable>> compileWith(
      llvm::function_ref<llvm::Expected<OwningOpRef<ModuleOp>>(MLIRContext &)>
          makeModule,
      StringRef fileName, StringRef entry, CompileStop stop);
  /// Sets `isWarm` where no pass had to run.
  llvm::Expected<std::shared_ptr<Executable>>
  makeExecutable(Compilation compilation, CompileStop &stop, bool &isWarm);

  const Options options;
  runtime::DeviceRef device;
  std::shared_ptr<runtime::DeviceRegistry> devices;
  std::shared_ptr<CallbackTable> callbacks;
  KernelLibrary library;
  mutable std::mutex mutex;
  CompileStatistics statistics;
};

} // namespace

llvm::Expected<std::shared_ptr<Executable>>
EngineImpl::makeExecutable(Compilation compilation, CompileStop &stop,
                           bool &isWarm) {
  if (stop.isRequested())
    return llvm::createStringError("cancelled");
  ExecutableOptions executableOptions{device, devices, callbacks,
                                      options.profile, options.onRun};
  if (options.device == "INTERP")
    return makeInterpreterExecutable(std::move(compilation), executableOptions);
  CompileOptions compileOptions;
  compileOptions.optLevel = options.optLevel;
  compileOptions.maxSplitResults = options.maxSplitResults;
  compileOptions.passes = {&stop, options.reproducerDirectory,
                           options.verifyPasses, options.onCode};
  compileOptions.getDevice = [&](const std::string &name) {
    return executableOptions.getDevice(name);
  };
  llvm::Expected<CompiledSchedule> compiled =
      compileForCPU(compilation, library, compileOptions);
  if (!compiled)
    return compiled.takeError();
  isWarm = compiled->isFromFolder;
  return makeCPUExecutable(std::move(*compiled), executableOptions);
}

llvm::Expected<std::shared_ptr<Executable>> EngineImpl::compileWith(
    llvm::function_ref<llvm::Expected<OwningOpRef<ModuleOp>>(MLIRContext &)>
        makeModule,
    StringRef fileName, StringRef entry, CompileStop stop) {
  auto begin = std::chrono::steady_clock::now();
  // Jobs run in parallel, each alone in its context: threads inside of it would
  // only cost.
  DialectRegistry registry;
  registerHostDialects(registry);
  Compilation compilation;
  compilation.context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  compilation.context->printOpOnDiagnostic(false);
  llvm::Expected<OwningOpRef<ModuleOp>> module =
      makeModule(*compilation.context);
  if (!module)
    return module.takeError();
  compilation.module = std::move(*module);
  compilation.function = compilation.module->lookupSymbol<func::FuncOp>(entry);
  if (!compilation.function)
    return llvm::createStringError(
        (fileName + ": error: expects a function `" + entry + "`").str());
  func::FuncOp function = compilation.function;
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()) ||
      !isa<func::ReturnOp>(function.getBody().front().getTerminator()))
    return makeErrorAt(function, "expects a body of one block, which returns, "
                                 "in the function to run");
  if (llvm::Error error = checkCallbacks(function, *callbacks))
    return error;

  bool isWarm = false;
  auto executable = makeExecutable(std::move(compilation), stop, isWarm);
  if (!executable)
    return executable;
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  std::lock_guard lock(mutex);
  ++statistics.schedules;
  statistics.kernels +=
      static_cast<int64_t>((*executable)->getKernels().size());
  statistics.seconds += elapsed.count();
  if (isWarm) {
    ++statistics.warmSchedules;
    statistics.warmSeconds += elapsed.count();
  }
  return executable;
}

llvm::Expected<std::shared_ptr<Executable>>
EngineImpl::compile(const ops::Graph &graph, std::stop_token stop,
                    Watch *watch) {
  return compileWith(
      [&](MLIRContext &context) { return emitGraph(context, graph); }, "graph",
      "main", CompileStop(std::move(stop), watch));
}

llvm::Expected<std::shared_ptr<Executable>>
EngineImpl::compile(const std::string &text, const std::string &fileName,
                    const std::string &entry, std::stop_token stop,
                    Watch *watch) {
  return compileWith(
      [&](MLIRContext &context) {
        return parseSource(context, text, fileName);
      },
      fileName, entry, CompileStop(std::move(stop), watch));
}

llvm::Expected<std::vector<ops::ScheduleRecord>>
EngineImpl::schedule(const ops::Graph &graph) {
  DialectRegistry registry;
  registerHostDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::Expected<OwningOpRef<ModuleOp>> module = emitGraph(context, graph);
  if (!module)
    return module.takeError();
  llvm::Error error = runPasses(
      **module, "schedule the graph",
      [&](OpPassManager &manager) {
        lazy::SchedulePassOptions schedule;
        schedule.optLevel = options.optLevel;
        schedule.maxSplitResults = options.maxSplitResults;
        schedule.traceRules = true;
        manager.addNestedPass<func::FuncOp>(lazy::createSchedulePass(schedule));
      },
      {nullptr, options.reproducerDirectory, options.verifyPasses, {}});
  if (error)
    return std::move(error);
  return readRecords((*module)->lookupSymbol<func::FuncOp>("main"), graph);
}

/// Calls `make` if `which` names no other device than the first.
static llvm::Expected<runtime::DeviceRef>
makeOnlyDevice(StringRef name, StringRef which,
               llvm::function_ref<llvm::Expected<runtime::DeviceRef>()> make) {
  if (which.empty())
    return make();
  return llvm::createStringError(
      ("expects one device `" + name + "`, got `" + name + ":" + which + "`")
          .str());
}

llvm::Expected<std::shared_ptr<engine::Engine>>
engine::Engine::create(const Options &options) {
  if (options.optLevel < 0 || options.optLevel > 4)
    return llvm::createStringError("expects an optimization level from 0 to 4, "
                                   "got " +
                                   std::to_string(options.optLevel));
  for (auto [what, value] :
       {std::pair("bound of split results", options.maxSplitResults),
        std::pair("number of threads", int64_t(options.numThreads)),
        std::pair("number of threads to compile",
                  int64_t(options.numCompileThreads)),
        std::pair("cache's size", options.maxCacheBytes)})
    if (value < 0)
      return llvm::createStringError("expects a " + std::string(what) +
                                     " that is not negative, got " +
                                     std::to_string(value));
  auto devices = std::make_shared<runtime::DeviceRegistry>(options.memory);
  auto registerOne = [&](const std::string &name,
                         runtime::DeviceFactory factory) {
    return devices->registerDevice(name, std::move(factory));
  };
  llvm::Error error =
      registerOne("CPU", [numThreads = options.numThreads,
                          memory = options.memory](const std::string &which) {
        return makeOnlyDevice("CPU", which, [&] {
          return runtime::createCPUDevice(numThreads, memory);
        });
      });
  // The interpreter keeps its buffers in plain memory.
  if (!error)
    error = registerOne("INTERP",
                        [memory = options.memory](const std::string &which) {
                          return makeOnlyDevice("INTERP", which, [&] {
                            return runtime::createHostDevice("INTERP", memory);
                          });
                        });
  for (const auto &[name, factory] : options.devices)
    if (!error)
      error = registerOne(name, factory);
  if (error)
    return error;
  Options canonical = options;
  canonical.device = runtime::DeviceRegistry::getCanonicalName(options.device);
  if (holdsDataOnly(canonical.device))
    return llvm::createStringError("expects a device that runs kernels, got `" +
                                   canonical.device +
                                   "`, which holds data only");
  llvm::Expected<runtime::DeviceRef> device =
      devices->getDevice(canonical.device);
  if (!device)
    return device.takeError();
  return std::make_shared<EngineImpl>(canonical, std::move(*device),
                                      std::move(devices));
}
