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
  /// One per slot, and null for those that lie in the slab, and for late ones
  /// that are not filled yet.
  std::vector<BufferRef> buffers;
  /// What making and filling the late ones has changed.
  runtime::Changes changes;
  BufferRef slab;
  /// The layout of the slab, where variables decide it.
  std::optional<SlabLayout> ownLayout;
  /// The pointers of all launches, as LaunchList::slots has their slots.
  std::vector<void *> arguments;
  std::vector<BufferRef> outputs;
  /// For LaunchList::overwrittenSlots, where the run may fail once they are
  /// overwritten: memory for what they hold, and how many hold it.
  std::vector<BufferRef> saved;
  size_t numSaved = 0;
  /// The time of each kernel, where it is measured.
  std::vector<std::chrono::nanoseconds> times;
};

class CPUExecutable : public Executable {
public:
  CPUExecutable(CompiledSchedule compiled, const ExecutableOptions &options)
      : compiled(std::move(compiled)), launchList(this->compiled),
        options(options), nanoseconds(this->compiled.kernels.size()) {
    for (const Kernel &kernel : this->compiled.kernels) {
      ++totals.kernels;
      totals.flops += kernel.cost.flops;
      totals.bytes += kernel.cost.bytesRead + kernel.cost.bytesWritten;
    }
  }

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

  int64_t getPeakBytes() const override {
    return launchList.computePeakBytes(compiled);
  }
  std::vector<KernelStatistics> getKernels() const override;
  const Totals &getTotals() const override { return totals; }

private:
  bool isMeasured() const { return options.profile || options.onRun; }

  llvm::Error allocateSlot(RunState &state, int32_t slot) const;
  llvm::Error allocateLate(RunState &state, int32_t slot, bool isLast) const;
  llvm::Error allocate(RunState &state, std::span<const BufferRef> inputs,
                       const RunControl &control) const;
  const SlabLayout &getSlabLayout(const RunState &state) const {
    return launchList.isSlabFixed ? launchList.slab : *state.ownLayout;
  }
  void bindArguments(RunState &state) const;
  int64_t getNumTasks(const RunState &state, const Launch &launch) const;
  llvm::Error saveOverwritten(RunState &state, const Launch &launch) const;
  llvm::Error restore(RunState &state, llvm::Error error) const;
  llvm::Error launchBuffers(RunState &state, const Launch &launch,
                            const RunControl &control) const;
  bool isLast(const Launch &launch) const;
  llvm::Error runLaunches(RunState &state, const RunControl &control) const;
  llvm::Error makeOutputs(RunState &state,
                          std::span<const BufferRef> inputs) const;
  void record(const RunState &state, Clock::time_point begin);

  const CompiledSchedule compiled;
  const LaunchList launchList;
  const ExecutableOptions options;
  Totals totals;
  /// How many runs ended well, and the time of each kernel in them. Several
  /// runs may add at once.
  std::atomic<int64_t> numRuns = 0;
  std::vector<std::atomic<int64_t>> nanoseconds;
};

} // namespace

/// Moves `buffer` into `target`, or says that `name` could not be allocated.
static llvm::Error take(BufferRef &target, llvm::Expected<BufferRef> buffer,
                        const std::string &name) {
  if (!buffer)
    return llvm::createStringError("cannot allocate " + name + ": " +
                                   llvm::toString(buffer.takeError()));
  target = std::move(*buffer);
  return llvm::Error::success();
}

static std::string getName(const Schedule::Slot &slot) {
  return slot.name.empty() ? "a tensor" : slot.name;
}

llvm::Error CPUExecutable::allocateSlot(RunState &state, int32_t slot) const {
  const Schedule::Slot &type = compiled.schedule.slots[slot];
  runtime::Device &device = *compiled.devices[slot];
  int64_t numElements = type.numElements.evaluate(state.variables);
  return take(state.buffers[slot],
              type.isOpened ? device.open(type.type, numElements)
                            : device.allocate(type.type, numElements),
              getName(type));
}

/// Makes a late result. What it overwrites is kept, unless this is the last
/// thing that may fail.
llvm::Error CPUExecutable::allocateLate(RunState &state, int32_t slot,
                                        bool isLast) const {
  const Schedule::Slot &type = compiled.schedule.slots[slot];
  auto result = compiled.devices[slot]->allocateResult(
      type.type, type.numElements.evaluate(state.variables),
      /*keepsContents=*/!isLast);
  if (!result)
    return take(state.buffers[slot], result.takeError(), getName(type));
  state.buffers[slot] = std::move(result->buffer);
  state.changes.add(std::move(result->change));
  return llvm::Error::success();
}

