//===- ShareMemory.cpp - Allocations that several values use --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two steps. First, where a kernel may write over what it reads for the last
// time, both memrefs become one group; a kernel that then copies elements to
// where they are goes away. Then the groups get buffers, in the order in which
// they begin to live: memory of a result that is not written yet, memory of a
// group that is dead, or new memory. Dead memory that is kept for later must
// not lift the peak, so the oldest is given up where it would.
//
//===----------------------------------------------------------------------===//

#include "ShareMemory.h"
#include "ScheduleVersions.h"

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Dialect/Lazy/Transforms/SizeArithmetic.h"

#include "llvm/Support/MathExtras.h"

#include <list>
#include <queue>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;

/// Returns the bytes of `numElements` elements.
static int64_t getNumBytes(int64_t numElements, Type elementType) {
  std::optional<DType> element = getDType(elementType);
  int64_t numBytes;
  if (llvm::MulOverflow<int64_t>(
          numElements, element ? getByteWidth(*element) : 1, numBytes))
    return std::numeric_limits<int64_t>::max();
  return numBytes;
}

/// Returns the most bytes that `alloc` may take.
static int64_t getNumBytes(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  if (type.hasStaticShape())
    return getNumBytes(type.getNumElements(), type.getElementType());
  std::optional<shape::IndexExpr> size =
      alloc.getDynamicSizes().size() == 1
          ? readSize(alloc.getDynamicSizes().front())
          : std::nullopt;
  return size ? getNumBytes(size->getMax(), type.getElementType())
              : std::numeric_limits<int64_t>::max();
}

int64_t lazy::computePeakBytes(Block &block) {
  int64_t total = 0, peak = 0;
  for (Operation &op : block) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      if (llvm::AddOverflow(total, getNumBytes(alloc), total))
        return std::numeric_limits<int64_t>::max();
      peak = std::max(peak, total);
    } else if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      if (auto alloc = dealloc.getMemref().getDefiningOp<memref::AllocOp>())
        total -= getNumBytes(alloc);
    }
  }
  return peak;
}

namespace {

/// A memref of the plan.
struct Item {
  Value memref;
  /// The positions of the kernels that use it first and last.
  size_t first = SIZE_MAX, last = 0;
};

/// Items that lie in the same memory because kernels write over what they read,
/// in the order in which they live.
struct Group {
  SmallVector<size_t, 2> items;
  size_t first, last;
  int64_t numBytes;
  /// Ends in the memory of a result, which lives to the end.
  bool isResult = false;
};

/// Memory, and the groups that lie in it.
struct Buffer {
  SmallVector<size_t> groups;
  /// For a result: when it is free, before its own group begins to live.
  size_t freeFrom = 0;
};

class MemorySharer {
public:
  MemorySharer(func::FuncOp function, size_t numInputs,
               const MemoryContents &contents)
      : block(function.getBody().front()), numInputs(numInputs),
        contents(contents) {}

  void run();

private:
  void collect();
  void addItem(Value memref);
  void mergeInPlace();
  void mergeInPlace(size_t position, KernelOp kernel);
  /// The most bytes that groups outside of results take at once, or nothing
  /// where the sum of all does not fit.
  std::optional<int64_t> computeBound() const;
  void assignBuffers(int64_t bound);
  void rewrite();
  void eraseInput(KernelOp kernel, Value memref);
  void eraseSelfCopies();

  /// What memory has to have in common to be shared: type, size and device.
  using Kind = Type;
  Kind getKind(const Group &group) const {
    return contents.lookup(items[group.items.front()].memref);
  }

  Block &block;
  size_t numInputs;
  const MemoryContents &contents;
  /// Kernels, customs and copies, in their order.
  SmallVector<Operation *> ops;
  std::vector<Item> items;
  llvm::DenseMap<Value, size_t> itemOf;
  std::vector<Group> groups;
  /// By item.
  std::vector<size_t> groupOf;
  std::vector<Buffer> buffers;
  /// Kernels, and the memory that they read and overwrite.
  SmallVector<std::pair<KernelOp, Value>> inPlace;
};

} // namespace

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

/// Returns the memory that steps use before they have written all of it: what
/// it begins with matters.
static llvm::DenseSet<Value> findReadFirst(ArrayRef<Operation *> steps) {
  llvm::DenseSet<Value> seen, readFirst;
  for (Operation *step : steps)
    for (auto [form, memory] :
         llvm::zip(getVersionForm(step), step->getOperands()))
      if (seen.insert(memory).second && form.read)
        readFirst.insert(memory);
  return readFirst;
}

void MemorySharer::addItem(Value memref) {
  // A file holds something before it is written.
  if (holdsDataOnly(getDevice(contents.lookup(memref))))
    return;
  itemOf[memref] = items.size();
  items.push_back({memref});
}

