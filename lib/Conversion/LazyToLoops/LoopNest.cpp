//===- LoopNest.cpp - Kernels as loop nests -------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tasks, then loops over the axes that are kept, then over those that are
// reduced. The vector axis is the innermost of its kind; its range is covered
// by `unroll` vectors at a time, then by single vectors, then by scalars.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "../KernelBody/EmitElementwise.h"

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using shape::IndexExpr;

Value tinygrad::emitTaskLoop(ImplicitLocOpBuilder &b, Value count) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ParallelOp::create(b, ValueRange(zero), ValueRange(count),
                                      ValueRange(one));
  b.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVars()[0];
}

/// Returns true for a condition that holds where two integers are equal, or in
/// some of these places.
static bool isEquality(Value condition) {
  llvm::SmallSetVector<Value, 4> parts;
  parts.insert(condition);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (auto both = parts[i].getDefiningOp<MulOp>())
      parts.insert_range(both->getOperands());
    else if (auto equal = parts[i].getDefiningOp<CmpEqOp>();
             equal && !isFloat(KernelEmitter::getType(equal.getLhs())))
      return true;
  }
  return false;
}

/// Returns the `where` that `reduce` sums if it is 0 but where two integers are
/// equal: where a row is looked up, that is at one step of many. Else null.
static WhereOp getRareTerm(ReduceOpInterface reduce) {
  if (reduce.getKind() != ops::OpKind::ReduceSum)
    return nullptr;
  auto term = reduce->getOperand(0).getDefiningOp<WhereOp>();
  if (!term)
    return nullptr;
  auto other = term.getRhs().getDefiningOp<ConstOp>();
  bool isRare =
      other && !other.getScalar().isTrue() && isEquality(term.getCondition());
  return isRare ? term : nullptr;
}

LogicalResult tinygrad::checkStores(ArrayRef<StoreOp> stores,
                                    const shape::SymbolicDims &shape,
                                    ArrayRef<bool> reduced) {
  for (StoreOp store : stores)
    for (auto [axis, extent] :
         llvm::enumerate(getSymbolicShape(store.getValue().getType()))) {
      IndexExpr expected = reduced[axis] ? 1 : shape[axis];
      if (!(extent == expected))
        return store.emitOpError()
               << "expects extent " << expected.toString() << " along axis "
               << axis << ", which is " << (reduced[axis] ? "" : "not ")
               << "reduced, got " << extent.toString();
    }
  return success();
}

namespace {

/// A range of iterations of one axis. `span`: its length where that is known.
struct Range {
  Value begin, end;
  std::optional<int64_t> span;
};

class LoopNest {
public:
  LoopNest(ImplicitLocOpBuilder &builder, KernelOp kernel, ValueRange arguments)
      : b(builder), kernel(kernel), emitter(builder, kernel, arguments),
        shape(kernel.getIterationSizes().getExprs()),
        reduced(kernel.getReducedAxes()) {
    if (PlanAttr plan = kernel.getPlanAttr()) {
      parallel.assign(plan.getParallel().begin(), plan.getParallel().end());
      tile.assign(plan.getTile().begin(), plan.getTile().end());
      vectorAxis = plan.getVectorAxis();
      width = plan.hasVectorAxis() ? plan.getVectorWidth() : 1;
      unroll = plan.hasVectorAxis() ? plan.getUnroll() : 1;
    }
  }

  LogicalResult emit();

private:
  LogicalResult check();
  /// Emits an expression of the kernel's variables.
  Value emitSize(const IndexExpr &size) {
    Position position;
    position.bindings = emitter.getBindings();
    return emitIndex(b, size, position);
  }
  /// Returns the number of tiles of parallel axis `index`.
  IndexExpr getNumTiles(size_t index) const {
    return (shape[parallel[index]] + (tile[index] - 1)).floorDiv(tile[index]);
  }
  void emitTask(Value task);
  void emitKept(unsigned depth);
  void emitPoint(int64_t width, int64_t unroll);
  SmallVector<Value> emitReduced(unsigned depth, ArrayRef<Value> accumulators,
                                 int64_t width, int64_t unroll);
  SmallVector<Value> emitSteps(ArrayRef<Value> accumulators, int64_t width,
                               int64_t unroll, bool alongReduced);
  SmallVector<Value> emitRareSteps(ArrayRef<Value> accumulators, int64_t width,
                                   int64_t unroll);
  Position getPosition(int64_t width, int64_t lane);

