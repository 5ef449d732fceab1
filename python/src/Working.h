//===- Working.h - Threads of Python while the library works ----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_PYTHON_SRC_WORKING_H
#define TINYGRAD_PYTHON_SRC_WORKING_H

#include "Bindings.h"

#include "tinygrad/Tensor/Context.h"

namespace tinygrad::python {

/// While one lives, this thread compiles or runs without the GIL. On Python's
/// main thread Ctrl-C stops it between two passes or two kernels: the Error of
/// what was cancelled then becomes a KeyboardInterrupt (see raiseInterrupt).
class Working {
public:
  Working();
  ~Working();
  Working(const Working &) = delete;
  Working &operator=(const Working &) = delete;

private:
  bool isMain;
  WatchGuard guard;
  PyThreadState *state;
};

/// Raises what the handler of a signal raises if this thread was stopped for
/// it; else returns false. The GIL is held.
bool raiseInterrupt() noexcept;

} // namespace tinygrad::python

#endif // TINYGRAD_PYTHON_SRC_WORKING_H
