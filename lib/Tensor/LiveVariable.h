//===- LiveVariable.h - The variables that there are ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules of the scheduler ask how often a value is used, and tinygrad counts the
// uses by all tensors that live, not only those by what is computed. A context
// with `countsHolders` needs a list of them.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_LIVEVARIABLE_H
#define TINYGRAD_LIB_TENSOR_LIVEVARIABLE_H

#include <vector>

namespace tinygrad::detail {

struct Node;
struct TensorImpl;

/// The part of a variable by which it is found. Variables that were made before
/// the first call of `list` are not on the list.
class LiveVariable {
public:
  LiveVariable();
  ~LiveVariable();
  LiveVariable(const LiveVariable &) = delete;
  LiveVariable &operator=(const LiveVariable &) = delete;

  /// Keeps a list from now on, for all contexts.
  static void list();
  /// Returns the variables of the list, in the order in which they were made.
  /// They are used by the threads that made them: others must be at rest.
  static std::vector<TensorImpl *> getAll();

private:
  bool isListed;
  LiveVariable *previous = nullptr, *next = nullptr;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_LIVEVARIABLE_H
