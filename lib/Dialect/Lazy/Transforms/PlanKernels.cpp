//===- PlanKernels.cpp - Write a plan for each kernel ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Heuristics for a CPU. Each constant says what it trades.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_PLANKERNELSPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;

namespace {

/// Operations in a task: enough to outweigh the few microseconds that waking a
/// thread takes.
constexpr int64_t operationsPerTask = 32768;
/// Tasks of a kernel: enough to balance the load of many threads.
constexpr int64_t maxTasks = 64;
/// Operations of a body above which unrolling costs more compile time than the
/// independent chains save.
constexpr int64_t maxUnrolledOperations = 48;
/// Bytes of a right panel's products that stay in a first-level cache while a
/// tile is computed, with room for the rows.
constexpr int64_t productsPerBlock = 384;
/// Rows and columns of a block: packed, both factors stay in a second-level
/// cache.
constexpr int64_t rowsPerBlock = 192;
constexpr int64_t columnsPerBlock = 256;
/// Multiply-adds in a task of a contraction.
constexpr int64_t productsPerTask = 1 << 20;

/// Returns the product, or INT64_MAX where it passes 63 bits. Neither factor is
/// negative.
int64_t multiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

/// An axis beside one without elements may be as long as 63 bits allow.
int64_t divideUp(int64_t value, int64_t divisor) {
  return llvm::divideCeilSigned(value, divisor);
}

int64_t roundUp(int64_t value, int64_t unit) {
  return multiply(divideUp(value, unit), unit);
}

/// Splits `extent` into equal blocks of at most about `size`, each a multiple
/// of `multiple`.
int64_t balance(int64_t extent, int64_t size, int64_t multiple) {
  int64_t blocks = divideUp(extent, size);
  return roundUp(divideUp(extent, blocks), multiple);
}

struct PlanKernelsPass : lazy::impl::PlanKernelsPassBase<PlanKernelsPass> {
  using PlanKernelsPassBase::PlanKernelsPassBase;

  // Once, not for each function.
  LogicalResult initialize(MLIRContext *context) override {
    if (vectorBits < 64 || !llvm::isPowerOf2_32(vectorBits) ||
        vectorBits > 4096)
      return emitError(UnknownLoc::get(context))
             << "expects option `vector-bits` to be a power of two from 64 to "
                "4096, got "
             << vectorBits.getValue();
    return success();
  }

  void runOnOperation() override {
    getOperation().walk([&](KernelOp kernel) {
      if (kernel.getPlanAttr())
        return;
      PlanAttr plan = planContraction(kernel);
      if (!plan)
        plan = planLoops(kernel);
      if (plan)
        kernel.setPlanAttr(plan);
    });
  }

  /// Returns a plan for a contraction, or null where the kernel is none or one
  /// too small to be worth the packing.
  PlanAttr planContraction(KernelOp kernel);
  PlanAttr planLoops(KernelOp kernel);
  int64_t chooseVectorAxis(KernelOp kernel, ArrayRef<int64_t> shape,
                           ArrayRef<bool> reduced);
};

} // namespace

PlanAttr PlanKernelsPass::planContraction(KernelOp kernel) {
  std::optional<ContractionAxes> axes = matchContraction(kernel);
  if (!axes)
    return {};
  SmallVector<int64_t> shape = kernel.getIterationShape();
  auto getExtent = [&](ArrayRef<int64_t> group) {
    int64_t extent = 1;
    for (int64_t axis : group)
      extent = multiply(extent, shape[axis]);
    return extent;
  };
  int64_t rows = getExtent(axes->rows), columns = getExtent(axes->columns);
  int64_t products = getExtent(axes->products);
  if (rows < 4 || columns < 4 || products < 4)
    return {};

  ReduceOpInterface reduce = getOnlyReduce(kernel);
  DType type = getAccumulationType(*getDType(
      cast<ShapedType>(reduce->getResult(0).getType()).getElementType()));
  int64_t width =
      std::max<int64_t>(vectorBits / 8 / std::max(getByteWidth(type), 1), 1);
  while (width > 1 && width / 2 >= columns)
    width /= 2;
  // Registers hold the tile, one row of the right factor and one element of
  // the left: 24 + 2 + 1 of 32 with 512 bits, 12 + 2 + 1 of 16 below.
  int64_t tileRows = std::min<int64_t>(vectorBits >= 512 ? 12 : 6, rows);
  int64_t tileColumns = columns > width ? 2 * width : width;
  // Rows in equal tiles: 13 as 7 + 6 and not as 12 + 1.
  tileRows = divideUp(rows, divideUp(rows, tileRows));

  int64_t blockProducts = balance(products, productsPerBlock, width);
  // A little more in one block saves the sums a way through memory.
  if (products <= productsPerBlock * 4 / 3)
    blockProducts = roundUp(products, width);
  int64_t blockRows = balance(rows, rowsPerBlock, tileRows);
  int64_t blockColumns = balance(columns, columnsPerBlock, tileColumns);
  int64_t batch = 1;
  for (int64_t axis = 0, rank = shape.size(); axis < rank; ++axis)
    if (!llvm::is_contained(axes->rows, axis) &&
        !llvm::is_contained(axes->columns, axis) &&
        !llvm::is_contained(axes->products, axis))
      batch = multiply(batch, shape[axis]);
  // Halve blocks while there are few tasks and each has much to do.
  auto countTasks = [&] {
    return multiply(multiply(batch, divideUp(rows, blockRows)),
                    divideUp(columns, blockColumns));
  };
  while (countTasks() < 8 &&
         multiply(blockRows * blockColumns, products) >= 2 * productsPerTask) {
    if (blockRows >= blockColumns && blockRows > tileRows)
      blockRows = balance(rows, blockRows / 2, tileRows);
    else if (blockColumns > tileColumns)
      blockColumns = balance(columns, blockColumns / 2, tileColumns);
    else
      break;
  }
  return PlanAttr::get(&getContext(), {}, {}, -1, width, 1, axes->rows,
                       axes->columns, axes->products, {tileRows, tileColumns},
                       {blockRows, blockColumns, blockProducts});
}