  /// A loop body: gets the iteration, the vector width, the number of vectors
  /// and the carried values; returns the carried values that follow.
  using Body = llvm::function_ref<SmallVector<Value>(
      Value iteration, int64_t width, int64_t unroll, ArrayRef<Value> carried)>;
  SmallVector<Value> emitLoop(Range range, int64_t step, int64_t width,
                              int64_t unroll, ArrayRef<Value> carried,
                              Body body);
  SmallVector<Value> emitVectorLoops(Range range, ArrayRef<Value> carried,
                                     Body body);

  ImplicitLocOpBuilder &b;
  KernelOp kernel;
  KernelEmitter emitter;
  shape::SymbolicDims shape;
  SmallVector<bool> reduced;
  SmallVector<int64_t> parallel, tile;
  int64_t vectorAxis = -1, width = 1, unroll = 1;

  ReduceOpInterface reduce;
  /// What is summed, if a branch around all vectors of a step skips most of it.
  WhereOp rareTerm;
  SmallVector<StoreOp> stores;
  /// The axes in the order of the loops: kept ones, then reduced ones.
  SmallVector<int64_t> keptAxes, reducedAxes;
  SmallVector<Range> ranges;
  /// The current iteration of each axis.
  SmallVector<Value> iterations;
};

} // namespace

LogicalResult LoopNest::check() {
  for (Operation &op : *kernel.getBlock()) {
    if (auto store = dyn_cast<StoreOp>(op))
      stores.push_back(store);
    auto other = dyn_cast<ReduceOpInterface>(op);
    if (!other)
      continue;
    if (reduce) {
      InFlightDiagnostic diag =
          kernel.emitOpError()
          << "expects one reduce for this lowering, got two";
      diag.attachNote(other->getLoc()) << "the second is here";
      return diag;
    }
    reduce = other;
  }
  for (auto [axis, size] : llvm::zip(parallel, tile)) {
    if (reduced[axis])
      return kernel.emitOpError()
             << "cannot obey the field `parallel` of its plan: axis " << axis
             << " is reduced";
    // A larger tile is one task too, and could overflow.
    size = std::clamp<int64_t>(shape[axis].getMax(), 1, size);
  }
  // Lanes along a kept axis that share the condition.
  if (reduce && vectorAxis >= 0 && !reduced[vectorAxis])
    if (WhereOp term = getRareTerm(reduce);
        term && !variesAlong(term.getCondition(), vectorAxis))
      rareTerm = term;
  return checkStores(stores, shape, reduced);
}

LogicalResult LoopNest::emit() {
  if (failed(check()))
    return failure();
  for (int64_t axis = 0, rank = shape.size(); axis < rank; ++axis)
    if (axis != vectorAxis)
      (reduced[axis] ? reducedAxes : keptAxes).push_back(axis);
  if (vectorAxis >= 0)
    (reduced[vectorAxis] ? reducedAxes : keptAxes).push_back(vectorAxis);

  // Beside an axis without elements others may be too long to be multiplied.
  bool isEmpty =
      llvm::any_of(keptAxes, [&](int64_t axis) { return shape[axis] == 0; });
  IndexExpr numTasks = isEmpty ? 0 : 1;
  for (size_t i = 0; i < parallel.size() && !isEmpty; ++i)
    numTasks = numTasks * getNumTiles(i);
  OpBuilder::InsertionGuard guard(b);
  emitTask(emitTaskLoop(b, emitSize(numTasks)));
  return success();
}

/// Splits the task's number into the ranges of the parallel axes and emits the
/// loops.
void LoopNest::emitTask(Value task) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  iterations.assign(shape.size(), zero);
  for (const IndexExpr &extent : shape)
    ranges.push_back({zero, emitSize(extent),
                      extent.isConstant()
                          ? std::optional<int64_t>(extent.getValue())
                          : std::nullopt});
  Value rest = task;
  for (int64_t i = parallel.size() - 1; i >= 0; --i) {
    IndexExpr extent = shape[parallel[i]], count = getNumTiles(i);
    int64_t size = tile[i];
    Value index = rest;
    if (i > 0) {
      // Where there is no tile there is no task.
      Value divisor = emitSize(count == 0 ? 1 : count);
      index = arith::RemUIOp::create(b, rest, divisor);
      rest = arith::DivUIOp::create(b, rest, divisor);
    }
    Value sizeValue = arith::ConstantIndexOp::create(b, size);
    Range &range = ranges[parallel[i]];
    range.begin = arith::MulIOp::create(b, index, sizeValue);
    Value end = arith::AddIOp::create(b, range.begin, sizeValue);
    if (extent.mod(size) == 0) {
      range.end = end;
      range.span = size;
    } else {
      range.end = arith::MinUIOp::create(b, end, range.end);
      range.span.reset();
    }
  }
  emitKept(0);
}

