//===- LazyBuilder.cpp - Builds the program again -------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LazyBuilder.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;
using ops::OpKind;
using shape::ShapeTracker;

BufferRef LazyBuilder::createLazyBuffer(Group group, ShapeTracker tracker,
                                        OpRef op, BufferRef base) {
  for (const Rule *rule : rules)
    if (BufferRef other = rule->create(graph, tracker, op, base)) {
      graph.note(*other, rule->getLabel());
      return other;
    }
  return graph.createBuffer(group, std::move(tracker), std::move(op),
                            std::move(base));
}

//===----------------------------------------------------------------------===//
// Elementwise and reduce operations
//===----------------------------------------------------------------------===//

BufferTask LazyBuilder::e(Elementwise op) {
  ++numSteps;
  for (const Rule *rule : rules)
    if (SourcesTask moved = rule->moveSources(*this, op.sources))
      op.sources = co_await moved;
  ShapeTracker tracker =
      ShapeTracker::fromShape(op.sources.front().buffer->getShape());
  for (const Rule *rule : rules)
    if (BufferTask other = rule->elementwise(*this, op)) {
      BufferRef result = co_await other;
      graph.note(*result, rule->getLabel());
      co_return result;
    }
  LazyOperands operands;
  RuleTrace::Labels labels = 0;
  for (const Source &source : op.sources) {
    auto inliner = llvm::find_if(rules, [&](const Rule *rule) {
      return rule->inlines(graph, *source.buffer);
    });
    if (inliner == rules.end()) {
      operands.push_back({{}, source.buffer, source.cast});
      continue;
    }
    operands.push_back({source.buffer->op, {}, source.cast});
    graph.trace.note(labels, (*inliner)->getLabel());
  }
  OpRef made = graph.createOp(op.kind, op.dtype, std::move(operands), op.loc);
  made->rules |= labels;
  co_return createLazyBuffer(Group::Elementwise, std::move(tracker),
                             std::move(made), {});
}

BufferTask LazyBuilder::reduceOp(Reduce op) {
  ++numSteps;
  if (op.source->getShape() == op.shape)
    co_return op.source;
  Sources sources = {{op.source, std::nullopt}};
  for (const Rule *rule : rules)
    if (SourcesTask moved = rule->moveSources(*this, sources))
      sources = co_await moved;
  LazyOperands operands = {{{}, sources.front().buffer, std::nullopt}};
  OpRef made = graph.createOp(op.kind, op.source->dtype, std::move(operands),
                              op.loc, {op.kind, op.shape, nullptr});
  co_return createLazyBuffer(Group::Reduce, ShapeTracker::fromShape(op.shape),
                             std::move(made), {});
}

BufferTask LazyBuilder::r(Reduce op) {
  for (const Rule *rule : rules)
    if (BufferTask other = rule->reduce(*this, op)) {
      BufferRef result = co_await other;
      graph.note(*result, rule->getLabel());
      co_return result;
    }
  co_return co_await reduceOp(std::move(op));
}

//===----------------------------------------------------------------------===//
// Movement operations
//===----------------------------------------------------------------------===//

/// Returns true if `movement` leaves a value of `shape` as it is.
static bool isIdentity(const Movement &movement, const shape::Dims &shape) {
  ArrayRef<int64_t> arg = movement.arg;
  switch (movement.kind) {
  case OpKind::Reshape:
  case OpKind::Expand:
    return arg == ArrayRef<int64_t>(shape);
  case OpKind::Permute:
    return llvm::all_of(llvm::enumerate(arg), [](auto axis) {
      return axis.value() == static_cast<int64_t>(axis.index());
    });
  case OpKind::Pad:
    return llvm::all_of(arg, [](int64_t width) { return width == 0; });
  case OpKind::Shrink:
    return llvm::all_of(llvm::enumerate(shape), [&](auto axis) {
      return arg[2 * axis.index() + 1] - arg[2 * axis.index()] == axis.value();
    });
  case OpKind::Stride:
    return llvm::all_of(arg, [](int64_t step) { return step == 1; });
  default:
    return movement.tracker->isContiguous() &&
           movement.tracker->getShape() == shape;
  }
}

