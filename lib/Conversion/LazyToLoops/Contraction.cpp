//===- Contraction.cpp - Contractions with packed factors -----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction sums products whose left factor varies along rows and products
// and whose right factor varies along columns and products. Each group of axes
// is one flattened index. A task computes a block of rows by columns: it packs
// both factors, through whatever views and operations make them, into dense
// panels, and multiplies these tile by tile with all accumulators in registers.
// What follows the sum is computed on the accumulators and stored.
//
// The blocking is that of Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication" (2008).
//
//===----------------------------------------------------------------------===//

#include "../KernelBody/EmitElementwise.h"
#include "LoopNest.h"

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using shape::IndexExpr;

namespace {

/// What one task may keep on its stack: workers have at least twice that.
constexpr int64_t maxPackedBytes = 4 << 20;

/// Axes that are walked as one flattened index.
struct Group {
  SmallVector<int64_t> axes;
  int64_t extent = 1;
  /// The extent rounded up to what loops may touch.
  int64_t padded = 1;
  /// The number of the variable that holds the flattened index.
  int64_t variable = -1;
};

class Contraction {
public:
  Contraction(ImplicitLocOpBuilder &builder, KernelOp kernel,
              ValueRange arguments)
      : b(builder), kernel(kernel), plan(kernel.getPlanAttr()),
        emitter(builder, kernel, arguments), shape(kernel.getIterationShape()),
        reduced(kernel.getReducedAxes()), width(plan.getVectorWidth()),
        tileRows(plan.getRegisterTile()[0]),
        tileColumns(plan.getRegisterTile()[1]), blockRows(plan.getBlock()[0]),
        blockColumns(plan.getBlock()[1]), blockProducts(plan.getBlock()[2]) {}

  LogicalResult emit();

private:
  LogicalResult check();
  InFlightDiagnostic refuse(StringRef field);

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value scale(Value x, int64_t factor) {
    return arith::MulIOp::create(b, x, index(factor));
  }
  /// min(size, extent - begin)
  Value count(Value begin, int64_t size, int64_t extent);

  /// Emits `for iteration in [0, end) step`, with carried values.
  SmallVector<Value>
  loop(Value end, int64_t step, ValueRange carried,
       llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body);
  void loop(Value end, int64_t step, llvm::function_ref<void(Value)> body);

  Position getPosition(Value row, Value column, Value product,
                       const Group *lanes);
  void emitTask(Value task);
  void emitBlock(Value firstProduct);
  void packLeft(Value firstProduct, Value numProducts);
  void packRight(Value firstProduct, Value numProducts);
  void emitTile(Value panel, Value row, Value firstProduct, Value numProducts);
  void emitEpilogue(ArrayRef<Value> accumulators, Value panel, Value row);

  ImplicitLocOpBuilder &b;
  KernelOp kernel;
  PlanAttr plan;
  KernelEmitter emitter;
  SmallVector<int64_t> shape;
  SmallVector<bool> reduced;
  int64_t width, tileRows, tileColumns, blockRows, blockColumns, blockProducts;

  ReduceOpInterface reduce;
  SmallVector<StoreOp> stores;
  Value left, right;
  DType type = DType::Float32, elementType = DType::Float32;
  Group rows, columns, products;
  SmallVector<int64_t> batch;
  /// The iteration of each batch axis, by axis.
  SmallVector<Value> batchIterations;
  /// The task's block: its first row and column, and how many there are.
  Value firstRow, firstColumn, numRows, numColumns;
  /// Packed factors, and the sums of a block where products come in several
  /// blocks.
  Value packedLeft, packedRight, sums;
};

} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

InFlightDiagnostic Contraction::refuse(StringRef field) {
  return kernel.emitOpError()
         << "cannot obey the field `" << field << "` of its plan: ";
}

