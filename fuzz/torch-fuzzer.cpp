//===- torch-fuzzer.cpp - Files of PyTorch --------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Error.h"
#include "tinygrad/Tensor/State.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

/// A file in memory, and a path to it.
static const int file = memfd_create("input", MFD_CLOEXEC);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (ftruncate(file, 0) != 0 ||
      pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) {
    std::perror("error: no file in memory");
    std::abort();
  }
  // Any other exception ends the process.
  try {
    // Views are made, and none is computed, which might take any time.
    tinygrad::torch_load("/proc/self/fd/" + std::to_string(file), "DISK");
  } catch (const tinygrad::Error &) {
  }
  return 0;
}
