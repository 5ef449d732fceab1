//===- PlanMemory.cpp - Turn a schedule on tensors into one on memrefs ----===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each value is a version of some memory: that of an argument or of a result,
// or memory of its own. A kernel whose init is no `lazy.empty` writes the next
// version of the memory where the init lies. On tensors all versions exist at
// once; in memory only the last one does. So whatever reads a version goes
// before the kernel that writes the next one, and where the order of values
// forbids that, or that kernel reads what it has overwritten already, the
// version is copied first. Which memories are one allocation is decided at the
// end: see ShareMemory.cpp.
//
//===----------------------------------------------------------------------===//

#include "MemoryPlanner.h"
#include "ScheduleVersions.h"
#include "ShareMemory.h"

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"
#include "tinygrad/Dialect/Lazy/Transforms/SizeArithmetic.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <set>

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;
using namespace tinygrad::lazy::memory;

/// Returns the name of the device of a tensor of type `type`; null for the
/// default one.
static StringAttr getDeviceAttr(Type type) {
  StringRef device = getDevice(cast<RankedTensorType>(type));
  return device == defaultDevice ? StringAttr()
                                 : StringAttr::get(type.getContext(), device);
}

/// True if `copy` is made by the assign of its result: a device that holds data
/// only is written by a copy.
static bool isPartOfAssign(CopyOp copy) {
  return copy.getResult() && copy.getResult().hasOneUse() &&
         isa<AssignOp>(*copy.getResult().user_begin());
}

/// Returns what the copy or assign `op` copies, or nothing if it is no range.
static std::optional<CopiedRange> findSource(Operation *op) {
  Value source = op->getOperand(0);
  if (auto assign = dyn_cast<AssignOp>(op)) {
    source = assign.getValue();
    if (auto copy = source.getDefiningOp<CopyOp>();
        copy && isPartOfAssign(copy))
      source = copy.getSource();
  }
  return findCopiedRange(source);
}

/// Returns the values that `op` reads.
static SmallVector<Value> getReadValues(Operation *op) {
  if (isa<CopyOp, AssignOp>(op))
    return {findSource(op)->value};
  return SmallVector<Value>(op->getOperands());
}

/// Returns the number of elements of `type`, the one extent of what holds it.
static shape::SymbolicDims getNumElements(RankedTensorType type) {
  return {shape::getNumElements(getSymbolicShape(type))};
}

/// Returns what the memory of a tensor of type `type` holds: as many elements,
/// side by side, on its device.
static RankedTensorType getFlatType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return getTensorType(
      type.getContext(), getNumElements(tensor),
      getMemoryType(type.getContext(), *getDType(tensor.getElementType())),
      getDevice(tensor));
}

/// Returns the flat memref that holds a tensor of type `type`.
static MemRefType getMemRefType(Type type) {
  RankedTensorType flat = getFlatType(type);
  return MemRefType::get(flat.getShape(), flat.getElementType());
}

//===----------------------------------------------------------------------===//
// Accesses of one kernel
//===----------------------------------------------------------------------===//

/// True if `kernel` writes each element of init `index`.
static bool storesAll(KernelOp kernel, size_t index) {
  auto getLayout = [](Type type) {
    return shape::Layout::fromShape(getSizes(cast<RankedTensorType>(type)));
  };
  return getLayout(getStore(kernel, index).getValue().getType())
      .hasSizeOf(getLayout(kernel.getInits()[index].getType()));
}

/// True if `kernel` may load from `argument` what it stores into init `index`
/// at the same time: each element is loaded for its own position alone. A
/// kernel with several stores may load again after one of them.
static bool isInPlace(KernelOp kernel, BlockArgument argument, size_t index) {
  if (kernel.getInits().size() != 1)
    return false;
  StoreOp store = getStore(kernel, index);
  return loadsInPlace(argument, store, store.getTracker().getLayout());
}

size_t MemoryPlanner::addMemory(Type type) {
  memories.emplace_back();
  memories.back().type = type;
  return memories.size() - 1;
}