BufferTask LazyBuilder::move(BufferRef source, Movement movement,
                             Location loc) {
  ++numSteps;
  if (isIdentity(movement, source->getShape()))
    co_return source;
  for (const Rule *rule : rules)
    if (BufferTask other = rule->movement(*this, source, movement, loc)) {
      std::string label = rule->getMovementLabel(*source, movement, false);
      BufferRef result = co_await other;
      graph.note(*result, label);
      co_return result;
    }
  co_return co_await movementOp(source, std::move(movement), loc);
}

BufferTask LazyBuilder::movementOp(BufferRef source, Movement movement,
                                   Location loc) {
  ShapeTracker tracker = movement.applyTo(source->getTracker());
  for (const Rule *rule : rules)
    if (BufferTask other = rule->view(*this, source, movement, tracker, loc)) {
      std::string label = rule->getMovementLabel(*source, movement, true);
      BufferRef result = co_await other;
      graph.note(*result, label);
      co_return result;
    }
  OpKind kind = movement.kind;
  OpRef made = graph.createOp(kind, source->dtype, {{{}, source, std::nullopt}},
                              loc, std::move(movement));
  co_return createLazyBuffer(Group::Movement, std::move(tracker),
                             std::move(made), source->getBase());
}

BufferTask LazyBuilder::moveAll(BufferRef source,
                                std::vector<Movement> movements, Location loc) {
  for (const Movement &movement : movements)
    source = co_await move(source, movement, loc);
  co_return source;
}

// Walks the expression in the order of lazy.py's recursion; a frame holds what
// the frame of a Python function would hold at that time.
BufferTask
LazyBuilder::replaceWithMovementOps(OpRef root,
                                    std::vector<Movement> movements) {
  struct Frame {
    OpRef op;
    Sources sources;
  };
  std::vector<Frame> stack = {{root, {}}};
  // The rebuilt definition of each operation that is read more than once. Its
  // buffer is gone by then, as it is in lazy.py, which builds it again.
  llvm::DenseMap<LazyOp *, std::pair<OpRef, shape::Dims>> rebuilt;
  BufferRef result;
  while (!stack.empty()) {
    OpRef op = stack.back().op;
    size_t next = stack.back().sources.size();
    if (next < op->operands.size()) {
      const LazyOperand &operand = op->operands[next];
      if (operand.buffer) {
        BufferRef moved = co_await moveAll(operand.buffer, movements, op->loc);
        stack.back().sources.push_back({std::move(moved), operand.cast});
        continue;
      }
      auto found = rebuilt.find(operand.op.get());
      if (found == rebuilt.end()) {
        stack.push_back({operand.op, {}});
        continue;
      }
      ++numSteps;
      const LazyOp &old = *found->second.first;
      OpRef copy = graph.createOp(old.kind, old.dtype, old.operands, old.loc);
      copy->rules = old.rules;
      BufferRef again = createLazyBuffer(
          Group::Elementwise, ShapeTracker::fromShape(found->second.second),
          std::move(copy), {});
      stack.back().sources.push_back({std::move(again), operand.cast});
      continue;
    }
    result = co_await e({op->kind, op->dtype, stack.back().sources, op->loc});
    if (result->op)
      result->op->rules |= op->rules;
    stack.pop_back();
    if (stack.empty())
      break;
    if (op->users.size() > 1 && result->isUnrealized(Group::Elementwise))
      rebuilt.try_emplace(op.get(), result->op, result->getShape());
    Frame &user = stack.back();
    user.sources.push_back(
        {result, user.op->operands[user.sources.size()].cast});
    result.reset();
  }
  co_return result;
}

//===----------------------------------------------------------------------===//
// Load operations
//===----------------------------------------------------------------------===//

