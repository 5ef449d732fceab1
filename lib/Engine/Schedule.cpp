//===- Schedule.cpp - A schedule as a list of steps - c -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "Compilation.h"
#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Engine/Diagnostics.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {

/// Turns one host function into steps.
class ScheduleReader {
public:
  llvm::Expected<Schedule> run(func::FuncOp host);

private:
  /// Notes that a copy or a callback reads all but the last of `values`, which
  /// it writes. Kernels run where nothing is but what was written.
  void noteAccesses(ValueRange values) {
    for (Value value : values.drop_back())
      schedule.slots[slots.lookup(value)].isOpened |=
          !isWritten[slots.lookup(value)];
    isWritten[slots.lookup(values.back())] = true;
  }
  llvm::Error addSlot(Operation *op, Value value);
  llvm::Error addStep(Operation &op);
  std::vector<int32_t> getSlots(ValueRange values) const {
    std::vector<int32_t> result;
    for (Value value : values)
      result.push_back(slots.lookup(value));
    return result;
  }

  Schedule schedule;
  llvm::DenseMap<Value, int32_t> slots;
  std::vector<bool> isWritten;
};

} // namespace

llvm::Error ScheduleReader::addSlot(Operation *op, Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  std::optional<DType> element = type && type.hasStaticShape() &&
                                         type.getRank() == 1 &&
                                         type.getLayout().isIdentity()
                                     ? lazy::getDType(type.getElementType())
                                     : std::nullopt;
  if (!element)
    return makeErrorAt(op, "expects a schedule on flat memrefs");
  slots[value] = static_cast<int32_t>(schedule.slots.size());
  schedule.slots.push_back({*element, type.getNumElements(),
                            toDeviceName(lazy::getMemoryDevice(value))});
  isWritten.push_back(false);
  return llvm::Error::success();
}

llvm::Error ScheduleReader::addStep(Operation &op) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    if (llvm::Error error = addSlot(alloc, alloc.getMemref()))
      return error;
    schedule.steps.push_back(
        {Step::Kind::Allocate, 0, getSlots(alloc.getMemref())});
    return llvm::Error::success();
  }
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
    schedule.steps.push_back(
        {Step::Kind::Free, 0, getSlots(dealloc.getMemref())});
    return llvm::Error::success();
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    if (call.getNumResults() != 0)
      return makeErrorAt(&op, "expects kernels without results in a schedule");
    schedule.steps.push_back({Step::Kind::Kernel,
                              static_cast<int32_t>(schedule.kernels.size()),
                              getSlots(call.getOperands())});
    schedule.kernels.push_back(call.getCallee().str());
    for (Value operand : call.getOperands())
      isWritten[slots.lookup(operand)] = true;
    return llvm::Error::success();
  }
  if (auto custom = dyn_cast<lazy::CustomOp>(op)) {
    if (op.getNumResults() != 0 || op.getNumOperands() == 0)
      return makeErrorAt(&op, "expects memrefs in a schedule");
    schedule.steps.push_back({Step::Kind::Callback,
                              static_cast<int32_t>(schedule.callbacks.size()),
                              getSlots(op.getOperands())});
    schedule.callbacks.push_back(custom.getCallback().str());
    noteAccesses(op.getOperands());
    return llvm::Error::success();
  }
  if (auto copy = dyn_cast<lazy::CopyOp>(op)) {
    if (!copy.getTarget())
      return makeErrorAt(&op, "expects memrefs in a schedule");
    schedule.steps.push_back({Step::Kind::Copy, 0, getSlots(op.getOperands()),
                              static_cast<int64_t>(copy.getOffset())});
    noteAccesses(op.getOperands());
    return llvm::Error::success();
  }
  return makeErrorAt(&op, "is no step of a schedule");
}

llvm::Expected<Schedule> ScheduleReader::run(func::FuncOp host) {
  if (!llvm::hasSingleElement(host.getBody()) || host.getNumResults() != 0)
    return makeErrorAt(host, "expects a schedule of one block without results");
  for (BlockArgument argument : host.getArguments())
    if (llvm::Error error = addSlot(host, argument))
      return error;
  for (Operation &op : host.getBody().front().without_terminator())
    if (llvm::Error error = addStep(op))
      return error;
  return std::move(schedule);
}

llvm::Expected<Schedule> engine::readSchedule(func::FuncOp host) {
  return ScheduleReader().run(host);
}
