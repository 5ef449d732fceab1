//===- LazyGraph.h - The program while it is rebuilt ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lazy.py's LazyBuffer and LazyOp as counted nodes. Rules decide by how many
// users a value has at that moment, so a node dies when its last holder lets go
// of it, as in the reference.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_LAZYGRAPH_H
#define TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_LAZYGRAPH_H

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

#include <deque>
#include <unordered_map>

namespace tinygrad::lazy::schedule {

class LazyGraph;
struct LazyBuffer;
struct LazyOp;

/// A counted reference to a node of a LazyGraph.
template <typename T>
class Ref {
public:
  Ref() = default;
  Ref(T *node) : node(node) { retain(); }
  Ref(const Ref &other) : node(other.node) { retain(); }
  Ref(Ref &&other) : node(std::exchange(other.node, nullptr)) {}
  Ref &operator=(Ref other) {
    std::swap(node, other.node);
    return *this;
  }
  ~Ref() {
    if (node && --node->references == 0)
      node->graph->retire(node);
  }

  T *get() const { return node; }
  T *operator->() const { return node; }
  T &operator*() const { return *node; }
  explicit operator bool() const { return node; }
  void reset() { *this = Ref(); }
  /// Lets go without counting, where the whole graph goes away.
  void forget() { node = nullptr; }

private:
  void retain() {
    if (node)
      ++node->references;
  }
  T *node = nullptr;
};

using BufferRef = Ref<LazyBuffer>;
using OpRef = Ref<LazyOp>;
using BufferRefs = llvm::SmallVector<BufferRef, 3>;

/// lazy.py's kind of a buffer: what group its operation is from.
enum class Group : uint8_t { Load, Elementwise, Reduce, Movement };

/// A movement operation with its argument.
struct Movement {
  /// A movement kind; AsStrided stands for every view that is given as one.
  ops::OpKind kind;
  /// As `ops::OpAttributes::ints`.
  shape::Sizes arg;
  /// For AsStrided alone: the view of the source's row-major elements.
  std::shared_ptr<const shape::Layout> view;

  /// Returns `source` moved.
  shape::Layout applyTo(const shape::Layout &source) const;
};

/// A value that an elementwise operation reads, and the type that an implicit
/// cast on the way gives it.
struct Source {
  BufferRef buffer;
  std::optional<DType> cast;
};
using Sources = llvm::SmallVector<Source, 3>;

/// One operand of a LazyOp: a buffer, or an operation that was inlined.
struct LazyOperand {
  OpRef op;
  BufferRef buffer;
  std::optional<DType> cast;
};
using LazyOperands = llvm::SmallVector<LazyOperand, 3>;

/// The number of equal operations, and how many of them live.
struct NumberUse {
  uint32_t number;
  mutable uint32_t count;
};

/// Which rules had a part in what an operation is: their labels as bits.
class RuleTrace {
public:
  using Labels = uint64_t;
  /// Off, no label is noted.
  bool isOn = false;

  void note(Labels &labels, llvm::StringRef label);
  /// Returns the labels in alphabetical order.
  llvm::SmallVector<llvm::StringRef> getNames(Labels labels) const;

private:
  std::vector<std::string> names;
};

/// An operation in the definition of a buffer. Its operands are buffers and
/// inlined elementwise operations, which are shared, never copied.
struct LazyOp {
  LazyOp(LazyGraph *graph, ops::OpKind kind, DType dtype, mlir::Location loc)
      : graph(graph), kind(kind), dtype(dtype), loc(loc) {}

  LazyGraph *graph;
  ops::OpKind kind;
  DType dtype;
  /// True if this or an inlined operation is not 0 on zeros.
  bool isUnsafePad = false;
  /// Where the value is; the context owns the name.
  llvm::StringRef device;
  RuleTrace::Labels rules = 0;
  uint32_t references = 0;
  /// Grows from operands to users.
  uint32_t id = 0;
  /// Equal for live operations that compute the same of the same buffers.
  uint32_t number = 0;
  mlir::Location loc;
  LazyOperands operands;
  /// Movement: its argument. Reduce: the result's shape.
  Movement movement = {};
  /// The value of a const.
  ops::Scalar value;
  /// What an empty, custom or copy stands for.
  mlir::Operation *source = nullptr;

  /// The live buffer that this defines, if any.
  LazyBuffer *owner = nullptr;
  /// Operations that have this inlined, once per use; also dead ones.
  llvm::SmallVector<LazyOp *, 2> users;
  /// The one operation that holds this for the rest of its life, if known.
  LazyOp *holder = nullptr;
  /// Where the graph keeps `number`.
  const std::pair<const std::vector<int64_t>, NumberUse> *numberEntry = nullptr;
};

/// A tensor of the program, not yet computed but for the inputs.
struct LazyBuffer {
  LazyBuffer(LazyGraph *graph, Group group, DType dtype, shape::Layout layout)
      : graph(graph), group(group), dtype(dtype), layout(std::move(layout)) {}

