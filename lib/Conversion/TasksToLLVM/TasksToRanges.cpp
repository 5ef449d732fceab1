//===- TasksToRanges.cpp - Task loops become ranges of tasks --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Conversion/Passes.h"
#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tinygrad {
#define GEN_PASS_DEF_CONVERTTASKSTORANGESPASS
#include "tinygrad/Conversion/Passes.h.inc"
} // namespace tinygrad

namespace {

struct ConvertTasksToRangesPass
    : tinygrad::impl::ConvertTasksToRangesPassBase<ConvertTasksToRangesPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(tinygrad::lazy::kernelAttrName) &&
          !function.isExternal() && failed(convert(function)))
        return signalPassFailure();
    getOperation().walk([&](func::CallOp call) {
      // In a module inside of this one the name means something else.
      if (call->getParentOfType<ModuleOp>() != getOperation())
        return;
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      auto tasks = callee ? callee->getAttrOfType<IntegerAttr>(
                                tinygrad::lazy::tasksAttrName)
                          : IntegerAttr();
      if (!tasks || call.getNumOperands() + 2 != callee.getNumArguments())
        return;
      OpBuilder builder(call);
      Location loc = call.getLoc();
      SmallVector<Value> operands(call.getOperands());
      operands.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
      operands.push_back(
          arith::ConstantIndexOp::create(builder, loc, tasks.getInt()));
      func::CallOp::create(builder, loc, callee, operands);
      call.erase();
    });
  }

  LogicalResult convert(func::FuncOp function) {
    if (!function.getBody().hasOneBlock()) {
      return function.emitOpError()
             << "expects one block for a kernel function";
    }
    if (function.getNumResults()) {
      return function.emitOpError() << "expects a kernel function without "
                                       "results, got "
                                    << function.getNumResults();
    }
    SmallVector<scf::ParallelOp> loops(
        function.getBody().getOps<scf::ParallelOp>());
    if (loops.size() > 1) {
      return function.emitOpError() << "expects one `scf.parallel` at the top "
                                       "of a kernel function, got "
                                    << loops.size();
    }
    if (loops.empty()) {
      // Canonicalization removes a loop of one task.
      addRange(function, /*numTasks=*/1);
      return success();
    }
    scf::ParallelOp parallel = loops.front();
    std::optional<int64_t> begin, end, step;
    if (parallel.getNumLoops() == 1) {
      begin = getConstantIntValue(parallel.getLowerBound()[0]);
      end = getConstantIntValue(parallel.getUpperBound()[0]);
      step = getConstantIntValue(parallel.getStep()[0]);
    }
    if (begin != 0 || !end || step != 1 || parallel.getNumResults()) {
      return parallel.emitOpError()
             << "expects one loop from 0 to a constant number of tasks";
    }
    unsigned first = addRange(function, *end);
    convertLoop(function, parallel, first);
    return success();
  }

  /// Adds the two arguments of the range and what callers need to know; returns
  /// the number of the first.
  unsigned addRange(func::FuncOp function, int64_t numTasks) {
    Builder builder(&getContext());
    unsigned numBuffers = function.getNumArguments();
    for (unsigned i = 0; i < numBuffers; ++i)
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          builder.getUnitAttr());
    for (unsigned i = 0; i < 2; ++i)
      (void)function.insertArgument(numBuffers + i, builder.getIndexType(), {},
                                    function.getLoc());
    function->setAttr(tinygrad::lazy::tasksAttrName,
                      builder.getI64IntegerAttr(numTasks));
    return numBuffers;
  }

  void convertLoop(func::FuncOp function, scf::ParallelOp parallel,
                   unsigned first) {
    Location loc = parallel.getLoc();
    OpBuilder builder(parallel);
    // Static allocations of a task serve all tasks of the call: on the stack,
    // an allocation inside of the loop would grow with the number of tasks.
    Block *entry = &function.getBody().front();
    SmallVector<memref::AllocaOp> allocations;
    parallel.walk([&](memref::AllocaOp op) {
      if (op->getNumOperands() == 0)
        allocations.push_back(op);
    });
    for (memref::AllocaOp allocation : allocations)
      allocation->moveBefore(entry, entry->begin());

    Value step = arith::ConstantIndexOp::create(builder, loc, 1);
    auto loop = scf::ForOp::create(builder, loc, function.getArgument(first),
                                   function.getArgument(first + 1), step);
    parallel.getBody()->getTerminator()->erase();
    loop.getBody()->getTerminator()->erase();
    parallel.getInductionVars()[0].replaceAllUsesWith(loop.getInductionVar());
    loop.getBody()->getOperations().splice(loop.getBody()->end(),
                                           parallel.getBody()->getOperations());
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc);
    parallel.erase();
  }
};

} // namespace
