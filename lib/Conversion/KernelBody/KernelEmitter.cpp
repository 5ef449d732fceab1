//===- KernelEmitter.cpp - The body of a kernel at one position -----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "EmitElementwise.h"

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using ops::OpKind;

Value tinygrad::emitScalar(ImplicitLocOpBuilder &b, const ops::Scalar &value,
                           int64_t width) {
  MLIRContext *context = b.getContext();
  // The splat attribute of the dialect knows how each element type is held; a
  // signless one is made of it.
  auto splat = getSplatAttr(
      lazy::getTensorType(context, ops::Shape(), value.getType()), value);
  Type element = getComputeType(context, value.getType());
  TypedAttr attr;
  if (isFloat(value.getType()))
    attr = FloatAttr::get(element, splat.getSplatValue<APFloat>());
  else
    attr = IntegerAttr::get(element, splat.getSplatValue<APInt>());
  if (width != 1)
    attr = DenseElementsAttr::get(VectorType::get({width}, element),
                                  Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

KernelEmitter::KernelEmitter(ImplicitLocOpBuilder &builder, KernelOp kernel,
                             ValueRange arguments)
    : b(builder), kernel(kernel) {
  SmallVector<shape::IndexExpr> variables = kernel.getVariableExprs();
  ValueRange data = arguments.drop_back(variables.size());
  memory.assign(data.begin(), data.end());
  for (auto [variable, value] :
       llvm::zip(variables, arguments.drop_front(data.size())))
    bindings.emplace_back(variable, value);
}

DType KernelEmitter::getType(Value value) {
  return *getDType(getElementTypeOrSelf(value.getType()));
}

DType KernelEmitter::getAccumulationType(ReduceOpInterface reduce) {
  DType type = getType(reduce->getResult(0));
  return reduce.getKind() == OpKind::ReduceSum
             ? tinygrad::getAccumulationType(type)
             : type;
}

Value KernelEmitter::emit(Value value, const Position &position, Known &known) {
  if (Value found = known.lookup(value))
    return found;
  // The operations that `value` needs and that are not there yet; in the order
  // of the body each comes after its operands.
  llvm::SmallPtrSet<Operation *, 16> needed;
  SmallVector<Operation *> worklist{value.getDefiningOp()};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!needed.insert(op).second || isa<LoadOp>(op))
      continue;
    for (Value operand : op->getOperands())
      if (!known.contains(operand))
        worklist.push_back(operand.getDefiningOp());
  }
  for (Operation &op : *kernel.getBlock())
    if (needed.contains(&op))
      known[op.getResult(0)] = emitOp(&op, position, known);
  return known.lookup(value);
}

Value KernelEmitter::emitOp(Operation *op, const Position &position,
                            Known &known) {
  if (auto load = dyn_cast<LoadOp>(op)) {
    unsigned index = cast<BlockArgument>(load.getSource()).getArgNumber();
    return emitLoad(b, memory[index],
                    accesses.get(op, load.getTracker().getLayout(), position),
                    position, getType(load));
  }
  if (auto constant = dyn_cast<ConstOp>(op))
    return emitScalar(b, constant.getScalar(), position.width);
  // A constant in more places.
  if (isa<ExpandOp>(op))
    return known.lookup(op->getOperand(0));
  auto elementwise = cast<ElementwiseOpInterface>(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(known.lookup(operand));
  OpKind kind = cast<ComputeOpInterface>(elementwise.getOperation()).getKind();
  return emitElementwise(b, kind, operands, getType(op->getOperands().back()),
                         getType(op->getResult(0)), getType(op->getOperand(0)));
}

void KernelEmitter::emitStore(StoreOp store, const Position &position,
                              Known &known) {
  Value value = emit(store.getValue(), position, known);
  unsigned index = cast<BlockArgument>(store.getTarget()).getArgNumber();
  tinygrad::emitStore(
      b, value, memory[index],
      accesses.get(store, store.getTracker().getLayout(), position), position,
      getType(store.getValue()));
}

Value KernelEmitter::emitIdentity(ReduceOpInterface reduce, int64_t width) {
  return emitScalar(
      b, ops::getIdentity(reduce.getKind(), getAccumulationType(reduce)),
      width);
}

Value KernelEmitter::emitReduceStep(ReduceOpInterface reduce, Value accumulator,
                                    const Position &position, Known &known) {
  DType type = getAccumulationType(reduce);
  DType elementType = getType(reduce->getOperand(0));
  MulOp product = getSummedProduct(reduce);
  if (product && isFloat(type)) {
    Value lhs =
        emitCast(b, emit(product.getLhs(), position, known), elementType, type);
    Value rhs =
        emitCast(b, emit(product.getRhs(), position, known), elementType, type);
    return math::FmaOp::create(b, lhs, rhs, accumulator);
  }
  Value element = emitCast(b, emit(reduce->getOperand(0), position, known),
                           elementType, type);
  return emitAccumulate(b, reduce.getKind(), accumulator, element, type);
}

Value KernelEmitter::emitHorizontal(ReduceOpInterface reduce,
                                    Value vectorAccumulator,
                                    Value accumulator) {
  DType type = getAccumulationType(reduce);
  bool isSum = reduce.getKind() == OpKind::ReduceSum;
  vector::CombiningKind kind;
  if (type == DType::Bool)
    kind = vector::CombiningKind::OR;
  else if (isSum)
    kind = vector::CombiningKind::ADD;
  else if (isFloat(type))
    kind = vector::CombiningKind::MAXIMUMF;
  else
    kind = isUnsigned(type) ? vector::CombiningKind::MAXUI
                            : vector::CombiningKind::MAXSI;
  // A reduce may add in any order; without the flag the lanes would be added
  // one by one.
  auto flags = isFloat(type) && isSum ? arith::FastMathFlags::reassoc
                                      : arith::FastMathFlags::none;
  Value lanes = vector::ReductionOp::create(b, kind, vectorAccumulator, flags);
  return emitAccumulate(b, reduce.getKind(), accumulator, lanes, type);
}

Value KernelEmitter::emitReduceResult(ReduceOpInterface reduce,
                                      Value accumulator) {
  return emitCast(b, accumulator, getAccumulationType(reduce),
                  getType(reduce->getResult(0)));
}
