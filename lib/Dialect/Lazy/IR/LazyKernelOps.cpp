//===- LazyKernelOps.cpp - Kernels and their accesses ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;

//===----------------------------------------------------------------------===//
// KernelOp: assembly
//===----------------------------------------------------------------------===//

/// Parses `keyword(%a, %b : type, type)`, or nothing where the keyword is not
/// there.
static ParseResult parseOperandGroup(OpAsmParser &parser, StringRef keyword,
                                     OperationState &result, int32_t &count) {
  count = 0;
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseOperandList(operands) ||
      parser.parseColonTypeList(types) || parser.parseRParen() ||
      parser.resolveOperands(operands, types, loc, result.operands))
    return failure();
  count = static_cast<int32_t>(operands.size());
  return success();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  StringAttr name;
  if (parser.parseSymbolName(name))
    return failure();
  properties.sym_name = name;
  int32_t numInputs, numInits;
  if (parseOperandGroup(parser, "ins", result, numInputs) ||
      parseOperandGroup(parser, "outs", result, numInits))
    return failure();
  properties.operandSegmentSizes = {numInputs, numInits};
  if (succeeded(parser.parseOptionalKeyword("plan"))) {
    PlanAttr plan;
    if (parser.parseCustomAttributeWithFallback(plan))
      return failure();
    properties.plan = plan;
  }
  SmallVector<Type> results;
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion()) ||
      parser.parseOptionalArrowTypeList(results))
    return failure();
  result.addTypes(results);
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  auto group = [&](StringRef keyword, OperandRange operands) {
    if (operands.empty())
      return;
    printer << ' ' << keyword << '(' << operands << " : " << operands.getTypes()
            << ')';
  };
  group("ins", getInputs());
  group("outs", getInits());
  if (PlanAttr plan = getPlanAttr()) {
    printer << " plan ";
    printer.printStrippedAttrOrType(plan);
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer << ' ';
  printer.printRegion(getBody());
  printer.printOptionalArrowTypeList(getResultTypes());
}

//===----------------------------------------------------------------------===//
// KernelOp: facts
//===----------------------------------------------------------------------===//

bool KernelOp::isOnMemory() {
  return llvm::any_of(getOperandTypes(), llvm::IsaPred<MemRefType>);
}

SmallVector<int64_t> KernelOp::getIterationShape() {
  SmallVector<int64_t> shape;
  auto merge = [&](Type type) {
    ArrayRef<int64_t> other = cast<RankedTensorType>(type).getShape();
    shape.resize(std::max(shape.size(), other.size()), 1);
    for (auto [extent, value] : llvm::zip(shape, other))
      if (value != 1)
        extent = value;
  };
  for (Operation &op : *getBlock()) {
    for (Type type : op.getResultTypes())
      merge(type);
    if (auto store = dyn_cast<StoreOp>(op))
      merge(store.getValue().getType());
  }
  return shape;
}

SmallVector<bool> KernelOp::getReducedAxes() {
  SmallVector<bool> reduced(getIterationShape().size(), false);
  for (Operation &op : *getBlock()) {
    if (!isa<ReduceOpInterface>(op))
      continue;
    auto from = cast<RankedTensorType>(op.getOperand(0).getType()).getShape();
    auto to = cast<RankedTensorType>(op.getResult(0).getType()).getShape();
    for (size_t i = 0; i < from.size(); ++i)
      if (from[i] != to[i])
        reduced[i] = true;
  }
  return reduced;
}

void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &input : getInputsMutable())
    if (isa<MemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (auto [index, init] : llvm::enumerate(getInitsMutable())) {
    if (!isa<MemRefType>(init.get().getType()))
      continue;
    BlockArgument argument =
        getBlock()->getArgument(getInputs().size() + index);
    if (llvm::any_of(argument.getUsers(), llvm::IsaPred<LoadOp>))
      effects.emplace_back(MemoryEffects::Read::get(), &init);
    effects.emplace_back(MemoryEffects::Write::get(), &init);
  }
}

