//===- CPUExecutable.cpp - Compile a graph for the CPU and run it - c -----===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "Schedule.h"
#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Engine/Diagnostics.h"
#include "tinygrad/Pipelines/Pipelines.h"
#include "tinygrad/Target/CPUTarget.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <chrono>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;

namespace {

/// A compiled kernel, as a step runs it.
struct Kernel {
  std::string name;
  runtime::ProgramRef program;
  int64_t numTasks = 1;
  lazy::KernelCost cost;
};

/// Where an output of the executable comes from.
struct OutputSource {
  /// The input that is passed on, or -1.
  int input = -1;
  /// The result of the host function that is given, or -1.
  int result = -1;
  /// True if an earlier output is the same result: this one is a copy.
  bool isCopy = false;
};

/// The parts of an executable.
struct CompiledSchedule {
  std::vector<Signature> inputs, outputs;
  std::vector<OutputSource> sources;
  /// The signatures of the host function's results.
  std::vector<Signature> results;
  Schedule schedule;
  /// One per kernel step.
  std::vector<Kernel> kernels;
};

/// Compiles one function, step by step.
class CPUCompiler {
public:
  CPUCompiler(Compilation &compilation, const ExecutableOptions &options)
      : context(compilation.context.get()), module(compilation.module.get()),
        function(compilation.function), options(options) {}

  llvm::Expected<CompiledSchedule> run();

private:
  /// Leaves in the module the function alone, with each computed result once
  /// and no result that is an argument.
  void simplifyResults();
  llvm::Error runPipeline(StringRef what,
                          llvm::function_ref<void(OpPassManager &)> build);
  llvm::Error readHost();
  llvm::Error compileKernels();

  MLIRContext *context;
  ModuleOp module;
  func::FuncOp function;
  const ExecutableOptions &options;
  CompiledSchedule compiled;
};

} // namespace

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// True if the function writes into the memory of `argument`.
static bool isOverwritten(BlockArgument argument) {
  return llvm::any_of(argument.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    auto kernel = dyn_cast<lazy::KernelOp>(user);
    return kernel ? use.getOperandNumber() >= kernel.getInputs().size()
                  : isa<lazy::AssignOp>(user) && use.getOperandNumber() == 0;
  });
}

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
    // What is overwritten is not passed on: the result is the old value.
    if (source.input >= 0 && isOverwritten(function.getArgument(source.input)))
      source.input = -1;
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

llvm::Error
CPUCompiler::runPipeline(StringRef what,
                         llvm::function_ref<void(OpPassManager &)> build) {
  DiagnosticCollector diagnostics(context);
  PassManager manager(context);
  build(manager);
  if (failed(manager.run(module)))
    return diagnostics.takeError(("failed to " + what).str());
  return llvm::Error::success();
}

llvm::Error CPUCompiler::readHost() {
  auto host = module.lookupSymbol<func::FuncOp>("main");
  if (!host)
    return makeErrorAt(module, "expects the schedule in a function `main`");
  llvm::Expected<Schedule> schedule = readSchedule(host);
  if (!schedule)
    return schedule.takeError();
  compiled.schedule = std::move(*schedule);
  // The front of the slots are the inputs and the outputs, without signs.
  size_t numArguments = compiled.inputs.size() + compiled.results.size();
  if (host.getNumArguments() != numArguments)
    return makeErrorAt(host, "expects " + Twine(numArguments) +
                                 " arguments in the schedule, got " +
                                 Twine(host.getNumArguments()));
  for (size_t i = 0; i < numArguments; ++i) {
    const Signature &signature =
        i < compiled.inputs.size()
            ? compiled.inputs[i]
            : compiled.results[i - compiled.inputs.size()];
    Schedule::Slot &slot = compiled.schedule.slots[i];
    if (getByteWidth(slot.type) != getByteWidth(signature.type) ||
        slot.numElements != *ops::getNumElements(signature.shape))
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
      lazy::KernelCost cost = lazy::computeKernelCost(op);
      kernel.cost.flops += cost.flops;
      kernel.cost.bytesRead += cost.bytesRead;
      kernel.cost.bytesWritten += cost.bytesWritten;
    });
    compiled.kernels.push_back(std::move(kernel));
  }
  host.erase();
  return llvm::Error::success();
}

