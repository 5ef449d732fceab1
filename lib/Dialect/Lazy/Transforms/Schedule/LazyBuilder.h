//===- LazyBuilder.h - Builds the program again -----------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The methods are named as in lazy.py and do what they do there: offer the
// operation to the rules, and make a buffer where none of them applies.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_LAZYBUILDER_H
#define TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_LAZYBUILDER_H

#include "Rule.h"

namespace tinygrad::lazy::schedule {

class LazyBuilder {
public:
  /// Rules are asked in the order of `rules`.
  LazyBuilder(LazyGraph &graph, std::vector<const Rule *> rules)
      : graph(graph), rules(std::move(rules)) {}

  LazyGraph &getGraph() { return graph; }
  llvm::ArrayRef<const Rule *> getRules() const { return rules; }

  BufferTask e(Elementwise op);
  /// A reduce, which a rule may split.
  BufferTask r(Reduce op);
  /// A reduce as it is.
  BufferTask reduceOp(Reduce op);
  BufferTask move(BufferRef source, Movement movement, mlir::Location loc);
  BufferTask moveAll(BufferRef source, std::vector<Movement> movements,
                     mlir::Location loc);
  BufferTask reshape(BufferRef source, shape::Sizes shape, mlir::Location loc) {
    return move(std::move(source),
                {ops::OpKind::Reshape, std::move(shape), nullptr}, loc);
  }
  BufferTask expand(BufferRef source, shape::Sizes shape, mlir::Location loc) {
    return move(std::move(source),
                {ops::OpKind::Expand, std::move(shape), nullptr}, loc);
  }
  BufferTask permute(BufferRef source, shape::Dims order, mlir::Location loc) {
    return move(std::move(source),
                {ops::OpKind::Permute, std::move(order), nullptr}, loc);
  }
  /// A buffer of its own with the elements of `source` in row-major order.
  BufferRef contiguous(BufferRef source, mlir::Location loc);
  /// What `op`, a copy to another device, makes of `source`.
  BufferRef copyToDevice(BufferRef source, mlir::Operation *op);
  /// A constant of rank 0.
  BufferRef loadConst(const ops::Scalar &value, mlir::Location loc,
                      llvm::StringRef device);
  /// What `op`, an empty, custom or copy, makes. A copy has the shape of its
  /// operand.
  BufferRef loadOp(ops::OpKind kind, mlir::Operation *op,
                   llvm::ArrayRef<BufferRef> operands);

  /// Builds the expression `op` again with `movements` applied to the buffers
  /// that it reads. Shared operations are built once.
  BufferTask replaceWithMovementOps(OpRef op, std::vector<Movement> movements);

  /// Makes a buffer, or finds one that serves as well.
  BufferRef createLazyBuffer(Group group, shape::Layout layout, OpRef op,
                             BufferRef base);

  /// The number of operations that were built or offered to rules.
  uint64_t getNumSteps() const { return numSteps; }
  /// Tells that the source program has one more operation.
  void addSourceOp() {
    stepBudget += stepsPerSourceOp;
    graph.recycle();
  }
  /// False once so much was built again that the time would grow with the
  /// square of the program's size: expressions are then left where they are.
  bool mayRebuild() const { return numSteps < stepBudget; }

private:
  /// What `op`, a copy, makes of `source`, which is on a device without
  /// kernels.
  BufferRef copyData(const BufferRef &source, mlir::Operation *op);
  BufferTask movementOp(BufferRef source, Movement movement,
                        mlir::Location loc);

  LazyGraph &graph;
  std::vector<const Rule *> rules;
  uint64_t numSteps = 0;
  // The training steps among the golden programs need up to 12 per operation.
  static constexpr uint64_t stepsPerSourceOp = 32;
  uint64_t stepBudget = 1 << 16;
};

} // namespace tinygrad::lazy::schedule

#endif // TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_LAZYBUILDER_H
