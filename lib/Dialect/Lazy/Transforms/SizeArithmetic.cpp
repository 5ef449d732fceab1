//===- SizeArithmetic.cpp - Expressions as arith operations ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/Transforms/SizeArithmetic.h"
#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tinygrad;
using shape::IndexExpr;
using Kind = IndexExpr::Kind;

static Value emitConstant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

namespace {

/// Emits one expression, and each part that it shares once.
class ExprEmitter {
public:
  ExprEmitter(ImplicitLocOpBuilder &b, Type type,
              llvm::function_ref<Value(const IndexExpr &)> find)
      : b(b), type(type), find(find) {}

  Value emit(const IndexExpr &expr) {
    // The constant of a division is made for the moment: another expression may
    // be at its place in memory later.
    if (expr.isConstant())
      return compute(expr);
    if (Value known = emitted.lookup(expr.getIdentity()))
      return known;
    Value value = find(expr);
    if (!value)
      value = compute(expr);
    emitted[expr.getIdentity()] = value;
    return value;
  }

private:
  Value compute(const IndexExpr &expr);

  ImplicitLocOpBuilder &b;
  Type type;
  llvm::function_ref<Value(const IndexExpr &)> find;
  llvm::DenseMap<const void *, Value> emitted;
};

} // namespace

Value ExprEmitter::compute(const IndexExpr &expr) {
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(b, x, y);
  };
  auto multiply = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, x, y);
  };
  ArrayRef<IndexExpr> operands(expr.getOperands().data(),
                               expr.getOperands().size());
  auto fold = [&](auto combine) {
    Value result = emit(operands.front());
    for (const IndexExpr &operand : operands.drop_front())
      result = combine(result, emit(operand));
    return result;
  };
  // Floor division or its remainder. What may be negative is first moved up by
  // a multiple of the divisor, so that the unsigned operations serve.
  auto divide = [&](const IndexExpr &divisor, bool isMod) {
    int64_t smallest = std::max<int64_t>(divisor.getMin(), 1);
    int64_t min = operands.front().getMin();
    int64_t lift = min < 0 ? (-min + smallest - 1) / smallest : 0;
    Value value = emit(operands.front()), by = emit(divisor);
    // A divisor counts as 1 where it is less.
    if (divisor.getMin() < 1)
      by = arith::MaxSIOp::create(b, by, emitConstant(b, type, 1));
    if (lift)
      value = add(value, divisor.isConstant()
                             ? emitConstant(b, type, lift * smallest)
                             : multiply(by, emitConstant(b, type, lift)));
    if (isMod)
      return Value(arith::RemUIOp::create(b, value, by));
    value = arith::DivUIOp::create(b, value, by);
    if (lift)
      value = arith::SubIOp::create(b, value, emitConstant(b, type, lift));
    return value;
  };
  switch (expr.getKind()) {
  case Kind::Constant:
    return emitConstant(b, type, expr.getValue());
  case Kind::Variable:
    break;
  case Kind::Add:
    return fold(add);
  case Kind::Mul:
    return multiply(emit(operands.front()),
                    emitConstant(b, type, expr.getValue()));
  case Kind::Product:
    return fold(multiply);
  case Kind::FloorDiv:
  case Kind::Mod:
    return divide(expr.getValue(), expr.getKind() == Kind::Mod);
  case Kind::FloorDivBy:
  case Kind::ModBy:
    return divide(operands.back(), expr.getKind() == Kind::ModBy);
  }
  llvm_unreachable("a variable has a value");
}

Value lazy::emitExpr(ImplicitLocOpBuilder &b, const IndexExpr &expr, Type type,
                     llvm::function_ref<Value(const IndexExpr &)> find) {
  return ExprEmitter(b, type, find).emit(expr);
}

/// Returns the divisor that `value` is, and not the 1 that it may be at least.
static Value skipMax(Value value) {
  auto max = value.getDefiningOp<arith::MaxSIOp>();
  return max && getConstantIntValue(max.getRhs()) == 1 ? max.getLhs() : value;
}

std::optional<IndexExpr> lazy::readSize(Value value) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return IndexExpr::constant(*number);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    auto variable = function ? function.getArgAttrOfType<VariableAttr>(
                                   argument.getArgNumber(), variableAttrName)
                             : VariableAttr();
    if (!variable)
      return std::nullopt;
    return variable.getExpr();
  }
  Operation *op = value.getDefiningOp();
  bool isDivision = isa<arith::DivUIOp, arith::RemUIOp>(op);
  if (!isDivision && !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  Value right = isDivision ? skipMax(op->getOperand(1)) : op->getOperand(1);
  std::optional<IndexExpr> x = readSize(op->getOperand(0));
  std::optional<IndexExpr> y = x ? readSize(right) : std::nullopt;
  if (!y)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *x + *y;
  if (isa<arith::SubIOp>(op))
    return *x - *y;
  if (isa<arith::MulIOp>(op))
    return *x * *y;
  // The operations are unsigned.
  bool hasMax = right != op->getOperand(1);
  if (x->getMin() < 0 || y->getMin() < 0 || (y->getMin() < 1 && !hasMax))
    return std::nullopt;
  return isa<arith::DivUIOp>(op) ? x->floorDiv(*y) : x->mod(*y);
}