Version MemoryPlanner::getVersion(Value value) {
  auto found = versions.find(value);
  if (found == versions.end())
    found = versions.try_emplace(value, Version{addMemory(value.getType()), 0})
                .first;
  return found->second;
}

Version MemoryPlanner::findTarget(Operation *op, size_t index) {
  auto kernel = dyn_cast<KernelOp>(op);
  Value init = kernel ? kernel.getInits()[index] : Value();
  if (auto storage = storages.find(op); storage != storages.end())
    init = storage->second.base;
  else if (!init || init.getDefiningOp<EmptyOp>())
    return {addMemory(op->getResult(index).getType()), 1};
  size_t memory = getVersion(init).memory;
  return {memory, memories[memory].writers.size() + 1};
}

void MemoryPlanner::addNode(Operation *op) {
  size_t index = nodes.size();
  nodes.push_back({op, {}, {}, 0});
  nodeOf[op] = index;
  llvm::SmallDenseSet<size_t> before;
  auto read = [&](Value value) {
    Version version = getVersion(value);
    memories[version.memory].readers[version.number].insert(index);
    if (auto producer = nodeOf.find(value.getDefiningOp());
        producer != nodeOf.end())
      before.insert(producer->second);
  };
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    for (Value input : kernel.getInputs())
      read(input);
    for (auto [i, init] : llvm::enumerate(kernel.getInits()))
      if (!init.getDefiningOp<EmptyOp>() &&
          (hasLoads(getInitArgument(kernel, i)) || !storesAll(kernel, i)))
        read(init);
  } else {
    for (Value value : getReadValues(op))
      read(value);
    // Customs touch what the program cannot see: they keep their order.
    for (size_t other = index; isa<CustomOp>(op) && other-- > 0;)
      if (isa<CustomOp>(nodes[other].op)) {
        before.insert(other);
        break;
      }
  }
  for (size_t i = 0; i < op->getNumResults(); ++i) {
    Version target = findTarget(op, i);
    Memory &memory = memories[target.memory];
    if (!memory.writers.empty())
      before.insert(memory.writers.back());
    memory.writers.push_back(index);
    memory.readers.emplace_back();
    memory.copies.emplace_back();
    memory.numbers.emplace_back();
    nodes[index].writes.push_back(target);
    versions[op->getResult(i)] = target;
  }
  for (size_t other : before)
    nodes[other].successors.push_back(index);
  nodes[index].numPending = before.size();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult MemoryPlanner::checkArguments() {
  for (BlockArgument argument : block->getArguments()) {
    Type type = argument.getType();
    bool isBinding =
        type.isIndex() && function.getArgAttrOfType<VariableAttr>(
                              argument.getArgNumber(), variableAttrName);
    if (!isGraphTensor(type) && !isBinding)
      return function.emitOpError()
             << "expects arguments that are tensors of the lazy dialect or "
                "bind a variable, got "
             << type;
  }
  return success();
}

LogicalResult MemoryPlanner::check() {
  if (failed(checkArguments()))
    return failure();
  for (Operation &op : *block)
    if (failed(verifyBound(function, &op)))
      return failure();
  if (!isa<func::ReturnOp>(returnOp))
    return function.emitOpError() << "expects a schedule of kernels to return";
  for (BlockArgument argument : block->getArguments()) {
    if (isVariable(argument))
      continue;
    versions[argument] = {addMemory(argument.getType()), 0};
    memories.back().isArgument = true;
  }
  for (Operation &op : *block) {
    auto copy = dyn_cast<CopyOp>(op);
    if (&op == returnOp || isa<EmptyOp>(op) ||
        (isa<ViewOp>(op) &&
         llvm::all_of(op.getUsers(), llvm::IsaPred<CopyOp, AssignOp>)) ||
        (copy && isPartOfAssign(copy)))
      continue;
    if (failed(checkOperation(&op)))
      return failure();
    addNode(&op);
  }
  return checkResults();
}

