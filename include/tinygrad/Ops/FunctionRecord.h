//===- FunctionRecord.h - A function as plain data --------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a module consists of, for those who look at it without MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPS_FUNCTIONRECORD_H
#define TINYGRAD_OPS_FUNCTIONRECORD_H

#include <cstdint>
#include <string>
#include <vector>

namespace tinygrad::ops {

/// A function of a module, at whatever stage.
struct FunctionRecord {
  std::string name;
  std::string text;
  /// True for a kernel in a function of its own.
  bool isKernel = false;
  /// The functions that it calls, in order.
  std::vector<std::string> callees;
  /// Arithmetic operations, and bytes read and written, of its kernels while
  /// they are operations of the lazy dialect.
  int64_t flops = 0;
  int64_t bytes = 0;
};

} // namespace tinygrad::ops

#endif // TINYGRAD_OPS_FUNCTIONRECORD_H