/// True if nothing can fail after `launch`, which fills a late result.
bool CPUExecutable::isLast(const Launch &launch) const {
  auto isMade = [](const OutputSource &source) { return source.isCopy; };
  return &launch == &launchList.launches.back() && launch.callback < 0 &&
         llvm::none_of(compiled.sources, isMade) &&
         llvm::count(launchList.isLate, true) == 1;
}

/// Allocates all memory that the run needs, so that nothing fails for lack of
/// it once kernels have begun to overwrite inputs.
llvm::Error CPUExecutable::allocate(RunState &state,
                                    std::span<const BufferRef> inputs,
                                    const RunControl &control) const {
  const std::vector<Schedule::Slot> &slots = compiled.schedule.slots;
  state.buffers.resize(slots.size());
  llvm::copy(inputs, state.buffers.begin());
  for (size_t i = 0; i < compiled.results.size(); ++i)
    if (int32_t slot = static_cast<int32_t>(inputs.size() + i);
        !launchList.isLate[slot])
      if (llvm::Error error = allocateSlot(state, slot))
        return error;
  for (int32_t slot : launchList.bufferSlots)
    if (!launchList.isLate[slot])
      if (llvm::Error error = allocateSlot(state, slot))
        return error;
  for (int32_t slot : launchList.variableSlots) {
    if (llvm::Error error = allocateSlot(state, slot))
      return error;
    int64_t value = state.variables[slots[slot].variable];
    if (llvm::Error error = state.buffers[slot]->copyIn(&value, sizeof(value)))
      return error;
  }
  if (!launchList.isSlabFixed)
    state.ownLayout = launchList.layOutSlab(compiled.schedule, state.variables);
  const SlabLayout &layout = getSlabLayout(state);
  if (layout.numBytes)
    if (llvm::Error error = take(
            state.slab, options.device->allocate(DType::UInt8, layout.numBytes),
            getName(slots[launchList.largestSlot]) +
                " with the other temporaries"))
      return error;
  if (launchList.mayFailLate || control.stop.stop_possible())
    for (int32_t slot : launchList.overwrittenSlots)
      // On the engine's device: a file would be its own copy.
      if (llvm::Error error =
              take(state.saved.emplace_back(),
                   options.device->allocate(inputs[slot]->getType(),
                                            inputs[slot]->getNumElements()),
                   "a copy of input " + std::to_string(slot) +
                       ", which the program overwrites"))
        return error;

  state.outputs.resize(compiled.sources.size());
  for (auto [source, output] : llvm::zip(compiled.sources, state.outputs)) {
    if (!source.isCopy || launchList.isLate[inputs.size() + source.result])
      continue;
    size_t slot = inputs.size() + source.result;
    runtime::Buffer &result = *state.buffers[slot];
    if (llvm::Error error = take(output,
                                 result.getDevice().allocate(
                                     result.getType(), result.getNumElements()),
                                 getName(slots[slot])))
      return error;
  }
  return llvm::Error::success();
}

void CPUExecutable::bindArguments(RunState &state) const {
  const SlabLayout &layout = getSlabLayout(state);
  std::vector<void *> pointers(state.buffers.size());
  char *slab =
      state.slab ? static_cast<char *>(state.slab->getHostPointer()) : nullptr;
  for (auto [slot, offset] :
       llvm::zip_equal(launchList.slabSlots, layout.offsets))
    pointers[slot] = slab + offset;
  for (size_t slot = 0; slot < pointers.size(); ++slot) {
    // What is elsewhere goes to no host kernel, and a file need not be mapped.
    const Schedule::Slot &type = compiled.schedule.slots[slot];
    if (!type.device.empty())
      continue;
    if (type.variable >= 0)
      pointers[slot] = &state.variables[type.variable];
    else if (const BufferRef &buffer = state.buffers[slot])
      pointers[slot] = buffer->getHostPointer();
  }
  state.arguments.reserve(launchList.slots.size());
  for (int32_t slot : launchList.slots)
    state.arguments.push_back(pointers[slot]);
}

/// Keeps the contents of the inputs that `launch` is the first to overwrite.
llvm::Error CPUExecutable::saveOverwritten(RunState &state,
                                           const Launch &launch) const {
  for (size_t &i = state.numSaved; i < state.saved.size(); ++i) {
    int32_t slot = launchList.overwrittenSlots[i];
    if (!llvm::is_contained(launchList.getWritten(launch), slot))
      break;
    if (llvm::Error error =
            runtime::copyBuffer(*state.buffers[slot], 0, *state.saved[i]))
      return error;
  }
  return llvm::Error::success();
}