  LazyGraph *graph;
  Group group;
  DType dtype;
  llvm::StringRef device;
  /// True if lazy.py takes this out of its source's `children` while it lives.
  bool isDetached = false;
  uint32_t references = 0;
  uint32_t id = 0;
  /// How the elements lie in the base.
  std::optional<shape::Layout> layout;
  /// Null for an input.
  OpRef op;
  /// The buffer that holds the elements; null if it is this one.
  BufferRef base;
  /// An input.
  mlir::Value value;
  /// The input to which this is assigned, if its kernel may write there.
  /// lazy.py's `output_buffer`.
  LazyBuffer *target = nullptr;
  /// Operations that read this directly, once per use; also dead ones.
  llvm::SmallVector<LazyOp *, 2> users;
  /// The first buffer up the chain of movement operations that is none. Itself
  /// for a view of an input.
  LazyBuffer *movementRoot = this;
  /// The same, through contiguous operations that move nothing.
  LazyBuffer *contiguousRoot = this;
  /// What a reduce may be merged through: `get_movementroot_contiguous`.
  LazyBuffer *mergeRoot = this;

  const shape::Layout &getLayout() const { return *layout; }
  shape::Sizes getShape() const { return layout->getShape(); }
  LazyBuffer *getBase() { return base ? base.get() : this; }
  /// True if the elements exist: an input or a view of one.
  bool isRealized() { return !getBase()->op; }
  /// True for an operation of `kind` that is not realized.
  bool isUnrealized(ops::OpKind kind) {
    return !isRealized() && op->kind == kind;
  }
  bool isUnrealized(Group expected) {
    return !isRealized() && group == expected;
  }
  /// True for a constant or a view of one.
  bool isUnrealizedConst() {
    return !isRealized() && getBase()->op->kind == ops::OpKind::Const;
  }
  /// True for a constant that is seen through a mask: padding is +0, bit by
  /// bit, and the constant is not.
  bool isMaskedConst();
  /// True if a kernel that reads this has an operand for it.
  bool needsMemory();
  /// The buffer that the first operand is; it must be one.
  const BufferRef &getSource() const { return op->operands[0].buffer; }
};

/// Owns nodes, numbers operations, counts users.
class LazyGraph {
public:
  LazyGraph() = default;
  LazyGraph(const LazyGraph &) = delete;
  ~LazyGraph();

  RuleTrace trace;
  /// False if kernels read constants from memory.
  bool foldsConstants = true;
  /// Notes that a rule had a part in what `buffer` is; inputs are as they are.
  void note(LazyBuffer &buffer, llvm::StringRef label) {
    if (buffer.op)
      trace.note(buffer.op->rules, label);
  }

  /// Makes the buffer of an input.
  BufferRef createInput(mlir::Value value);
  /// Makes an operation. `movement` as in LazyOp. It is on `device`, or, where
  /// that is empty, on that of its operands.
  OpRef createOp(ops::OpKind kind, DType dtype, LazyOperands operands,
                 mlir::Location loc, Movement movement = {},
                 llvm::StringRef device = {});
  /// Makes the buffer that `op` defines; `base` is null for one of its own.
  BufferRef createBuffer(Group group, shape::Layout layout, OpRef op,
                         BufferRef base);
  /// Returns the live buffer of an operation equal to `op` with `base`.
  LazyBuffer *findEqual(const LazyOp &op, LazyBuffer *base) const;

  /// Makes the inlined operand `index` of the elementwise `user` a buffer of
  /// `shape`, the one that it has already or a new one. Only for the time when
  /// kernels are formed: children are counted as if nothing had changed.
  BufferRef cutOperand(LazyOp &user, unsigned index, const shape::Sizes &shape);

  /// Returns how many live buffers are built directly on `buffer`: 0, 1, or 2
  /// for more. lazy.py's `len(buffer.children)`.
  unsigned countChildren(LazyBuffer &buffer);
  /// The number of operations that `countChildren` has looked at.
  uint64_t getNumVisits() const { return numVisits; }

  /// Makes `buffer`, whose kernel is formed, an input with this value.
  void realize(LazyBuffer &buffer, mlir::Value value);

  /// Makes room of operations that are gone. Called between source operations,
  /// when nothing but buffers holds operations.
  void recycle();

  /// Called when nothing holds a node anymore.
  void retire(LazyBuffer *buffer);
  void retire(LazyOp *op);

private:
  LazyOp &allocateOp(ops::OpKind kind, DType dtype, mlir::Location loc);
  LazyBuffer &allocateBuffer(Group group, DType dtype, shape::Layout layout);
  void setNumber(LazyOp &op);
  /// Takes the operation of `buffer` from it.
  void dropOp(LazyBuffer &buffer);
  void drain();

  using Key = std::vector<int64_t>;
  struct KeyHash {
    size_t operator()(const Key &key) const {
      return llvm::hash_combine_range(key.begin(), key.end());
    }
  };
  /// Numbers of live operations, and how many have them.
  std::unordered_map<Key, NumberUse, KeyHash> numbers;
  uint32_t lastNumber = 0;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, LazyBuffer *> buffersByNumber;
  // Nodes stay where they are: lists of users hold operations that are gone
  // until `recycle` takes them out.
  std::deque<LazyOp> allOps;
  std::deque<LazyBuffer> allBuffers;
  std::vector<LazyOp *> freeOps;
  std::vector<LazyBuffer *> freeBuffers;
  uint32_t lastOp = 0, lastBuffer = 0;
  size_t numDeadOps = 0;
  uint64_t numVisits = 0;
  std::vector<LazyOp *> retiredOps;
  std::vector<LazyBuffer *> retiredBuffers;
  bool isDraining = false;
};

/// Calls `visit` for each buffer that `op` reads, directly or through inlined
/// operations, in lazy.py's order, each once. lazy.py's `LazyOp.buffers`.
void forEachBuffer(LazyOp &op, llvm::function_ref<void(LazyBuffer &)> visit);

} // namespace tinygrad::lazy::schedule

#endif // TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_LAZYGRAPH_H
