//===- CPUCompiler.cpp - From a function to programs and steps ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUCompiler.h"
#include "CacheSchedule.h"
#include "tinygrad/Engine/Diagnostics.h"
#include "tinygrad/Pipelines/Pipelines.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;

namespace {

/// Compiles one function, step by step.
class CPUCompiler {
public:
  CPUCompiler(Compilation &compilation, KernelLibrary &library,
              const CompileOptions &options)
      : context(compilation.context.get()), module(compilation.module.get()),
        function(compilation.function), library(library), options(options) {}

  llvm::Expected<CompiledSchedule> run();

private:
  /// Kernels that are called, each name once, where they are to run.
  struct Wanted {
    std::vector<std::string> names;
    /// KernelRequest::source is the position of a name.
    std::vector<KernelRequest> requests;
    /// The request of each kernel of the schedule.
    std::vector<size_t> requestOf;
  };

  /// Leaves in the module the function alone, with each computed result once
  /// and no result that is an argument.
  void simplifyResults();
  llvm::Error readHost();
  llvm::Error placeKernels(func::FuncOp host);
  void nameSlots();
  llvm::Error compileKernels();
  /// Finds the device of each slot.
  llvm::Error findDevices();
  Wanted listWanted() const;
  /// Gives each kernel what was loaded for it.
  void setPrograms(const Wanted &wanted, llvm::ArrayRef<LoadedKernel> loaded);
  /// Fills in the schedule and its kernels where a folder keeps all of them.
  bool findInFolder();

  MLIRContext *context;
  ModuleOp module;
  func::FuncOp function;
  KernelLibrary &library;
  const CompileOptions &options;
  CompiledSchedule compiled;
  /// Names the schedule in the folder, if there is one.
  CacheKey key;
};

} // namespace

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

void CPUCompiler::simplifyResults() {
  for (Operation &op :
       llvm::make_early_inc_range(module.getBody()->getOperations()))
    if (&op != function)
      op.erase();
  function.setName("main");
  function.setPublic();

  Operation *terminator = function.getBody().front().getTerminator();
  std::vector<int> arguments = getReturnedArguments(function);
  llvm::SmallMapVector<Value, int, 4> results;
  for (auto [index, operand] : llvm::enumerate(terminator->getOperands())) {
    OutputSource source;
    source.input = arguments[index];
    if (source.input < 0) {
      auto [entry, isNew] =
          results.insert({operand, static_cast<int>(results.size())});
      source.result = entry->second;
      source.isCopy = !isNew;
      if (isNew)
        compiled.results.push_back(compiled.outputs[index]);
    }
    compiled.sources.push_back(source);
  }
  SmallVector<Value> values;
  for (auto [value, index] : results)
    values.push_back(value);
  terminator->setOperands(values);
  function.setFunctionType(FunctionType::get(
      context, function.getArgumentTypes(), TypeRange(ValueRange(values))));
  // Attributes of results would no longer belong to them.
  function.removeResAttrsAttr();
}

static std::vector<std::string>
getNames(const std::vector<Variable> &variables) {
  std::vector<std::string> names;
  for (const Variable &variable : variables)
    names.push_back(variable.name);
  return names;
}

llvm::Error CPUCompiler::readHost() {
  auto host = module.lookupSymbol<func::FuncOp>("main");
  if (!host)
    return makeErrorAt(module, "expects the schedule in a function `main`");
  std::vector<std::string> names = getNames(compiled.variables);
  llvm::Expected<Schedule> schedule = readSchedule(host, names);
  if (!schedule)
    return schedule.takeError();
  compiled.schedule = std::move(*schedule);
  // The front of the slots are the inputs and the outputs, without signs.
  size_t numArguments = compiled.inputs.size() + compiled.results.size();
  if (host.getNumArguments() != numArguments + names.size())
    return makeErrorAt(host, "expects " + Twine(numArguments + names.size()) +
                                 " arguments in the schedule, got " +
                                 Twine(host.getNumArguments()));
  for (size_t i = 0; i < numArguments; ++i) {
    const Signature &signature =
        i < compiled.inputs.size()
            ? compiled.inputs[i]
            : compiled.results[i - compiled.inputs.size()];
    Schedule::Slot &slot = compiled.schedule.slots[i];
    std::optional<RuntimeSize> numElements = getSize(signature, names);
    // The type of an argument does not say what an expression is.
    if (numElements && !numElements->isNumber())
      slot.numElements = *numElements;
    if (getByteWidth(slot.type) != getByteWidth(signature.type) ||
        slot.numElements != numElements)
      return makeErrorAt(host, "expects argument " + Twine(i) +
                                   " of the schedule to hold a tensor of " +
                                   ops::toString(signature.shape));
    slot.type = signature.type;
  }
  for (const std::string &name : compiled.schedule.kernels) {
    Kernel kernel;
    kernel.name = name;
    auto outlined = module.lookupSymbol<func::FuncOp>(name);
    if (!outlined)
      return makeErrorAt(host, "expects a function `" + name + "`");
    outlined.walk([&](lazy::KernelOp op) {
      kernel.numInputs = static_cast<int32_t>(op.getInputs().size());
      lazy::KernelCost cost = lazy::computeKernelCost(op);
      kernel.cost.flops += cost.flops;
      kernel.cost.bytesRead += cost.bytesRead;
      kernel.cost.bytesWritten += cost.bytesWritten;
    });
    compiled.kernels.push_back(std::move(kernel));
  }
  if (llvm::Error error = placeKernels(host))
    return error;
  if (llvm::Error error = findDevices())
    return makeErrorAt(host, llvm::toString(std::move(error)));
  nameSlots();
  host.erase();
  return llvm::Error::success();
}

