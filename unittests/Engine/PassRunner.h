//===- PassRunner.h - Runs passes on functions ------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_ENGINE_PASSRUNNER_H
#define TINYGRAD_UNITTESTS_ENGINE_PASSRUNNER_H

#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"
#include "tinygrad/InitAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include <memory>

namespace tinygrad::test {

/// A context, and passes that are run on the functions of its modules.
class PassRunner {
protected:
  PassRunner()
      : context(getRegistry(), mlir::MLIRContext::Threading::DISABLED) {}

  bool runPass(mlir::ModuleOp module, std::unique_ptr<mlir::Pass> pass) {
    mlir::PassManager manager(&context);
    manager.addNestedPass<mlir::func::FuncOp>(std::move(pass));
    return succeeded(manager.run(module));
  }
  bool isVerified(mlir::ModuleOp module) {
    // Its errors are expected.
    mlir::ScopedDiagnosticHandler handler(&context, [](mlir::Diagnostic &) {});
    return runPass(module, lazy::createVerifySchedulePass());
  }

  mlir::MLIRContext context;

private:
  static mlir::DialectRegistry getRegistry() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }
};

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_ENGINE_PASSRUNNER_H
