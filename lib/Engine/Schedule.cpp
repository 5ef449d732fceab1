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
#include "tinygrad/Dialect/Lazy/Transforms/SizeArithmetic.h"
#include "tinygrad/Engine/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <map>

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
  explicit ScheduleReader(std::span<const std::string> variables)
      : variables(variables) {}

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
  int32_t addSlot(Schedule::Slot slot);
  llvm::Error addMemory(Operation *op, Value value);
  llvm::Error addKernel(func::CallOp call);
  llvm::Error addStep(Operation &op);
  std::vector<int32_t> getSlots(ValueRange values) const {
    std::vector<int32_t> result;
    for (Value value : values)
      result.push_back(slots.lookup(value));
    return result;
  }

  std::span<const std::string> variables;
  Schedule schedule;
  llvm::DenseMap<Value, int32_t> slots;
  /// By the number of a variable and the device where it is read.
  std::map<std::pair<int32_t, std::string>, int32_t> variableSlots;
  std::vector<bool> isWritten;
};

} // namespace

int32_t ScheduleReader::addSlot(Schedule::Slot slot) {
  schedule.slots.push_back(std::move(slot));
  isWritten.push_back(false);
  return static_cast<int32_t>(schedule.slots.size() - 1);
}

llvm::Error ScheduleReader::addMemory(Operation *op, Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  std::optional<DType> element =
      type && type.getRank() == 1 && type.getLayout().isIdentity()
          ? lazy::getDType(type.getElementType())
          : std::nullopt;
  if (!element)
    return makeErrorAt(op, "expects a schedule on flat memrefs");
  std::optional<RuntimeSize> size;
  auto alloc = value.getDefiningOp<memref::AllocOp>();
  if (type.hasStaticShape()) {
    size = RuntimeSize(type.getNumElements());
  } else if (!alloc) {
    size = RuntimeSize();
  } else if (std::optional<shape::IndexExpr> expr =
                 lazy::readSize(alloc.getDynamicSizes().front())) {
    size = RuntimeSize::create(*expr, variables);
  }
  if (!size)
    return makeErrorAt(op, "expects sizes that are expressions of variables");
  slots[value] = addSlot(
      {*element, std::move(*size), toDeviceName(lazy::getMemoryDevice(value))});
  return llvm::Error::success();
}

llvm::Error ScheduleReader::addKernel(func::CallOp call) {
  if (call.getNumResults() != 0)
    return makeErrorAt(call, "expects kernels without results in a schedule");
  Step step{
      Step::Kind::Kernel, static_cast<int32_t>(schedule.kernels.size()), {}};
  std::string device;
  for (Value operand : call.getOperands()) {
    if (!operand.getType().isIndex()) {
      step.slots.push_back(slots.lookup(operand));
      device = schedule.slots[step.slots.front()].device;
      isWritten[step.slots.back()] = true;
      continue;
    }
    std::optional<shape::IndexExpr> expr = lazy::readSize(operand);
    auto found = expr && expr->isNamed()
                     ? llvm::find(variables, expr->getName())
                     : variables.end();
    if (found == variables.end())
      return makeErrorAt(call, "expects indices that bind variables");
    auto number = static_cast<int32_t>(found - variables.begin());
    auto [slot, isNew] = variableSlots.try_emplace({number, device}, -1);
    if (isNew) {
      slot->second = addSlot({DType::Int64, 1, device});
      schedule.slots.back().variable = number;
    }
    step.slots.push_back(slot->second);
  }
  schedule.steps.push_back(std::move(step));
  schedule.kernels.push_back(call.getCallee().str());
  return llvm::Error::success();
}

llvm::Error ScheduleReader::addStep(Operation &op) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    if (llvm::Error error = addMemory(alloc, alloc.getMemref()))
      return error;
    schedule.steps.push_back(
        {Step::Kind::Allocate, 0, getSlots(alloc.getMemref())});
    return llvm::Error::success();
  }
  // Sizes are read where memory is allocated.
  if (isa<arith::ArithDialect>(op.getDialect()) &&
      llvm::all_of(op.getResultTypes(), llvm::IsaPred<IndexType>))
    return llvm::Error::success();
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
    schedule.steps.push_back(
        {Step::Kind::Free, 0, getSlots(dealloc.getMemref())});
    return llvm::Error::success();
  }
  if (auto call = dyn_cast<func::CallOp>(op))
    return addKernel(call);
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
                              static_cast<int64_t>(copy.getOffset()),
                              static_cast<int64_t>(copy.getTargetOffset()),
                              copy.getNumElements()});
    noteAccesses(op.getOperands());
    return llvm::Error::success();
  }
  return makeErrorAt(&op, "is no step of a schedule");
}

llvm::Expected<Schedule> ScheduleReader::run(func::FuncOp host) {
  if (!llvm::hasSingleElement(host.getBody()) || host.getNumResults() != 0)
    return makeErrorAt(host, "expects a schedule of one block without results");
  for (BlockArgument argument : host.getArguments())
    if (!argument.getType().isIndex())
      if (llvm::Error error = addMemory(host, argument))
        return error;
  for (Operation &op : host.getBody().front().without_terminator())
    if (llvm::Error error = addStep(op))
      return error;
  return std::move(schedule);
}

llvm::Expected<Schedule>
engine::readSchedule(func::FuncOp host,
                     std::span<const std::string> variables) {
  return ScheduleReader(variables).run(host);
}

llvm::SmallVector<int32_t, 4> Schedule::getVariables(const Step &step) const {
  llvm::SmallVector<int32_t, 4> variables;
  for (int32_t slot : step.slots)
    if (slots[slot].variable >= 0)
      variables.push_back(slots[slot].variable);
  return variables;
}
