//===- Tools.h - The programs as functions ----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the programs of an installation do. The functions are in libtinygrad, so
// that the programs and the Python package share one copy of the compiler. Each
// takes the arguments of `main` and returns the exit code; a command line that
// is not valid ends the process, and none is meant to be called twice.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TOOLS_H
#define TINYGRAD_TOOLS_TOOLS_H

namespace tinygrad::tools {

/// `tinygrad-opt`: runs passes.
int opt(int argc, char **argv);
/// `tinygrad-run`: runs a program on data.
int run(int argc, char **argv);
/// `tinygrad-translate`: prints what becomes of kernels.
int translate(int argc, char **argv);

} // namespace tinygrad::tools

#endif // TINYGRAD_TOOLS_TOOLS_H