/// Says where each kernel runs: where its memory is.
llvm::Error CPUCompiler::placeKernels(func::FuncOp host) {
  auto calls = host.getOps<func::CallOp>();
  auto call = calls.begin();
  for (const Step &step : compiled.schedule.steps) {
    if (step.kind != Step::Kind::Kernel)
      continue;
    Operation *op = *call++;
    const std::string &device =
        compiled.schedule.slots[step.slots.front()].device;
    if (holdsDataOnly(device))
      return makeErrorAt(op, "expects values on a device that runs kernels, "
                             "got `" +
                                 device +
                                 "`, which holds data only; `lazy.copy` moves "
                                 "them");
    compiled.kernels[step.index].device = device;
  }
  return llvm::Error::success();
}

llvm::Error CPUCompiler::findDevices() {
  compiled.devices.clear();
  for (const Schedule::Slot &slot : compiled.schedule.slots) {
    llvm::Expected<runtime::DeviceRef> device = options.getDevice(slot.device);
    if (!device)
      return device.takeError();
    compiled.devices.push_back(std::move(*device));
  }
  return llvm::Error::success();
}

/// Lists which kernels are wanted, and on which devices.
CPUCompiler::Wanted CPUCompiler::listWanted() const {
  Wanted wanted;
  llvm::StringMap<size_t> places;
  std::map<std::pair<size_t, runtime::Device *>, size_t> requests;
  wanted.requestOf.resize(compiled.kernels.size());
  for (const Step &step : compiled.schedule.steps) {
    if (step.kind != Step::Kind::Kernel)
      continue;
    const std::string &name = compiled.kernels[step.index].name;
    auto [place, isNewName] = places.try_emplace(name, wanted.names.size());
    if (isNewName)
      wanted.names.push_back(name);
    const runtime::DeviceRef &device = compiled.devices[step.slots.front()];
    auto [request, isNew] = requests.try_emplace({place->second, device.get()},
                                                 wanted.requests.size());
    if (isNew)
      wanted.requests.push_back({place->second, device});
    wanted.requestOf[step.index] = request->second;
  }
  return wanted;
}

void CPUCompiler::setPrograms(const Wanted &wanted,
                              llvm::ArrayRef<LoadedKernel> loaded) {
  for (auto [kernel, request] :
       llvm::zip_equal(compiled.kernels, wanted.requestOf)) {
    kernel.program = loaded[request].program;
    kernel.numTasks = loaded[request].numTasks;
    kernel.isFromCache = loaded[request].isFromCache;
  }
}

void CPUCompiler::nameSlots() {
  Schedule &schedule = compiled.schedule;
  for (const Step &step : schedule.steps) {
    if (step.kind == Step::Kind::Callback) {
      std::string &name = schedule.slots[step.slots.back()].name;
      if (name.empty())
        name =
            "the result of callback `" + schedule.callbacks[step.index] + "`";
    }
    if (step.kind != Step::Kind::Kernel)
      continue;
    const std::string &kernelName = schedule.kernels[step.index];
    module.lookupSymbol<func::FuncOp>(kernelName)
        .walk([&](lazy::KernelOp kernel) {
          size_t numInputs = kernel.getInputs().size();
          for (size_t i = 0; i < kernel.getInits().size(); ++i) {
            std::string &name = schedule.slots[step.slots[numInputs + i]].name;
            auto type = lazy::getStore(kernel, i).getValue().getType();
            if (name.empty())
              name = "the result of kernel `" + kernelName + "` of shape " +
                     shape::toString(lazy::getSymbolicShape(type));
          }
        });
  }
}

