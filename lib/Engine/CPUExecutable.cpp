//===- CPUExecutable.cpp - Run a compiled schedule on the CPU -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUCompiler.h"
#include "LaunchList.h"

#include <atomic>
#include <chrono>
#include <optional>

using namespace tinygrad;
using namespace tinygrad::engine;
using runtime::BufferRef;

using Clock = std::chrono::steady_clock;

namespace {

/// What one run owns.
struct RunState {
  /// The values of the variables, which kernels read where they lie.
  std::vector<int64_t> variables;
  /// One per slot, and null for those that lie in the slab.
  std::vector<BufferRef> buffers;
  BufferRef slab;
  /// The layout of the slab, where variables decide it.
  std::optional<SlabLayout> ownLayout;
  /// The pointers of all launches, as LaunchList::slots has their slots.
  std::vector<void *> arguments;
  std::vector<BufferRef> outputs;
  /// The old contents of inputs that were overwritten, by slot.
  std::vector<std::pair<int32_t, BufferRef>> saved;
  /// The time of each kernel, where it is measured.
  std::vector<std::chrono::nanoseconds> times;
};

class CPUExecutable : public Executable {
public:
  CPUExecutable(CompiledSchedule compiled, const ExecutableOptions &options)
      : compiled(std::move(compiled)), launchList(this->compiled),
        options(options), nanoseconds(this->compiled.kernels.size()) {}

  const std::vector<Signature> &getInputs() const override {
    return compiled.inputs;
  }
  const std::vector<Signature> &getOutputs() const override {
    return compiled.outputs;
  }
  const std::vector<Variable> &getVariables() const override {
    return compiled.variables;
  }

  llvm::Expected<std::vector<BufferRef>>
  run(std::span<const BufferRef> inputs, const RunControl &control) override;

  int64_t getPeakBytes() const override { return compiled.peakBytes; }
  std::vector<KernelStatistics> getKernels() const override;

private:
  bool isMeasured() const { return options.profile || options.onRun; }

  llvm::Error allocate(RunState &state,
                       std::span<const BufferRef> inputs) const;
  const SlabLayout &getSlabLayout(const RunState &state) const {
    return launchList.slab ? *launchList.slab : *state.ownLayout;
  }
  void bindArguments(RunState &state) const;
  int64_t getNumTasks(const RunState &state, const Launch &launch) const;
  llvm::Error saveOverwritten(RunState &state, const Launch &launch) const;
  llvm::Error launchBuffers(RunState &state, const Launch &launch) const;
  llvm::Error runLaunches(RunState &state, const RunControl &control) const;
  llvm::Error copyOutputs(RunState &state) const;
  void record(const RunState &state, Clock::time_point begin);

  const CompiledSchedule compiled;
  const LaunchList launchList;
  const ExecutableOptions options;
  /// How many runs ended well, and the time of each kernel in them. Several
  /// runs may add at once.
  std::atomic<int64_t> numRuns = 0;
  std::vector<std::atomic<int64_t>> nanoseconds;
};

} // namespace

/// Allocates all that the run needs, so that nothing fails for lack of memory
/// once kernels have begun to overwrite inputs.
llvm::Error CPUExecutable::allocate(RunState &state,
                                    std::span<const BufferRef> inputs) const {
  auto allocate = [](BufferRef &target, llvm::Expected<BufferRef> buffer,
                     const std::string &name) -> llvm::Error {
    if (!buffer)
      return llvm::createStringError("cannot allocate " + name + ": " +
                                     llvm::toString(buffer.takeError()));
    target = std::move(*buffer);
    return llvm::Error::success();
  };
  auto getName = [&](size_t slot) {
    const std::string &name = compiled.schedule.slots[slot].name;
    return name.empty() ? std::string("a tensor") : name;
  };
  auto allocateSlot = [&](size_t slot) {
    const Schedule::Slot &type = compiled.schedule.slots[slot];
    runtime::Device &device = *compiled.devices[slot];
    int64_t numElements = type.numElements.evaluate(state.variables);
    return allocate(state.buffers[slot],
                    type.isOpened ? device.open(type.type, numElements)
                                  : device.allocate(type.type, numElements),
                    getName(slot));
  };

  state.buffers.resize(compiled.schedule.slots.size());
  llvm::copy(inputs, state.buffers.begin());
  for (size_t i = 0; i < compiled.results.size(); ++i)
    if (llvm::Error error = allocateSlot(inputs.size() + i))
      return error;
  for (int32_t slot : launchList.bufferSlots)
    if (llvm::Error error = allocateSlot(slot))
      return error;
  for (int32_t slot : launchList.variableSlots) {
    if (llvm::Error error = allocateSlot(slot))
      return error;
    int64_t value = state.variables[compiled.schedule.slots[slot].variable];
    if (llvm::Error error = state.buffers[slot]->copyIn(&value, sizeof(value)))
      return error;
  }
  if (!launchList.slab)
    state.ownLayout = launchList.layOutSlab(compiled.schedule, state.variables);
  const SlabLayout &layout = getSlabLayout(state);
  if (layout.numBytes)
    if (llvm::Error error = allocate(
            state.slab, options.device->allocate(DType::UInt8, layout.numBytes),
            getName(layout.largest) + " with the other temporaries"))
      return error;

  state.outputs.resize(compiled.sources.size());
  for (auto [source, output] : llvm::zip(compiled.sources, state.outputs)) {
    if (source.input >= 0) {
      output = inputs[source.input];
      continue;
    }
    const BufferRef &result = state.buffers[inputs.size() + source.result];
    if (!source.isCopy)
      output = result;
    else if (llvm::Error error =
                 allocate(output,
                          result->getDevice().allocate(
                              result->getType(), result->getNumElements()),
                          getName(inputs.size() + source.result)))
      return error;
  }
  return llvm::Error::success();
}

