//===- tinygrad-translate.cpp - Print lower stages ------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Tools.h"
#include "KernelTranslations.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int tinygrad::tools::translate(int argc, char **argv) {
  tinygrad::registerTranslations();
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "tinygrad-mlir translation\n"));
}
