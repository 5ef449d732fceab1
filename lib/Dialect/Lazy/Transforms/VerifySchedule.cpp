//===- VerifySchedule.cpp - Check the order of kernels on memory ----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShareMemory.h"

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_VERIFYSCHEDULEPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;

namespace {

/// What is known of one memref at one point of the schedule.
struct State {
  int64_t version = 0;
  /// What has written this version; null for version 0.
  Operation *writer = nullptr;
  Operation *freed = nullptr;
};

class ScheduleVerifier {
public:
  explicit ScheduleVerifier(Block &block) : block(block) {}

  LogicalResult run();

private:
  LogicalResult check(Operation &op);
  LogicalResult checkUse(Operation &op, unsigned index);
  LogicalResult checkRead(Operation &op, unsigned index, int64_t version);
  LogicalResult checkDevices(Operation &op);
  LogicalResult checkWrite(Operation &op, unsigned index, int64_t version);
  LogicalResult free(memref::DeallocOp op);
  /// Adds where version `version` of `memory` is made.
  void attachMaker(InFlightDiagnostic &diag, Value memory, int64_t version);
  /// Adds where the version that `memory` holds was written.
  void attachWriter(InFlightDiagnostic &diag, Value memory, const State &state);

  Block &block;
  llvm::DenseMap<Value, State> states;
};

} // namespace

/// Returns how many of the operands `op` only reads: the others it writes.
static unsigned getNumInputs(Operation &op) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return kernel.getInputs().size();
  return op.getNumOperands() - 1;
}

/// Returns how many of the operands are memory.
static unsigned getNumData(Operation &op) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return kernel.getData().size();
  return op.getNumOperands();
}

static std::optional<ArrayRef<int64_t>> getVersions(Operation &op) {
  auto versions = op.getAttrOfType<DenseI64ArrayAttr>(versionsAttrName);
  if (!isa<KernelOp, CustomOp, CopyOp>(op) || !versions ||
      versions.size() != getNumData(op))
    return std::nullopt;
  return versions.asArrayRef();
}

void ScheduleVerifier::attachMaker(InFlightDiagnostic &diag, Value memory,
                                   int64_t version) {
  for (Operation &op : block) {
    std::optional<ArrayRef<int64_t>> versions = getVersions(op);
    if (!versions)
      continue;
    for (unsigned i = getNumInputs(op); i < getNumData(op); ++i)
      if (op.getOperand(i) == memory && (*versions)[i] == version) {
        diag.attachNote(op.getLoc())
            << "version " << version << " is made here";
        return;
      }
  }
  diag.attachNote(memory.getLoc())
      << "nothing makes version " << version << " of this memory";
}

void ScheduleVerifier::attachWriter(InFlightDiagnostic &diag, Value memory,
                                    const State &state) {
  if (state.writer)
    diag.attachNote(state.writer->getLoc())
        << "version " << state.version << " is written here";
  else
    diag.attachNote(memory.getLoc())
        << "version " << state.version << " is what this memory begins with";
}

LogicalResult ScheduleVerifier::checkUse(Operation &op, unsigned index) {
  const State &state = states[op.getOperand(index)];
  if (!state.freed)
    return success();
  InFlightDiagnostic diag = op.emitOpError() << "uses the memory of operand "
                                             << index << " after it was freed";
  diag.attachNote(state.freed->getLoc()) << "it is freed here";
  return diag;
}

LogicalResult ScheduleVerifier::checkRead(Operation &op, unsigned index,
                                          int64_t version) {
  Value memory = op.getOperand(index);
  const State &state = states[memory];
  if (state.version == version)
    return success();
  InFlightDiagnostic diag =
      op.emitOpError() << "reads version " << version << " of operand " << index
                       << ", but its memory holds version " << state.version;
  if (state.version > version)
    attachWriter(diag, memory, state);
  else
    attachMaker(diag, memory, version);
  return diag;
}

