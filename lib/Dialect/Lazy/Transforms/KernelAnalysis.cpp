//===- KernelAnalysis.cpp - Facts about the body of a kernel --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;

/// Returns the element from which on `tracker` shows elements side by side, in
/// their order.
static std::optional<int64_t> findOffset(const shape::ShapeTracker &tracker) {
  const shape::View &only = tracker.getViews().front();
  if (tracker.getViews().size() != 1 ||
      only !=
          shape::View::create(only.getShape(), std::nullopt, only.getOffset()))
    return std::nullopt;
  return only.getOffset();
}

std::optional<CopiedRange> lazy::findCopiedRange(Value source) {
  if (source.getDefiningOp<ConstOp>())
    return std::nullopt;
  auto view = source.getDefiningOp<ViewOp>();
  if (!view)
    return CopiedRange{source, 0};
  if (view.getTracker().isSymbolic() ||
      isa_and_nonnull<ViewOp, ConstOp>(view.getSource().getDefiningOp()))
    return std::nullopt;
  std::optional<int64_t> offset =
      findOffset(view.getTracker().getTracker().simplify());
  if (!offset)
    return std::nullopt;
  return CopiedRange{view.getSource(), *offset};
}

std::optional<int64_t> lazy::findAssignedOffset(const Storage &storage) {
  if (storage.layout.isContiguous())
    return 0;
  if (storage.layout.isSymbolic())
    return std::nullopt;
  return findOffset(storage.layout.getTracker());
}

StringRef lazy::getMemoryDevice(Value memory) {
  StringAttr device;
  if (Operation *op = memory.getDefiningOp()) {
    device = op->getAttrOfType<StringAttr>(deviceAttrName);
  } else {
    auto argument = cast<BlockArgument>(memory);
    if (auto function =
            dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp()))
      device = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                     deviceAttrName);
  }
  return device ? device.getValue() : StringRef(defaultDevice);
}

std::string lazy::formatCount(uint64_t count, StringRef noun) {
  return (Twine(count) + " " + noun + (count == 1 ? "" : "s")).str();
}