LogicalResult Contraction::check() {
  for (Operation &op : *kernel.getBlock()) {
    if (auto store = dyn_cast<StoreOp>(op))
      stores.push_back(store);
    auto other = dyn_cast<ReduceOpInterface>(op);
    if (other && reduce)
      return refuse("contract") << "the kernel has more than one reduce";
    if (other)
      reduce = other;
  }
  MulOp product = reduce ? getSummedProduct(reduce) : MulOp();
  if (!product)
    return refuse("contract") << "the kernel sums no product";
  if (KernelEmitter::getType(product) == DType::Bool)
    return refuse("contract") << "products of bools are not packed";
  auto setGroup = [&](Group &group, ArrayRef<int64_t> axes, int64_t block) {
    group.axes.assign(axes.begin(), axes.end());
    for (int64_t axis : axes)
      group.extent *= shape[axis];
    group.padded = (group.extent + block - 1) / block * block;
  };
  setGroup(rows, plan.getRowAxes(), blockRows);
  setGroup(columns, plan.getColumnAxes(), blockColumns);
  setGroup(products, plan.getProductAxes(), blockProducts);
  for (int64_t axis = 0, rank = shape.size(); axis < rank; ++axis) {
    bool isProduct = llvm::is_contained(products.axes, axis);
    if (isProduct != reduced[axis])
      return refuse("contract")
             << "axis " << axis << (isProduct ? " is not" : " is")
             << " reduced";
    if (!isProduct && !llvm::is_contained(rows.axes, axis) &&
        !llvm::is_contained(columns.axes, axis))
      batch.push_back(axis);
  }
  left = product.getLhs();
  right = product.getRhs();
  if (variesAlong(left, columns.axes) || variesAlong(right, rows.axes))
    std::swap(left, right);
  if (variesAlong(left, columns.axes) || variesAlong(right, rows.axes))
    return refuse("contract")
           << "no factor varies along the rows alone and the other along the "
              "columns alone";
  if (!plan.getParallel().empty())
    return refuse("parallel")
           << "the blocks of a contraction are its tasks already";
  type = KernelEmitter::getAccumulationType(reduce);
  elementType = KernelEmitter::getType(product);
  if (blockProducts % width)
    return refuse("block") << "its " << blockProducts
                           << " products are no multiple of the vector width "
                           << width;
  int64_t elements = (blockRows + blockColumns) * blockProducts;
  if (products.extent > blockProducts)
    elements += blockRows * blockColumns;
  if (elements * getByteWidth(type) > maxPackedBytes)
    return refuse("block") << "it packs " << elements * getByteWidth(type)
                           << " bytes, more than " << maxPackedBytes;
  return checkStores(stores, shape::SymbolicDims(shape.begin(), shape.end()),
                     reduced);
}

//===----------------------------------------------------------------------===//
// Loops and positions
//===----------------------------------------------------------------------===//

Value Contraction::count(Value begin, int64_t size, int64_t extent) {
  if (extent % size == 0)
    return index(size);
  return arith::MinUIOp::create(b, index(size),
                                arith::SubIOp::create(b, index(extent), begin));
}

