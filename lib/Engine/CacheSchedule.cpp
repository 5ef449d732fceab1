//===- CacheSchedule.cpp - A compiled schedule as bytes -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description serves both directions: `visitParts` names the parts of a
// value in order, and an archive writes or reads each of them.
//
//===----------------------------------------------------------------------===//

#include "CacheSchedule.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"

using namespace tinygrad;
using namespace tinygrad::engine;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

template <typename ArchiveT, typename T>
static void visitParts(ArchiveT &archive, T &value) {
  using Type = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Type, Step>)
    archive(value.kind, value.index, value.slots, value.offset,
            value.targetOffset, value.numElements);
  else if constexpr (std::is_same_v<Type, Schedule::Slot>)
    archive(value.type, value.numElements, value.device, value.isOpened,
            value.name, value.variable);
  else if constexpr (std::is_same_v<Type, RuntimeSize>)
    archive(value.number, value.code);
  else if constexpr (std::is_same_v<Type, Schedule>)
    archive(value.slots, value.steps, value.kernels, value.callbacks);
  else if constexpr (std::is_same_v<Type, lazy::KernelCost>)
    archive(value.flops, value.bytesRead, value.bytesWritten);
  else if constexpr (std::is_same_v<Type, Kernel>)
    archive(value.name, value.device, value.numInputs, value.cost);
  else {
    static_assert(std::is_same_v<Type, StoredSchedule>);
    archive(value.schedule, value.kernels, value.keys);
  }
}

template <typename T>
inline constexpr bool isNumber = std::is_integral_v<T> || std::is_enum_v<T>;

namespace {

class Writer {
public:
  template <typename... Ts>
  void operator()(const Ts &...values) {
    (write(values), ...);
  }

  std::string takeBytes() { return std::move(bytes); }

private:
  template <typename T>
  void write(const T &value) {
    if constexpr (isNumber<T>) {
      char number[8];
      llvm::support::endian::write64le(number, static_cast<uint64_t>(value));
      bytes.append(number, sizeof(number));
    } else {
      visitParts(*this, value);
    }
  }
  void write(const std::string &text) {
    write(text.size());
    bytes += text;
  }
  template <typename T>
  void write(const std::vector<T> &values) {
    write(values.size());
    for (const T &value : values)
      write(value);
  }

  std::string bytes;
};

/// Leaves a value as it is where the bytes do not hold one.
class Reader {
public:
  explicit Reader(llvm::StringRef bytes) : bytes(bytes) {}

  template <typename... Ts>
  void operator()(Ts &...values) {
    (read(values), ...);
  }

  bool isComplete() const { return isValid && bytes.empty(); }

private:
  template <typename T>
  void read(T &value) {
    if constexpr (isNumber<T>) {
      isValid &= bytes.size() >= 8;
      if (!isValid)
        return;
      uint64_t number = llvm::support::endian::read64le(bytes.data());
      bytes = bytes.drop_front(8);
      value = static_cast<T>(number);
      isValid = static_cast<uint64_t>(value) == number;
    } else {
      visitParts(*this, value);
    }
  }
  void read(std::string &text) {
    size_t size = 0;
    read(size);
    isValid &= size <= bytes.size();
    if (!isValid)
      return;
    text = bytes.take_front(size).str();
    bytes = bytes.drop_front(size);
  }
  template <typename T>
  void read(std::vector<T> &values) {
    size_t size = 0;
    read(size);
    // A value takes no less than a number.
    isValid &= size <= bytes.size() / 8;
    for (size_t i = 0; isValid && i < size; ++i)
      read(values.emplace_back());
  }

  llvm::StringRef bytes;
  bool isValid = true;
};

} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// True if running the step touches only what is there. The first
/// `numArguments` slots are not the schedule's own.
static bool isValid(const Step &step, const Schedule &schedule,
                    size_t numArguments) {
  auto isSlot = [&](int32_t slot) {
    return slot >= 0 && static_cast<size_t>(slot) < schedule.slots.size();
  };
  auto isIndexOf = [&](const std::vector<std::string> &names) {
    return step.index >= 0 && static_cast<size_t>(step.index) < names.size();
  };
  if (!llvm::all_of(step.slots, isSlot))
    return false;
  switch (step.kind) {
  case Step::Kind::Allocate:
  case Step::Kind::Free:
    return step.slots.size() == 1 &&
           static_cast<size_t>(step.slots[0]) >= numArguments &&
           schedule.slots[step.slots[0]].variable < 0;
  case Step::Kind::Kernel:
    return isIndexOf(schedule.kernels) && !step.slots.empty() &&
           schedule.slots[step.slots[0]].variable < 0;
  case Step::Kind::Callback:
    return isIndexOf(schedule.callbacks) && !step.slots.empty();
  case Step::Kind::Copy:
    return step.slots.size() == 2 && step.offset >= 0 &&
           step.targetOffset >= 0 && step.numElements >= -1;
  }
  return false;
}

static bool isValid(const StoredSchedule &stored,
                    llvm::ArrayRef<Signature> arguments,
                    std::span<const std::string> variables) {
  const Schedule &schedule = stored.schedule;
  if (schedule.slots.size() < arguments.size() ||
      stored.kernels.size() != schedule.kernels.size())
    return false;
  for (const Schedule::Slot &slot : schedule.slots)
    if (static_cast<int>(slot.type) >= numDTypes ||
        !slot.numElements.isValid(variables.size()) || slot.variable < -1 ||
        slot.variable >= static_cast<int32_t>(variables.size()))
      return false;
  for (auto [argument, slot] : llvm::zip(arguments, schedule.slots))
    if (argument.type != slot.type || argument.device != slot.device ||
        slot.variable >= 0 || getSize(argument, variables) != slot.numElements)
      return false;
  llvm::StringSet<> names;
  for (const Kernel &kernel : stored.kernels) {
    names.insert(kernel.name);
    if (kernel.numInputs < 0)
      return false;
  }
  return names.size() == stored.keys.size() &&
         llvm::all_of(schedule.steps, [&](const Step &step) {
           return isValid(step, schedule, arguments.size()) &&
                  (step.kind != Step::Kind::Kernel ||
                   static_cast<size_t>(stored.kernels[step.index].numInputs) <=
                       step.slots.size());
         });
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

std::string engine::serialize(const StoredSchedule &stored) {
  Writer writer;
  writer(stored);
  return writer.takeBytes();
}

std::optional<StoredSchedule>
engine::deserializeSchedule(llvm::StringRef bytes,
                            const std::vector<Signature> &inputs,
                            const std::vector<Signature> &results,
                            std::span<const std::string> variables) {
  StoredSchedule stored;
  Reader reader(bytes);
  reader(stored);
  std::vector<Signature> arguments = inputs;
  llvm::append_range(arguments, results);
  if (!reader.isComplete() || !isValid(stored, arguments, variables))
    return std::nullopt;
  return stored;
}
