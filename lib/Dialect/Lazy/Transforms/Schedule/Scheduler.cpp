//===- Scheduler.cpp - Forms kernels --------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;
using ops::OpKind;

LazyBuffer *Scheduler::enter(const BufferRef &buffer) {
  LazyBuffer *current = buffer.get();
  while (true) {
    if (current->isUnrealizedConst() || current->isRealized() ||
        !seen.insert(current).second)
      return nullptr;
    scheduled.push_back(current);
    if (current->getBase() == current)
      return current;
    current = current->getBase();
  }
}

// The sources of a kernel come before it; a list of frames, because a program
// may be a chain of any length.
void Scheduler::schedule(BufferRef buffer) {
  std::vector<std::unique_ptr<Frame>> stack;
  auto push = [&](const BufferRef &needed) {
    if (LazyBuffer *output = enter(needed))
      stack.push_back(std::make_unique<Frame>(Frame{form(output)}));
  };
  push(buffer);
  while (!stack.empty()) {
    Frame &frame = *stack.back();
    if (frame.next < frame.kernel.leaves.size()) {
      push(frame.kernel.leaves[frame.next++]);
      continue;
    }
    if (frame.kernel.output->op->source)
      emitter.emitLoadOp(*frame.kernel.output);
    else
      emitter.emitKernel(frame.kernel);
    emitted.push_back(frame.kernel.output);
    stack.pop_back();
  }
}

void Scheduler::realize(BufferRef buffer) {
  schedule(std::move(buffer));
  for (const BufferRef &made : emitted)
    builder.getGraph().realize(*made, emitter.getMade(*made));
  emitted.clear();
}

Kernel Scheduler::form(BufferRef output) {
  Kernel kernel;
  kernel.output = output;
  switch (output->group) {
  case Group::Elementwise:
    kernel.expression = output->op;
    formElementwise(kernel);
    break;
  case Group::Reduce:
    formReduce(kernel, output->op);
    break;
  case Group::Load:
    for (const LazyOperand &operand : output->op->operands)
      kernel.leaves.push_back(operand.buffer);
    break;
  case Group::Movement:
    llvm_unreachable("a movement operation has a base");
  }
  for (const BufferRef &leaf : kernel.leaves)
    note(kernel,
         findRule([&](const Rule &rule) { return rule.isKnown(*leaf); }));
  if (!output->target)
    return kernel;
  if (const Rule *reuser = findRule([&](const Rule &rule) {
        return rule.reusesOutput(*output->target, kernel.leaves);
      })) {
    note(kernel, reuser);
    kernel.target = output->target;
  } else {
    output->target = nullptr;
  }
  return kernel;
}

const Rule *
Scheduler::findRule(llvm::function_ref<bool(const Rule &)> applies) const {
  auto found = llvm::find_if(builder.getRules(),
                             [&](const Rule *rule) { return applies(*rule); });
  return found == builder.getRules().end() ? nullptr : *found;
}

void Scheduler::note(Kernel &kernel, const Rule *rule) {
  if (rule)
    builder.getGraph().trace.note(kernel.rules, rule->getLabel());
}

const Rule *Scheduler::findLimit(ArrayRef<BufferRef> leaves) const {
  llvm::SmallDenseSet<LazyBuffer *> bases;
  for (const BufferRef &leaf : leaves)
    if (leaf->needsMemory())
      bases.insert(leaf->getBase());
  return findRule([&](const Rule &rule) { return !rule.fits(bases.size()); });
}

void Scheduler::formReduce(Kernel &kernel, const OpRef &reduce) {
  kernel.reduce = reduce;
  LazyBuffer &source = *reduce->operands[0].buffer;
  const Rule *merger = findRule([&](const Rule &rule) {
    return rule.mergesIntoReduce(builder.getGraph(), source);
  });
  if (merger) {
    forEachBuffer(*source.op,
                  [&](LazyBuffer &leaf) { kernel.leaves.push_back(&leaf); });
    if (!findLimit(kernel.leaves)) {
      kernel.reduced = source.op;
      note(kernel, merger);
      return;
    }
  }
  kernel.leaves = {&source};
}

std::vector<BufferRef> Scheduler::listLeaves(Kernel &kernel) {
  std::vector<BufferRef> leaves;
  auto list = [&] {
    leaves.clear();
    forEachBuffer(*kernel.expression,
                  [&](LazyBuffer &leaf) { leaves.push_back(&leaf); });
  };
  list();
  if (const Rule *limit = findLimit(leaves)) {
    cut[kernel.output.get()] = limit;
    for (const BufferRef &part : limit->cut(
             builder.getGraph(), *kernel.expression, kernel.output->getShape()))
      cut[part.get()] = limit;
    list();
  }
  note(kernel, cut.lookup(kernel.output.get()));
  return leaves;
}

void Scheduler::mergeReduce(Kernel &kernel, ArrayRef<BufferRef> leaves,
                            Kernel &merged) {
  if (cut.contains(kernel.output.get()))
    return;
  for (const BufferRef &leaf : leaves) {
    const Rule *merger = findRule([&](const Rule &rule) {
      return rule.mergesReduce(builder.getGraph(), *leaf);
    });
    if (!merger)
      continue;
    formReduce(merged, leaf->mergeRoot->op);
    std::vector<BufferRef> all = merged.leaves;
    for (const BufferRef &other : leaves)
      if (other.get() != leaf.get())
        all.push_back(other);
    if (const Rule *limit = findLimit(all)) {
      note(kernel, limit);
      return;
    }
    note(kernel, merger);
    kernel.rules |= merged.rules;
    kernel.mergedLeaf = leaf.get();
    kernel.reduce = merged.reduce;
    kernel.reduced = merged.reduced;
    return;
  }
}

void Scheduler::formElementwise(Kernel &kernel) {
  std::vector<BufferRef> leaves = listLeaves(kernel);
  Kernel merged;
  mergeReduce(kernel, leaves, merged);
  if (!kernel.mergedLeaf) {
    kernel.leaves = std::move(leaves);
    return;
  }
  const shape::Sizes &shape = kernel.reduce->movement.arg;
  llvm::SmallDenseSet<LazyBuffer *> listed;
  auto add = [&](const BufferRef &leaf) {
    if (listed.insert(leaf.get()).second)
      kernel.leaves.push_back(leaf);
  };
  // All reshapes are made before any source is scheduled.
  for (BufferRef &leaf : leaves) {
    if (leaf.get() == kernel.mergedLeaf || leaf->getLayout().hasShape(shape))
      continue;
    BufferRef other =
        builder.reshape(leaf, shape, kernel.expression->loc).run();
    kernel.reshaped[leaf.get()] = other;
    leaf = other;
  }
  for (const BufferRef &leaf : leaves) {
    if (leaf.get() != kernel.mergedLeaf) {
      add(leaf);
      continue;
    }
    for (const BufferRef &source : merged.leaves)
      add(source);
  }
}