/// Turns `module`, in the llvm dialect, into an object file.
static llvm::Expected<std::string> emitObject(ModuleOp module,
                                              const target::CPUTarget &target) {
  DiagnosticCollector diagnostics(module.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, "schedule");
  if (!translated)
    return diagnostics.takeError("failed to translate the kernels to LLVM IR");
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> object =
      target::compileToObject(*translated, target);
  if (!object)
    return object.takeError();
  return (*object)->getBuffer().str();
}

llvm::Error CPUCompiler::compileKernels() {
  if (compiled.kernels.empty())
    return llvm::Error::success();
  target::CPUTarget target = target::CPUTarget::getHost();
  if (llvm::Error error = runPipeline(
          "lower the kernels to loops", [&](OpPassManager &manager) {
            buildKernelsToLoopsPipeline(manager, target.vectorBits);
          }))
    return error;

  if (llvm::Error error =
          runPipeline("lower the loops to LLVM", [&](OpPassManager &manager) {
            buildLoopsToLLVMPipeline(manager);
          }))
    return error;
  // A kernel that is called twice is compiled once.
  llvm::MapVector<StringRef, int64_t> numTasks;
  for (const Kernel &kernel : compiled.kernels) {
    if (numTasks.count(kernel.name))
      continue;
    Operation *op = module.lookupSymbol(kernel.name);
    auto tasks = op ? op->getAttrOfType<IntegerAttr>(lazy::tasksAttrName)
                    : IntegerAttr();
    if (!tasks || tasks.getInt() < 0)
      return makeErrorAt(op ? op : module.getOperation(),
                         "expects the number of tasks of kernel `" +
                             kernel.name + "` in `tinygrad.tasks`");
    numTasks[kernel.name] = tasks.getInt();
  }
  llvm::Expected<std::string> object = emitObject(module, target);
  if (!object)
    return object.takeError();

  std::vector<std::string> names;
  for (auto &[name, count] : numTasks)
    names.push_back(name.str());
  llvm::Expected<std::vector<runtime::ProgramRef>> programs =
      options.device->compileAll(
          names,
          {runtime::ProgramSource::Language::Object, std::move(*object)});
  if (!programs)
    return programs.takeError();
  for (Kernel &kernel : compiled.kernels) {
    auto entry = numTasks.find(kernel.name);
    kernel.numTasks = entry->second;
    kernel.program = (*programs)[entry - numTasks.begin()];
  }
  return llvm::Error::success();
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
  simplifyResults();
  if (llvm::Error error =
          runPipeline("schedule the graph", [&](OpPassManager &manager) {
            ScheduleOptions scheduleOptions;
            scheduleOptions.optLevel = options.optLevel;
            buildSchedulePipeline(manager, scheduleOptions);
          }))
    return error;
  if (llvm::Error error = readHost())
    return error;
  if (llvm::Error error = compileKernels())
    return error;
  return std::move(compiled);
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

namespace {

class CPUExecutable : public Executable {
public:
  CPUExecutable(CompiledSchedule compiled, const ExecutableOptions &options)
      : compiled(std::move(compiled)), options(options),
        counters(this->compiled.kernels.size()) {}

  const std::vector<Signature> &getInputs() const override {
    return compiled.inputs;
  }
  const std::vector<Signature> &getOutputs() const override {
    return compiled.outputs;
  }

  llvm::Expected<std::vector<runtime::BufferRef>>
  run(std::span<const runtime::BufferRef> inputs) override;

  std::vector<KernelStatistics> getKernels() const override;

private:
  /// What the runs of one kernel add up to. Several runs may add at once.
  struct Counter {
    std::atomic<int64_t> runs = 0;
    std::atomic<int64_t> nanoseconds = 0;
  };

  llvm::Error runKernel(size_t index,
                        std::span<const runtime::BufferRef> buffers);
  llvm::Error runSteps(std::vector<runtime::BufferRef> &slots);

  const CompiledSchedule compiled;
  const ExecutableOptions options;
  std::vector<Counter> counters;
};

} // namespace

llvm::Error
CPUExecutable::runKernel(size_t index,
                         std::span<const runtime::BufferRef> buffers) {
  const Kernel &kernel = compiled.kernels[index];
  Counter &counter = counters[index];
  counter.runs.fetch_add(1, std::memory_order_relaxed);
  if (!options.profile)
    return kernel.program->launch(buffers, kernel.numTasks);
  auto begin = std::chrono::steady_clock::now();
  llvm::Error error = kernel.program->launch(buffers, kernel.numTasks);
  std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - begin;
  counter.nanoseconds.fetch_add(elapsed.count(), std::memory_order_relaxed);
  return error;
}

llvm::Error CPUExecutable::runSteps(std::vector<runtime::BufferRef> &slots) {
  std::vector<runtime::BufferRef> buffers;
  for (const Step &step : compiled.schedule.steps) {
    switch (step.kind) {
    case Step::Kind::Allocate: {
      const Schedule::Slot &slot = compiled.schedule.slots[step.slots[0]];
      llvm::Expected<runtime::BufferRef> buffer =
          options.device->allocate(slot.type, slot.numElements);
      if (!buffer)
        return buffer.takeError();
      slots[step.slots[0]] = std::move(*buffer);
      continue;
    }
    case Step::Kind::Free:
      slots[step.slots[0]] = nullptr;
      continue;
    case Step::Kind::Kernel:
    case Step::Kind::Callback:
      break;
    }
    buffers.clear();
    for (int32_t slot : step.slots)
      buffers.push_back(slots[slot]);
    llvm::Error error =
        step.kind == Step::Kind::Kernel
            ? runKernel(step.index, buffers)
            : options.callbacks->call(compiled.schedule.callbacks[step.index],
                                      buffers);
    if (error)
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<runtime::BufferRef>>
CPUExecutable::run(std::span<const runtime::BufferRef> inputs) {
  if (llvm::Error error = checkInputs(compiled.inputs, inputs, *options.device))
    return error;
  std::vector<runtime::BufferRef> slots(compiled.schedule.slots.size());
  llvm::copy(inputs, slots.begin());
  for (size_t i = 0; i < compiled.results.size(); ++i) {
    const Schedule::Slot &slot = compiled.schedule.slots[inputs.size() + i];
    llvm::Expected<runtime::BufferRef> buffer =
        options.device->allocate(slot.type, slot.numElements);
    if (!buffer)
      return buffer.takeError();
    slots[inputs.size() + i] = std::move(*buffer);
  }
  if (llvm::Error error = runSteps(slots))
    return error;

  std::vector<runtime::BufferRef> outputs;
  for (const OutputSource &source : compiled.sources) {
    if (source.input >= 0) {
      outputs.push_back(inputs[source.input]);
      continue;
    }
    const runtime::BufferRef &result = slots[inputs.size() + source.result];
    if (!source.isCopy) {
      outputs.push_back(result);
      continue;
    }
    llvm::Expected<runtime::BufferRef> copy =
        options.device->allocate(result->getType(), result->getNumElements());
    if (!copy)
      return copy.takeError();
    if (llvm::Error error =
            (*copy)->copyIn(result->getHostPointer(), result->getNumBytes()))
      return error;
    outputs.push_back(std::move(*copy));
  }
  return outputs;
}

std::vector<KernelStatistics> CPUExecutable::getKernels() const {
  std::vector<KernelStatistics> statistics;
  for (auto [kernel, counter] : llvm::zip(compiled.kernels, counters))
    statistics.push_back({kernel.name, counter.runs.load(),
                          static_cast<double>(counter.nanoseconds.load()) / 1e9,
                          kernel.cost.flops,
                          kernel.cost.bytesRead + kernel.cost.bytesWritten});
  return statistics;
}

llvm::Expected<std::shared_ptr<Executable>>
engine::makeCPUExecutable(Compilation compilation,
                          const ExecutableOptions &options) {
  llvm::Expected<CompiledSchedule> compiled =
      CPUCompiler(compilation, options).run();
  if (!compiled)
    return compiled.takeError();
  return std::make_shared<CPUExecutable>(std::move(*compiled), options);
}