//===----------------------------------------------------------------------===//
// KernelOp: verification
//===----------------------------------------------------------------------===//

LogicalResult KernelOp::verify() {
  // kernel_c1
  bool onMemory = isOnMemory();
  if (onMemory && !llvm::all_of(getOperandTypes(), llvm::IsaPred<MemRefType>))
    return emitOpError() << "expects operands that are all tensors or all "
                            "memrefs";
  size_t numResults = onMemory ? 0 : getInits().size();
  if (getNumResults() != numResults)
    return emitOpError() << "expects " << numResults << " results, got "
                         << getNumResults();
  // kernel_c7
  if (onMemory)
    for (auto [index, init] : llvm::enumerate(getInits()))
      if (llvm::count(getOperands(), init) != 1)
        return emitOpError() << "expects init " << index
                             << " to be memory that no other operand names";
  for (auto [result, init] : llvm::zip(getResults(), getInits()))
    if (result.getType() != init.getType())
      return emitOpError() << "expects a result of type " << init.getType()
                           << ", got " << result.getType();
  // kernel_c8
  if (onMemory || getNumOperands() == 0)
    return success();
  auto getOperandDevice = [&](unsigned index) {
    return getDevice(cast<RankedTensorType>(getOperand(index).getType()));
  };
  for (unsigned index = 1; index < getNumOperands(); ++index)
    if (getOperandDevice(index) != getOperandDevice(0))
      return emitOpError() << "expects operands on one device, got '"
                           << getOperandDevice(0) << "' and '"
                           << getOperandDevice(index) << "'";
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  Block *block = getBlock();
  // kernel_c2
  if (block->getArgumentTypes() != getOperandTypes())
    return emitOpError()
           << "expects block arguments with the types of the operands";
  // kernel_c3
  int64_t rank = -1;
  SmallVector<int64_t> extents;
  SmallVector<int> stores(getInits().size(), 0);
  for (Operation &op : *block) {
    if (!isa<ElementwiseOpInterface, ReduceOpInterface, ConstOp, LoadOp,
             StoreOp>(op)) {
      InFlightDiagnostic diag = emitOpError()
                                << "expects elementwise, reduce, const, load "
                                   "and store operations in its body, got `"
                                << op.getName() << "`";
      diag.attachNote(op.getLoc()) << "the operation is here";
      return diag;
    }
    // What a load reads and a store writes is memory; all else is a value.
    OperandRange values = op.getOperands();
    if (isa<LoadOp, StoreOp>(op))
      values = values.drop_back();
    if (llvm::any_of(values, llvm::IsaPred<BlockArgument>)) {
      InFlightDiagnostic diag =
          emitOpError()
          << "expects its arguments to be read by loads alone, got `"
          << op.getName() << "`";
      diag.attachNote(op.getLoc()) << "the operation is here";
      return diag;
    }
    Type type = op.getNumResults() ? op.getResult(0).getType()
                                   : op.getOperand(0).getType();
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    // kernel_c5
    if (rank < 0) {
      rank = static_cast<int64_t>(shape.size());
      extents.assign(shape.begin(), shape.end());
    }
    bool fits = static_cast<int64_t>(shape.size()) == rank;
    for (size_t i = 0; fits && i < shape.size(); ++i) {
      if (extents[i] == 1)
        extents[i] = shape[i];
      fits = shape[i] == 1 || shape[i] == extents[i];
    }
    if (!fits) {
      InFlightDiagnostic diag =
          emitOpError() << "expects values of one rank whose extents are equal "
                           "or 1, got "
                        << type;
      diag.attachNote(op.getLoc()) << "the value is made or stored here";
      return diag;
    }
    if (auto store = dyn_cast<StoreOp>(op)) {
      auto target = dyn_cast<BlockArgument>(store.getTarget());
      if (target && target.getOwner() == block &&
          target.getArgNumber() >= getInputs().size())
        ++stores[target.getArgNumber() - getInputs().size()];
    }
  }
  // kernel_c4
  for (auto [index, count] : llvm::enumerate(stores))
    if (count != 1)
      return emitOpError() << "expects one store into init " << index
                           << ", got " << count;
  // kernel_c6
  PlanAttr plan = getPlanAttr();
  if (!plan)
    return success();
  auto check = [&](StringRef field, ArrayRef<int64_t> axes) -> LogicalResult {
    for (int64_t axis : axes)
      if (axis >= rank)
        return emitOpError() << "expects `" << field << "` to name axes below "
                             << std::max<int64_t>(rank, 0) << ", got " << axis;
    return success();
  };
  if (failed(check("parallel", plan.getParallel())) ||
      failed(check("contract", plan.getRowAxes())) ||
      failed(check("contract", plan.getColumnAxes())) ||
      failed(check("contract", plan.getProductAxes())))
    return failure();
  return plan.hasVectorAxis() ? check("vector", plan.getVectorAxis())
                              : success();
}

