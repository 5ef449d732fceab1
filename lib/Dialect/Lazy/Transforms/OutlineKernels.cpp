//===- OutlineKernels.cpp - Move kernels into functions of their own ------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;

namespace {

/// Two kernels are equal if they differ at most in operands, names and
/// locations.
struct KernelEquivalence : llvm::DenseMapInfo<Operation *> {
  static KernelOp getKernel(const Operation *op) {
    return cast<KernelOp>(const_cast<Operation *>(op));
  }
  static unsigned getHashValue(const Operation *op) {
    KernelOp kernel = getKernel(op);
    llvm::hash_code hash =
        llvm::hash_combine(kernel.getPlanAttr(), kernel.getVariablesAttr());
    for (Operation &inner : *kernel.getBlock())
      hash = llvm::hash_combine(
          hash, OperationEquivalence::computeHash(
                    &inner, OperationEquivalence::ignoreHashValue,
                    OperationEquivalence::ignoreHashValue,
                    OperationEquivalence::IgnoreLocations));
    return hash;
  }
  static bool isEqual(const Operation *lhs, const Operation *rhs) {
    if (lhs == rhs || !isValid(lhs) || !isValid(rhs))
      return lhs == rhs;
    KernelOp left = getKernel(lhs), right = getKernel(rhs);
    return left.getPlanAttr() == right.getPlanAttr() &&
           left.getVariablesAttr() == right.getVariablesAttr() &&
           left.getInputs().size() == right.getInputs().size() &&
           OperationEquivalence::isRegionEquivalentTo(
               &left.getBody(), &right.getBody(),
               OperationEquivalence::IgnoreLocations);
  }
  static bool isValid(const Operation *op) {
    return op != getEmptyKey() && op != getTombstoneKey();
  }
};

struct OutlineKernelsPass
    : lazy::impl::OutlineKernelsPassBase<OutlineKernelsPass> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(kernelAttrName))
        continue;
      function.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    }
    for (KernelOp kernel : kernels) {
      if (kernel.isOnMemory() || kernel.getNumOperands() == 0)
        continue;
      kernel.emitOpError() << "expects operands on memrefs to be outlined; run "
                              "`lazy-plan-memory` before";
      return signalPassFailure();
    }
    // Versions say nothing of calls.
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([](Operation *op) { op->removeAttr(versionsAttrName); });
    SymbolTable symbols(getOperation());
    llvm::DenseMap<Operation *, func::FuncOp, KernelEquivalence> outlined;
    for (KernelOp kernel : kernels) {
      auto found = outlined.find(kernel);
      func::FuncOp function =
          found != outlined.end() ? found->second : func::FuncOp();
      SmallVector<Value> operands(kernel.getOperands());
      OpBuilder builder(kernel);
      if (!function) {
        function = func::FuncOp::create(
            builder, kernel.getLoc(), kernel.getSymName(),
            builder.getFunctionType(kernel.getOperandTypes(), {}));
        function->setAttr(kernelAttrName, builder.getUnitAttr());
        function->remove();
        symbols.insert(function);
        function.setVisibility(SymbolTable::Visibility::Private);
        size_t numData = kernel.getData().size();
        if (std::optional<ArrayAttr> variables = kernel.getVariables())
          for (auto [index, variable] : llvm::enumerate(*variables))
            function.setArgAttr(numData + index, variableAttrName, variable);
      }
      func::CallOp::create(builder, kernel.getLoc(), function, operands);
      if (found != outlined.end()) {
        kernel.erase();
        continue;
      }
      // What is noted on the first of several equal kernels says nothing of
      // the others.
      kernel->removeAttr(rulesAttrName);
      Block *entry = function.addEntryBlock();
      kernel->moveBefore(entry, entry->end());
      kernel->setOperands(entry->getArguments());
      kernel.setSymName(function.getSymName());
      builder.setInsertionPointToEnd(entry);
      func::ReturnOp::create(builder, kernel.getLoc());
      outlined.try_emplace(kernel, function);
    }
  }
};

} // namespace