SmallVector<Value> Contraction::loop(
    Value end, int64_t step, ValueRange carried,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, index(0), end, index(step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> results =
      body(loop.getInductionVar(), ValueRange(loop.getRegionIterArgs()));
  if (!carried.empty())
    scf::YieldOp::create(b, results);
  return llvm::to_vector(ValueRange(loop.getResults()));
}

void Contraction::loop(Value end, int64_t step,
                       llvm::function_ref<void(Value)> body) {
  loop(end, step, {}, [&](Value iteration, ValueRange) {
    body(iteration);
    return SmallVector<Value>();
  });
}

/// Returns the position at flattened indices; null for those that do not
/// matter. `lanes` is the group along which a vector runs, if one does.
Position Contraction::getPosition(Value row, Value column, Value product,
                                  const Group *lanes) {
  Position position;
  position.width = lanes ? width : 1;
  position.bindings = emitter.getBindings();
  Value zero = index(0);
  position.variables.assign(shape.size() + 3, zero);
  position.axes.assign(shape.size(), IndexExpr::constant(0));
  for (int64_t axis : batch) {
    position.variables[axis] = batchIterations[axis];
    if (shape[axis] != 1)
      position.axes[axis] = IndexExpr::variable(axis, 0, shape[axis] - 1);
  }
  auto setGroup = [&](const Group &group, Value flat) {
    if (!flat)
      return;
    position.variables[group.variable] = flat;
    if (&group == lanes && width != 1)
      position.vectorVariable = group.variable;
    // Lanes, and the rows of a tile, may run past the end of their group; other
    // loops end there.
    bool isPadded = (&group == lanes || (&group == &rows && column)) &&
                    group.padded != group.extent;
    IndexExpr rest = IndexExpr::variable(
        group.variable, 0, (isPadded ? group.padded : group.extent) - 1);
    if (isPadded)
      position.guards.push_back({rest, 0, group.extent - 1});
    int64_t step = group.extent;
    for (int64_t axis : group.axes) {
      step = shape[axis] ? step / shape[axis] : 0;
      if (shape[axis] > 1) {
        position.axes[axis] = rest.floorDiv(step);
        rest = rest.mod(step);
      }
    }
  };
  setGroup(rows, row);
  setGroup(columns, column);
  setGroup(products, product);
  return position;
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

LogicalResult Contraction::emit() {
  if (failed(check()))
    return failure();
  rows.variable = shape.size();
  columns.variable = shape.size() + 1;
  products.variable = shape.size() + 2;
  int64_t numTasks = rows.padded / blockRows * (columns.padded / blockColumns);
  for (int64_t axis : batch)
    numTasks *= shape[axis];
  OpBuilder::InsertionGuard guard(b);
  Value task = emitTaskLoop(b, index(numTasks));
  emitTask(task);
  return success();
}

void Contraction::emitTask(Value task) {
  // Columns change fastest, then rows, then the batch.
  auto take = [&](int64_t extent) {
    Value divisor = index(std::max<int64_t>(extent, 1));
    Value result = arith::RemUIOp::create(b, task, divisor);
    task = arith::DivUIOp::create(b, task, divisor);
    return result;
  };
  firstColumn = scale(take(columns.padded / blockColumns), blockColumns);
  firstRow = scale(take(rows.padded / blockRows), blockRows);
  batchIterations.assign(shape.size(), Value());
  for (int64_t axis : llvm::reverse(batch))
    batchIterations[axis] = take(shape[axis]);
  numRows = count(firstRow, blockRows, rows.extent);
  numColumns = count(firstColumn, blockColumns, columns.extent);

  Type element = getComputeType(b.getContext(), type);
  auto allocate = [&](int64_t size) -> Value {
    return memref::AllocaOp::create(b, MemRefType::get({size}, element),
                                    b.getI64IntegerAttr(64));
  };
  packedLeft = allocate(blockRows * blockProducts);
  packedRight = allocate(blockColumns * blockProducts);
  if (products.extent <= blockProducts) {
    emitBlock(index(0));
    return;
  }
  sums = allocate(blockRows * blockColumns);
  loop(index(products.extent), blockProducts,
       [&](Value firstProduct) { emitBlock(firstProduct); });
}

/// Emits the share of products [firstProduct, firstProduct + blockProducts) in
/// the task's block.
void Contraction::emitBlock(Value firstProduct) {
  Value numProducts = products.extent <= blockProducts
                          ? index(products.extent)
                          : count(firstProduct, blockProducts, products.extent);
  packRight(firstProduct, numProducts);
  packLeft(firstProduct, numProducts);
  loop(numColumns, tileColumns, [&](Value panel) {
    loop(numRows, tileRows,
         [&](Value row) { emitTile(panel, row, firstProduct, numProducts); });
  });
}

/// Packs the left factor: row r at r * blockProducts, products side by side.
void Contraction::packLeft(Value firstProduct, Value numProducts) {
  loop(numRows, 1, [&](Value row) {
    loop(numProducts, width, [&](Value product) {
      Position position = getPosition(add(firstRow, row), nullptr,
                                      add(firstProduct, product), &products);
      KernelEmitter::Known known;
      Value value =
          emitCast(b, emitter.emit(left, position, known), elementType, type);
      Value place = add(scale(row, blockProducts), product);
      if (width == 1)
        memref::StoreOp::create(b, value, packedLeft, place);
      else
        vector::StoreOp::create(b, value, packedLeft, place);
    });
  });
}

/// Packs the right factor: panels of tileColumns columns, each blockProducts
/// rows of tileColumns elements.
void Contraction::packRight(Value firstProduct, Value numProducts) {
  loop(numColumns, tileColumns, [&](Value panel) {
    loop(numProducts, 1, [&](Value product) {
      Value place =
          add(scale(panel, blockProducts), scale(product, tileColumns));
      for (int64_t lane = 0; lane < tileColumns; lane += width) {
        Position position =
            getPosition(nullptr, add(add(firstColumn, panel), index(lane)),
                        add(firstProduct, product), &columns);
        KernelEmitter::Known known;
        Value value = emitCast(b, emitter.emit(right, position, known),
                               elementType, type);
        Value target = add(place, index(lane));
        if (width == 1)
          memref::StoreOp::create(b, value, packedRight, target);
        else
          vector::StoreOp::create(b, value, packedRight, target);
      }
    });
  });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Emits one tile: its sums over the packed products, all in registers.
void Contraction::emitTile(Value panel, Value row, Value firstProduct,
                           Value numProducts) {
  int64_t numVectors = tileColumns / width;
  Type element = getComputeType(b.getContext(), type);
  Type vectorType = getVectorType(element, width);
  Value zero = createNumber(b, vectorType, 0);
  bool isSplit = products.extent > blockProducts;

  auto forEachSum = [&](llvm::function_ref<void(int64_t, Value)> body) {
    for (int64_t i = 0; i < tileRows; ++i)
      for (int64_t j = 0; j < numVectors; ++j)
        body(i * numVectors + j, add(scale(add(row, index(i)), blockColumns),
                                     add(panel, index(j * width))));
  };
  auto loadVector = [&](Value memory, Value place) -> Value {
    if (width == 1)
      return memref::LoadOp::create(b, memory, place);
    return vector::LoadOp::create(b, cast<VectorType>(vectorType), memory,
                                  place);
  };

  SmallVector<Value> accumulators(tileRows * numVectors, zero);
  if (isSplit) {
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                          firstProduct, index(0));
    SmallVector<Type> types(accumulators.size(), vectorType);
    auto ifOp = scf::IfOp::create(b, types, isFirst, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    scf::YieldOp::create(b, accumulators);
    b.setInsertionPointToStart(ifOp.elseBlock());
    forEachSum([&](int64_t i, Value place) {
      accumulators[i] = loadVector(sums, place);
    });
    scf::YieldOp::create(b, accumulators);
    accumulators.assign(ifOp.getResults().begin(), ifOp.getResults().end());
  }

  Value rightPanel = scale(panel, blockProducts);
  Value leftRow = scale(row, blockProducts);
  accumulators = loop(
      numProducts, 1, accumulators, [&](Value product, ValueRange carried) {
        SmallVector<Value> next(carried), factors;
        Value place = add(rightPanel, scale(product, tileColumns));
        for (int64_t j = 0; j < numVectors; ++j)
          factors.push_back(
              loadVector(packedRight, add(place, index(j * width))));
        Value leftPlace = add(leftRow, product);
        for (int64_t i = 0; i < tileRows; ++i) {
          Value factor = memref::LoadOp::create(
              b, packedLeft, add(leftPlace, index(i * blockProducts)));
          if (width != 1)
            factor = vector::BroadcastOp::create(b, vectorType, factor);
          for (int64_t j = 0; j < numVectors; ++j) {
            Value &sum = next[i * numVectors + j];
            if (isFloat(type))
              sum = math::FmaOp::create(b, factor, factors[j], sum);
            else
              sum = emitAccumulate(b, reduce.getKind(), sum,
                                   emitElementwise(b, ops::OpKind::Mul,
                                                   {factor, factors[j]}, type,
                                                   type, type),
                                   type);
          }
        }
        return next;
      });

  if (!isSplit) {
    emitEpilogue(accumulators, panel, row);
    return;
  }
  Value end = add(firstProduct, index(blockProducts));
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, end,
                                       index(products.extent));
  auto ifOp = scf::IfOp::create(b, isLast, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  emitEpilogue(accumulators, panel, row);
  b.setInsertionPointToStart(ifOp.elseBlock());
  forEachSum([&](int64_t i, Value place) {
    if (width == 1)
      memref::StoreOp::create(b, accumulators[i], sums, place);
    else
      vector::StoreOp::create(b, accumulators[i], sums, place);
  });
}

/// Emits what the kernel does with the sums of a tile, and the stores.
void Contraction::emitEpilogue(ArrayRef<Value> accumulators, Value panel,
                               Value row) {
  int64_t numVectors = tileColumns / width;
  for (int64_t i = 0; i < tileRows; ++i) {
    for (int64_t j = 0; j < numVectors; ++j) {
      Position position = getPosition(
          add(add(firstRow, row), index(i)),
          add(add(firstColumn, panel), index(j * width)), nullptr, &columns);
      KernelEmitter::Known known;
      known[reduce->getResult(0)] =
          emitter.emitReduceResult(reduce, accumulators[i * numVectors + j]);
      for (StoreOp store : stores)
        emitter.emitStore(store, position, known);
    }
  }
}

LogicalResult tinygrad::emitContraction(ImplicitLocOpBuilder &builder,
                                        KernelOp kernel, ValueRange arguments) {
  if (kernel.getIterationSizes().isSymbolic())
    return kernel.emitOpError() << "cannot obey the field `contract` of its "
                                   "plan: the kernel has extents that are no "
                                   "numbers";
  return Contraction(builder, kernel, arguments).emit();
}