void CPUExecutable::bindArguments(RunState &state) const {
  const SlabLayout &layout = getSlabLayout(state);
  std::vector<void *> pointers(state.buffers.size());
  char *slab =
      state.slab ? static_cast<char *>(state.slab->getHostPointer()) : nullptr;
  for (size_t slot = 0; slot < pointers.size(); ++slot) {
    // What is elsewhere goes to no host kernel, and a file need not be mapped.
    const Schedule::Slot &type = compiled.schedule.slots[slot];
    if (!type.device.empty())
      continue;
    if (type.variable >= 0)
      pointers[slot] = &state.variables[type.variable];
    else if (const BufferRef &buffer = state.buffers[slot])
      pointers[slot] = buffer->getHostPointer();
    else if (layout.offsets[slot] >= 0)
      pointers[slot] = slab + layout.offsets[slot];
  }
  state.arguments.reserve(launchList.slots.size());
  for (int32_t slot : launchList.slots)
    state.arguments.push_back(pointers[slot]);
}

/// Keeps the contents of the inputs that `launch` overwrites.
llvm::Error CPUExecutable::saveOverwritten(RunState &state,
                                           const Launch &launch) const {
  size_t firstWritten = launch.kernel >= 0
                            ? compiled.kernels[launch.kernel].numInputs
                            : launch.numSlots - 1;
  for (int32_t slot : launchList.getSlots(launch).subspan(firstWritten)) {
    auto isSlot = [slot](const auto &entry) { return entry.first == slot; };
    if (slot >= launchList.numInputs || llvm::any_of(state.saved, isSlot))
      continue;
    // On the engine's device: a file would be its own copy.
    runtime::Buffer &buffer = *state.buffers[slot];
    llvm::Expected<BufferRef> copy =
        options.device->allocate(buffer.getType(), buffer.getNumElements());
    if (!copy)
      return copy.takeError();
    if (llvm::Error error = runtime::copyBuffer(buffer, 0, **copy))
      return error;
    state.saved.emplace_back(slot, std::move(*copy));
  }
  return llvm::Error::success();
}

/// Returns the number of tasks of `launch` with the values of its variables.
int64_t CPUExecutable::getNumTasks(const RunState &state,
                                   const Launch &launch) const {
  if (launch.numTasks >= 0)
    return launch.numTasks;
  llvm::SmallVector<int64_t, 4> values;
  for (int32_t slot : launchList.getSlots(launch))
    if (int32_t variable = compiled.schedule.slots[slot].variable;
        variable >= 0)
      values.push_back(state.variables[variable]);
  return compiled.kernels[launch.kernel].numTasks.evaluate(values);
}

/// Runs a launch that takes buffers.
llvm::Error CPUExecutable::launchBuffers(RunState &state,
                                         const Launch &launch) const {
  llvm::SmallVector<BufferRef, 8> buffers;
  for (int32_t slot : launchList.getSlots(launch))
    buffers.push_back(state.buffers[slot]);
  if (launch.kernel >= 0)
    return compiled.kernels[launch.kernel].program->launch(
        buffers, getNumTasks(state, launch));
  if (launch.callback >= 0)
    return options.callbacks->call(compiled.schedule.callbacks[launch.callback],
                                   buffers);
  int64_t width = getByteWidth(buffers[0]->getType());
  return runtime::copyBuffer(*buffers[0], launch.offset * width, *buffers[1]);
}

