//===- tinygrad-opt.cpp - Run passes on text ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/InitAll.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

int main(int argc, char **argv) {
  // One sentence and the place are enough: the operation is not printed again
  // unless it is asked for.
  mlir::registerMLIRContextCLOptions();
  auto &options = llvm::cl::getRegisteredOptions();
  if (auto *option = options.lookup("mlir-print-op-on-diagnostic"))
    static_cast<llvm::cl::opt<bool> *>(option)->setInitialValue(false);

  mlir::DialectRegistry registry;
  tinygrad::registerAllDialects(registry);
  tinygrad::registerAllPasses();
  tinygrad::registerAllPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tinygrad-mlir optimizer\n", registry));
}