llvm::Error CPUCompiler::compileKernels() {
  // A kernel that is called twice is compiled once.
  Wanted wanted = listWanted();
  std::vector<KernelSource> sources;
  for (const std::string &name : wanted.names)
    sources.push_back(takeKernelSource(module.lookupSymbol<func::FuncOp>(name),
                                       library.getKernelPrefix()));
  llvm::Expected<std::vector<LoadedKernel>> loaded =
      library.load(sources, wanted.requests, options.passes);
  if (!loaded)
    return loaded.takeError();
  StoredSchedule stored{compiled.schedule, compiled.kernels, {}};
  for (const KernelSource &source : sources)
    stored.keys.push_back(
        source.key.text.substr(library.getKernelPrefix().size()));
  library.getFolder().write(key, serialize(stored));
  setPrograms(wanted, *loaded);
  return llvm::Error::success();
}

bool CPUCompiler::findInFolder() {
  CacheFolder &folder = library.getFolder();
  if (!folder.isUsed())
    return false;
  OwningOpRef<ModuleOp> copy = module.clone();
  key = CacheKey(("schedule\nlevel " + Twine(options.optLevel) + " split " +
                  Twine(options.maxSplitResults) + "\n" +
                  library.getEnvironment())
                     .str() +
                 writeBytecode(*copy, /*withLocations=*/false));
  std::optional<std::string> bytes = folder.read(key);
  std::optional<StoredSchedule> stored =
      bytes ? deserializeSchedule(*bytes, compiled.inputs, compiled.results,
                                  getNames(compiled.variables))
            : std::nullopt;
  if (!stored)
    return false;
  std::vector<CacheKey> keys;
  for (const std::string &rest : stored->keys)
    keys.emplace_back(library.getKernelPrefix() + rest);
  compiled.schedule = std::move(stored->schedule);
  compiled.kernels = std::move(stored->kernels);
  // Where a device is missing now, the compiler has the words for it.
  if (llvm::Error error = findDevices()) {
    llvm::consumeError(std::move(error));
    return false;
  }
  Wanted wanted = listWanted();
  std::optional<std::vector<LoadedKernel>> loaded =
      library.find(keys, wanted.names, wanted.requests, options.passes);
  if (!loaded)
    return false;
  setPrograms(wanted, *loaded);
  for (const Step &step : compiled.schedule.steps)
    if (step.kind == Step::Kind::Kernel &&
        !compiled.kernels[step.index].numTasks.isValid(
            compiled.schedule.getVariables(step).size()))
      return false;
  compiled.isFromFolder = true;
  return true;
}

llvm::Expected<CompiledSchedule> CPUCompiler::run() {
  llvm::Expected<std::vector<Signature>> inputs = getInputSignatures(function);
  if (!inputs)
    return inputs.takeError();
  llvm::Expected<std::vector<Signature>> outputs =
      getOutputSignatures(function);
  if (!outputs)
    return outputs.takeError();
  compiled.inputs = std::move(*inputs);
  compiled.outputs = std::move(*outputs);
  compiled.variables = getVariables(function);
  simplifyResults();
  if (findInFolder())
    return std::move(compiled);
  compiled.kernels.clear();
  if (llvm::Error error = runPasses(
          module, "schedule the graph",
          [&](OpPassManager &manager) {
            ScheduleOptions scheduleOptions;
            scheduleOptions.optLevel = options.optLevel;
            scheduleOptions.maxSplitResults = options.maxSplitResults;
            buildSchedulePipeline(manager, scheduleOptions);
          },
          options.passes))
    return error;
  if (llvm::Error error = readHost())
    return error;
  if (llvm::Error error = compileKernels())
    return error;
  return std::move(compiled);
}

llvm::Expected<CompiledSchedule>
engine::compileForCPU(Compilation &compilation, KernelLibrary &library,
                      const CompileOptions &options) {
  return CPUCompiler(compilation, library, options).run();
}

std::optional<RuntimeSize> engine::getSize(const Signature &signature,
                                           std::span<const std::string> names) {
  if (!signature.expressions.empty())
    return RuntimeSize::create(shape::getNumElements(signature.expressions),
                               names);
  return RuntimeSize(*ops::getNumElements(signature.shape));
}