BufferRef LazyBuilder::contiguous(BufferRef source, Location loc) {
  ++numSteps;
  for (const Rule *rule : rules)
    if (BufferRef other = rule->contiguous(*this, source, loc)) {
      graph.note(*other, rule->getLabel());
      return other;
    }
  OpRef made = graph.createOp(OpKind::Contiguous, source->dtype,
                              {{{}, source, std::nullopt}}, loc);
  return createLazyBuffer(Group::Load,
                          ShapeTracker::fromShape(source->getShape()),
                          std::move(made), {});
}

BufferRef LazyBuilder::copyToDevice(BufferRef source, Operation *op) {
  ++numSteps;
  for (const Rule *rule : rules)
    if (BufferRef other = rule->copy(source, op)) {
      graph.note(*other, rule->getLabel());
      return other;
    }
  if (holdsDataOnly(source->device))
    return copyData(source, op);
  BufferRef moved = contiguous(std::move(source), op->getLoc());
  return loadOp(OpKind::Copy, op, moved);
}

// No kernel can make the source contiguous. What it reads of its base is copied
// as it lies there, and the view is made on the other device.
BufferRef LazyBuilder::copyData(const BufferRef &source, Operation *op) {
  Location loc = op->getLoc();
  auto view = [&](BufferRef base, ShapeTracker tracker) {
    return move(std::move(base),
                {OpKind::AsStrided,
                 {},
                 std::make_shared<ShapeTracker>(std::move(tracker))},
                loc)
        .run();
  };
  if (source->isUnrealizedConst())
    return view(loadConst(source->getBase()->op->value, loc,
                          getDevice(cast<RankedTensorType>(
                              op->getResult(0).getType()))),
                source->getTracker());
  std::vector<shape::View> views = source->getTracker().simplify().getViews();
  shape::View &inner = views.front();
  if (views.size() == 1 &&
      inner == shape::View::create(inner.getShape(), std::nullopt,
                                   inner.getOffset()))
    return loadOp(OpKind::Copy, op, source);
  auto [first, last] =
      ShapeTracker::fromViews({inner}).getIndexRange().value_or(
          std::pair<int64_t, int64_t>(0, 0));
  std::optional<shape::Mask> mask;
  if (inner.getMask())
    mask = *inner.getMask();
  inner = shape::View::create(inner.getShape(), inner.getStrides(),
                              inner.getOffset() - first, std::move(mask));
  BufferRef read = source->getBase();
  int64_t size = last - first + 1;
  if (size != read->getTracker().getNumElements())
    read = view(std::move(read), ShapeTracker::fromViews({shape::View::create(
                                     {size}, shape::Dims{1}, first)}));
  BufferRef copy = loadOp(OpKind::Copy, op, read);
  return view(std::move(copy), ShapeTracker::fromViews(std::move(views)));
}

BufferRef LazyBuilder::loadConst(const ops::Scalar &value, Location loc,
                                 StringRef device) {
  ++numSteps;
  OpRef made =
      graph.createOp(OpKind::Const, value.getType(), {}, loc, {}, device);
  made->value = value;
  return createLazyBuffer(Group::Load, ShapeTracker::fromShape({}),
                          std::move(made), {});
}

BufferRef LazyBuilder::loadOp(OpKind kind, Operation *op,
                              ArrayRef<BufferRef> sources) {
  ++numSteps;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  LazyOperands operands;
  for (const BufferRef &source : sources)
    operands.push_back({{}, source, std::nullopt});
  OpRef made =
      graph.createOp(kind, *getDType(type.getElementType()),
                     std::move(operands), op->getLoc(), {}, getDevice(type));
  made->source = op;
  shape::Dims shape =
      kind == OpKind::Copy ? sources.front()->getShape() : lazy::getShape(type);
  return createLazyBuffer(Group::Load, ShapeTracker::fromShape(shape),
                          std::move(made), {});
}
