//===- LaunchList.cpp - A schedule prepared to run many times -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchList.h"

#include "llvm/Support/MathExtras.h"

using namespace tinygrad;
using namespace tinygrad::engine;

/// So many pieces of the slab are placed in a few milliseconds.
static constexpr size_t maxSearchedPieces = 2048;

LaunchList::LaunchList(const CompiledSchedule &compiled)
    : numInputs(static_cast<int32_t>(compiled.inputs.size())) {
  for (const Step &step : compiled.schedule.steps)
    if (step.kind != Step::Kind::Allocate && step.kind != Step::Kind::Free)
      addLaunch(compiled, step);
  delayLateCopies(compiled);
  findOverwritten(compiled);
  findBuffers(compiled.schedule);
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

/// Returns the bytes of `numElements` elements of `slot`, which may be too
/// many.
static int64_t getNumBytes(const Schedule::Slot &slot, int64_t numElements) {
  int64_t numBytes = 0;
  if (llvm::MulOverflow(numElements, int64_t(getByteWidth(slot.type)),
                        numBytes))
    return maxSlabBytes;
  return std::min(numBytes, maxSlabBytes);
}

void LaunchList::findBuffers(const Schedule &schedule) {
  // By slot: true if it is no part of the slab.
  std::vector<bool> needsBuffer(schedule.slots.size());
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
  std::vector<int32_t> pieceOf(schedule.slots.size(), -1);
  auto numSteps = static_cast<int32_t>(schedule.steps.size());
  for (int32_t step = 0; step < numSteps; ++step) {
    if (schedule.steps[step].kind == Step::Kind::Allocate) {
      int32_t slot = schedule.steps[step].slots[0];
      if (needsBuffer[slot]) {
        bufferSlots.push_back(slot);
        continue;
      }
      const Schedule::Slot &type = schedule.slots[slot];
      isSlabFixed &= type.numElements.isNumber();
      pieceOf[slot] = static_cast<int32_t>(pieces.size());
      slabSlots.push_back(slot);
      pieces.push_back(
          {getNumBytes(type, type.numElements.number), step, numSteps});
    } else if (schedule.steps[step].kind == Step::Kind::Free) {
      int32_t piece = pieceOf[schedule.steps[step].slots[0]];
      if (piece >= 0)
        pieces[piece].last = step;
    }
  }
  slab = engine::layOutSlab(pieces, maxSearchedPieces);
  if (!pieces.empty())
    largestSlot =
        slabSlots[llvm::max_element(pieces,
                                    [](const Piece &left, const Piece &right) {
                                      return left.numBytes < right.numBytes;
                                    }) -
                  pieces.begin()];
}

SlabLayout LaunchList::layOutSlab(const Schedule &schedule,
                                  std::span<const int64_t> variables) const {
  std::vector<Piece> sized = pieces;
  bool fits = true;
  for (auto [piece, slot] : llvm::zip_equal(sized, slabSlots)) {
    const Schedule::Slot &type = schedule.slots[slot];
    int64_t largest =
        std::exchange(piece.numBytes,
                      getNumBytes(type, type.numElements.evaluate(variables)));
    fits &= piece.numBytes <= largest;
  }
  SlabLayout layout = engine::layOutSlab(sized, /*maxSearched=*/0);
  // Smaller pieces may leave larger holes.
  return fits && slab.numBytes <= layout.numBytes ? slab : layout;
}

int64_t LaunchList::computePeakBytes(const CompiledSchedule &compiled) const {
  int64_t total = slab.numBytes;
  auto add = [&](int32_t slot) {
    const Schedule::Slot &type = compiled.schedule.slots[slot];
    // What outlives the process is no memory.
    if (!compiled.devices[slot]->isPersistent())
      total = std::min(total + getNumBytes(type, type.numElements.number),
                       maxSlabBytes);
  };
  for (int32_t slot : bufferSlots)
    add(slot);
  for (int32_t slot : variableSlots)
    add(slot);
  if (mayFailLate)
    for (int32_t slot : overwrittenSlots)
      add(slot);
  return total;
}