LogicalResult ScheduleVerifier::checkWrite(Operation &op, unsigned index,
                                           int64_t version) {
  State &state = states[op.getOperand(index)];
  if (version != state.version + 1) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "makes version " << version << " of operand "
                              << index << ", but its memory holds version "
                              << state.version;
    if (state.version >= version)
      attachWriter(diag, op.getOperand(index), state);
    else
      attachMaker(diag, op.getOperand(index), version - 1);
    return diag;
  }
  state.version = version;
  state.writer = &op;
  return success();
}

// Only copies and customs reach from one device to another.
LogicalResult ScheduleVerifier::checkDevices(Operation &op) {
  OperandRange memory = op.getOperands().take_front(getNumData(op));
  for (auto [index, operand] : llvm::enumerate(memory)) {
    StringRef device = getMemoryDevice(operand);
    StringRef expected = getMemoryDevice(op.getOperand(0));
    if (device == expected)
      continue;
    InFlightDiagnostic diag = op.emitOpError()
                              << "expects memory of one device, got '"
                              << expected << "' and '" << device << "'";
    diag.attachNote(operand.getLoc())
        << "operand " << index << " is this memory";
    return diag;
  }
  return success();
}

LogicalResult ScheduleVerifier::free(memref::DeallocOp op) {
  State &state = states[op.getMemref()];
  if (state.freed) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "frees memory that was freed before";
    diag.attachNote(state.freed->getLoc()) << "it is freed here";
    return diag;
  }
  state.freed = op;
  return success();
}

LogicalResult ScheduleVerifier::check(Operation &op) {
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op))
    return free(dealloc);
  if (isa<memref::AllocOp>(op) || op.hasTrait<OpTrait::IsTerminator>())
    return success();
  // Sizes are computed in between.
  if (isPure(&op) &&
      llvm::all_of(op.getResultTypes(), llvm::IsaPred<IndexType>))
    return success();
  if (!isa<KernelOp, CustomOp, CopyOp>(op))
    return op.emitOpError() << "expects kernels, custom operations, copies, "
                               "allocations and deallocations in a schedule";
  std::optional<ArrayRef<int64_t>> versions = getVersions(op);
  if (!versions)
    return op.emitOpError()
           << "expects `" << versionsAttrName << "` with " << getNumData(op)
           << " numbers, which `lazy-plan-memory` writes";
  if (isa<KernelOp>(op) && failed(checkDevices(op)))
    return failure();
  // All reads come before the writes: a kernel may read what it overwrites.
  unsigned numInputs = getNumInputs(op);
  for (auto [index, version] : llvm::enumerate(*versions))
    if (failed(checkUse(op, index)) ||
        (index < numInputs && failed(checkRead(op, index, version))))
      return failure();
  for (unsigned index = numInputs; index < versions->size(); ++index)
    if (failed(checkWrite(op, index, (*versions)[index])))
      return failure();
  return success();
}

LogicalResult ScheduleVerifier::run() {
  for (Operation &op : block)
    if (failed(check(op)))
      return failure();
  for (auto alloc : block.getOps<memref::AllocOp>())
    if (!states[alloc].freed)
      return alloc.emitOpError() << "allocates memory that is never freed";
  auto noted =
      block.getParentOp()->getAttrOfType<IntegerAttr>(peakBytesAttrName);
  int64_t peak = computePeakBytes(block);
  if (noted && noted.getValue().trySExtValue() != peak)
    return block.getParentOp()->emitOpError()
           << "notes a peak of " << llvm::toString(noted.getValue(), 10, true)
           << " bytes, but its schedule allocates " << peak << " at once";
  return success();
}

namespace {

struct VerifySchedulePass
    : lazy::impl::VerifySchedulePassBase<VerifySchedulePass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    func::FuncOp function = getOperation();
    if (function->hasAttr(kernelAttrName))
      return;
    for (Block &block : function.getBody()) {
      bool isPlanned = llvm::any_of(
          block, [](Operation &op) { return op.hasAttr(versionsAttrName); });
      if (isPlanned && failed(ScheduleVerifier(block).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