void MemorySharer::collect() {
  for (Operation &op : block)
    if (isScheduleStep(&op))
      ops.push_back(&op);
  llvm::DenseSet<Value> readFirst = findReadFirst(ops);
  auto add = [&](Value memref) {
    if (!readFirst.contains(memref))
      addItem(memref);
  };
  for (BlockArgument argument : block.getArguments().drop_front(numInputs))
    add(argument);
  for (auto alloc : block.getOps<memref::AllocOp>())
    add(alloc);
  for (auto [position, op] : llvm::enumerate(ops))
    for (OpOperand &operand : op->getOpOperands()) {
      auto found = itemOf.find(operand.get());
      if (found == itemOf.end())
        continue;
      Item &item = items[found->second];
      item.first = std::min(item.first, position);
      item.last = position;
    }
  for (auto [index, item] : llvm::enumerate(items)) {
    bool isResult = isa<BlockArgument>(item.memref);
    RankedTensorType type = contents.lookup(item.memref);
    int64_t largest = getSymbolicShape(type).front().getMax();
    groupOf.push_back(groups.size());
    groups.push_back({{index},
                      item.first,
                      isResult ? SIZE_MAX : item.last,
                      getNumBytes(largest, type.getElementType()),
                      isResult});
  }
}

//===----------------------------------------------------------------------===//
// Kernels in place
//===----------------------------------------------------------------------===//

void MemorySharer::mergeInPlace() {
  for (auto [position, op] : llvm::enumerate(ops))
    if (auto kernel = dyn_cast<KernelOp>(op))
      mergeInPlace(position, kernel);
}

