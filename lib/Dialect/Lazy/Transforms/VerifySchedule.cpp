//===- VerifySchedule.cpp - Check the order of kernels on memory ----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The notes say which value each operation wants, by a number that only one
// operation makes, and the schedule is run once on numbers instead of elements.
// That is enough where no two memrefs are one piece of memory, which is why
// only allocations and arguments may be memory here, and nothing that views it.
// That arguments do not overlap is the matter of who calls.
//
//===----------------------------------------------------------------------===//

#include "ScheduleVersions.h"
#include "ShareMemory.h"

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/ADT/StringExtras.h"

#include <unordered_map>

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_VERIFYSCHEDULEPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;

/// True for what computes sizes between the steps of a schedule.
static bool computesSize(Operation &op) {
  return isPure(&op) && op.getNumResults() != 0 && op.getNumRegions() == 0 &&
         llvm::all_of(op.getOperandTypes(), llvm::IsaPred<IndexType>) &&
         llvm::all_of(op.getResultTypes(), llvm::IsaPred<IndexType>);
}

/// True for all that a schedule consists of.
static bool isOfSchedule(Operation &op) {
  return isScheduleStep(&op) || computesSize(op) ||
         isa<memref::AllocOp, memref::DeallocOp, func::ReturnOp>(op);
}

namespace {

/// What is known of one memref at one point of the schedule.
struct State {
  /// What it holds; nothing where nobody has written it.
  std::optional<int64_t> version;
  /// What has written this version; null for what memory begins with.
  Operation *writer = nullptr;
  Operation *freed = nullptr;
};

class ScheduleVerifier {
public:
  /// Without notes the order of the operations is taken to be the right one.
  ScheduleVerifier(func::FuncOp function, bool hasNotes)
      : function(function), block(function.getBody().front()),
        hasNotes(hasNotes) {}

  LogicalResult run();

  /// How many operations and operands were looked at, each time that they were.
  uint64_t getNumSteps() const { return numSteps; }

private:
  LogicalResult begin();
  LogicalResult check(Operation &op);
  LogicalResult checkStep(Operation &step);
  LogicalResult checkAliases(Operation &step);
  LogicalResult checkWritten(Operation &step);
  LogicalResult checkUse(Operation &op, unsigned index);
  LogicalResult checkHolds(Operation &op, const Twine &what, Value memory,
                           int64_t version);
  LogicalResult checkWrite(Operation &step, unsigned index, int64_t version);
  LogicalResult checkDevices(KernelOp kernel);
  LogicalResult checkBindings(KernelOp kernel);
  LogicalResult checkInPlace(KernelOp kernel);
  LogicalResult checkOrder(CustomOp custom, int64_t version);
  LogicalResult allocate(memref::AllocOp op);
  LogicalResult free(memref::DeallocOp op);
  LogicalResult checkEnd(Operation &op);
  LogicalResult finish(Operation &op);
  LogicalResult checkPeak();

  /// Returns what `step` reads and makes: as it notes, or, without notes, what
  /// is there, if anything, and new numbers. Nothing where it notes too few or
  /// too many.
  std::optional<SmallVector<OperandVersions>> getStepVersions(Operation &step);
  /// Notes that `memory` holds `version`, which must be new.
  LogicalResult make(Operation &op, Value memory, int64_t version,
                     const Twine &what, Operation *writer);
  /// Adds where `version` is made, at a later place than this one.
  void attachMaker(InFlightDiagnostic &diag, Value memory, int64_t version);
  /// Adds where the version that `memory` holds was written.
  void attachWriter(InFlightDiagnostic &diag, Value memory);

