//===- EmitAccess.cpp - Loads and stores through views --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access is an index expression and conditions. Along the vector variable
// the index is constant (one load, broadcast), steps by one (a vector load), or
// anything else (a gather). Conditions become masks, never branches.
//
//===----------------------------------------------------------------------===//

#include "EmitAccess.h"
#include "EmitElementwise.h"

#include "tinygrad/Dialect/Lazy/Transforms/SizeArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tinygrad;
using shape::IndexExpr;
using shape::SymbolicAccess;
using shape::SymbolicRange;

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

static bool dependsOn(const IndexExpr &expr, int64_t variable) {
  return shape::anyPart(expr, [variable](const IndexExpr &part) {
    return part.getKind() == IndexExpr::Kind::Variable &&
           part.getValue() == variable;
  });
}

/// An expression as `coefficient * variable + rest`.
struct LinearSplit {
  int64_t coefficient;
  IndexExpr rest;
};

/// Splits off the part of `expr` that is linear in `variable`; nothing where
/// the variable also occurs under a division.
static std::optional<LinearSplit> splitLinear(const IndexExpr &expr,
                                              int64_t variable) {
  if (!dependsOn(expr, variable))
    return LinearSplit{0, expr};
  switch (expr.getKind()) {
  case IndexExpr::Kind::Variable:
    return LinearSplit{1, IndexExpr::constant(0)};
  case IndexExpr::Kind::Mul: {
    auto split = splitLinear(expr.getOperands()[0], variable);
    if (!split)
      return std::nullopt;
    return LinearSplit{split->coefficient * expr.getValue(),
                       split->rest * expr.getValue()};
  }
  case IndexExpr::Kind::Add: {
    LinearSplit sum{0, IndexExpr::constant(0)};
    for (const IndexExpr &operand : expr.getOperands()) {
      auto split = splitLinear(operand, variable);
      if (!split)
        return std::nullopt;
      sum.coefficient += split->coefficient;
      sum.rest = sum.rest + split->rest;
    }
    return sum;
  }
  default:
    return std::nullopt;
  }
}

/// True if every value on the way to `expr` fits in 32 bits.
static bool fitsIn32Bits(const IndexExpr &expr) {
  constexpr int64_t limit = int64_t(1) << 30;
  return !shape::anyPart(expr, [](const IndexExpr &part) {
    if (part.getMin() < -limit || part.getMax() > limit)
      return true;
    return part.getKind() != IndexExpr::Kind::Constant &&
           part.getKind() != IndexExpr::Kind::Variable &&
           std::abs(part.getValue()) >= limit;
  });
}

Value tinygrad::emitIndex(ImplicitLocOpBuilder &b, const IndexExpr &expr,
                          const Position &position) {
  auto find = [&](const IndexExpr &part) -> Value {
    if (part.getKind() != IndexExpr::Kind::Variable)
      return {};
    if (!part.isNamed())
      return position.variables[part.getValue()];
    return llvm::find_if(
               position.bindings,
               [&](const auto &binding) { return binding.first == part; })
        ->second;
  };
  return lazy::emitExpr(b, expr, b.getIndexType(), find);
}

/// Emits `expr` in every lane, as integers of `element`.
static Value emitLanesAs(ImplicitLocOpBuilder &b, const IndexExpr &expr,
                         const Position &position, Type element) {
  auto type = VectorType::get({position.width}, element);
  auto splat = [&](Value value) -> Value {
    return vector::BroadcastOp::create(
        b, type, arith::IndexCastOp::create(b, element, value));
  };
  auto find = [&](const IndexExpr &part) -> Value {
    if (part.isConstant())
      return {};
    // What is the same in all lanes is computed once.
    if (!dependsOn(part, position.vectorVariable))
      return splat(emitIndex(b, part, position));
    if (part.getKind() != IndexExpr::Kind::Variable)
      return {};
    SmallVector<Attribute> steps;
    for (int64_t lane = 0; lane < position.width; ++lane)
      steps.push_back(b.getIntegerAttr(element, lane));
    Value first = splat(position.variables[part.getValue()]);
    Value step =
        arith::ConstantOp::create(b, DenseElementsAttr::get(type, steps));
    return arith::AddIOp::create(b, first, step);
  };
  return lazy::emitExpr(b, expr, type, find);
}

