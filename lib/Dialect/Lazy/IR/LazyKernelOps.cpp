//===- LazyKernelOps.cpp - Kernels and their accesses ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"
#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using shape::IndexExpr;

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

/// Parses `variables(#i = %n, #j = %m)`, or nothing where the keyword is not
/// there.
static ParseResult parseVariables(OpAsmParser &parser, OperationState &result,
                                  ArrayAttr &variables, int32_t &count) {
  count = 0;
  if (failed(parser.parseOptionalKeyword("variables")))
    return success();
  Builder builder(parser.getContext());
  SmallVector<Attribute> names;
  auto parseOne = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand value;
    VariableAttr variable;
    if (parser.parseAttribute(variable) || parser.parseEqual() ||
        parser.parseOperand(value) ||
        parser.resolveOperand(value, builder.getIndexType(), result.operands))
      return failure();
    names.push_back(variable);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  count = static_cast<int32_t>(names.size());
  variables = builder.getArrayAttr(names);
  return success();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  StringAttr name;
  if (parser.parseSymbolName(name))
    return failure();
  properties.sym_name = name;
  int32_t numInputs, numInits, numBindings;
  ArrayAttr variables;
  if (parseOperandGroup(parser, "ins", result, numInputs) ||
      parseOperandGroup(parser, "outs", result, numInits) ||
      parseVariables(parser, result, variables, numBindings))
    return failure();
  properties.operandSegmentSizes = {numInputs, numInits, numBindings};
  properties.variables = variables;
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
  if (!getBindings().empty()) {
    printer << " variables(";
    llvm::interleaveComma(llvm::zip(*getVariables(), getBindings()), printer,
                          [&](auto pair) {
                            auto [variable, value] = pair;
                            printer << variable << " = " << value;
                          });
    printer << ')';
  }
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

shape::Sizes KernelOp::getIterationSizes() {
  // Of an extent that is no number, what it is comes from the type.
  shape::Dims shape;
  llvm::SmallDenseMap<size_t, RankedTensorType> dynamic;
  auto merge = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    shape.resize(std::max<size_t>(shape.size(), tensor.getRank()), 1);
    for (auto [axis, extent] : llvm::enumerate(tensor.getShape())) {
      if (extent != 1)
        shape[axis] = extent;
      if (ShapedType::isDynamic(extent))
        dynamic[axis] = tensor;
    }
  };
  for (Operation &op : *getBlock()) {
    for (Type type : op.getResultTypes())
      merge(type);
    if (auto store = dyn_cast<StoreOp>(op))
      merge(store.getValue().getType());
  }
  if (dynamic.empty())
    return shape;
  shape::SymbolicDims sizes(shape.begin(), shape.end());
  for (auto [axis, type] : dynamic)
    sizes[axis] = getSymbolicShape(type)[axis];
  return sizes;
}

SmallVector<int64_t> KernelOp::getIterationShape() {
  return llvm::to_vector(getIterationSizes().getNumbers());
}

SmallVector<IndexExpr> KernelOp::getVariableExprs() {
  SmallVector<IndexExpr> exprs;
  if (std::optional<ArrayAttr> variables = getVariables())
    for (auto variable : variables->getAsRange<VariableAttr>())
      exprs.push_back(variable.getExpr());
  return exprs;
}

