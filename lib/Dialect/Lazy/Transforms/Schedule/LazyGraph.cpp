//===- LazyGraph.cpp - The program while it is rebuilt --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LazyGraph.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <memory>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;
using ops::OpKind;
using shape::Layout;
using shape::Sizes;

Layout Movement::applyTo(const Layout &source) const {
  switch (kind) {
  case OpKind::Reshape:
    return source.reshape(arg);
  case OpKind::Expand:
    return source.expand(arg);
  case OpKind::Permute:
    return source.permute(arg.getNumbers());
  case OpKind::Pad:
    return source.pad(arg);
  case OpKind::Shrink:
    return source.shrink(arg);
  case OpKind::Stride:
    return source.stride(arg.getNumbers());
  case OpKind::AsStrided:
    return source.compose(*view);
  default:
    llvm_unreachable("not a movement operation");
  }
}

void RuleTrace::note(Labels &labels, StringRef label) {
  if (!isOn)
    return;
  auto found = llvm::find(names, label);
  size_t index = found - names.begin();
  if (found == names.end())
    names.push_back(label.str());
  assert(index < 64 && "more labels than bits");
  labels |= Labels(1) << index;
}

SmallVector<StringRef> RuleTrace::getNames(Labels labels) const {
  SmallVector<StringRef> result;
  for (auto [index, name] : llvm::enumerate(names))
    if (labels >> index & 1)
      result.push_back(name);
  llvm::sort(result);
  return result;
}

bool LazyBuffer::isMaskedConst() {
  if (!isUnrealizedConst())
    return false;
  const ops::Scalar &constant = getBase()->op->value;
  return getLayout().simplify().isMasked() &&
         !constant.isIdentical(ops::Scalar::fromInt(constant.getType(), 0));
}

bool LazyBuffer::needsMemory() {
  return !isUnrealizedConst() || isMaskedConst() || !graph->foldsConstants;
}

