//===- TasksToRanges.cpp - Task loops become ranges of tasks --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Conversion/Passes.h"
#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Dialect/Lazy/Transforms/SizeArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tinygrad;
using shape::IndexExpr;

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
      std::optional<IndexExpr> tasks =
          callee ? lazy::getNumTasks(callee) : std::nullopt;
      if (!tasks || call.getNumOperands() + 2 != callee.getNumArguments())
        return;
      ImplicitLocOpBuilder b(call.getLoc(), call);
      auto find = [&](const IndexExpr &expr) -> Value {
        auto argument = expr.isNamed() ? dyn_cast_or_null<BlockArgument>(
                                             lazy::findVariable(callee, expr))
                                       : BlockArgument();
        return argument ? call.getOperand(argument.getArgNumber()) : Value();
      };
      SmallVector<Value> operands(call.getOperands());
      operands.push_back(arith::ConstantIndexOp::create(b, 0));
      operands.push_back(lazy::emitExpr(b, *tasks, b.getIndexType(), find));
      func::CallOp::create(b, callee, operands);
      call.erase();
    });
    for (auto function : getOperation().getOps<func::FuncOp>())
      passAddresses(function);
  }

  /// Gives memory whose size is no number a type of one element, where it is
  /// passed from function to function: of such memory only the address is
  /// passed. What it is inside of a kernel changes nothing: loads and stores
  /// know their bounds from elsewhere.
  void passAddresses(func::FuncOp function) {
    auto convert = [](Type type) -> Type {
      auto memref = dyn_cast<MemRefType>(type);
      if (!memref || memref.hasStaticShape() || memref.getRank() != 1)
        return type;
      return MemRefType::Builder(memref).setShape({1});
    };
    SmallVector<Type> inputs =
        llvm::map_to_vector(function.getArgumentTypes(), convert);
    if (!function.isExternal()) {
      for (auto [argument, type] : llvm::zip(function.getArguments(), inputs))
        argument.setType(type);
      SmallVector<memref::AllocOp> allocations;
      function.walk(
          [&](memref::AllocOp alloc) { allocations.push_back(alloc); });
      for (memref::AllocOp alloc : allocations) {
        auto type = dyn_cast<MemRefType>(convert(alloc.getType()));
        if (type == alloc.getType())
          continue;
        ImplicitLocOpBuilder b(alloc.getLoc(), alloc->getContext());
        b.setInsertionPointAfter(alloc);
        Value address = memref::ReinterpretCastOp::create(
            b, type, alloc, /*offset=*/0, /*sizes=*/ArrayRef<int64_t>{1},
            /*strides=*/ArrayRef<int64_t>{1});
        alloc->replaceUsesWithIf(ValueRange(address), [](OpOperand &use) {
          return isa<func::CallOp>(use.getOwner());
        });
      }
    }
    function.setFunctionType(FunctionType::get(function.getContext(), inputs,
                                               function.getResultTypes()));
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
    std::optional<int64_t> begin, step;
    std::optional<IndexExpr> end;
    if (parallel.getNumLoops() == 1) {
      begin = getConstantIntValue(parallel.getLowerBound()[0]);
      end = lazy::readSize(parallel.getUpperBound()[0]);
      step = getConstantIntValue(parallel.getStep()[0]);
    }
    if (begin != 0 || !end || step != 1 || parallel.getNumResults()) {
      return parallel.emitOpError()
             << "expects one loop from 0 to a number of tasks that is constant "
                "or an expression of variables";
    }
    unsigned first = addRange(function, *end);
    convertLoop(function, parallel, first);
    return success();
  }

  /// Adds the two arguments of the range and what callers need to know; returns
  /// the number of the first.
  unsigned addRange(func::FuncOp function, const IndexExpr &numTasks) {
    Builder builder(&getContext());
    unsigned numBuffers = function.getNumArguments();
    for (unsigned i = 0; i < numBuffers; ++i)
      if (isa<MemRefType>(function.getArgumentTypes()[i]))
        function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                            builder.getUnitAttr());
    for (unsigned i = 0; i < 2; ++i)
      (void)function.insertArgument(numBuffers + i, builder.getIndexType(), {},
                                    function.getLoc());
    Attribute tasks;
    if (numTasks.isConstant())
      tasks = builder.getI64IntegerAttr(numTasks.getValue());
    else
      tasks = lazy::SizesAttr::get(&getContext(), numTasks);
    function->setAttr(tinygrad::lazy::tasksAttrName, tasks);
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
