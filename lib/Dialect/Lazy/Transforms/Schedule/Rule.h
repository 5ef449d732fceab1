//===- Rule.h - A rule of lazy.py as an object ------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The builder offers each operation to the enabled rules, in the order of the
// table, at the places where lazy.py asks its flags. A rule answers with what
// replaces the operation, which it makes through the builder, or not at all.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_RULE_H
#define TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_RULE_H

#include "LazyGraph.h"
#include "Task.h"

namespace tinygrad::lazy::schedule {

class LazyBuilder;

using BufferTask = Task<BufferRef>;
using SourcesTask = Task<Sources>;

/// An elementwise operation that is to be built.
struct Elementwise {
  ops::OpKind kind;
  DType dtype;
  Sources sources;
  mlir::Location loc;
};

/// A reduce operation that is to be built.
struct Reduce {
  ops::OpKind kind;
  BufferRef source;
  shape::Sizes shape;
  mlir::Location loc;
};

/// One rule. Every function has a default that does nothing; a function that
/// returns a task or a reference answers "does not apply" with an empty one.
class Rule {
public:
  /// `flag` is the name in lazy.py, empty where the rule is always on there;
  /// `needs` is the label of a rule without which this one does nothing.
  Rule(llvm::StringRef label, llvm::StringRef flag, int level,
       llvm::StringRef needs = {})
      : label(label), flag(flag), needs(needs), level(level) {}
  virtual ~Rule();

  llvm::StringRef getLabel() const { return label; }
  llvm::StringRef getFlag() const { return flag; }
  llvm::StringRef getNeeds() const { return needs; }
  /// The lowest OPT at which the rule is on.
  int getLevel() const { return level; }

  /// The label of what `movement` or `view`, if `isView`, made of `movement` on
  /// `source`: that of the rule, with a number where it does several things.
  virtual std::string getMovementLabel(const LazyBuffer &source,
                                       const Movement &movement,
                                       bool isView) const {
    return label.str();
  }

  /// In `e` and `reduceOp`: other sources with the same values.
  virtual SourcesTask moveSources(LazyBuilder &builder,
                                  const Sources &sources) const {
    return {};
  }
  /// In `e`: the whole operation, built in another way.
  virtual BufferTask elementwise(LazyBuilder &builder,
                                 const Elementwise &op) const {
    return {};
  }
  /// In `e`: true if the definition of `source` may stand in its place.
  virtual bool inlines(LazyGraph &graph, LazyBuffer &source) const {
    return false;
  }
  /// In `r`: the whole operation, built in another way.
  virtual BufferTask reduce(LazyBuilder &builder, const Reduce &op) const {
    return {};
  }
  /// In `reshape`, `permute`, …: the whole operation, built in another way.
  virtual BufferTask movement(LazyBuilder &builder, const BufferRef &source,
                              const Movement &movement,
                              mlir::Location loc) const {
    return {};
  }
  /// In `_movement_op`: the same, where `layout` is the view that it would be.
  virtual BufferTask view(LazyBuilder &builder, const BufferRef &source,
                          const Movement &movement, const shape::Layout &layout,
                          mlir::Location loc) const {
    return {};
  }
  /// Whether `movement` may be moved from the result of the elementwise `op`,
  /// which nothing else reads, to its sources.
  virtual bool movesIntoElementwise(const Movement &movement,
                                    const LazyOp &op) const {
    return false;
  }
  /// Whether a pad may be moved so, on the way to an elementwise operation.
  virtual bool movesPads() const { return false; }
  /// In `contiguous`: the whole operation, built in another way.
  virtual BufferRef contiguous(LazyBuilder &builder, const BufferRef &source,
                               mlir::Location loc) const {
    return {};
  }
  /// In `copy_to_device`: what serves in place of `op`, a copy of `source`.
  virtual BufferRef copy(const BufferRef &source, mlir::Operation *op) const {
    return {};
  }
  /// In `create_lazybuffer`: a buffer that serves in place of a new one of
  /// shape and views `layout`, defined by `op` and held by `base`.
  virtual BufferRef create(LazyGraph &graph, const shape::Layout &layout,
                           const OpRef &op, const BufferRef &base) const {
    return {};
  }
  /// In `_ast_reduceops`: true if the definition of the elementwise `source`
  /// may be a part of the reduce's kernel.
  virtual bool mergesIntoReduce(LazyGraph &graph, LazyBuffer &source) const {
    return false;
  }
  /// In `_ast_binaryops`: true if `leaf`, which an elementwise kernel reads,
  /// is a reduce that may become a part of the kernel.
  virtual bool mergesReduce(LazyGraph &graph, LazyBuffer &leaf) const {
    return false;
  }
  /// When a kernel is formed: true if it may read `numInputs` buffers.
  virtual bool fits(size_t numInputs) const { return true; }
  /// For the elementwise `root` of values of `shape`, which does not fit: cuts
  /// it, and returns the buffers that are kernels of their own from then on.
  virtual std::vector<BufferRef> cut(LazyGraph &graph, LazyOp &root,
                                     const shape::Sizes &shape) const {
    return {};
  }
  /// In `schedule`: true if a kernel that reads `leaves` may write into the
  /// memory of the input `target`, to which its value is assigned.
  virtual bool reusesOutput(const LazyBuffer &target,
                            llvm::ArrayRef<BufferRef> leaves) const {
    return false;
  }
  /// In `_replace_bufferops`: true if `leaf` is known in the kernel and needs
  /// no buffer.
  virtual bool isKnown(LazyBuffer &leaf) const { return false; }

private:
  llvm::StringRef label, flag, needs;
  int level;
};

/// Makers of the rules, one per file.
std::unique_ptr<Rule> createZeroSizeRule();
std::unique_ptr<Rule> createCacheRule();
std::unique_ptr<Rule> createContiguousRule();
std::unique_ptr<Rule> createConstantsRule();
std::unique_ptr<Rule> createCollapseRule();
std::unique_ptr<Rule> createSplitReduceRule(int64_t threshold,
                                            int64_t maxResults);
std::unique_ptr<Rule> createShuffleMovementRule();
std::unique_ptr<Rule> createRemoveMovementNopsRule();
std::unique_ptr<Rule> createMergeElementwiseRule();
std::unique_ptr<Rule> createMergeElementwiseIntoReduceRule();
std::unique_ptr<Rule> createMergeReduceIntoElementwiseRule();
std::unique_ptr<Rule> createShufflePadRule();
std::unique_ptr<Rule> createPushPermutesRule();
std::unique_ptr<Rule> createPushContiguousRule();
std::unique_ptr<Rule> createPushReshapesRule();
std::unique_ptr<Rule> createCopiesRule();
std::unique_ptr<Rule> createReuseOutputRule();
std::unique_ptr<Rule> createLimitBuffersRule(int64_t maxBuffers);

using RuleList = std::vector<std::unique_ptr<Rule>>;

/// What rules are told besides whether they are on.
struct RuleOptions {
  /// REDUCEOP_SPLIT_THRESHOLD of lazy.py.
  int64_t splitThreshold = 32768;
  /// The most results of a reduce that is split, or 0 for no bound.
  int64_t maxSplitResults = 0;
  /// The most buffers that a kernel may have, the output among them: 0 for no
  /// bound, or at least 4.
  int64_t maxKernelBuffers = 0;
};

/// Returns all rules, in the order in which they are offered an operation.
RuleList createRules(const RuleOptions &options);

} // namespace tinygrad::lazy::schedule

#endif // TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_RULE_H
