//===- KernelEmitter.h - Writes kernels -------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_KERNELEMITTER_H
#define TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_KERNELEMITTER_H

#include "LazyGraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringMap.h"

namespace tinygrad::lazy::schedule {

/// What one kernel computes: an elementwise expression over leaves, one of
/// which may be a reduce; a reduce; or a copy.
struct Kernel {
  BufferRef output;
  /// The elementwise expression that is stored, or null.
  OpRef expression;
  /// The leaf of `expression` that `reduce` stands for, or null.
  LazyBuffer *mergedLeaf = nullptr;
  /// For leaves of `expression` that are read in another shape: what is read.
  llvm::DenseMap<LazyBuffer *, BufferRef> reshaped;
  /// The reduce, or null.
  OpRef reduce;
  /// The elementwise expression that is reduced; null if it is a buffer.
  OpRef reduced;
  /// All buffers that are read, in lazy.py's order, each once.
  std::vector<BufferRef> leaves;
  /// The input into whose memory the output is written, or null.
  LazyBuffer *target = nullptr;
  /// The rules that had a part in forming it, besides those that its operations
  /// know.
  RuleTrace::Labels rules = 0;
};

/// Makes the operations of stage 2.
class KernelEmitter {
public:
  /// `function` gives its variables their values.
  KernelEmitter(mlir::OpBuilder &builder, mlir::func::FuncOp function)
      : builder(builder), function(function) {}

  void emitKernel(const Kernel &kernel);
  /// Makes the empty, custom or copy that `buffer` stands for.
  void emitLoadOp(LazyBuffer &buffer);
  /// Returns the value of `buffer`: a constant, what a kernel has made, or a
  /// view of that.
  mlir::Value getValue(LazyBuffer &buffer, mlir::Location loc);

  /// Returns the value that an emitted operation has made of `buffer`.
  mlir::Value getMade(LazyBuffer &buffer) const {
    return values.lookup(&buffer);
  }

  uint64_t getNumKernels() const { return numKernels; }

private:
  struct Body;

  mlir::Value getBaseValue(LazyBuffer &base) {
    return base.op ? values.lookup(&base) : base.value;
  }
  /// Notes on `kernelOp` which rules formed it.
  void setRules(KernelOp kernelOp, const Kernel &kernel,
                RuleTrace::Labels labels);
  mlir::Value getConstant(mlir::RankedTensorType type, const ops::Scalar &value,
                          mlir::Location loc);
  /// Makes a name that the function has not yet: the kind of the kernel and
  /// its iteration space.
  mlir::StringAttr makeName(bool isReduce, const shape::Sizes &shape);

  mlir::OpBuilder &builder;
  mlir::func::FuncOp function;
  llvm::DenseMap<LazyBuffer *, mlir::Value> values;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  llvm::StringMap<unsigned> names;
  uint64_t numKernels = 0;
};

} // namespace tinygrad::lazy::schedule

#endif // TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_KERNELEMITTER_H