LazyGraph::~LazyGraph() {
  for (LazyOp &op : allOps)
    for (LazyOperand &operand : op.operands) {
      operand.op.forget();
      operand.buffer.forget();
    }
  for (LazyBuffer &buffer : allBuffers) {
    buffer.op.forget();
    buffer.base.forget();
  }
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

/// Makes a node in the place of one that is gone, or in a new place.
template <typename T, typename... Args>
static T &allocate(std::deque<T> &all, std::vector<T *> &free, Args &&...args) {
  if (free.empty())
    return all.emplace_back(std::forward<Args>(args)...);
  T *place = free.back();
  free.pop_back();
  std::destroy_at(place);
  return *std::construct_at(place, std::forward<Args>(args)...);
}

LazyOp &LazyGraph::allocateOp(OpKind kind, DType dtype, Location loc) {
  LazyOp &op = allocate(allOps, freeOps, this, kind, dtype, loc);
  op.id = ++lastOp;
  return op;
}

LazyBuffer &LazyGraph::allocateBuffer(Group group, DType dtype, Layout layout) {
  LazyBuffer &buffer =
      allocate(allBuffers, freeBuffers, this, group, dtype, std::move(layout));
  buffer.id = ++lastBuffer;
  return buffer;
}

BufferRef LazyGraph::createInput(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  LazyBuffer &buffer =
      allocateBuffer(Group::Load, *getDType(type.getElementType()),
                     Layout::fromShape(getSizes(type)));
  buffer.device = getDevice(type);
  buffer.value = value;
  return &buffer;
}

OpRef LazyGraph::createOp(OpKind kind, DType dtype, LazyOperands operands,
                          Location loc, Movement movement, StringRef device) {
  LazyOp &op = allocateOp(kind, dtype, loc);
  op.operands = std::move(operands);
  op.device = device;
  if (device.empty()) {
    const LazyOperand &operand = op.operands.front();
    op.device = operand.op ? operand.op->device : operand.buffer->device;
  }
  op.movement = std::move(movement);
  // The negation of a bool is true on false, which Ops.def cannot say.
  op.isUnsafePad = ops::getInfo(kind).isUnsafePad ||
                   (kind == OpKind::Neg && dtype == DType::Bool);
  for (LazyOperand &operand : op.operands) {
    if (operand.op) {
      operand.op->users.push_back(&op);
      op.isUnsafePad |= operand.op->isUnsafePad;
    } else {
      operand.buffer->users.push_back(&op);
    }
  }
  setNumber(op);
  return &op;
}

BufferRef LazyGraph::createBuffer(Group group, Layout layout, OpRef op,
                                  BufferRef base) {
  LazyBuffer &buffer = allocateBuffer(group, op->dtype, std::move(layout));
  buffer.device = op->device;
  op->owner = &buffer;
  buffer.op = std::move(op);
  buffer.base = std::move(base);
  buffersByNumber[{buffer.op->number, buffer.base ? buffer.base->id : 0}] =
      &buffer;
  if (buffer.isRealized() || buffer.op->operands.empty())
    return &buffer;
  LazyBuffer *source = buffer.getSource().get();
  if (group == Group::Movement) {
    buffer.movementRoot = source->movementRoot;
    buffer.contiguousRoot = source->contiguousRoot;
    if (buffer.getLayout().isContiguous())
      buffer.mergeRoot = buffer.contiguousRoot;
  } else if (buffer.op->kind == OpKind::Contiguous) {
    if (source->getLayout().isContiguous())
      buffer.contiguousRoot = source->contiguousRoot;
    buffer.mergeRoot = source->mergeRoot;
  }
  return &buffer;
}

void LazyGraph::retire(LazyBuffer *buffer) {
  retiredBuffers.push_back(buffer);
  drain();
}

void LazyGraph::retire(LazyOp *op) {
  retiredOps.push_back(op);
  drain();
}

void LazyGraph::dropOp(LazyBuffer &buffer) {
  auto entry = buffersByNumber.find(
      {buffer.op->number, buffer.base ? buffer.base->id : 0});
  if (entry != buffersByNumber.end() && entry->second == &buffer)
    buffersByNumber.erase(entry);
  buffer.op->owner = nullptr;
  buffer.op.reset();
}

void LazyGraph::realize(LazyBuffer &buffer, Value value) {
  dropOp(buffer);
  buffer.value = value;
  buffer.movementRoot = buffer.contiguousRoot = buffer.mergeRoot = &buffer;
}

// Letting go of a node may retire its sources: a list instead of a recursion.
void LazyGraph::drain() {
  if (isDraining)
    return;
  isDraining = true;
  while (!retiredBuffers.empty() || !retiredOps.empty()) {
    if (!retiredBuffers.empty()) {
      LazyBuffer *buffer = retiredBuffers.back();
      retiredBuffers.pop_back();
      if (buffer->op)
        dropOp(*buffer);
      buffer->base.reset();
      buffer->layout.reset();
      buffer->users = {};
      freeBuffers.push_back(buffer);
      continue;
    }
    LazyOp *op = retiredOps.back();
    retiredOps.pop_back();
    // Equal operations keep the number; it is not given again.
    if (--op->numberEntry->second.count == 0)
      numbers.erase(numbers.find(op->numberEntry->first));
    op->operands = {};
    op->users = {};
    op->movement = {};
    op->holder = nullptr;
    op->numberEntry = nullptr;
    ++numDeadOps;
  }
  isDraining = false;
}

//===----------------------------------------------------------------------===//
// Equal operations
//===----------------------------------------------------------------------===//

/// Adds what tells `sizes` apart from other lists.
static void addToKey(std::vector<int64_t> &key, const Sizes &sizes) {
  if (!sizes.isSymbolic()) {
    llvm::append_range(key, sizes.getNumbers());
    return;
  }
  // No number that an operation has.
  key.push_back(std::numeric_limits<int64_t>::min());
  llvm::append_range(key, shape::toString(sizes.getExprs()));
}

static void addToKey(std::vector<int64_t> &key, const Layout &layout) {
  if (layout.isSymbolic()) {
    llvm::append_range(key, layout.toString());
    return;
  }
  for (const shape::View &view : layout.getTracker().getViews()) {
    key.push_back(view.getRank());
    llvm::append_range(key, view.getShape());
    llvm::append_range(key, view.getStrides());
    key.push_back(view.getOffset());
    key.push_back(view.getMask() != nullptr);
    if (view.getMask())
      for (auto [begin, end] : *view.getMask()) {
        key.push_back(begin);
        key.push_back(end);
      }
  }
}

void LazyGraph::setNumber(LazyOp &op) {
  Key key = {static_cast<int64_t>(op.kind), static_cast<int64_t>(op.dtype),
             static_cast<int64_t>(op.operands.size())};
  // Buffers of these are never equal to others.
  if (op.kind == OpKind::Empty || op.kind == OpKind::Custom ||
      op.kind == OpKind::Const) {
    key.push_back(op.id);
  } else {
    for (const LazyOperand &operand : op.operands) {
      key.push_back(operand.cast ? static_cast<int64_t>(*operand.cast) : -1);
      key.push_back(operand.op ? int64_t(operand.op->number)
                               : -int64_t(operand.buffer->id));
    }
    // A copy is not where its operand is.
    if (op.kind == OpKind::Copy)
      llvm::append_range(key, op.device);
    addToKey(key, op.movement.arg);
    if (op.movement.view)
      addToKey(key, *op.movement.view);
  }
  auto [entry, isNew] = numbers.try_emplace(std::move(key), NumberUse{0, 0});
  if (isNew)
    entry->second.number = ++lastNumber;
  ++entry->second.count;
  op.number = entry->second.number;
  op.numberEntry = &*entry;
}

BufferRef LazyGraph::cutOperand(LazyOp &user, unsigned index,
                                const Sizes &shape) {
  LazyOperand &operand = user.operands[index];
  OpRef op = std::move(operand.op);
  op->users.erase(llvm::find(op->users, &user));
  op->holder = nullptr;
  BufferRef buffer = op->owner;
  if (!buffer)
    buffer = findEqual(*op, nullptr);
  if (!buffer)
    buffer = createBuffer(Group::Elementwise, Layout::fromShape(shape), op, {});
  buffer->users.push_back(&user);
  operand.buffer = buffer;
  return buffer;
}

LazyBuffer *LazyGraph::findEqual(const LazyOp &op, LazyBuffer *base) const {
  return buffersByNumber.lookup({op.number, base ? base->id : 0});
}

//===----------------------------------------------------------------------===//
// Users
//===----------------------------------------------------------------------===//

/// Returns the outermost operation that is known to hold `op`.
static LazyOp *findHolder(LazyOp *op) {
  LazyOp *top = op;
  while (top->holder)
    top = top->holder;
  while (op->holder && op->holder != top)
    op = std::exchange(op->holder, top);
  return top;
}

/// Replaces each operation by its holder, and leaves each live one once.
static void compress(SmallVectorImpl<LazyOp *> &users) {
  for (LazyOp *&user : users)
    user = findHolder(user);
  llvm::sort(users, [](LazyOp *a, LazyOp *b) { return a->id < b->id; });
  users.erase(llvm::unique(users), users.end());
  llvm::erase_if(users, [](LazyOp *op) { return op->references == 0; });
}

// A buffer's children are the owners of the operations above it. An operation
// whose buffer is gone can get no new user, so one with a single user lives and
// dies with that: it is skipped from then on, however the walk ends. Without
// that, asking again and again below a growing expression would take quadratic
// time.
unsigned LazyGraph::countChildren(LazyBuffer &buffer) {
  compress(buffer.users);
  SmallVector<LazyOp *> visited;
  SmallVector<LazyOp *> pending(buffer.users.begin(), buffer.users.end());
  llvm::SmallPtrSet<LazyOp *, 8> seen;
  llvm::SmallPtrSet<LazyBuffer *, 2> children;
  while (!pending.empty() && children.size() < 2) {
    LazyOp *op = pending.pop_back_val();
    ++numVisits;
    if (!seen.insert(op).second)
      continue;
    if (op->owner && op->owner->isDetached)
      continue;
    if (op->owner)
      children.insert(op->owner);
    compress(op->users);
    visited.push_back(op);
    pending.append(op->users.begin(), op->users.end());
  }
  llvm::sort(visited, [](LazyOp *a, LazyOp *b) { return a->id > b->id; });
  for (LazyOp *op : visited) {
    if (op->owner)
      continue;
    compress(op->users);
    if (op->users.size() == 1)
      op->holder = op->users.front();
  }
  return children.size();
}

// The cost is that of a walk over all operations, which as many dead ones have
// paid for.
void LazyGraph::recycle() {
  size_t numUsed = allOps.size() - freeOps.size();
  if (numDeadOps < 4096 || numDeadOps < numUsed / 2)
    return;
  for (LazyBuffer &buffer : allBuffers)
    if (buffer.references)
      compress(buffer.users);
  for (LazyOp &op : allOps)
    if (op.references)
      compress(op.users);
  freeOps.clear();
  for (LazyOp &op : allOps)
    if (!op.references)
      freeOps.push_back(&op);
  numDeadOps = 0;
}

void lazy::schedule::forEachBuffer(
    LazyOp &root, llvm::function_ref<void(LazyBuffer &)> visit) {
  llvm::SmallPtrSet<void *, 16> seen;
  SmallVector<std::pair<LazyOp *, unsigned>> stack = {{&root, 0}};
  while (!stack.empty()) {
    auto &[op, next] = stack.back();
    if (next == op->operands.size()) {
      stack.pop_back();
      continue;
    }
    LazyOperand &operand = op->operands[next++];
    if (operand.buffer) {
      if (seen.insert(operand.buffer.get()).second)
        visit(*operand.buffer);
    } else if (seen.insert(operand.op.get()).second) {
      stack.emplace_back(operand.op.get(), 0);
    }
  }
}
