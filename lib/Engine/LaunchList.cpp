//===- LaunchList.cpp - A schedule prepared to run many times -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchList.h"

#include "llvm/Support/MathExtras.h"

#include <map>

using namespace tinygrad;
using namespace tinygrad::engine;

/// Blocks of the slab begin at multiples of it: whole vectors, whole lines.
static constexpr int64_t slabAlignment = 64;

/// No slab is larger: it is so large that its allocation fails.
static constexpr int64_t maxSlabBytes = int64_t(1) << 60;

LaunchList::LaunchList(const CompiledSchedule &compiled)
    : numInputs(static_cast<int32_t>(compiled.inputs.size())) {
  for (const Step &step : compiled.schedule.steps)
    if (step.kind != Step::Kind::Allocate && step.kind != Step::Kind::Free)
      addLaunch(compiled, step);
  delayLateCopies(compiled);
  findOverwritten(compiled);
  const Schedule &schedule = compiled.schedule;
  findBuffers(schedule);
  if (llvm::all_of(schedule.slots, [](const Schedule::Slot &slot) {
        return slot.numElements.isNumber();
      }))
    slab = layOutSlab(schedule, {});
}

/// Puts copies to late slots at the end where that changes no value.
void LaunchList::delayLateCopies(const CompiledSchedule &compiled) {
  for (auto [index, slot] : llvm::enumerate(compiled.schedule.slots))
    isLate.push_back(static_cast<int32_t>(index) >= numInputs &&
                     !slot.isOpened && compiled.devices[index]->isPersistent());
  auto isDelayed = [&](const Launch &launch) {
    if (launch.kernel >= 0 || launch.callback >= 0)
      return false;
    int32_t source = getSlots(launch)[0], target = getSlots(launch)[1];
    auto later = std::span(launches).subspan(&launch - launches.data() + 1);
    return isLate[target] && llvm::none_of(later, [&](const Launch &other) {
             return llvm::is_contained(getSlots(other), target) ||
                    llvm::is_contained(getWritten(other), source);
           });
  };
  std::vector<Launch> delayed, others;
  for (const Launch &launch : launches)
    (isDelayed(launch) ? delayed : others).push_back(launch);
  firstLate = others.size();
  launches = std::move(others);
  launches.insert(launches.end(), delayed.begin(), delayed.end());
}

void LaunchList::findOverwritten(const CompiledSchedule &compiled) {
  std::vector<bool> isOverwritten(compiled.inputs.size());
  for (Launch &launch : launches) {
    for (int32_t slot : getWritten(launch)) {
      if (slot >= numInputs || isOverwritten[slot])
        continue;
      isOverwritten[slot] = true;
      overwrittenSlots.push_back(slot);
      launch.overwritesInput = true;
    }
    mayFailLate |= !overwrittenSlots.empty() && !launch.function;
  }
  // A copy to another device may fail, too, and so may making a late result.
  for (const OutputSource &source : compiled.sources)
    mayFailLate |=
        !overwrittenSlots.empty() && source.result >= 0 &&
        ((source.isCopy && !compiled.results[source.result].device.empty()) ||
         isLate[numInputs + source.result]);
}

void LaunchList::addLaunch(const CompiledSchedule &compiled, const Step &step) {
  Launch &launch = launches.emplace_back();
  launch.firstSlot = static_cast<int32_t>(slots.size());
  launch.numSlots = static_cast<int32_t>(step.slots.size());
  slots.insert(slots.end(), step.slots.begin(), step.slots.end());
  launch.firstWritten = step.kind == Step::Kind::Kernel
                            ? compiled.kernels[step.index].numInputs
                            : launch.numSlots - 1;
  if (step.kind == Step::Kind::Callback) {
    launch.callback = step.index;
    return;
  }
  if (step.kind == Step::Kind::Copy) {
    launch.offset = step.offset;
    launch.targetOffset = step.targetOffset;
    launch.numElements = step.numElements;
    return;
  }
  const Kernel &kernel = compiled.kernels[step.index];
  launch.kernel = step.index;
  if (kernel.device.empty())
    launch.function = kernel.program->getHostKernel();
  launch.numTasks = kernel.numTasks.isNumber() ? kernel.numTasks.number : -1;
}

namespace {

/// Hands out ranges of a line that grows, the lowest that fits first.
class Line {
public:
  int64_t take(int64_t size) {
    for (auto it = gaps.begin(); it != gaps.end(); ++it) {
      auto [begin, gapSize] = *it;
      if (gapSize < size)
        continue;
      gaps.erase(it);
      if (gapSize > size)
        gaps[begin + size] = gapSize - size;
      return begin;
    }
    // A gap at the end grows.
    int64_t begin = end;
    if (!gaps.empty()) {
      auto last = std::prev(gaps.end());
      if (last->first + last->second == end) {
        begin = last->first;
        gaps.erase(last);
      }
    }
    end = std::min(begin + size, maxSlabBytes);
    return begin;
  }

  void giveBack(int64_t begin, int64_t size) {
    auto next = gaps.lower_bound(begin);
    if (next != gaps.end() && begin + size == next->first) {
      size += next->second;
      next = gaps.erase(next);
    }
    if (next != gaps.begin()) {
      auto previous = std::prev(next);
      if (previous->first + previous->second == begin) {
        previous->second += size;
        return;
      }
    }
    gaps[begin] = size;
  }

  int64_t getEnd() const { return end; }

private:
  /// Sizes by where they begin.
  std::map<int64_t, int64_t> gaps;
  int64_t end = 0;
};

} // namespace

void LaunchList::findBuffers(const Schedule &schedule) {
  needsBuffer.resize(schedule.slots.size());
  for (const Launch &launch : launches)
    if (!launch.function)
      for (int32_t slot : getSlots(launch))
        needsBuffer[slot] = true;
  for (auto [index, slot] : llvm::enumerate(schedule.slots)) {
    if (!slot.device.empty())
      needsBuffer[index] = true;
    if (slot.variable >= 0 && needsBuffer[index])
      variableSlots.push_back(static_cast<int32_t>(index));
  }
  for (const Step &step : schedule.steps)
    if (step.kind == Step::Kind::Allocate && needsBuffer[step.slots[0]])
      bufferSlots.push_back(step.slots[0]);
}

SlabLayout LaunchList::layOutSlab(const Schedule &schedule,
                                  std::span<const int64_t> variables) const {
  SlabLayout layout;
  layout.offsets.assign(schedule.slots.size(), -1);
  Line line;
  int64_t largestSize = 0;
  for (const Step &step : schedule.steps) {
    if (step.kind != Step::Kind::Allocate && step.kind != Step::Kind::Free)
      continue;
    int32_t slot = step.slots[0];
    if (needsBuffer[slot])
      continue;
    const Schedule::Slot &type = schedule.slots[slot];
    int64_t size = 0;
    if (llvm::MulOverflow(type.numElements.evaluate(variables),
                          int64_t(getByteWidth(type.type)), size))
      size = maxSlabBytes;
    size = llvm::alignTo(std::clamp<int64_t>(size, 1, maxSlabBytes),
                         slabAlignment);
    if (size > largestSize) {
      largestSize = size;
      layout.largest = slot;
    }
    int64_t &offset = layout.offsets[slot];
    if (step.kind == Step::Kind::Allocate)
      offset = line.take(size);
    else if (offset >= 0)
      line.giveBack(offset, size);
  }
  layout.numBytes = line.getEnd();
  return layout;
}
