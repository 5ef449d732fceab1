//===- MemoryPlanner.h - The state of lazy-plan-memory ----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PlanMemory.cpp knows of a schedule while it turns it into one on memory.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_MEMORYPLANNER_H
#define TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_MEMORYPLANNER_H

#include "ShareMemory.h"

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"

namespace tinygrad::lazy::memory {

/// Where a value lies: the memory, and how many writes have made it.
struct Version {
  size_t memory;
  size_t number;
  bool operator==(const Version &other) const = default;
};

/// A copy of a version: the memref, null where there is no copy, and the number
/// that notes give it.
struct VersionCopy {
  mlir::Value memref;
  int64_t number = 0;
};

/// Memory that values share, one after the other.
struct Memory {
  mlir::Type type;
  /// The memref; null until it is allocated.
  mlir::Value memref;
  /// True for what the caller owns.
  bool isArgument = false;
  /// The node that writes version i + 1.
  mlir::SmallVector<size_t> writers;
  /// By version: the nodes that read it and have not run, each once.
  std::vector<llvm::SmallDenseSet<size_t>> readers = {{}};
  /// By version: its copy.
  std::vector<VersionCopy> copies = {VersionCopy()};
  /// By version: the number that notes give it, once it has one.
  std::vector<std::optional<int64_t>> numbers = {std::nullopt};
  /// The version that is there at this point of the schedule.
  size_t current = 0;
};

/// A kernel, a custom, a copy, or an assign that a copy does.
struct Node {
  mlir::Operation *op;
  /// The versions of its results.
  mlir::SmallVector<Version, 1> writes;
  mlir::SmallVector<size_t> successors;
  /// How many producers and earlier writers have not run.
  size_t numPending = 0;
};

/// What is to be noted on a step that has been converted.
struct Note {
  mlir::Operation *op;
  mlir::SmallVector<int64_t> reads;
  mlir::ArrayRef<Version> writes;
};

/// Plans and converts one function; see the top of PlanMemory.cpp.
class MemoryPlanner {
public:
  explicit MemoryPlanner(mlir::func::FuncOp function)
      : function(function), block(&function.getBody().front()),
        returnOp(block->getTerminator()), builder(returnOp),
        loc(function.getLoc()) {}

  /// Finds what cannot be converted before anything is changed.
  mlir::LogicalResult check();
  void run();

private:
  mlir::LogicalResult checkOperation(mlir::Operation *op);
  mlir::LogicalResult checkKernel(KernelOp kernel);
  mlir::LogicalResult checkResults();
  mlir::LogicalResult checkArguments();
  /// True for an argument that gives a variable its value.
  bool isVariable(mlir::Value argument) const {
    return argument.getType().isIndex();
  }
  void addNode(mlir::Operation *op);
  /// Returns where result `index` of the operation `op` goes.
  Version findTarget(mlir::Operation *op, size_t index);
  size_t addMemory(mlir::Type type);
  /// Returns the version that `value` is: memory of its own if it is new.
  Version getVersion(mlir::Value value);

  void makeArguments();
  void runNodes();
  bool isBlocked(size_t index) const;
  void runNode(size_t index);
  /// Returns the memref that holds `version`, now or as a copy.
  mlir::Value getMemRef(Version version);
  mlir::Value getMemRef(Memory &memory);
  /// Makes memory for a tensor of `type`, on its device.
  mlir::Value allocate(mlir::Type type);
  /// Returns the value of `variable`.
  mlir::Value getBinding(const shape::IndexExpr &variable) const {
    return llvm::find_if(
               bindings,
               [&](const auto &binding) { return binding.first == variable; })
        ->second;
  }
  void copy(Version version);
  bool needsCopy(size_t index, KernelOp kernel, mlir::Value value,
                 mlir::BlockArgument argument);
  void convertKernel(size_t index, KernelOp kernel);
  void convertCustom(size_t index, CustomOp custom);
  void convertCopy(size_t index, CopyOp copy);
  void convertAssign(size_t index, AssignOp assign);
  int64_t getNumber(Memory &memory, size_t version);
  int64_t getNumber(Version version);
  void addNote(mlir::Operation *op, mlir::ArrayRef<int64_t> reads,
               mlir::ArrayRef<Version> writes);
  void writeNotes();
  void insertDeallocations();

  mlir::func::FuncOp function;
  mlir::Block *block;
  mlir::Operation *returnOp;
  mlir::OpBuilder builder;
  /// Where the node is that runs now.
  mlir::Location loc;
  std::vector<Memory> memories;
  std::vector<Node> nodes;
  llvm::DenseMap<mlir::Value, Version> versions;
  llvm::DenseMap<mlir::Operation *, size_t> nodeOf;
  /// Where the targets of assigns lie.
  StorageFinder storageFinder;
  llvm::DenseMap<mlir::Operation *, Storage> storages;
  /// What each memref holds.
  MemoryContents contents;
  /// The variables and their values.
  mlir::SmallVector<std::pair<shape::IndexExpr, mlir::Value>> bindings;
  std::vector<Note> notes;
  /// The memory of the arguments, in their order.
  mlir::SmallVector<size_t> argumentMemories;
  /// How many versions have a number. No two have the same.
  int64_t numNumbers = 0;
};

} // namespace tinygrad::lazy::memory

#endif // TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_MEMORYPLANNER_H