Position LoopNest::getPosition(int64_t lanes, int64_t vector) {
  Position position;
  position.width = lanes;
  position.vectorVariable = lanes == 1 ? -1 : vectorAxis;
  position.bindings = emitter.getBindings();
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    position.axes.push_back(extent == 1 ? IndexExpr::constant(0)
                                        : IndexExpr::variable(axis, extent));
    Value iteration = iterations[axis];
    if (static_cast<int64_t>(axis) == vectorAxis && vector > 0)
      iteration = arith::AddIOp::create(
          b, iteration, arith::ConstantIndexOp::create(b, vector * lanes));
    position.variables.push_back(iteration);
  }
  return position;
}

SmallVector<Value> LoopNest::emitLoop(Range range, int64_t step, int64_t lanes,
                                      int64_t vectors, ArrayRef<Value> carried,
                                      Body body) {
  if (range.span == 0)
    return llvm::to_vector(carried);
  Value stepValue = arith::ConstantIndexOp::create(b, step);
  auto loop = scf::ForOp::create(b, range.begin, range.end, stepValue, carried);
  OpBuilder::InsertionGuard guard(b);
  // Without carried values the loop has made its terminator itself.
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> arguments(loop.getRegionIterArgs());
  SmallVector<Value> results =
      body(loop.getInductionVar(), lanes, vectors, arguments);
  if (!carried.empty())
    scf::YieldOp::create(b, results);
  return llvm::to_vector(ValueRange(loop.getResults()));
}

SmallVector<Value>
LoopNest::emitVectorLoops(Range range, ArrayRef<Value> carried, Body body) {
  SmallVector<Value> values(carried);
  SmallVector<std::pair<int64_t, int64_t>> steps;
  if (unroll > 1)
    steps.emplace_back(width, unroll);
  if (width > 1)
    steps.emplace_back(width, 1);
  steps.emplace_back(1, 1);
  for (auto [lanes, vectors] : steps) {
    int64_t step = lanes * vectors;
    Range part = range;
    if (range.span) {
      int64_t span = *range.span / step * step;
      part.span = span;
      part.end = arith::AddIOp::create(b, range.begin,
                                       arith::ConstantIndexOp::create(b, span));
      range.span = *range.span - span;
    } else if (step > 1) {
      // begin + (end - begin) / step * step
      Value stepValue = arith::ConstantIndexOp::create(b, step);
      Value length = arith::SubIOp::create(b, range.end, range.begin);
      Value rest = arith::RemUIOp::create(b, length, stepValue);
      part.end = arith::SubIOp::create(b, range.end, rest);
    }
    values = emitLoop(part, step, lanes, vectors, values, body);
    range.begin = part.end;
  }
  return values;
}

/// Emits the loops over the kept axes from `depth` on, and what they hold.
void LoopNest::emitKept(unsigned depth) {
  if (depth == keptAxes.size()) {
    emitPoint(/*width=*/1, /*unroll=*/1);
    return;
  }
  int64_t axis = keptAxes[depth];
  if (axis == vectorAxis) {
    emitVectorLoops(ranges[axis], {},
                    [&](Value iteration, int64_t lanes, int64_t vectors,
                        ArrayRef<Value>) -> SmallVector<Value> {
                      iterations[axis] = iteration;
                      emitPoint(lanes, vectors);
                      return {};
                    });
    return;
  }
  emitLoop(ranges[axis], 1, 1, 1, {},
           [&](Value iteration, int64_t, int64_t,
               ArrayRef<Value>) -> SmallVector<Value> {
             iterations[axis] = iteration;
             emitKept(depth + 1);
             return {};
           });
}