LogicalResult MemoryPlanner::checkOperation(Operation *op) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return checkKernel(kernel);
  if (auto assign = dyn_cast<AssignOp>(op);
      assign && holdsDataOnly(getDevice(assign.getType()))) {
    std::string error;
    std::optional<Storage> storage = storageFinder.find(assign, error);
    if (storage && findAssignedOffset(*storage) && findSource(op) &&
        (storage->isWhole() || op->use_empty())) {
      storages.try_emplace(op, std::move(*storage));
      return success();
    }
  }
  auto copy = dyn_cast<CopyOp>(op);
  if (isa<CustomOp>(op) || (copy && copy.getResult() && findSource(op)))
    return success();
  return op->emitOpError()
         << "expects kernels, custom, copy and empty operations in a "
            "schedule; run `lazy-schedule` and `lazy-materialize-buffers` "
            "before";
}

LogicalResult MemoryPlanner::checkKernel(KernelOp kernel) {
  if (kernel.isOnMemory())
    return kernel.emitOpError() << "expects kernels on tensors";
  llvm::SmallDenseMap<size_t, size_t> seen;
  for (auto [index, init] : llvm::enumerate(kernel.getInits())) {
    if (init.getDefiningOp<EmptyOp>())
      continue;
    Version version = versions.lookup(init);
    const Memory &memory = memories[version.memory];
    auto [other, isNew] = seen.try_emplace(version.memory, index);
    if (!isNew)
      return kernel.emitOpError()
             << "expects inits " << other->second << " and " << index
             << " to lie in different memory";
    if (storesAll(kernel, index) || version.number == memory.writers.size())
      continue;
    InFlightDiagnostic diag = kernel.emitOpError()
                              << "expects init " << index
                              << ", which is not wholly stored, to be the last "
                                 "that was written into its memory";
    diag.attachNote(nodes[memory.writers.back()].op->getLoc())
        << "the last write is here";
    return diag;
  }
  return success();
}