//===----------------------------------------------------------------------===//
// LoadOp and StoreOp
//===----------------------------------------------------------------------===//

static Type getElement(Type type) {
  return cast<ShapedType>(type).getElementType();
}

/// Returns true if elements of type `element` may lie in memory of type
/// `container`: a tensor has them as they are, a memref as signless integers
/// and bool as `i8`.
static bool fitsInto(Type element, Type container) {
  if (isa<RankedTensorType>(container))
    return element == getElement(container);
  std::optional<DType> type = getDType(element);
  return type &&
         getMemoryType(element.getContext(), *type) == getElement(container);
}

/// Checks what loads and stores share: `value` is viewed by `tracker` in
/// `memory`.
static LogicalResult verifyAccess(Operation *op, RankedTensorType value,
                                  Type memory, ShapeTrackerAttr tracker) {
  if (tracker.isSymbolic())
    return op->emitOpError() << "expects a view with numbers, got " << tracker;
  if (value.getShape() != tracker.getShape())
    return op->emitOpError()
           << "expects a value of shape "
           << ops::toString(tracker.getShape().vec()) << ", got " << value;
  if (!fitsInto(value.getElementType(), memory))
    return op->emitOpError()
           << "expects elements of " << value << " to lie in " << memory;
  int64_t used = tracker.getRequiredSize();
  int64_t available = cast<ShapedType>(memory).getNumElements();
  if (used > available)
    return op->emitOpError()
           << "expects a view of no more than the " << available
           << " elements of " << memory << ", got one of " << used;
  return success();
}

LogicalResult LoadOp::verify() {
  // load_c1
  auto argument = dyn_cast<BlockArgument>(getSource());
  if (!argument || argument.getOwner() != (*this)->getBlock())
    return emitOpError() << "expects an argument of the kernel's body";
  // load_c2, load_c3
  return verifyAccess(*this, getType(), getSource().getType(), getTracker());
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (isa<MemRefType>(getSource().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
}

LogicalResult StoreOp::verify() {
  // store_c1
  auto kernel = (*this)->getParentOfType<KernelOp>();
  auto argument = dyn_cast<BlockArgument>(getTarget());
  if (!argument || argument.getOwner() != (*this)->getBlock() ||
      argument.getArgNumber() < kernel.getInputs().size())
    return emitOpError() << "expects an argument of the kernel's body that "
                            "stands for an init";
  // store_c2
  if (failed(verifyAccess(*this, getValue().getType(), getTarget().getType(),
                          getTracker())))
    return failure();
  // store_c3
  shape::ShapeTracker tracker = getTracker().getTracker();
  if (getValue().getType().getNumElements() != 0 &&
      (tracker.getViews().size() != 1 ||
       !tracker.getViews().back().isOneToOne()))
    return emitOpError() << "expects one view without a mask that reaches each "
                            "element once";
  return success();
}

void StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // On tensors too: a store has no result that would keep it alive.
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable());
}