void MemorySharer::mergeInPlace(size_t position, KernelOp kernel) {
  if (kernel.getInits().size() != 1)
    return;
  auto target = itemOf.find(kernel.getInits()[0]);
  if (target == itemOf.end() || items[target->second].first != position)
    return;
  size_t targetGroup = groupOf[target->second];
  StoreOp store = getStore(kernel, 0);
  for (Value input : kernel.getInputs()) {
    auto source = itemOf.find(input);
    if (source == itemOf.end() ||
        contents.lookup(input) != contents.lookup(target->first))
      continue;
    Group &group = groups[groupOf[source->second]];
    bool isSafe = group.last == position;
    for (auto [argument, other] :
         llvm::zip(kernel.getBlock()->getArguments(), kernel.getInputs()))
      isSafe &= other != input ||
                loadsInPlace(argument, store, store.getTracker().getLayout());
    if (!isSafe)
      continue;
    Group &later = groups[targetGroup];
    group.items.append(later.items);
    group.last = later.last;
    group.isResult = later.isResult;
    groupOf[target->second] = groupOf[source->second];
    later.items.clear();
    inPlace.emplace_back(kernel, input);
    return;
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

std::optional<int64_t> MemorySharer::computeBound() const {
  std::vector<int64_t> changes(ops.size() + 1, 0);
  int64_t all = 0, total = 0, bound = 0;
  for (const Group &group : groups) {
    if (group.items.empty() || group.isResult)
      continue;
    if (llvm::AddOverflow(all, group.numBytes, all))
      return std::nullopt;
    changes[group.first] += group.numBytes;
    changes[group.last + 1] -= group.numBytes;
  }
  for (int64_t change : changes)
    bound = std::max(bound, total += change);
  return bound;
}

void MemorySharer::assignBuffers(int64_t bound) {
  SmallVector<size_t> order;
  // Buffers of results, by kind.
  llvm::DenseMap<Kind, SmallVector<size_t>> results;
  for (auto [index, group] : llvm::enumerate(groups)) {
    if (group.items.empty())
      continue;
    if (!group.isResult) {
      order.push_back(index);
      continue;
    }
    results[getKind(group)].push_back(buffers.size());
    buffers.push_back({{index}});
  }
  llvm::sort(order, [&](size_t lhs, size_t rhs) {
    return std::pair(groups[lhs].first, lhs) <
           std::pair(groups[rhs].first, rhs);
  });
  // Memory that is taken, by the end of the life of what is in it.
  using Taken = std::pair<size_t, size_t>;
  std::priority_queue<Taken, std::vector<Taken>, std::greater<Taken>> taken;
  // Memory that is kept, the oldest first, and by kind.
  std::list<size_t> kept;
  using Place = std::list<size_t>::iterator;
  llvm::DenseMap<Kind, SmallVector<Place>> keptOf;
  auto getBytes = [&](size_t buffer) {
    return groups[buffers[buffer].groups.front()].numBytes;
  };
  int64_t total = 0;
  for (size_t index : order) {
    const Group &group = groups[index];
    Kind kind = getKind(group);
    while (!taken.empty() && taken.top().first < group.first) {
      size_t buffer = taken.top().second;
      kept.push_back(buffer);
      keptOf[getKind(groups[buffers[buffer].groups.front()])].push_back(
          std::prev(kept.end()));
      taken.pop();
    }
    auto result = llvm::find_if(results[kind], [&](size_t buffer) {
      return buffers[buffer].freeFrom <= group.first &&
             group.last < groups[buffers[buffer].groups.front()].first;
    });
    if (result != results[kind].end()) {
      buffers[*result].groups.push_back(index);
      buffers[*result].freeFrom = group.last + 1;
      continue;
    }
    SmallVector<Place> &fitting = keptOf[kind];
    size_t buffer = buffers.size();
    if (!fitting.empty()) {
      buffer = *fitting.back();
      kept.erase(fitting.pop_back_val());
      buffers[buffer].groups.push_back(index);
    } else {
      while (!kept.empty() && total > bound - group.numBytes) {
        size_t oldest = kept.front();
        total -= getBytes(oldest);
        // It is the oldest of its kind, too.
        auto &others = keptOf[getKind(groups[buffers[oldest].groups.front()])];
        others.erase(others.begin());
        kept.pop_front();
      }
      total += group.numBytes;
      buffers.push_back({{index}});
    }
    taken.emplace(group.last, buffer);
  }
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Makes `kernel` read through its init what it reads of `memref`.
void MemorySharer::eraseInput(KernelOp kernel, Value memref) {
  BlockArgument init = getInitArgument(kernel, 0);
  SmallVector<OperandVersions> versions = *getVersions(kernel);
  for (size_t i = kernel.getInputs().size(); i-- > 0;) {
    if (kernel.getInputs()[i] != memref)
      continue;
    // The last version is that of the init.
    versions.back().read = versions[i].read;
    versions.erase(versions.begin() + i);
    kernel.getBlock()->getArgument(i).replaceAllUsesWith(init);
    kernel.getBlock()->eraseArgument(i);
    kernel.getInputsMutable().erase(i);
  }
  setVersions(kernel, versions);
}

/// True if `kernel` only stores elements where it has loaded them.
static bool isSelfCopy(KernelOp kernel) {
  StoreOp store = getStore(kernel, 0);
  auto load = store.getValue().getDefiningOp<LoadOp>();
  return load && kernel.getInputs().empty() &&
         load.getSource() == store.getTarget() &&
         load.getTracker() == store.getTracker();
}

/// Erases the copies whose result lies where their source is: it is what was
/// there before.
void MemorySharer::eraseSelfCopies() {
  // The version that each of their results is.
  llvm::DenseMap<int64_t, int64_t> sameAs;
  auto replace = [&](int64_t &number) {
    if (auto found = sameAs.find(number); found != sameAs.end())
      number = found->second;
  };
  for (auto [kernel, memref] : inPlace) {
    if (!isSelfCopy(kernel))
      continue;
    OperandVersions versions = getVersions(kernel)->back();
    replace(*versions.read);
    sameAs[*versions.made] = *versions.read;
    kernel.erase();
  }
  if (sameAs.empty())
    return;
  for (Operation &op : block) {
    if (isScheduleStep(&op)) {
      SmallVector<OperandVersions> versions = *getVersions(&op);
      for (OperandVersions &version : versions)
        if (version.read)
          replace(*version.read);
      setVersions(&op, versions);
    } else if (auto noted = getVersionNumbers(&op)) {
      SmallVector<int64_t> numbers(*noted);
      llvm::for_each(numbers, replace);
      setVersionNumbers(&op, numbers);
    }
  }
}

/// Erases what computes `values`, where nothing else uses it.
static void eraseUnused(SmallVector<Value> values) {
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (!op || !op->use_empty())
      continue;
    llvm::append_range(values, op->getOperands());
    op->erase();
  }
}

void MemorySharer::rewrite() {
  // By item.
  std::vector<Value> memory(items.size());
  for (Buffer &buffer : buffers) {
    llvm::sort(buffer.groups, [&](size_t lhs, size_t rhs) {
      return groups[lhs].first < groups[rhs].first;
    });
    const Group &last = groups[buffer.groups.back()];
    Value shared =
        items[last.isResult ? last.items.back()
                            : groups[buffer.groups.front()].items.front()]
            .memref;
    for (size_t group : buffer.groups)
      for (size_t item : groups[group].items)
        memory[item] = shared;
  }
  for (auto [kernel, memref] : inPlace)
    eraseInput(kernel, memref);
  eraseSelfCopies();
  for (auto [item, shared] : llvm::zip(items, memory)) {
    if (shared == item.memref)
      continue;
    item.memref.replaceAllUsesWith(shared);
    SmallVector<Value> sizes(item.memref.getDefiningOp()->getOperands());
    item.memref.getDefiningOp()->erase();
    eraseUnused(sizes);
  }
}

void MemorySharer::run() {
  collect();
  mergeInPlace();
  if (std::optional<int64_t> bound = computeBound()) {
    assignBuffers(*bound);
  } else {
    for (size_t index = 0; index < groups.size(); ++index)
      if (!groups[index].items.empty())
        buffers.push_back({{index}});
  }
  rewrite();
}

void lazy::shareMemory(func::FuncOp function, size_t numInputs,
                       const MemoryContents &contents) {
  MemorySharer(function, numInputs, contents).run();
}
