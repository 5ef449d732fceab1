//===- Error.h - What the front end throws ----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_ERROR_H
#define TINYGRAD_TENSOR_ERROR_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tinygrad {

/// The extents of a tensor; empty for a scalar.
using Shape = std::vector<int64_t>;

/// A call that cannot be done. `what()` reads `op: sentence`, followed by the
/// compiler's own text on the next lines where there is any.
class Error : public std::runtime_error {
public:
  Error(std::string op, const std::string &sentence,
        std::vector<Shape> shapes = {}, std::string compilerText = {});

  /// The operation or function that was called, such as "reshape".
  const std::string &getOp() const { return op; }
  /// The shapes that the sentence speaks of; may be empty.
  const std::vector<Shape> &getShapes() const { return shapes; }
  /// The compiler's or the runtime's diagnostics; empty where neither spoke.
  const std::string &getCompilerText() const { return compilerText; }

private:
  std::string op;
  std::vector<Shape> shapes;
  std::string compilerText;
};

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_ERROR_H