/// Emits `expr` in every lane, as integers of 32 bits where they fit.
static Value emitLanes(ImplicitLocOpBuilder &b, const IndexExpr &expr,
                       const Position &position) {
  Type element = fitsIn32Bits(expr) ? b.getI32Type() : b.getI64Type();
  return emitLanesAs(b, expr, position, element);
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// The conditions of an access: those that hold for all lanes or for none, and
/// those that differ between lanes. Null: no such condition.
struct Conditions {
  Value uniform;
  Value lanes;
};

static Value conjoin(ImplicitLocOpBuilder &b, Value x, Value y) {
  return x ? Value(arith::AndIOp::create(b, x, y)) : y;
}

static Conditions emitConditions(ImplicitLocOpBuilder &b,
                                 ArrayRef<SymbolicRange> ranges,
                                 const Position &position) {
  Conditions conditions;
  for (const SymbolicRange &range : ranges) {
    bool isUniform =
        position.width == 1 || !dependsOn(range.expr, position.vectorVariable);
    bool isNarrow = fitsIn32Bits(range.expr) && fitsIn32Bits(range.min) &&
                    fitsIn32Bits(range.max);
    Type element = isNarrow ? b.getI32Type() : b.getI64Type();
    auto emit = [&](const IndexExpr &expr) {
      return isUniform ? emitIndex(b, expr, position)
                       : emitLanesAs(b, expr, position, element);
    };
    Value &target = isUniform ? conditions.uniform : conditions.lanes;
    Value value = emit(range.expr);
    auto compare = [&](arith::CmpIPredicate predicate, const IndexExpr &bound) {
      Value limit = emit(bound);
      target =
          conjoin(b, target, arith::CmpIOp::create(b, predicate, value, limit));
    };
    if (range.expr.getMin() < range.min.getMax())
      compare(arith::CmpIPredicate::sge, range.min);
    if (range.expr.getMax() > range.max.getMin())
      compare(arith::CmpIPredicate::sle, range.max);
  }
  return conditions;
}

/// Returns the mask of all lanes, or null where there is no condition.
static Value emitMask(ImplicitLocOpBuilder &b, const Conditions &conditions,
                      int64_t width) {
  Type maskType = VectorType::get({width}, b.getI1Type());
  Value mask = conditions.lanes;
  if (conditions.uniform)
    mask = conjoin(
        b, mask, vector::BroadcastOp::create(b, maskType, conditions.uniform));
  return mask;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

const SymbolicAccess &AccessCache::get(const void *key,
                                       const shape::Layout &layout,
                                       const Position &position) {
  std::vector<IndexExpr> axes;
  for (auto [axis, extent] : llvm::enumerate(layout.getShape().getExprs()))
    axes.push_back(extent == 1 ? IndexExpr::constant(0) : position.axes[axis]);
  for (const Entry &entry : entries)
    if (entry.key == key && entry.axes == axes)
      return entry.access;
  SymbolicAccess access = layout.getSymbolicTracker().getAccess(axes);
  return entries.emplace_back(Entry{key, std::move(axes), std::move(access)})
      .access;
}

bool AccessCache::isNarrow() const {
  return llvm::all_of(entries, [](const Entry &entry) {
    return fitsIn32Bits(entry.access.index) &&
           llvm::all_of(entry.access.conditions,
                        [](const SymbolicRange &range) {
                          return fitsIn32Bits(range.expr);
                        });
  });
}

/// Returns the conditions of `access` and the guards of `position`.
static SmallVector<SymbolicRange> getRanges(const SymbolicAccess &access,
                                            const Position &position) {
  SmallVector<SymbolicRange> ranges(access.conditions.begin(),
                                    access.conditions.end());
  llvm::append_range(ranges, position.guards);
  return ranges;
}

/// Returns the index of the first lane of an access that steps by one.
static Value emitFirstLane(ImplicitLocOpBuilder &b, const LinearSplit &split,
                           const Position &position) {
  return arith::AddIOp::create(b, emitIndex(b, split.rest, position),
                               position.variables[position.vectorVariable]);
}

/// Brings what memory holds to the compute type: a bool is a byte there.
static Value fromMemory(ImplicitLocOpBuilder &b, Value value, DType type) {
  return type == DType::Bool ? emitCast(b, value, DType::UInt8, DType::Bool)
                             : value;
}

Value tinygrad::emitLoad(ImplicitLocOpBuilder &b, Value memory,
                         const SymbolicAccess &access, const Position &position,
                         DType type) {
  SmallVector<SymbolicRange> ranges = getRanges(access, position);
  int64_t width = position.width;
  auto memoryType = cast<MemRefType>(memory.getType());
  Type element = memoryType.getElementType();
  Type vectorType = getVectorType(element, width);
  Value zero = createNumber(b, vectorType, 0);
  // What reads nothing must not touch memory that may have no element.
  bool readsNothing = memoryType.getShape() == ArrayRef<int64_t>(0) ||
                      llvm::any_of(ranges, [](const SymbolicRange &range) {
                        return range.expr.getMin() > range.max.getMax() ||
                               range.expr.getMax() < range.min.getMin();
                      });
  if (readsNothing)
    return fromMemory(b, zero, type);

  Conditions conditions = emitConditions(b, ranges, position);
  auto split = width == 1 ? std::optional(LinearSplit{0, access.index})
                          : splitLinear(access.index, position.vectorVariable);
  if (split && split->coefficient == 0) {
    Value index = emitIndex(b, split->rest, position);
    Value first = arith::ConstantIndexOp::create(b, 0);
    int64_t size = memoryType.getDimSize(0);
    // An index that is not valid may lie outside: read some element instead.
    if (conditions.uniform)
      index = arith::SelectOp::create(b, conditions.uniform, index, first);
    if (conditions.lanes && ShapedType::isDynamic(size)) {
      // Where a lane is valid, so is the index, which is that of all lanes.
      Value isValid = vector::ReductionOp::create(b, vector::CombiningKind::OR,
                                                  conditions.lanes);
      index = arith::SelectOp::create(b, isValid, index, first);
    } else if (conditions.lanes &&
               (split->rest.getMin() < 0 || split->rest.getMax() >= size)) {
      Value last = arith::ConstantIndexOp::create(b, size - 1);
      index = arith::MinSIOp::create(b, arith::MaxSIOp::create(b, index, first),
                                     last);
    }
    Value value = memref::LoadOp::create(b, memory, index);
    if (conditions.uniform)
      value = arith::SelectOp::create(b, conditions.uniform, value,
                                      createNumber(b, element, 0));
    if (width != 1)
      value = vector::BroadcastOp::create(b, vectorType, value);
    if (conditions.lanes)
      value = arith::SelectOp::create(b, conditions.lanes, value, zero);
    return fromMemory(b, value, type);
  }

  Value mask = emitMask(b, conditions, width), value;
  if (split && split->coefficient == 1) {
    Value index = emitFirstLane(b, *split, position);
    if (mask)
      value = vector::MaskedLoadOp::create(b, cast<VectorType>(vectorType),
                                           memory, index, mask, zero);
    else
      value = vector::LoadOp::create(b, cast<VectorType>(vectorType), memory,
                                     index);
    return fromMemory(b, value, type);
  }
  if (!mask)
    mask = createNumber(b, VectorType::get({width}, b.getI1Type()), -1);
  Value lanes = emitLanes(b, access.index, position);
  value = vector::GatherOp::create(
      b, cast<VectorType>(vectorType), memory,
      ValueRange{arith::ConstantIndexOp::create(b, 0)}, lanes, mask, zero);
  return fromMemory(b, value, type);
}

void tinygrad::emitStore(ImplicitLocOpBuilder &b, Value value, Value memory,
                         const SymbolicAccess &access, const Position &position,
                         DType type) {
  SmallVector<SymbolicRange> ranges = getRanges(access, position);
  if (type == DType::Bool)
    value = emitCast(b, value, DType::Bool, DType::UInt8);
  Conditions conditions = emitConditions(b, ranges, position);
  OpBuilder::InsertionGuard guard(b);
  if (conditions.uniform) {
    auto ifOp = scf::IfOp::create(b, conditions.uniform,
                                  /*withElseRegion=*/false);
    b.setInsertionPointToStart(ifOp.thenBlock());
  }
  if (position.width == 1) {
    memref::StoreOp::create(b, value, memory,
                            emitIndex(b, access.index, position));
    return;
  }
  auto split = splitLinear(access.index, position.vectorVariable);
  if (split && split->coefficient == 1) {
    Value index = emitFirstLane(b, *split, position);
    if (conditions.lanes)
      vector::MaskedStoreOp::create(b, memory, index, conditions.lanes, value);
    else
      vector::StoreOp::create(b, value, memory, index);
    return;
  }
  Value mask = conditions.lanes;
  if (!mask)
    mask =
        createNumber(b, VectorType::get({position.width}, b.getI1Type()), -1);
  vector::ScatterOp::create(b, Type(), memory,
                            ValueRange{arith::ConstantIndexOp::create(b, 0)},
                            emitLanes(b, access.index, position), mask, value);
}
