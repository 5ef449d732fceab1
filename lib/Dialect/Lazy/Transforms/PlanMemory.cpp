//===- PlanMemory.cpp - Turn a schedule on tensors into one on memrefs ----===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;

/// Returns the flat memref that holds a tensor of type `type`.
static MemRefType getMemRefType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(
      {tensor.getNumElements()},
      getMemoryType(type.getContext(), *getDType(tensor.getElementType())));
}

namespace {

struct PlanMemoryPass : lazy::impl::PlanMemoryPassBase<PlanMemoryPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    FunctionType type = function.getFunctionType();
    auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
    if (function.isExternal() || (llvm::none_of(type.getInputs(), isTensor) &&
                                  llvm::none_of(type.getResults(), isTensor)))
      return;
    if (failed(check(function)))
      return signalPassFailure();
    convert(function);
  }

  /// Finds what cannot be converted before anything is changed.
  LogicalResult check(func::FuncOp function) {
    if (!function.getBody().hasOneBlock())
      return function.emitOpError()
             << "expects one block for a schedule of kernels";
    for (Type type : function.getFunctionType().getInputs()) {
      if (!isGraphTensor(type))
        return function.emitOpError()
               << "expects arguments that are tensors of static shape, got "
               << type;
    }
    auto returnOp =
        dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator());
    if (!returnOp)
      return function.emitOpError()
             << "expects a schedule of kernels to return";
    for (Operation &op : function.getBody().front()) {
      if (&op != returnOp && !isa<KernelOp, CustomOp, EmptyOp>(op))
        return op.emitOpError()
               << "expects kernels, custom and empty operations in a schedule; "
                  "run `lazy-schedule` and `lazy-materialize-buffers` before";
      auto kernel = dyn_cast<KernelOp>(op);
      if (kernel && failed(checkKernel(kernel)))
        return failure();
    }
    llvm::SmallPtrSet<Value, 8> seen;
    for (Value result : returnOp.getOperands())
      if (!result.getDefiningOp() ||
          !isa<KernelOp, CustomOp>(result.getDefiningOp()) ||
          !seen.insert(result).second)
        return returnOp.emitOpError()
               << "expects each result to have a buffer of its own; run "
                  "`lazy-materialize-buffers` before";
    return success();
  }

  /// The memory of a result is new: what an init holds besides `lazy.empty`
  /// must not be needed.
  LogicalResult checkKernel(KernelOp kernel) {
    if (kernel.isOnMemory())
      return kernel.emitOpError() << "expects kernels on tensors";
    for (auto [index, init] : llvm::enumerate(kernel.getInits())) {
      if (init.getDefiningOp<EmptyOp>())
        continue;
      Value argument =
          kernel.getBlock()->getArgument(kernel.getInputs().size() + index);
      int64_t numElements = cast<ShapedType>(init.getType()).getNumElements();
      for (Operation *user : argument.getUsers()) {
        auto store = dyn_cast<StoreOp>(user);
        if (store && store.getValue().getType().getNumElements() == numElements)
          continue;
        InFlightDiagnostic diag =
            kernel.emitOpError()
            << "expects init " << index
            << " to be `lazy.empty` where it is read or not wholly stored";
        diag.attachNote(user->getLoc()) << "the access is here";
        return diag;
      }
    }
    return success();
  }

  void convert(func::FuncOp function) {
    Block *block = &function.getBody().front();
    auto returnOp = cast<func::ReturnOp>(block->getTerminator());
    Location loc = function.getLoc();
    memory.clear();

    SmallVector<Type> argumentTypes;
    for (BlockArgument argument : block->getArguments())
      argumentTypes.push_back(getMemRefType(argument.getType()));
    unsigned numInputs = argumentTypes.size();
    for (Value result : returnOp.getOperands())
      argumentTypes.push_back(getMemRefType(result.getType()));
    // New arguments beside the old ones, which go when nothing uses them.
    for (Type type : argumentTypes)
      block->addArgument(type, loc);
    for (unsigned i = 0; i < numInputs; ++i)
      memory[block->getArgument(i)] = block->getArgument(numInputs + i);
    for (auto [i, result] : llvm::enumerate(returnOp.getOperands()))
      memory[result] = block->getArgument(2 * numInputs + i);

    SmallVector<Operation *> old;
    for (Operation &op : *block)
      old.push_back(&op);
    for (Operation *op : old) {
      if (auto kernel = dyn_cast<KernelOp>(op))
        convertKernel(kernel);
      else if (auto custom = dyn_cast<CustomOp>(op))
        convertCustom(custom);
    }
    OpBuilder builder(returnOp);
    func::ReturnOp::create(builder, returnOp.getLoc());
    for (Operation *op : llvm::reverse(old)) {
      op->dropAllUses();
      op->erase();
    }
    block->eraseArguments(0, numInputs);
    function.setFunctionType(
        FunctionType::get(&getContext(), argumentTypes, {}));
    if (function.getAllArgAttrs())
      function.removeArgAttrsAttr();
    if (function.getAllResultAttrs())
      function.removeResAttrsAttr();
    insertDeallocations(block);
  }

  /// Returns the memory of `value`, allocated before `op` where it is new.
  Value getMemory(Operation *op, Value value) {
    Value &found = memory[value];
    if (!found) {
      OpBuilder builder(op);
      found = memref::AllocOp::create(builder, op->getLoc(),
                                      getMemRefType(value.getType()));
    }
    return found;
  }

  void convertKernel(KernelOp kernel) {
    SmallVector<Value> inputs, inits;
    for (Value input : kernel.getInputs())
      inputs.push_back(getMemory(kernel, input));
    for (Value result : kernel.getResults())
      inits.push_back(getMemory(kernel, result));
    OpBuilder builder(kernel);
    auto onMemory = KernelOp::create(builder, kernel.getLoc(), TypeRange(),
                                     kernel.getSymNameAttr(), inputs, inits,
                                     kernel.getPlanAttr());
    onMemory->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
    onMemory.getBody().takeBody(kernel.getBody());
    Block *body = onMemory.getBlock();
    for (auto [argument, operand] :
         llvm::zip(body->getArguments(), onMemory.getOperands()))
      argument.setType(operand.getType());
    // The old kernel needs a body to be destroyed as one.
    kernel.getBody().emplaceBlock();
  }

  void convertCustom(CustomOp custom) {
    SmallVector<Value> operands;
    for (Value operand : custom.getOperands())
      operands.push_back(getMemory(custom, operand));
    operands.push_back(getMemory(custom, custom.getResult()));
    OpBuilder builder(custom);
    CustomOp::create(builder, custom.getLoc(), TypeRange(),
                     custom.getCallbackAttr(), operands);
  }

  void insertDeallocations(Block *block) {
    SmallVector<memref::AllocOp> allocations(block->getOps<memref::AllocOp>());
    for (memref::AllocOp allocation : allocations) {
      Operation *last = allocation;
      for (Operation *user : allocation->getUsers())
        if (last->isBeforeInBlock(user))
          last = user;
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfter(last);
      memref::DeallocOp::create(builder, allocation.getLoc(), allocation);
    }
  }

  llvm::DenseMap<Value, Value> memory;
};

} // namespace