LogicalResult MemoryPlanner::checkResults() {
  llvm::SmallDenseSet<size_t> seen;
  for (Value result : returnOp->getOperands()) {
    auto found = versions.find(result);
    bool isOwn =
        found != versions.end() && found->second.number != 0 &&
        !memories[found->second.memory].isArgument &&
        found->second.number == memories[found->second.memory].writers.size();
    if (!isOwn || !seen.insert(found->second.memory).second)
      return returnOp->emitOpError()
             << "expects each result to have a buffer of its own; run "
                "`lazy-materialize-buffers` before";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// True if `node` overwrites what other nodes have still to read.
bool MemoryPlanner::isBlocked(size_t index) const {
  return llvm::any_of(nodes[index].writes, [&](Version version) {
    const auto &readers = memories[version.memory].readers[version.number - 1];
    return readers.size() > readers.count(index);
  });
}

// The order of the source, as far as it is possible. Where each node that could
// run is blocked, they wait for each other, and the first one runs: what the
// others will read is copied.
void MemoryPlanner::runNodes() {
  std::set<size_t> ready, blocked;
  auto add = [&](size_t index) {
    (isBlocked(index) ? blocked : ready).insert(index);
  };
  for (auto [index, node] : llvm::enumerate(nodes))
    if (node.numPending == 0)
      add(index);
  while (!ready.empty() || !blocked.empty()) {
    std::set<size_t> &from = ready.empty() ? blocked : ready;
    size_t index = *from.begin();
    from.erase(from.begin());
    runNode(index);
    for (size_t successor : nodes[index].successors)
      if (--nodes[successor].numPending == 0)
        add(successor);
    // What it has read may be overwritten now.
    for (Value value : getReadValues(nodes[index].op)) {
      auto found = versions.find(value);
      if (found == versions.end())
        continue;
      const Memory &memory = memories[found->second.memory];
      if (found->second.number == memory.writers.size())
        continue;
      auto writer = blocked.find(memory.writers[found->second.number]);
      if (writer == blocked.end() || isBlocked(*writer))
        continue;
      ready.insert(*writer);
      blocked.erase(writer);
    }
  }
}

void MemoryPlanner::runNode(size_t index) {
  Node &node = nodes[index];
  loc = node.op->getLoc();
  for (Version version : node.writes) {
    const auto &readers = memories[version.memory].readers[version.number - 1];
    if (readers.size() > readers.count(index))
      copy({version.memory, version.number - 1});
  }
  if (auto kernel = dyn_cast<KernelOp>(node.op))
    convertKernel(index, kernel);
  else if (auto copy = dyn_cast<CopyOp>(node.op))
    convertCopy(index, copy);
  else if (auto assign = dyn_cast<AssignOp>(node.op))
    convertAssign(index, assign);
  else
    convertCustom(index, cast<CustomOp>(node.op));
  for (Value value : getReadValues(node.op))
    if (auto found = versions.find(value); found != versions.end())
      memories[found->second.memory].readers[found->second.number].erase(index);
  for (Version version : node.writes)
    memories[version.memory].current = version.number;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value MemoryPlanner::getMemRef(Memory &memory) {
  if (!memory.memref)
    memory.memref = allocate(memory.type);
  return memory.memref;
}

Value MemoryPlanner::allocate(Type type) {
  ImplicitLocOpBuilder b(loc, builder);
  RankedTensorType flat = getFlatType(type);
  SmallVector<Value> sizes;
  if (!flat.hasStaticShape())
    sizes.push_back(
        emitExpr(b, getSymbolicShape(flat).front(), b.getIndexType(),
                 [&](const shape::IndexExpr &expr) {
                   return expr.isNamed() ? getBinding(expr) : Value();
                 }));
  auto alloc = memref::AllocOp::create(b, getMemRefType(type), sizes);
  if (StringAttr device = getDeviceAttr(type))
    alloc->setAttr(deviceAttrName, device);
  contents[alloc] = flat;
  return alloc;
}

Value MemoryPlanner::getMemRef(Version version) {
  Memory &memory = memories[version.memory];
  Value copied = memory.copies[version.number].memref;
  return copied ? copied : getMemRef(memory);
}

/// Copies what lies in a memory now, `version`, once.
void MemoryPlanner::copy(Version version) {
  Memory &memory = memories[version.memory];
  if (memory.copies[version.number].memref)
    return;
  MLIRContext *context = builder.getContext();
  Value source = getMemRef(memory);
  auto type = cast<MemRefType>(source.getType());
  auto tensor = cast<RankedTensorType>(memory.type);
  bool isData = holdsDataOnly(getDevice(tensor));
  // A file has no second buffer.
  Value target = allocate(
      isData ? getTensorType(context, getSymbolicShape(tensor),
                             *getDType(tensor.getElementType()), hostDevice)
             : tensor);
  OperandVersions read{getNumber(memory, version.number), std::nullopt};
  OperandVersions made{std::nullopt, numNumbers++};
  memory.copies[version.number] = {target, *made.made};
  if (isData) {
    auto copy =
        CopyOp::create(builder, loc, Type(), source, target,
                       /*offset=*/0, /*target_offset=*/0, IntegerAttr());
    setVersions(copy, {read, made});
    return;
  }
  shape::Sizes flat = getNumElements(tensor);
  auto kernel =
      KernelOp::create(builder, loc, TypeRange(),
                       builder.getStringAttr(getKernelName("copy", flat)),
                       source, target, PlanAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *body =
      builder.createBlock(&kernel.getBody(), {}, {type, type}, {loc, loc});
  auto tracker = ShapeTrackerAttr::get(context, shape::Layout::fromShape(flat));
  Value elements = LoadOp::create(
      builder, loc,
      getTensorType(context, flat, *getDType(tensor.getElementType())),
      body->getArgument(0), tracker);
  StoreOp::create(builder, loc, elements, body->getArgument(1), tracker);
  kernel.addBindings(
      [&](const shape::IndexExpr &variable) { return getBinding(variable); });
  setVersions(kernel, {read, made});
}

/// Returns the number of what lies in `memory` as `version`, which has been
/// made. What an allocation begins with has one where the program reads it.
int64_t MemoryPlanner::getNumber(Memory &memory, size_t version) {
  std::optional<int64_t> &number = memory.numbers[version];
  if (!number) {
    number = numNumbers++;
    setVersionNumbers(getMemRef(memory).getDefiningOp(), *number);
  }
  return *number;
}

/// Returns the number of `version` or of its copy, where there is one.
int64_t MemoryPlanner::getNumber(Version version) {
  Memory &memory = memories[version.memory];
  const VersionCopy &copied = memory.copies[version.number];
  return copied.memref ? copied.number : getNumber(memory, version.number);
}

/// Gives numbers to the versions `writes` that `op` makes; `reads` are those of
/// its inputs. The numbers are of the versions that the schedule on tensors
/// asks for, whatever the memory holds.
void MemoryPlanner::addNote(Operation *op, ArrayRef<int64_t> reads,
                            ArrayRef<Version> writes) {
  for (Version version : writes)
    memories[version.memory].numbers[version.number] = numNumbers++;
  notes.push_back({op, llvm::to_vector(reads), writes});
}

/// Writes down the notes. What a kernel keeps of its inits can be told once the
/// arguments are in their places.
void MemoryPlanner::writeNotes() {
  for (const Note &note : notes) {
    SmallVector<OperandVersions> versions = getVersionForm(note.op);
    for (auto [operand, number] : llvm::zip(versions, note.reads))
      operand.read = number;
    for (auto [operand, version] : llvm::zip_equal(
             llvm::drop_begin(versions, note.reads.size()), note.writes)) {
      Memory &memory = memories[version.memory];
      if (operand.read)
        operand.read = getNumber(memory, version.number - 1);
      operand.made = memory.numbers[version.number];
    }
    setVersions(note.op, versions);
  }
  SmallVector<int64_t> results;
  for (size_t memory : argumentMemories)
    results.push_back(*memories[memory].numbers.back());
  setVersionNumbers(block->getTerminator(), results);
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// True if `kernel`, node `index`, overwrites `value` while it still loads
/// elements of it through `argument`.
bool MemoryPlanner::needsCopy(size_t index, KernelOp kernel, Value value,
                              BlockArgument argument) {
  Version version = versions.lookup(value);
  for (auto [i, write] : llvm::enumerate(nodes[index].writes))
    if (write.memory == version.memory && write.number == version.number + 1)
      return !isInPlace(kernel, argument, i);
  return false;
}

void MemoryPlanner::convertKernel(size_t index, KernelOp kernel) {
  Block *body = kernel.getBlock();
  ArrayRef<Version> writes = nodes[index].writes;
  size_t numInputs = kernel.getInputs().size();
  // The arguments through which the kernel reads, and what they are then.
  SmallVector<std::pair<BlockArgument, Value>> reads;
  for (auto [argument, input] :
       llvm::zip(body->getArguments(), kernel.getInputs()))
    reads.emplace_back(argument, input);
  for (auto [i, init] : llvm::enumerate(kernel.getInits()))
    if (!init.getDefiningOp<EmptyOp>() && hasLoads(getInitArgument(kernel, i)))
      reads.emplace_back(getInitArgument(kernel, i), init);
  for (auto [argument, value] : reads)
    if (needsCopy(index, kernel, value, argument))
      copy(versions.lookup(value));

  SmallVector<Value> inputs, inits;
  SmallVector<int64_t> numbers;
  SmallVector<BlockArgument> inputArguments;
  for (auto [argument, value] : reads) {
    Version version = versions.lookup(value);
    // What the kernel may read while it writes is read from the init.
    const auto *write = llvm::find_if(writes, [&](Version write) {
      return write.memory == version.memory &&
             !memories[version.memory].copies[version.number].memref;
    });
    BlockArgument from = argument;
    if (write != writes.end())
      from = getInitArgument(kernel, write - writes.begin());
    else if (argument.getArgNumber() >= numInputs)
      from = body->addArgument(argument.getType(), argument.getLoc());
    if (from != argument)
      argument.replaceUsesWithIf(
          from, [](OpOperand &use) { return isa<LoadOp>(use.getOwner()); });
    if (write == writes.end()) {
      inputs.push_back(getMemRef(version));
      numbers.push_back(getNumber(version));
      inputArguments.push_back(from);
    }
  }
  for (Version version : writes)
    inits.push_back(getMemRef(memories[version.memory]));

  auto onMemory = KernelOp::create(
      builder, kernel.getLoc(), TypeRange(), kernel.getSymNameAttr(), inputs,
      inits, kernel.getBindings(), kernel.getVariablesAttr(),
      kernel.getPlanAttr());
  onMemory->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  onMemory.getBody().takeBody(kernel.getBody());
  // New arguments in the order of the operands, then the old ones go.
  size_t numOld = body->getNumArguments();
  for (size_t i = 0; i < inits.size(); ++i)
    inputArguments.push_back(body->getArgument(numInputs + i));
  for (size_t i = 0; i < kernel.getBindings().size(); ++i)
    inputArguments.push_back(body->getArgument(numInputs + inits.size() + i));
  for (auto [argument, operand] :
       llvm::zip_equal(inputArguments, onMemory.getOperands()))
    argument.replaceAllUsesWith(
        body->addArgument(operand.getType(), argument.getLoc()));
  body->eraseArguments(0, numOld);
  addNote(onMemory, numbers, writes);
  // The old kernel needs a body to be destroyed as one.
  kernel.getBody().emplaceBlock();
}

void MemoryPlanner::convertCustom(size_t index, CustomOp custom) {
  SmallVector<Value> operands;
  SmallVector<int64_t> numbers;
  for (Value operand : custom.getOperands()) {
    Version version = versions.lookup(operand);
    operands.push_back(getMemRef(version));
    numbers.push_back(getNumber(version));
  }
  operands.push_back(getMemRef(memories[nodes[index].writes[0].memory]));
  auto onMemory = CustomOp::create(builder, custom.getLoc(), TypeRange(),
                                   custom.getCallbackAttr(), operands);
  addNote(onMemory, numbers, nodes[index].writes);
}

void MemoryPlanner::convertCopy(size_t index, CopyOp copy) {
  CopiedRange range = *findSource(copy);
  Version source = versions.lookup(range.value);
  Value memory = getMemRef(source);
  auto onMemory = CopyOp::create(
      builder, copy.getLoc(), Type(), memory,
      getMemRef(memories[nodes[index].writes[0].memory]), range.offset,
      /*target_offset=*/0, IntegerAttr());
  addNote(onMemory, getNumber(source), nodes[index].writes);
}

void MemoryPlanner::convertAssign(size_t index, AssignOp assign) {
  CopiedRange range = *findSource(assign);
  const Storage &storage = storages.find(assign)->second;
  Version source = versions.lookup(range.value);
  Version write = nodes[index].writes[0];
  // What it writes must not be what it has still to read.
  if (source.memory == write.memory && source.number + 1 == write.number)
    copy(source);
  RankedTensorType type = assign.getType();
  IntegerAttr size;
  if (!storage.isWhole())
    size = builder.getI64IntegerAttr(type.getNumElements());
  Value memory = getMemRef(source);
  auto onMemory =
      CopyOp::create(builder, assign.getLoc(), Type(), memory,
                     getMemRef(memories[write.memory]), range.offset,
                     *findAssignedOffset(storage), size);
  addNote(onMemory, getNumber(source), nodes[index].writes);
}

/// Makes the arguments on memory, after the old ones. Those of variables stay
/// among the inputs as they are.
void MemoryPlanner::makeArguments() {
  SmallVector<Type> types;
  SmallVector<std::pair<StringRef, Attribute>> attributes;
  auto add = [&](size_t index) {
    argumentMemories.push_back(index);
    Memory &memory = memories[index];
    memory.numbers.front() = numNumbers++;
    types.push_back(getMemRefType(memory.type));
    attributes.emplace_back(deviceAttrName, getDeviceAttr(memory.type));
    memory.memref = block->addArgument(types.back(), loc);
    contents[memory.memref] = getFlatType(memory.type);
  };
  size_t numInputs = block->getNumArguments();
  for (size_t i = 0; i < numInputs; ++i) {
    BlockArgument argument = block->getArgument(i);
    if (!isVariable(argument)) {
      add(versions.lookup(argument).memory);
      continue;
    }
    auto variable =
        function.getArgAttrOfType<VariableAttr>(i, variableAttrName);
    Value value = block->addArgument(argument.getType(), argument.getLoc());
    argument.replaceAllUsesWith(value);
    bindings.emplace_back(variable.getExpr(), value);
    types.push_back(argument.getType());
    attributes.emplace_back(variableAttrName, variable);
  }
  for (Value result : returnOp->getOperands())
    add(versions.lookup(result).memory);
  if (function.getAllArgAttrs())
    function.removeArgAttrsAttr();
  if (function.getAllResultAttrs())
    function.removeResAttrsAttr();
  function.setFunctionType(FunctionType::get(function.getContext(), types, {}));
  for (auto [index, attribute] : llvm::enumerate(attributes))
    if (attribute.second)
      function.setArgAttr(index, attribute.first, attribute.second);
}

void MemoryPlanner::run() {
  size_t numInputs = block->getNumArguments();
  SmallVector<Operation *> old;
  for (Operation &op : *block)
    old.push_back(&op);
  makeArguments();
  runNodes();
  func::ReturnOp::create(builder, returnOp->getLoc());
  for (Operation *op : llvm::reverse(old)) {
    op->dropAllUses();
    op->erase();
  }
  block->eraseArguments(0, numInputs);
  writeNotes();
  shareMemory(function, numInputs, contents);
  insertDeallocations();
  function->setAttr(peakBytesAttrName,
                    builder.getI64IntegerAttr(computePeakBytes(*block)));
}

/// Frees each allocation after its last use, and notes what it then holds.
void MemoryPlanner::insertDeallocations() {
  llvm::DenseMap<Value, int64_t> last;
  for (Operation &op : *block) {
    if (!isScheduleStep(&op)) {
      if (auto begin = getVersionNumbers(&op);
          begin && isa<memref::AllocOp>(op))
        last[op.getResult(0)] = begin->front();
      continue;
    }
    for (auto [versions, memory] :
         llvm::zip(*getVersions(&op), op.getOperands()))
      if (versions.made)
        last[memory] = *versions.made;
  }
  SmallVector<memref::AllocOp> allocations(block->getOps<memref::AllocOp>());
  for (memref::AllocOp allocation : allocations) {
    Operation *lastUser = allocation;
    for (Operation *user : allocation->getUsers())
      if (lastUser->isBeforeInBlock(user))
        lastUser = user;
    OpBuilder at(function.getContext());
    at.setInsertionPointAfter(lastUser);
    auto dealloc =
        memref::DeallocOp::create(at, allocation.getLoc(), allocation);
    setVersionNumbers(dealloc, last.lookup(allocation));
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct PlanMemoryPass : lazy::impl::PlanMemoryPassBase<PlanMemoryPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    FunctionType type = function.getFunctionType();
    auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
    if (function.isExternal() || (llvm::none_of(type.getInputs(), isTensor) &&
                                  llvm::none_of(type.getResults(), isTensor)))
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitOpError() << "expects one block for a schedule of kernels";
      return signalPassFailure();
    }
    MemoryPlanner planner(function);
    if (failed(planner.check()))
      return signalPassFailure();
    planner.run();
  }
};

} // namespace
