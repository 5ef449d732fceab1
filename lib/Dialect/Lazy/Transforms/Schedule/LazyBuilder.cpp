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
using shape::Layout;
using shape::ShapeTracker;
using shape::Sizes;

BufferRef LazyBuilder::createLazyBuffer(Group group, Layout layout, OpRef op,
                                        BufferRef base) {
  for (const Rule *rule : rules)
    if (BufferRef other = rule->create(graph, layout, op, base)) {
      graph.note(*other, rule->getLabel());
      return other;
    }
  return graph.createBuffer(group, std::move(layout), std::move(op),
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
  Layout layout = Layout::fromShape(op.sources.front().buffer->getShape());
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
  co_return createLazyBuffer(Group::Elementwise, std::move(layout),
                             std::move(made), {});
}

BufferTask LazyBuilder::reduceOp(Reduce op) {
  ++numSteps;
  if (op.source->getLayout().hasShape(op.shape))
    co_return op.source;
  Sources sources = {{op.source, std::nullopt}};
  for (const Rule *rule : rules)
    if (SourcesTask moved = rule->moveSources(*this, sources))
      sources = co_await moved;
  LazyOperands operands = {{{}, sources.front().buffer, std::nullopt}};
  OpRef made = graph.createOp(op.kind, op.source->dtype, std::move(operands),
                              op.loc, {op.kind, op.shape, nullptr});
  co_return createLazyBuffer(Group::Reduce, Layout::fromShape(op.shape),
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

/// Returns true if `movement` leaves what lies as `layout` as it is.
static bool isIdentity(const Movement &movement, const Layout &layout) {
  switch (movement.kind) {
  case OpKind::Reshape:
  case OpKind::Expand:
    return layout.hasShape(movement.arg);
  case OpKind::Permute:
    return llvm::all_of(
        llvm::enumerate(movement.arg.getNumbers()), [](auto axis) {
          return axis.value() == static_cast<int64_t>(axis.index());
        });
  case OpKind::Pad:
    return movement.arg.visit([](const auto &widths) {
      return llvm::all_of(widths, [](const auto &width) { return width == 0; });
    });
  case OpKind::Shrink:
    return Sizes::visit(movement.arg, layout.getShape(),
                        [](const auto &ranges, const auto &shape) {
                          for (size_t axis = 0; axis < shape.size(); ++axis)
                            if (ranges[2 * axis + 1] - ranges[2 * axis] !=
                                shape[axis])
                              return false;
                          return true;
                        });
  case OpKind::Stride:
    return llvm::all_of(movement.arg.getNumbers(),
                        [](int64_t step) { return step == 1; });
  default:
    return movement.view->isContiguous() &&
           layout.hasShape(movement.view->getShape());
  }
}

BufferTask LazyBuilder::move(BufferRef source, Movement movement,
                             Location loc) {
  ++numSteps;
  if (isIdentity(movement, source->getLayout()))
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
  Layout layout = movement.applyTo(source->getLayout());
  for (const Rule *rule : rules)
    if (BufferTask other = rule->view(*this, source, movement, layout, loc)) {
      std::string label = rule->getMovementLabel(*source, movement, true);
      BufferRef result = co_await other;
      graph.note(*result, label);
      co_return result;
    }
  OpKind kind = movement.kind;
  OpRef made = graph.createOp(kind, source->dtype, {{{}, source, std::nullopt}},
                              loc, std::move(movement));
  co_return createLazyBuffer(Group::Movement, std::move(layout),
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
  // The rebuilt definition of each operation, which may be read once more. Its
  // buffer is gone by then, as it is in lazy.py, which builds it again.
  llvm::DenseMap<LazyOp *, std::pair<OpRef, Sizes>> rebuilt;
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
          Group::Elementwise, Layout::fromShape(found->second.second),
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
    if (result->isUnrealized(Group::Elementwise))
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
  return createLazyBuffer(Group::Load, Layout::fromShape(source->getShape()),
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
  auto view = [&](BufferRef base, Layout layout) {
    return move(std::move(base),
                {OpKind::AsStrided,
                 {},
                 std::make_shared<Layout>(std::move(layout))},
                loc)
        .run();
  };
  if (source->isUnrealizedConst())
    return view(loadConst(source->getBase()->op->value, loc,
                          getDevice(cast<RankedTensorType>(
                              op->getResult(0).getType()))),
                source->getLayout());
  Layout layout = source->getLayout().simplify();
  BufferRef read = source->getBase();
  if (layout.isContiguous() && layout.hasSizeOf(read->getLayout()))
    return loadOp(OpKind::Copy, op, source);
  if (layout.isSymbolic()) {
    op->emitOpError() << "expects all of a value on '" << source->device
                      << "', or a view with numbers, got " << layout.toString();
    return {};
  }
  std::vector<shape::View> views = layout.getTracker().getViews();
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
  Layout part = ShapeTracker::fromViews(
      {shape::View::create({last - first + 1}, shape::Dims{1}, first)});
  if (!part.hasSizeOf(read->getLayout()))
    read = view(std::move(read), std::move(part));
  BufferRef copy = loadOp(OpKind::Copy, op, read);
  return view(std::move(copy), ShapeTracker::fromViews(std::move(views)));
}

BufferRef LazyBuilder::loadConst(const ops::Scalar &value, Location loc,
                                 StringRef device) {
  ++numSteps;
  OpRef made =
      graph.createOp(OpKind::Const, value.getType(), {}, loc, {}, device);
  made->value = value;
  return createLazyBuffer(Group::Load, Layout::fromShape(shape::Dims()),
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
  Sizes shape =
      kind == OpKind::Copy ? sources.front()->getShape() : getSizes(type);
  return createLazyBuffer(Group::Load, Layout::fromShape(std::move(shape)),
                          std::move(made), {});
}
