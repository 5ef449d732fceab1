//===- LazyToLoops.cpp - Lower kernels to loops and vectors ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"

#include "tinygrad/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;

namespace tinygrad {
#define GEN_PASS_DEF_CONVERTLAZYTOLOOPSPASS
#include "tinygrad/Conversion/Passes.h.inc"
} // namespace tinygrad

namespace {

struct ConvertLazyToLoopsPass
    : tinygrad::impl::ConvertLazyToLoopsPassBase<ConvertLazyToLoopsPass> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      if (!kernel.isOnMemory()) {
        kernel.emitOpError() << "expects operands on memrefs for its lowering; "
                                "run `lazy-plan-memory` before";
        return signalPassFailure();
      }
      ImplicitLocOpBuilder builder(kernel.getLoc(), kernel);
      PlanAttr plan = kernel.getPlanAttr();
      LogicalResult result =
          plan && plan.isContraction()
              ? emitContraction(builder, kernel, kernel.getOperands())
              : emitLoopNest(builder, kernel, kernel.getOperands());
      if (failed(result))
        return signalPassFailure();
      kernel.erase();
    }
  }
};

} // namespace