bool lazy::hasGraph(func::FuncOp function) {
  return function
      .walk<WalkOrder::PreOrder>([](Operation *op) {
        if (isa<KernelOp>(op))
          return WalkResult::skip();
        return isa<ComputeOpInterface, ContiguousOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

BlockArgument lazy::getInitArgument(KernelOp kernel, size_t index) {
  return kernel.getBlock()->getArgument(kernel.getInputs().size() + index);
}

StoreOp lazy::getStore(KernelOp kernel, size_t index) {
  for (Operation *user : getInitArgument(kernel, index).getUsers())
    if (auto store = dyn_cast<StoreOp>(user))
      return store;
  llvm_unreachable("a kernel stores into each init");
}

bool lazy::hasLoads(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), llvm::IsaPred<LoadOp>);
}

/// Returns the values of `kernel` that a reduce reads, itself or through what
/// is computed from them.
static llvm::DenseSet<Value> findReduced(KernelOp kernel) {
  llvm::DenseSet<Value> reduced;
  for (Operation &op : llvm::reverse(*kernel.getBlock()))
    if (isa<ReduceOpInterface>(op) ||
        llvm::any_of(op.getResults(),
                     [&](Value value) { return reduced.contains(value); }))
      reduced.insert_range(op.getOperands());
  return reduced;
}

LoadOp lazy::findLoadOutOfPlace(BlockArgument argument, StoreOp store,
                                const shape::Layout &layout) {
  if (!hasLoads(argument))
    return {};
  shape::Sizes shape = getSizes(store.getValue().getType());
  llvm::DenseSet<Value> reduced =
      findReduced(store->getParentOfType<KernelOp>());
  for (Operation *user : argument.getUsers()) {
    auto load = dyn_cast<LoadOp>(user);
    if (load && (getSizes(load.getType()) != shape ||
                 !load.getTracker().getLayout().isEquivalent(layout) ||
                 reduced.contains(load)))
      return load;
  }
  return {};
}

bool lazy::loadsInPlace(BlockArgument argument, StoreOp store,
                        const shape::Layout &layout) {
  return !findLoadOutOfPlace(argument, store, layout);
}

Value lazy::findVariable(FunctionOpInterface function,
                         const shape::IndexExpr &variable) {
  for (BlockArgument argument : function.getArguments()) {
    auto bound = function.getArgAttrOfType<VariableAttr>(
        argument.getArgNumber(), variableAttrName);
    if (bound && bound.getExpr() == variable)
      return argument;
  }
  return {};
}

LogicalResult lazy::verifyBound(FunctionOpInterface function, Operation *op) {
  if (!isSymbolic(op))
    return success();
  for (const shape::IndexExpr &variable : getVariables(op))
    if (!findVariable(function, variable))
      return op->emitOpError()
             << "expects an `index` argument of its function for variable '"
             << variable.getName() << "' in [" << variable.getMin() << ", "
             << variable.getMax() << "]";
  return success();
}

std::string lazy::getKernelName(StringRef kind, const shape::Sizes &shape) {
  std::string name = kind.str();
  if (!shape.isSymbolic()) {
    for (int64_t extent : shape.getNumbers())
      name += "_" + std::to_string(extent);
    return name;
  }
  for (const shape::IndexExpr &extent : shape.getExprs()) {
    // Languages of GPUs take no other names.
    std::string text = extent.toString();
    llvm::erase_if(text, [](char c) { return !llvm::isAlnum(c) && c != '_'; });
    name += "_" + text;
  }
  return name;
}

std::optional<shape::IndexExpr> lazy::getNumTasks(Operation *op) {
  std::optional<shape::IndexExpr> tasks;
  Attribute attribute = op->getAttr(tasksAttrName);
  if (auto number = dyn_cast_or_null<IntegerAttr>(attribute))
    tasks = number.getInt();
  auto sizes = dyn_cast_or_null<SizesAttr>(attribute);
  if (sizes && sizes.size() == 1)
    tasks = sizes.getSizes().front();
  return tasks && tasks->getMin() >= 0 ? tasks : std::nullopt;
}

ReduceOpInterface lazy::getOnlyReduce(KernelOp kernel) {
  ReduceOpInterface found;
  for (auto reduce : kernel.getBlock()->getOps<ReduceOpInterface>()) {
    if (found)
      return nullptr;
    found = reduce;
  }
  return found;
}

MulOp lazy::getSummedProduct(ReduceOpInterface reduce) {
  if (!isa<ReduceSumOp>(reduce))
    return nullptr;
  auto product = reduce->getOperand(0).getDefiningOp<MulOp>();
  return product && product->hasOneUse() ? product : nullptr;
}

bool lazy::variesAlong(Value value, ArrayRef<int64_t> axes) {
  SmallVector<Value> worklist{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!seen.insert(op).second)
      continue;
    if (auto load = dyn_cast<LoadOp>(op)) {
      auto strides = load.getTracker().getLayout().getRealStrides();
      for (int64_t axis : axes)
        if (load.getType().getShape()[axis] != 1 &&
            !(strides[axis] && strides[axis]->isConstant(0)))
          return true;
      continue;
    }
    llvm::append_range(worklist, op->getOperands());
  }
  return false;
}

/// Removes from `axes` all before the last run of axes that `view` has side by
/// side, so that the rest is one contiguous range of the buffer.
static void keepContiguousTail(SmallVectorImpl<int64_t> &axes,
                               const shape::View &view) {
  size_t first = axes.size();
  int64_t expected = 1;
  while (first > 0) {
    int64_t axis = axes[first - 1];
    if (view.getStrides()[axis] != expected)
      break;
    expected *= view.getShape()[axis];
    --first;
  }
  axes.erase(axes.begin(), axes.begin() + first);
}