  func::FuncOp function;
  Block &block;
  bool hasNotes;
  uint64_t numSteps = 0;
  llvm::DenseMap<Value, State> states;
  /// The memory that was made to hold each version, and what wrote it. No
  /// DenseMap: notes may have any number, and two are none of its keys.
  std::unordered_map<int64_t, std::pair<Value, Operation *>> made;
  llvm::DenseMap<Attribute, Value> variables;
  /// The last custom, and the version that it makes.
  Operation *lastCustom = nullptr;
  int64_t lastCustomVersion = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

void ScheduleVerifier::attachMaker(InFlightDiagnostic &diag, Value memory,
                                   int64_t version) {
  for (Operation &op : block) {
    if (!isScheduleStep(&op))
      continue;
    auto versions = getVersions(&op);
    if (versions && llvm::any_of(*versions, [&](OperandVersions operand) {
          return operand.made == version;
        })) {
      diag.attachNote(op.getLoc()) << "version " << version << " is made here";
      return;
    }
  }
  diag.attachNote(memory.getLoc())
      << "nothing makes version " << version << " of this memory";
}

void ScheduleVerifier::attachWriter(InFlightDiagnostic &diag, Value memory) {
  const State &state = states[memory];
  if (!state.version)
    diag.attachNote(memory.getLoc()) << "this memory has not been written";
  else if (state.writer)
    diag.attachNote(state.writer->getLoc())
        << "version " << *state.version << " is written here";
  else
    diag.attachNote(memory.getLoc())
        << "version " << *state.version << " is what this memory begins with";
}

LogicalResult ScheduleVerifier::make(Operation &op, Value memory,
                                     int64_t version, const Twine &what,
                                     Operation *writer) {
  auto [found, isNew] = made.try_emplace(version, memory, writer);
  if (!isNew) {
    auto [other, otherWriter] = found->second;
    InFlightDiagnostic diag =
        op.emitOpError() << what << ", but there is a version of this number";
    if (otherWriter)
      diag.attachNote(otherWriter->getLoc())
          << "version " << version << " is written here";
    else
      diag.attachNote(other.getLoc())
          << "version " << version << " is what this memory begins with";
    return diag;
  }
  State &state = states[memory];
  state.version = version;
  state.writer = writer;
  return success();
}

/// Checks that `memory` holds what `op` needs to do `what`: "reads version 1 of
/// operand 0".
LogicalResult ScheduleVerifier::checkHolds(Operation &op, const Twine &what,
                                           Value memory, int64_t version) {
  const State &state = states[memory];
  if (state.version == version)
    return success();
  InFlightDiagnostic diag = op.emitOpError() << what;
  if (state.version)
    diag << ", but its memory holds version " << *state.version;
  else
    diag << ", but nothing has written its memory";
  if (made.contains(version))
    attachWriter(diag, memory);
  else
    attachMaker(diag, memory, version);
  return diag;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

LogicalResult ScheduleVerifier::checkUse(Operation &op, unsigned index) {
  const State &state = states[op.getOperand(index)];
  if (!state.freed)
    return success();
  InFlightDiagnostic diag = op.emitOpError() << "uses the memory of operand "
                                             << index << " after it was freed";
  diag.attachNote(state.freed->getLoc()) << "it is freed here";
  return diag;
}

// Elements are read and written in any order.
LogicalResult ScheduleVerifier::checkAliases(Operation &step) {
  OperandRange memory = step.getOperands().take_front(getNumData(&step));
  llvm::SmallDenseMap<Value, unsigned> first;
  for (auto [index, operand] : llvm::enumerate(memory)) {
    ++numSteps;
    auto [other, isNew] = first.try_emplace(operand, index);
    if (isNew || index < getNumRead(&step))
      continue;
    InFlightDiagnostic diag = step.emitOpError()
                              << "writes operand " << index
                              << ", which is the memory of operand "
                              << other->second << " too";
    diag.attachNote(operand.getLoc()) << "this is the memory";
    return diag;
  }
  return success();
}

// Only copies and customs reach from one device to another.
LogicalResult ScheduleVerifier::checkDevices(KernelOp kernel) {
  for (auto [index, operand] : llvm::enumerate(kernel.getData())) {
    ++numSteps;
    StringRef device = getMemoryDevice(operand);
    StringRef expected = getMemoryDevice(kernel.getData().front());
    if (device == expected)
      continue;
    InFlightDiagnostic diag = kernel.emitOpError()
                              << "expects memory of one device, got '"
                              << expected << "' and '" << device << "'";
    diag.attachNote(operand.getLoc())
        << "operand " << index << " is this memory";
    return diag;
  }
  return success();
}

// Each variable has one value in the whole schedule.
LogicalResult ScheduleVerifier::checkBindings(KernelOp kernel) {
  std::optional<ArrayAttr> names = kernel.getVariables();
  if (!names)
    return success();
  for (auto [name, value] :
       llvm::zip(names->getAsRange<VariableAttr>(), kernel.getBindings())) {
    Value expected = variables.lookup(name);
    if (value == expected)
      continue;
    InFlightDiagnostic diag =
        kernel.emitOpError()
        << "expects the argument of its function that binds variable '"
        << name.getName() << "', got another value";
    diag.attachNote((expected ? expected : value).getLoc())
        << (expected ? "the argument is here" : "the value is here");
    return diag;
  }
  return success();
}

// Where a kernel overwrites what it loads, the loops that it becomes may have
// done so before it loads, unless one and the same iteration does both. Several
// stores may be several loops.
LogicalResult ScheduleVerifier::checkInPlace(KernelOp kernel) {
  unsigned numInputs = kernel.getInputs().size();
  for (unsigned index = 0; index < kernel.getInits().size(); ++index) {
    BlockArgument argument = getInitArgument(kernel, index);
    StoreOp store = getStore(kernel, index);
    LoadOp load =
        findLoadOutOfPlace(argument, store, store.getTracker().getLayout());
    if (load) {
      InFlightDiagnostic diag = kernel.emitOpError()
                                << "overwrites elements of operand "
                                << numInputs + index
                                << " that it loads for other elements";
      diag.attachNote(load.getLoc()) << "they are loaded here";
      diag.attachNote(store.getLoc()) << "they are overwritten here";
      return diag;
    }
    if (kernel.getInits().size() == 1 || !hasLoads(argument))
      continue;
    InFlightDiagnostic diag = kernel.emitOpError()
                              << "loads what it overwrites of operand "
                              << numInputs + index << ", but has "
                              << kernel.getInits().size()
                              << " stores, which may run one after the other";
    diag.attachNote(store.getLoc()) << "the elements are overwritten here";
    return diag;
  }
  return success();
}

// Customs touch what the program cannot see. They are numbered in their order.
LogicalResult ScheduleVerifier::checkOrder(CustomOp custom, int64_t version) {
  if (lastCustom && version < lastCustomVersion) {
    InFlightDiagnostic diag = custom.emitOpError()
                              << "makes version " << version
                              << " after version " << lastCustomVersion
                              << ", but custom operations keep their order";
    diag.attachNote(lastCustom->getLoc())
        << "version " << lastCustomVersion << " is made here";
    return diag;
  }
  lastCustom = custom;
  lastCustomVersion = version;
  return success();
}

LogicalResult ScheduleVerifier::checkWrite(Operation &step, unsigned index,
                                           int64_t version) {
  if (auto custom = dyn_cast<CustomOp>(step))
    if (failed(checkOrder(custom, version)))
      return failure();
  return make(step, step.getOperand(index), version,
              "makes version " + Twine(version) + " of operand " + Twine(index),
              &step);
}

std::optional<SmallVector<OperandVersions>>
ScheduleVerifier::getStepVersions(Operation &step) {
  if (hasNotes)
    return getVersions(&step);
  SmallVector<OperandVersions> versions = getVersionForm(&step);
  for (auto [index, operand] : llvm::enumerate(versions)) {
    if (operand.read)
      operand.read = states[step.getOperand(index)].version;
    if (operand.made)
      operand.made = static_cast<int64_t>(made.size() + index);
  }
  return versions;
}

/// Checks, without notes, that what `step` reads has been written.
LogicalResult ScheduleVerifier::checkWritten(Operation &step) {
  for (auto [index, operand] : llvm::enumerate(getVersionForm(&step))) {
    Value memory = step.getOperand(index);
    if (!operand.read || states[memory].version)
      continue;
    InFlightDiagnostic diag = step.emitOpError()
                              << "reads operand " << index
                              << ", but nothing has written its memory";
    diag.attachNote(memory.getLoc()) << "this is the memory";
    return diag;
  }
  return success();
}

LogicalResult ScheduleVerifier::checkStep(Operation &step) {
  auto versions = getStepVersions(step);
  if (!versions) {
    int64_t count = 0;
    for (OperandVersions operand : getVersionForm(&step))
      count += operand.read.has_value() + operand.made.has_value();
    return step.emitOpError()
           << "expects `" << versionsAttrName << "` with " << count
           << " numbers, which `lazy-plan-memory` writes";
  }
  if (failed(checkAliases(step)) || (!hasNotes && failed(checkWritten(step))))
    return failure();
  if (auto kernel = dyn_cast<KernelOp>(step))
    if (failed(checkDevices(kernel)) || failed(checkBindings(kernel)) ||
        failed(checkInPlace(kernel)))
      return failure();
  // All reads come before the writes: a kernel may read what it overwrites.
  numSteps += versions->size();
  for (auto [index, operand] : llvm::enumerate(*versions))
    if (failed(checkUse(step, index)) ||
        (operand.read &&
         failed(checkHolds(step,
                           Twine(operand.made ? "keeps" : "reads") +
                               " version " + Twine(*operand.read) +
                               " of operand " + Twine(index),
                           step.getOperand(index), *operand.read))))
      return failure();
  for (auto [index, operand] : llvm::enumerate(*versions))
    if (operand.made && failed(checkWrite(step, index, *operand.made)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult ScheduleVerifier::begin() {
  int64_t number = 0;
  for (BlockArgument argument : block.getArguments()) {
    if (isa<MemRefType>(argument.getType())) {
      if (failed(make(*function, argument, number++, "", nullptr)))
        return failure();
      continue;
    }
    auto variable = function.getArgAttrOfType<VariableAttr>(
        argument.getArgNumber(), variableAttrName);
    if (!variable || !argument.getType().isIndex())
      return function.emitOpError()
             << "expects arguments that are memory or bind a variable in a "
                "schedule, got "
             << argument.getType();
    variables[variable] = argument;
  }
  return success();
}

// What memory begins with is a version where the program reads it.
LogicalResult ScheduleVerifier::allocate(memref::AllocOp op) {
  if (!op->hasAttr(versionsAttrName))
    return success();
  auto numbers = getVersionNumbers(op);
  if (!numbers || numbers->size() != 1)
    return op.emitOpError() << "expects `" << versionsAttrName
                            << "` with the version that its memory begins with";
  return make(*op, op, numbers->front(),
              "begins with version " + Twine(numbers->front()), nullptr);
}

LogicalResult ScheduleVerifier::free(memref::DeallocOp op) {
  Value memory = op.getMemref();
  if (!memory.getDefiningOp()) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "frees memory that belongs to the caller";
    diag.attachNote(memory.getLoc()) << "the argument is here";
    return diag;
  }
  State &state = states[memory];
  if (state.freed) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "frees memory that was freed before";
    diag.attachNote(state.freed->getLoc()) << "it is freed here";
    return diag;
  }
  state.freed = op;
  if (!hasNotes)
    return success();
  auto numbers = getVersionNumbers(op);
  if (!numbers || numbers->size() != 1)
    return op.emitOpError() << "expects `" << versionsAttrName
                            << "` with the version that its memory holds";
  if (failed(checkHolds(*op, "frees version " + Twine(numbers->front()), memory,
                        numbers->front())))
    return failure();
  return success();
}

/// Checks what the arguments hold in the end.
LogicalResult ScheduleVerifier::checkEnd(Operation &op) {
  auto arguments =
      llvm::make_filter_range(block.getArguments(), [](Value argument) {
        return isa<MemRefType>(argument.getType());
      });
  auto numbers = getVersionNumbers(&op);
  size_t count = llvm::range_size(arguments);
  if (!numbers || numbers->size() != count)
    return op.emitOpError()
           << "expects `" << versionsAttrName << "` with the version that each "
           << "of " << count << " arguments holds in the end";
  numSteps += count;
  for (auto [argument, number] : llvm::zip(arguments, *numbers))
    if (failed(checkHolds(op,
                          "expects version " + Twine(number) + " in argument " +
                              Twine(argument.getArgNumber()),
                          argument, number)))
      return failure();
  return success();
}

LogicalResult ScheduleVerifier::finish(Operation &op) {
  if (!isa<func::ReturnOp>(op) || op.getNumOperands() != 0)
    return op.emitOpError() << "expects a schedule to return without operands: "
                               "results are arguments";
  if (hasNotes && failed(checkEnd(op)))
    return failure();
  numSteps += block.getOperations().size();
  for (auto alloc : block.getOps<memref::AllocOp>())
    if (!states[alloc].freed)
      return alloc.emitOpError() << "allocates memory that is never freed";
  return success();
}

LogicalResult ScheduleVerifier::checkPeak() {
  numSteps += block.getOperations().size();
  auto noted = function->getAttrOfType<IntegerAttr>(peakBytesAttrName);
  int64_t peak = computePeakBytes(block);
  if (!noted || noted.getValue().trySExtValue() == peak)
    return success();
  return function.emitOpError()
         << "notes a peak of " << llvm::toString(noted.getValue(), 10, true)
         << " bytes, but its schedule allocates " << peak << " at once";
}

LogicalResult ScheduleVerifier::check(Operation &op) {
  ++numSteps;
  if (isScheduleStep(&op))
    return checkStep(op);
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return allocate(alloc);
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op))
    return free(dealloc);
  if (op.hasTrait<OpTrait::IsTerminator>())
    return finish(op);
  if (computesSize(op))
    return success();
  return op.emitOpError()
         << "expects kernels, custom operations, copies, allocations and "
            "deallocations of memory in a schedule";
}

LogicalResult ScheduleVerifier::run() {
  if (failed(begin()))
    return failure();
  for (Operation &op : block)
    if (failed(check(op)))
      return failure();
  return checkPeak();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Checks that all of a planned function is in one block.
static LogicalResult verifyOneBlock(func::FuncOp function) {
  if (function.getBody().hasOneBlock())
    return success();
  InFlightDiagnostic diag = function.emitOpError()
                            << "expects one block for a schedule of kernels";
  Block &second = *std::next(function.getBody().begin());
  diag.attachNote(second.front().getLoc()) << "another block begins here";
  return diag;
}

namespace {

struct VerifySchedulePass
    : lazy::impl::VerifySchedulePassBase<VerifySchedulePass> {
  using VerifySchedulePassBase::VerifySchedulePassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    func::FuncOp function = getOperation();
    if (function.isExternal() || function->hasAttr(kernelAttrName))
      return;
    bool hasNotes = false, hasStep = false, hasOther = false;
    function.walk([&](Operation *op) {
      hasNotes |= op->hasAttr(versionsAttrName);
      return hasNotes ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (hasNotes && failed(verifyOneBlock(function)))
      return signalPassFailure();
    if (!hasNotes) {
      for (Operation &op : function.getBody().getOps()) {
        hasStep |= isScheduleStep(&op);
        hasOther |= !isOfSchedule(op);
      }
      // What else there is may touch the memory too, in any order.
      if (!hasStep || hasOther || !function.getBody().hasOneBlock())
        return;
    }
    ScheduleVerifier verifier(function, hasNotes);
    if (failed(verifier.run()))
      return signalPassFailure();
    if (report)
      emitRemark(function.getLoc())
          << verifier.getNumSteps()
          << (verifier.getNumSteps() == 1 ? " step" : " steps");
  }
};

} // namespace