llvm::Error CPUExecutable::runLaunches(RunState &state,
                                       const RunControl &control) const {
  runtime::ThreadPool *pool = options.device->getThreadPool();
  bool mustSave = launchList.mayFailLate || control.cancel;
  bool isMeasured = this->isMeasured();
  Clock::time_point begin;
  for (const Launch &launch : launchList.launches) {
    if (llvm::Error error = checkCancelled(control))
      return error;
    if (launch.overwritesInput && mustSave)
      if (llvm::Error error = saveOverwritten(state, launch))
        return error;
    if (isMeasured)
      begin = Clock::now();
    // The plan gives a task enough to do, so that one task is not worth the
    // threads of the pool.
    if (!launch.function) {
      if (llvm::Error error = launchBuffers(state, launch))
        return error;
    } else if (int64_t numTasks = getNumTasks(state, launch);
               numTasks > 1 && pool) {
      pool->parallelFor(numTasks, launch.function,
                        &state.arguments[launch.firstSlot]);
    } else if (numTasks > 0) {
      launch.function(&state.arguments[launch.firstSlot], 0, numTasks);
    }
    if (isMeasured && launch.kernel >= 0)
      state.times[launch.kernel] += Clock::now() - begin;
  }
  return llvm::Error::success();
}

/// Fills the outputs that are copies of others.
llvm::Error CPUExecutable::copyOutputs(RunState &state) const {
  for (auto [source, output] : llvm::zip(compiled.sources, state.outputs)) {
    if (!source.isCopy)
      continue;
    const BufferRef &result =
        state.buffers[compiled.inputs.size() + source.result];
    if (llvm::Error error = runtime::copyBuffer(*result, 0, *output))
      return error;
  }
  return llvm::Error::success();
}

/// Adds to the statistics, and tells who wants to know.
void CPUExecutable::record(const RunState &state, Clock::time_point begin) {
  numRuns.fetch_add(1, std::memory_order_relaxed);
  if (!isMeasured())
    return;
  for (auto [total, time] : llvm::zip(nanoseconds, state.times))
    total.fetch_add(time.count(), std::memory_order_relaxed);
  if (!options.onRun)
    return;
  RunRecord record;
  for (auto [kernel, time] : llvm::zip(compiled.kernels, state.times))
    record.kernels.push_back(
        {kernel.name,
         kernel.device.empty() ? options.device->getName() : kernel.device,
         std::chrono::duration<double>(time).count(), kernel.cost.flops,
         kernel.cost.bytesRead + kernel.cost.bytesWritten, kernel.isFromCache});
  record.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  options.onRun(record);
}

llvm::Expected<std::vector<BufferRef>>
CPUExecutable::run(std::span<const BufferRef> inputs,
                   const RunControl &control) {
  if (llvm::Error error = checkInputs(*this, inputs, options, control))
    return error;
  Clock::time_point begin;
  RunState state;
  for (const Variable &variable : compiled.variables)
    state.variables.push_back(control.variables.find(variable.name)->second);
  if (isMeasured()) {
    begin = Clock::now();
    state.times.resize(compiled.kernels.size());
  }
  if (llvm::Error error = allocate(state, inputs))
    return error;
  bindArguments(state);
  llvm::Error error = runLaunches(state, control);
  if (!error)
    error = copyOutputs(state);
  if (error) {
    for (auto &[slot, old] : state.saved)
      error = llvm::joinErrors(std::move(error),
                               runtime::copyBuffer(*old, 0, *inputs[slot]));
    return error;
  }
  record(state, begin);
  return std::move(state.outputs);
}

std::vector<KernelStatistics> CPUExecutable::getKernels() const {
  std::vector<KernelStatistics> statistics;
  for (auto [kernel, time] : llvm::zip(compiled.kernels, nanoseconds))
    statistics.push_back(
        {kernel.name, numRuns.load(), static_cast<double>(time.load()) / 1e9,
         kernel.cost.flops, kernel.cost.bytesRead + kernel.cost.bytesWritten});
  return statistics;
}

std::shared_ptr<Executable>
engine::makeCPUExecutable(CompiledSchedule compiled,
                          const ExecutableOptions &options) {
  return std::make_shared<CPUExecutable>(std::move(compiled), options);
}