std::optional<ContractionAxes> lazy::matchContraction(KernelOp kernel) {
  ReduceOpInterface reduce = getOnlyReduce(kernel);
  MulOp product = reduce ? getSummedProduct(reduce) : MulOp();
  auto stores = kernel.getBlock()->getOps<StoreOp>();
  // Bools are bits in vectors and bytes in memory: they are not packed.
  if (!product || !llvm::hasSingleElement(stores) ||
      getElementTypeOrSelf(product.getType()).isInteger(1))
    return std::nullopt;
  // Blocks and their remainders are not made for extents that are no numbers.
  if (kernel.getIterationSizes().isSymbolic())
    return std::nullopt;
  SmallVector<int64_t> shape = kernel.getIterationShape();
  SmallVector<bool> reduced = kernel.getReducedAxes();
  ContractionAxes axes;
  SmallVector<int64_t> onlyLeft, onlyRight;
  for (int64_t axis = 0, rank = shape.size(); axis < rank; ++axis) {
    if (reduced[axis]) {
      axes.products.push_back(axis);
      continue;
    }
    bool left = variesAlong(product.getLhs(), axis);
    bool right = variesAlong(product.getRhs(), axis);
    if (left && !right)
      onlyLeft.push_back(axis);
    if (right && !left)
      onlyRight.push_back(axis);
  }
  // The columns are those that are stored side by side.
  shape::Layout layout = (*stores.begin()).getTracker().getLayout();
  if (layout.isSymbolic())
    return std::nullopt;
  shape::ShapeTracker tracker = layout.getTracker();
  const shape::View &view = tracker.getViews().back();
  SmallVector<int64_t> leftColumns(onlyLeft), rightColumns(onlyRight);
  keepContiguousTail(leftColumns, view);
  keepContiguousTail(rightColumns, view);
  bool isRight = leftColumns.empty();
  axes.rows = isRight ? onlyLeft : onlyRight;
  axes.columns = isRight ? rightColumns : leftColumns;
  if (axes.rows.empty() || axes.columns.empty() || axes.products.empty())
    return std::nullopt;
  return axes;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Returns `a * b` or `a + b`, or the largest number where that does not fit.
static int64_t multiply(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result)
             ? std::numeric_limits<int64_t>::max()
             : result;
}
static int64_t add(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result)
             ? std::numeric_limits<int64_t>::max()
             : result;
}

/// Returns the number of arithmetic operations per element of a result.
static int64_t getOperationsPerElement(ops::OpKind kind) {
  switch (kind) {
  case ops::OpKind::Noop:
  case ops::OpKind::Cast:
  case ops::OpKind::Bitcast:
    return 0;
  case ops::OpKind::MulAcc:
    return 2;
  default:
    return 1;
  }
}

/// Returns how many elements an access through `tracker` touches at most: along
/// an axis of stride 0 they are the same ones, and masked ones are none.
static int64_t countElements(const shape::ShapeTracker &tracker) {
  const shape::View &view = tracker.getViews().back();
  int64_t count = 1;
  for (int64_t axis = 0; axis < view.getRank(); ++axis) {
    int64_t extent = view.getShape()[axis];
    if (const shape::Mask *mask = view.getMask())
      extent = (*mask)[axis].second - (*mask)[axis].first;
    if (extent != 0 && view.getStrides()[axis] == 0)
      extent = 1;
    count = multiply(count, extent);
  }
  return count;
}

/// Returns how many elements a tensor has with all variables at their largest.
static int64_t countElements(RankedTensorType type) {
  return shape::Layout::fromShape(getSizes(type)).getLargest().getNumElements();
}

KernelCost lazy::computeKernelCost(KernelOp kernel) {
  KernelCost cost;
  // Elements by argument, read and written.
  llvm::MapVector<Value, int64_t> read, written;
  for (Operation &op : *kernel.getBlock()) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      int64_t &count = read[load.getSource()];
      count =
          add(count, countElements(load.getTracker().getLayout().getLargest()));
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      int64_t &count = written[store.getTarget()];
      count = add(count,
                  countElements(store.getTracker().getLayout().getLargest()));
    } else if (isa<ReduceOpInterface>(op)) {
      auto source = cast<RankedTensorType>(op.getOperand(0).getType());
      cost.flops = add(cost.flops, countElements(source));
    } else if (isa<ElementwiseOpInterface>(op)) {
      auto result = cast<RankedTensorType>(op.getResult(0).getType());
      int64_t each =
          getOperationsPerElement(cast<ComputeOpInterface>(op).getKind());
      cost.flops = add(cost.flops, multiply(each, countElements(result)));
    }
  }
  auto countBytes = [](const llvm::MapVector<Value, int64_t> &elements) {
    int64_t bytes = 0;
    for (auto [buffer, count] : elements) {
      auto type = cast<ShapedType>(buffer.getType());
      std::optional<DType> element = getDType(type.getElementType());
      int64_t width = element ? getByteWidth(*element) : 1;
      int64_t elements = count;
      if (type.hasStaticShape())
        elements = std::min(count, type.getNumElements());
      bytes = add(bytes, multiply(elements, width));
    }
    return bytes;
  };
  cost.bytesRead = countBytes(read);
  cost.bytesWritten = countBytes(written);
  return cost;
}
