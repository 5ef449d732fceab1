//===- tinygrad-translate.cpp - Print a program at any stage below the graph ===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/InitAll.h"
#include "tinygrad/Pipelines/Translations.h"

#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  mlir::registerToLLVMIRTranslation();
  tinygrad::registerKernelTranslations();
  return mlir::failed(mlir::mlirTranslateMain(
      argc, argv, "tinygrad-mlir translation\n"));
}