SmallVector<bool> KernelOp::getReducedAxes() {
  SmallVector<bool> reduced(getIterationSizes().size(), false);
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

/// True if variables may occur in `op`, of a kernel's body, that do not occur
/// in its operands.
static bool addsVariables(Operation &op) {
  return isa<LoadOp, StoreOp, ExpandOp>(op) && isSymbolic(&op);
}

void KernelOp::addBindings(llvm::function_ref<Value(const IndexExpr &)> find) {
  std::vector<IndexExpr> used;
  for (Operation &op : *getBlock())
    if (addsVariables(op))
      llvm::append_range(used, lazy::getVariables(&op));
  SmallVector<Attribute> names;
  if (std::optional<ArrayAttr> variables = getVariables())
    llvm::append_range(names, *variables);
  for (const IndexExpr &variable : shape::collectVariables(used)) {
    auto name = VariableAttr::get(getContext(), variable.getName(),
                                  variable.getMin(), variable.getMax());
    if (llvm::is_contained(names, name))
      continue;
    Value value = find(variable);
    names.push_back(name);
    getBindingsMutable().append(value);
    getBlock()->addArgument(value.getType(), value.getLoc());
  }
  if (!names.empty())
    setVariablesAttr(ArrayAttr::get(getContext(), names));
}

void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &input : getInputsMutable())
    if (isa<MemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (auto [index, init] : llvm::enumerate(getInitsMutable())) {
    if (!isa<MemRefType>(init.get().getType())) {
      // The caller sees its tensor: such a kernel is an assign.
      if (isa<BlockArgument>(init.get()))
        effects.emplace_back(MemoryEffects::Write::get(), &init);
      continue;
    }
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
  if (onMemory &&
      !llvm::all_of(getData().getTypes(), llvm::IsaPred<MemRefType>))
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
  TypeRange types = getData().getTypes();
  for (Type type : onMemory ? TypeRange() : types) {
    StringRef device = getDevice(cast<RankedTensorType>(type));
    StringRef first = getDevice(cast<RankedTensorType>(types.front()));
    if (device != first)
      return emitOpError() << "expects operands on one device, got '" << first
                           << "' and '" << device << "'";
  }
  // kernel_c9
  size_t numVariables = getVariables() ? getVariables()->size() : 0;
  if (numVariables != getBindings().size())
    return emitOpError() << "expects a variable for each of its "
                         << getBindings().size() << " bindings, got "
                         << numVariables;
  llvm::SmallDenseSet<StringRef> names;
  if (numVariables)
    for (auto variable : getVariables()->getAsRange<VariableAttr>())
      if (!names.insert(variable.getName()).second)
        return emitOpError() << "expects one value for variable '"
                             << variable.getName() << "', got two";
  return success();
}

/// Checks that each variable of `op`, in the body of `kernel`, is one of
/// `known`; those of its operands have been checked.
static LogicalResult verifyVariables(KernelOp kernel, Operation &op,
                                     ArrayRef<IndexExpr> known) {
  if (!addsVariables(op))
    return success();
  for (const IndexExpr &variable : getVariables(&op)) {
    if (llvm::is_contained(known, variable))
      continue;
    const auto *other = llvm::find_if(known, [&](const IndexExpr &expr) {
      return expr.getName() == variable.getName();
    });
    InFlightDiagnostic diag = kernel.emitOpError();
    if (other == known.end())
      diag << "expects a value for variable '" << variable.getName() << "'";
    else
      diag << "expects variable '" << variable.getName() << "' in ["
           << other->getMin() << ", " << other->getMax() << "], got ["
           << variable.getMin() << ", " << variable.getMax() << "]";
    diag.attachNote(op.getLoc()) << "the variable is used here";
    return diag;
  }
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
  // Those that are no numbers.
  llvm::SmallDenseMap<size_t, shape::SymbolicDims> expressions;
  SmallVector<IndexExpr> variables = getVariableExprs();
  SmallVector<int> stores(getInits().size(), 0);
  for (Operation &op : *block) {
    bool isConstant =
        isa<ConstOp>(op) ||
        (isa<ExpandOp>(op) && op.getOperand(0).getDefiningOp<ConstOp>());
    if (!isConstant &&
        !isa<ElementwiseOpInterface, ReduceOpInterface, LoadOp, StoreOp>(op)) {
      InFlightDiagnostic diag =
          emitOpError() << "expects elementwise, reduce, const, load and store "
                           "operations in its body, and expands of constants, "
                           "got `"
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
    auto tensor = cast<RankedTensorType>(type);
    ArrayRef<int64_t> shape = tensor.getShape();
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
      if (fits && ShapedType::isDynamic(shape[i])) {
        shape::SymbolicDims extent = {getSymbolicShape(tensor)[i]};
        fits = expressions.try_emplace(i, extent).first->second == extent;
      }
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
    // kernel_c10
    if (failed(verifyVariables(*this, op, variables)))
      return failure();
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
  shape::Layout layout = tracker.getLayout();
  if (!layout.hasShape(getSizes(value)))
    return op->emitOpError() << "expects a value of shape "
                             << shape::toString(layout.getShape().getExprs())
                             << ", got " << value;
  if (!fitsInto(value.getElementType(), memory))
    return op->emitOpError()
           << "expects elements of " << value << " to lie in " << memory;
  auto shaped = cast<ShapedType>(memory);
  if (!shaped.hasStaticShape() || tracker.isSymbolic()) {
    // Memory of a size that is no number does not say what it is.
    auto tensor = dyn_cast<RankedTensorType>(memory);
    if (!tensor && !shaped.hasStaticShape())
      return success();
    return verifyReach(op, layout.getSymbolicTracker(),
                       tensor ? getSymbolicShape(tensor)
                              : shape::SymbolicDims{shaped.getNumElements()},
                       memory);
  }
  int64_t used = tracker.getRequiredSize();
  int64_t available = shaped.getNumElements();
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

/// True if `tracker` is one view without a mask that provably reaches each
/// element once: its axes can be ordered so that each steps over all that those
/// before it reach.
static bool isInjective(const shape::SymbolicShapeTracker &tracker) {
  const shape::SymbolicView &view = tracker.getViews().back();
  if (tracker.getViews().size() != 1 || view.mask)
    return false;
  SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < view.getRank(); ++axis)
    if (!view.shape[axis].isConstant(1))
      axes.push_back(axis);
  IndexExpr reach = 0;
  while (!axes.empty()) {
    // The smallest stride is next; where that is not known, that of the last
    // axis, as in row-major views.
    auto next = llvm::find_if(axes, [&](int64_t axis) {
      return llvm::all_of(axes, [&](int64_t other) {
        return shape::isProvablyLessOrEqual(view.strides[axis],
                                            view.strides[other]);
      });
    });
    if (next == axes.end())
      next = std::prev(axes.end());
    if (!shape::isProvablyLess(reach, view.strides[*next]))
      return false;
    reach = reach + view.strides[*next] * (view.shape[*next] - 1);
    axes.erase(next);
  }
  return true;
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
  shape::Layout layout = getTracker().getLayout();
  bool isOneToOne;
  if (layout.isSymbolic()) {
    isOneToOne = isInjective(layout.getSymbolicTracker());
  } else {
    const shape::ShapeTracker &tracker = layout.getTracker();
    isOneToOne = tracker.getNumElements() == 0 ||
                 (tracker.getViews().size() == 1 &&
                  tracker.getViews().back().isOneToOne());
  }
  if (!isOneToOne)
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