/// Returns the axis that most accesses step through one by one, or -1.
int64_t PlanKernelsPass::chooseVectorAxis(KernelOp kernel,
                                          ArrayRef<int64_t> shape,
                                          ArrayRef<bool> reduced) {
  int64_t best = -1;
  double bestCost = 0;
  for (int64_t axis = 0, rank = shape.size(); axis < rank; ++axis) {
    if (shape[axis] < 4)
      continue;
    // A gather or scatter costs about as much as a vector has elements; the
    // lanes of a reduce are combined once.
    double cost = reduced[axis] ? 0.5 : 0.0;
    for (Operation &op : *kernel.getBlock()) {
      auto load = dyn_cast<LoadOp>(op);
      auto store = dyn_cast<StoreOp>(op);
      if (!load && !store)
        continue;
      ShapeTrackerAttr tracker = load ? load.getTracker() : store.getTracker();
      if (tracker.getShape()[axis] == 1)
        continue;
      auto stride =
          tracker.getLayout().getRealStrides(/*ignoreValid=*/true)[axis];
      if (!stride || !(*stride == 0 || *stride == 1))
        cost += 8;
      else if (*stride == 0)
        cost += 0.25;
    }
    // Short axes leave lanes empty.
    if (shape[axis] < 16)
      cost += 2;
    if (best < 0 || cost <= bestCost) {
      best = axis;
      bestCost = cost;
    }
  }
  return best;
}

PlanAttr PlanKernelsPass::planLoops(KernelOp kernel) {
  // An extent that is no number counts as the largest that it may be.
  shape::Dims shape = kernel.getIterationSizes().getLargest();
  SmallVector<bool> reduced = kernel.getReducedAxes();
  // Several reduces have no loops yet; the lowering says so.
  int64_t operations = 0, widestBytes = 1;
  for (Operation &op : *kernel.getBlock()) {
    ++operations;
    if (op.getNumResults() == 0)
      continue;
    Type element = getElementTypeOrSelf(op.getResult(0).getType());
    widestBytes =
        std::max<int64_t>(widestBytes, getByteWidth(*getDType(element)));
  }
  int64_t vectorAxis = chooseVectorAxis(kernel, shape, reduced);
  int64_t width = 1, unroll = 1;
  if (vectorAxis >= 0) {
    width = std::max<int64_t>(vectorBits / 8 / widestBytes, 1);
    while (width > 1 && width > shape[vectorAxis])
      width /= 2;
    unroll = operations <= maxUnrolledOperations / 3 ? 4
             : operations <= maxUnrolledOperations   ? 2
                                                     : 1;
    while (unroll > 1 && unroll * width > shape[vectorAxis])
      unroll /= 2;
  }

  int64_t total = operations;
  for (int64_t extent : shape)
    total = multiply(total, std::max<int64_t>(extent, 1));
  int64_t tasks = std::clamp<int64_t>(total / operationsPerTask, 1, maxTasks);
  SmallVector<int64_t> parallel, tile;
  // Outer axes first; the vector axis is cut only where the others do not
  // make enough tasks, and then at whole vectors.
  SmallVector<int64_t> candidates;
  for (int64_t axis = 0, rank = shape.size(); axis < rank; ++axis)
    if (!reduced[axis] && axis != vectorAxis && shape[axis] > 1)
      candidates.push_back(axis);
  if (vectorAxis >= 0 && !reduced[vectorAxis])
    candidates.push_back(vectorAxis);
  for (int64_t axis : candidates) {
    if (tasks <= 1)
      break;
    int64_t size = divideUp(shape[axis], std::min(tasks, shape[axis]));
    if (axis == vectorAxis)
      size = roundUp(size, width * unroll);
    if (size >= shape[axis])
      continue;
    parallel.push_back(axis);
    tile.push_back(size);
    tasks = divideUp(tasks, divideUp(shape[axis], size));
  }
  return PlanAttr::get(&getContext(), parallel, tile, vectorAxis, width, unroll,
                       {}, {}, {}, {}, {});
}
