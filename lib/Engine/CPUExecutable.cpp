//===- CPUExecutable.cpp - Run a compiled schedule on the CPU -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUCompiler.h"

#include <atomic>
#include <chrono>

using namespace tinygrad;
using namespace tinygrad::engine;

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

std::shared_ptr<Executable>
engine::makeCPUExecutable(CompiledSchedule compiled,
                          const ExecutableOptions &options) {
  return std::make_shared<CPUExecutable>(std::move(compiled), options);
}