/// Gives the inputs back what they held, and returns what went wrong. The last
/// first: one buffer may be several inputs.
llvm::Error CPUExecutable::restore(RunState &state, llvm::Error error) const {
  for (size_t i = state.numSaved; i-- > 0;)
    error = llvm::joinErrors(
        std::move(error),
        runtime::copyBuffer(*state.saved[i], 0,
                            *state.buffers[launchList.overwrittenSlots[i]]));
  return error;
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
llvm::Error CPUExecutable::launchBuffers(RunState &state, const Launch &launch,
                                         const RunControl &control) const {
  llvm::SmallVector<BufferRef, 8> buffers;
  for (int32_t slot : launchList.getSlots(launch)) {
    if (launchList.isLate[slot] && !state.buffers[slot])
      if (llvm::Error error = allocateLate(state, slot, isLast(launch)))
        return error;
    buffers.push_back(state.buffers[slot]);
  }
  if (launch.kernel >= 0)
    return compiled.kernels[launch.kernel].program->launch(
        buffers, getNumTasks(state, launch));
  if (launch.callback >= 0) {
    noteCallback(control);
    return options.callbacks->call(compiled.schedule.callbacks[launch.callback],
                                   buffers);
  }
  int64_t width = getByteWidth(buffers[0]->getType());
  int64_t numElements = launch.numElements;
  if (numElements < 0)
    numElements = buffers[1]->getNumElements() - launch.targetOffset;
  return runtime::copyBytes(*buffers[0], launch.offset * width, *buffers[1],
                            launch.targetOffset * width, numElements * width);
}

llvm::Error CPUExecutable::runLaunches(RunState &state,
                                       const RunControl &control) const {
  runtime::ThreadPool *pool = options.device->getThreadPool();
  bool isMeasured = this->isMeasured();
  Clock::time_point begin;
  auto numLaunches = static_cast<int64_t>(launchList.launches.size());
  // Only a token keeps what is overwritten.
  bool canWatchStop = true;
  for (auto [index, launch] : llvm::enumerate(launchList.launches)) {
    // Once the first of the late results is made, all are.
    if (index && index <= launchList.firstLate &&
        isCancelled(control, static_cast<int64_t>(index), numLaunches) &&
        (canWatchStop || control.stop.stop_requested()))
      return llvm::createStringError("cancelled");
    if (launch.overwritesInput && state.saved.empty())
      canWatchStop = false;
    if (launch.overwritesInput)
      if (llvm::Error error = saveOverwritten(state, launch))
        return error;
    if (isMeasured)
      begin = Clock::now();
    // The plan gives a task enough to do, so that one task is not worth the
    // threads of the pool.
    if (!launch.function) {
      if (llvm::Error error = launchBuffers(state, launch, control))
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

/// Lists the outputs, and fills those that are copies of others.
llvm::Error
CPUExecutable::makeOutputs(RunState &state,
                           std::span<const BufferRef> inputs) const {
  for (auto [source, output] : llvm::zip(compiled.sources, state.outputs)) {
    if (source.input >= 0) {
      output = inputs[source.input];
      continue;
    }
    int32_t slot = static_cast<int32_t>(inputs.size()) + source.result;
    BufferRef &result = state.buffers[slot];
    // A late result that nothing fills shows what is there.
    if (!result)
      if (llvm::Error error = allocateLate(state, slot, /*isLast=*/false))
        return error;
    if (!source.isCopy) {
      output = result;
    } else if (launchList.isLate[slot]) {
      // Another buffer of the same file holds the same.
      if (llvm::Error error =
              take(output,
                   result->view(result->getType(), result->getNumElements(), 0),
                   getName(compiled.schedule.slots[slot])))
        return error;
    } else if (llvm::Error error = runtime::copyBuffer(*result, 0, *output)) {
      return error;
    }
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
  if (llvm::Error error = checkCancelled(control))
    return error;
  Clock::time_point begin;
  RunState state;
  for (const Variable &variable : compiled.variables)
    state.variables.push_back(control.variables.find(variable.name)->second);
  if (isMeasured()) {
    begin = Clock::now();
    state.times.resize(compiled.kernels.size());
  }
  if (llvm::Error error = allocate(state, inputs, control))
    return error;
  bindArguments(state);
  llvm::Error error = runLaunches(state, control);
  if (!error)
    error = makeOutputs(state, inputs);
  if (!error)
    error = state.changes.commit();
  if (error)
    return restore(state, std::move(error));
  state.changes.keep();
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
