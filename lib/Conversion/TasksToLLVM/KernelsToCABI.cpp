//===- KernelsToCABI.cpp - Kernel functions get the runtime's C interface -===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Conversion/Passes.h"
#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tinygrad {
#define GEN_PASS_DEF_CONVERTKERNELSTOCABIPASS
#include "tinygrad/Conversion/Passes.h.inc"
} // namespace tinygrad

namespace {

struct ConvertKernelsToCABIPass
    : tinygrad::impl::ConvertKernelsToCABIPassBase<ConvertKernelsToCABIPass> {
  void runOnOperation() override {
    SmallVector<LLVM::LLVMFuncOp> kernels;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(tinygrad::lazy::kernelAttrName) &&
          !function.isExternal())
        kernels.push_back(function);
    SymbolTable symbols(getOperation());
    SmallVector<LLVM::CallOp> calls;
    getOperation().walk([&](LLVM::CallOp call) {
      auto callee = call.getCallee();
      auto kernel = callee ? symbols.lookup<LLVM::LLVMFuncOp>(*callee)
                           : LLVM::LLVMFuncOp();
      // In a module inside of this one the name means something else.
      if (call->getParentOfType<ModuleOp>() == getOperation() &&
          llvm::is_contained(kernels, kernel))
        calls.push_back(call);
    });
    Operation *other = getOperation().lookupSymbol(launcher);
    if (!calls.empty() && other && failed(checkLauncher(other)))
      return signalPassFailure();
    for (LLVM::CallOp call : calls)
      if (!call->getParentOfType<LLVM::LLVMFuncOp>()) {
        call.emitOpError() << "expects a kernel to be called by an `llvm.func`";
        return signalPassFailure();
      }
    for (LLVM::LLVMFuncOp kernel : kernels)
      if (failed(convert(kernel, symbols)))
        return signalPassFailure();
    for (LLVM::CallOp call : calls)
      convertCall(call);
  }

  /// What the runtime calls the function that runs a kernel on all threads.
  static constexpr StringLiteral launcher = "tg_parallel_for";

  LLVM::LLVMFunctionType getLauncherType() {
    Builder b(&getContext());
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    return LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                       {b.getI64Type(), pointer, pointer});
  }

  LogicalResult checkLauncher(Operation *symbol) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(symbol);
    if (function && function.getFunctionType() == getLauncherType())
      return success();
    return symbol->emitOpError()
           << "expects `" << launcher << "` to be a function of type "
           << getLauncherType();
  }

  /// Replaces a call of a kernel on all of its tasks by a parallel one.
  void convertCall(LLVM::CallOp call) {
    ImplicitLocOpBuilder b(call.getLoc(), call);
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = b.getI64Type();
    if (!getOperation().lookupSymbol(launcher)) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(getOperation().getBody());
      LLVM::LLVMFuncOp::create(b, launcher, getLauncherType());
    }
    // The operands: buffers and values of variables, then 0 and the number of
    // tasks.
    OperandRange buffers = call.getArgOperands().drop_back(2);
    Value count = LLVM::ConstantOp::create(
        b, i64, b.getI64IntegerAttr(std::max<int64_t>(buffers.size(), 1)));
    auto function = call->getParentOfType<LLVM::LLVMFuncOp>();
    Value array;
    SmallVector<Value> pointers(buffers);
    {
      // On the stack of the function, once.
      OpBuilder::InsertionGuard guard(b);
      count.getDefiningOp()->moveBefore(&function.getBody().front(),
                                        function.getBody().front().begin());
      b.setInsertionPointAfter(count.getDefiningOp());
      array = LLVM::AllocaOp::create(b, pointer, pointer, count);
      for (Value &buffer : pointers) {
        if (buffer.getType() != i64)
          continue;
        Value one = LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(1));
        buffer = LLVM::AllocaOp::create(b, pointer, i64, one);
      }
    }
    for (auto [buffer, place] : llvm::zip(buffers, pointers))
      if (buffer != place)
        LLVM::StoreOp::create(b, buffer, place);
    for (auto [i, buffer] : llvm::enumerate(pointers)) {
      Value place =
          LLVM::GEPOp::create(b, pointer, pointer, array,
                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(b, buffer, place);
    }
    Value kernel = LLVM::AddressOfOp::create(b, pointer, call.getCalleeAttr());
    LLVM::CallOp::create(
        b, TypeRange(), launcher,
        ValueRange{call.getArgOperands().back(), kernel, array});
    call.erase();
  }

  LogicalResult convert(LLVM::LLVMFuncOp kernel, SymbolTable &symbols) {
    auto type = kernel.getFunctionType();
    unsigned numArguments = type.getNumParams();
    auto isRange = [&](unsigned i) {
      return type.getParamType(i).isInteger(64);
    };
    bool fits = numArguments >= 2 && isRange(numArguments - 2) &&
                isRange(numArguments - 1) && !type.isVarArg() &&
                isa<LLVM::LLVMVoidType>(type.getReturnType());
    for (unsigned i = 0; fits && i + 2 < numArguments; ++i)
      fits = isa<LLVM::LLVMPointerType>(type.getParamType(i)) || isRange(i);
    if (!fits)
      return kernel.emitOpError()
             << "expects one pointer per buffer, one i64 per variable and a "
                "range of tasks, got "
             << type;

    ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = b.getI64Type();
    auto wrapperType = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(&getContext()), {pointer, i64, i64});
    std::string name = kernel.getName().str();
    // Calls keep the name: they will go through the wrapper.
    std::string bodyName = name + ".body";
    if (symbols.lookup(bodyName))
      return kernel.emitOpError()
             << "expects `" << bodyName << "` not to be taken";
    kernel.setName(bodyName);
    kernel.setLinkage(LLVM::Linkage::Internal);
    kernel.setAlwaysInline(true);
    auto wrapper = LLVM::LLVMFuncOp::create(b, name, wrapperType);
    for (StringRef attr :
         {tinygrad::lazy::kernelAttrName, tinygrad::lazy::tasksAttrName})
      if (Attribute value = kernel->removeAttr(attr))
        wrapper->setAttr(attr, value);

    Block *entry = wrapper.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    SmallVector<Value> arguments;
    for (int32_t i = 0; i + 2 < static_cast<int32_t>(numArguments); ++i) {
      Value place =
          LLVM::GEPOp::create(b, pointer, pointer, entry->getArgument(0),
                              ArrayRef<LLVM::GEPArg>{i});
      Value argument = LLVM::LoadOp::create(b, pointer, place);
      // The value of a variable lies in memory as what a buffer holds does.
      if (isRange(i))
        argument = LLVM::LoadOp::create(b, i64, argument);
      arguments.push_back(argument);
    }
    arguments.push_back(entry->getArgument(1));
    arguments.push_back(entry->getArgument(2));
    LLVM::CallOp::create(b, kernel, arguments);
    LLVM::ReturnOp::create(b, ValueRange());
    return success();
  }
};

} // namespace
