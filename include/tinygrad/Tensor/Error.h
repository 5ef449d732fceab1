//===- Error.h - What the front end throws ----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_ERROR_H
#define TINYGRAD_TENSOR_ERROR_H

#include "tinygrad/Tensor/Shape.h"

#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

namespace tinygrad {

/// Where a function was called: it is the last argument of methods, which
/// callers leave out.
using Place = std::source_location;

/// A call that cannot be done. `what()` reads `op: sentence (file:line)`,
/// followed by the compiler's own text on the next lines where there is any.
/// The place is that of the outermost call on this thread that has one as its
/// last argument: operators, methods, layers, and what reads and loads states.
/// Elementwise methods without arguments, random numbers and functions that are
/// no methods do not know theirs.
class Error : public std::runtime_error {
public:
  Error(std::string op, const std::string &sentence,
        std::vector<Shape> shapes = {}, std::string compilerText = {});

  /// The operation or function that was called, such as "reshape".
  const std::string &getOp() const { return op; }
  /// The shapes that the sentence speaks of; may be empty.
  const std::vector<Shape> &getShapes() const { return shapes; }
  /// Where the call is, as `file:line`; empty where that is not known.
  const std::string &getPlace() const { return place; }
  /// The compiler's or the runtime's diagnostics; empty where neither spoke.
  const std::string &getCompilerText() const { return compilerText; }

private:
  std::string op;
  std::vector<Shape> shapes;
  std::string place;
  std::string compilerText;
};

namespace detail {

/// While the outermost one on a thread lives, errors have its place.
class PlaceScope {
public:
  explicit PlaceScope(const Place &place);
  ~PlaceScope();
  PlaceScope(const PlaceScope &) = delete;
  PlaceScope &operator=(const PlaceScope &) = delete;

private:
  bool isOutermost;
};

} // namespace detail

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_ERROR_H
