//===- Main.cpp - The main of each program --------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled once for each program, which TINYGRAD_TOOL names.
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

int main(int argc, char **argv) {
  return tinygrad::tools::TINYGRAD_TOOL(argc, argv);
}
