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
    bool isKnown = llvm::any_of(builder.getRules(), [&](const Rule *rule) {
      return rule->isKnown(*current);
    });
    if (isKnown || current->isRealized() || !seen.insert(current).second)
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
    stack.pop_back();
  }
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
  return kernel;
}

bool Scheduler::fits(ArrayRef<BufferRef> leaves) const {
  llvm::SmallDenseSet<LazyBuffer *> bases;
  for (const BufferRef &leaf : leaves)
    if (leaf->needsMemory())
      bases.insert(leaf->getBase());
  return llvm::all_of(builder.getRules(), [&](const Rule *rule) {
    return rule->fits(bases.size());
  });
}

void Scheduler::formReduce(Kernel &kernel, const OpRef &reduce) {
  kernel.reduce = reduce;
  LazyBuffer &source = *reduce->operands[0].buffer;
  bool merges = llvm::any_of(builder.getRules(), [&](const Rule *rule) {
    return rule->mergesIntoReduce(builder.getGraph(), source);
  });
  if (merges) {
    forEachBuffer(*source.op,
                  [&](LazyBuffer &leaf) { kernel.leaves.push_back(&leaf); });
    if (fits(kernel.leaves)) {
      kernel.reduced = source.op;
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
  if (fits(leaves))
    return leaves;
  cut.insert(kernel.output.get());
  for (const Rule *rule : builder.getRules())
    for (const BufferRef &part : rule->cut(
             builder.getGraph(), *kernel.expression, kernel.output->getShape()))
      cut.insert(part.get());
  list();
  return leaves;
}

LazyBuffer *Scheduler::findMergedLeaf(const Kernel &kernel,
                                      ArrayRef<BufferRef> leaves) const {
  if (cut.contains(kernel.output.get()))
    return nullptr;
  for (const BufferRef &leaf : leaves)
    if (llvm::any_of(builder.getRules(), [&](const Rule *rule) {
          return rule->mergesReduce(builder.getGraph(), *leaf);
        }))
      return leaf.get();
  return nullptr;
}

void Scheduler::formElementwise(Kernel &kernel) {
  std::vector<BufferRef> leaves = listLeaves(kernel);
  Kernel merged;
  if (LazyBuffer *leaf = findMergedLeaf(kernel, leaves)) {
    formReduce(merged, leaf->mergeRoot->op);
    std::vector<BufferRef> all = merged.leaves;
    for (const BufferRef &other : leaves)
      if (other.get() != leaf)
        all.push_back(other);
    if (fits(all))
      kernel.mergedLeaf = leaf;
  }
  if (!kernel.mergedLeaf) {
    kernel.leaves = std::move(leaves);
    return;
  }
  kernel.reduce = merged.reduce;
  kernel.reduced = merged.reduced;
  const shape::Dims &shape = kernel.reduce->movement.arg;
  llvm::SmallDenseSet<LazyBuffer *> listed;
  auto add = [&](const BufferRef &leaf) {
    if (listed.insert(leaf.get()).second)
      kernel.leaves.push_back(leaf);
  };
  // All reshapes are made before any source is scheduled.
  for (BufferRef &leaf : leaves) {
    if (leaf.get() == kernel.mergedLeaf || leaf->getShape() == shape)
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