/// Emits what is done at one position of the kept axes: `vectors` times
/// `lanes` positions where the vector axis is kept.
void LoopNest::emitPoint(int64_t lanes, int64_t vectors) {
  SmallVector<Value> results;
  bool alongReduced = reduce && vectorAxis >= 0 && reduced[vectorAxis];
  if (reduce) {
    SmallVector<Value> accumulators;
    if (alongReduced) {
      // One accumulator per vector, and a scalar one for the tail.
      for (int64_t i = 0; i < unroll; ++i)
        accumulators.push_back(emitter.emitIdentity(reduce, width));
      accumulators.push_back(emitter.emitIdentity(reduce, 1));
    } else {
      for (int64_t i = 0; i < vectors; ++i)
        accumulators.push_back(emitter.emitIdentity(reduce, lanes));
    }
    results = emitReduced(0, accumulators, lanes, vectors);
    if (alongReduced) {
      Value lanesSum = results[0];
      DType type = KernelEmitter::getAccumulationType(reduce);
      for (int64_t i = 1; i < unroll; ++i)
        lanesSum =
            emitAccumulate(b, reduce.getKind(), lanesSum, results[i], type);
      Value sum = results.back();
      sum = width > 1
                ? emitter.emitHorizontal(reduce, lanesSum, sum)
                : emitAccumulate(b, reduce.getKind(), sum, lanesSum, type);
      results.assign({sum});
    }
  }
  for (int64_t i = 0; i < vectors; ++i) {
    KernelEmitter::Known known;
    if (reduce)
      known[reduce->getResult(0)] =
          emitter.emitReduceResult(reduce, results[i]);
    Position position = getPosition(lanes, i);
    for (StoreOp store : stores)
      emitter.emitStore(store, position, known);
  }
}

/// Emits the loops over the reduced axes from `depth` on, carrying
/// `accumulators`.
SmallVector<Value> LoopNest::emitReduced(unsigned depth,
                                         ArrayRef<Value> accumulators,
                                         int64_t lanes, int64_t vectors) {
  if (depth == reducedAxes.size())
    return emitSteps(accumulators, lanes, vectors, /*alongReduced=*/false);
  int64_t axis = reducedAxes[depth];
  if (axis == vectorAxis)
    return emitVectorLoops(ranges[axis], accumulators,
                           [&](Value iteration, int64_t lanes, int64_t vectors,
                               ArrayRef<Value> carried) {
                             iterations[axis] = iteration;
                             return emitSteps(carried, lanes, vectors,
                                              /*alongReduced=*/true);
                           });
  return emitLoop(
      ranges[axis], 1, 1, 1, accumulators,
      [&](Value iteration, int64_t, int64_t, ArrayRef<Value> carried) {
        iterations[axis] = iteration;
        return emitReduced(depth + 1, carried, lanes, vectors);
      });
}

/// Emits one step of the reduce for each of `vectors` accumulators.
SmallVector<Value> LoopNest::emitSteps(ArrayRef<Value> accumulators,
                                       int64_t lanes, int64_t vectors,
                                       bool alongReduced) {
  if (rareTerm)
    return emitRareSteps(accumulators, lanes, vectors);
  SmallVector<Value> results(accumulators);
  for (int64_t i = 0; i < vectors; ++i) {
    KernelEmitter::Known known;
    // The tail of a reduced vector axis has a scalar accumulator of its own.
    Value &accumulator =
        alongReduced && lanes == 1 && width > 1 ? results.back() : results[i];
    accumulator = emitter.emitReduceStep(reduce, accumulator,
                                         getPosition(lanes, i), known);
  }
  return results;
}

/// The same under the condition of `rareTerm`: what is not added is not loaded.
SmallVector<Value> LoopNest::emitRareSteps(ArrayRef<Value> accumulators,
                                           int64_t lanes, int64_t vectors) {
  KernelEmitter::Known condition;
  auto branch =
      scf::IfOp::create(b, TypeRange(ValueRange(accumulators)),
                        emitter.emit(rareTerm.getCondition(),
                                     getPosition(/*lanes=*/1, 0), condition),
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> results;
  for (int64_t i = 0; i < vectors; ++i) {
    Position position = getPosition(lanes, i);
    KernelEmitter::Known known;
    known[rareTerm] = emitter.emit(rareTerm.getLhs(), position, known);
    results.push_back(
        emitter.emitReduceStep(reduce, accumulators[i], position, known));
  }
  scf::YieldOp::create(b, results);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, accumulators);
  return llvm::to_vector(ValueRange(branch.getResults()));
}

LogicalResult tinygrad::emitLoopNest(ImplicitLocOpBuilder &builder,
                                     KernelOp kernel, ValueRange arguments) {
  return LoopNest(builder, kernel, arguments).emit();
}
