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

void Scheduler::formReduce(Kernel &kernel, const OpRef &reduce) {
  kernel.reduce = reduce;
  LazyBuffer &source = *reduce->operands[0].buffer;
  bool merges = llvm::any_of(builder.getRules(), [&](const Rule *rule) {
    return rule->mergesIntoReduce(builder.getGraph(), source);
  });
  if (!merges) {
    kernel.leaves.push_back(&source);
    return;
  }
  kernel.reduced = source.op;
  forEachBuffer(*kernel.reduced,
                [&](LazyBuffer &leaf) { kernel.leaves.push_back(&leaf); });
}

void Scheduler::formElementwise(Kernel &kernel) {
  LazyGraph &graph = builder.getGraph();
  std::vector<BufferRef> leaves;
  forEachBuffer(*kernel.expression, [&](LazyBuffer &leaf) {
    leaves.push_back(&leaf);
    if (kernel.mergedLeaf)
      return;
    if (llvm::any_of(builder.getRules(), [&](const Rule *rule) {
          return rule->mergesReduce(graph, leaf);
        }))
      kernel.mergedLeaf = &leaf;
  });
  if (!kernel.mergedLeaf) {
    kernel.leaves = std::move(leaves);
    return;
  }
  const OpRef &reduce = kernel.mergedLeaf->mergeRoot->op;
  const shape::Dims &shape = reduce->movement.arg;
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
    Kernel merged;
    formReduce(merged, reduce);
    kernel.reduce = merged.reduce;
    kernel.reduced = merged.reduced;
    for (const BufferRef &source : merged.leaves)
      add(source);
  }
}
