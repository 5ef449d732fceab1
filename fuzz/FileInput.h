//===- FileInput.h - Inputs of readers of files -----------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_FUZZ_FILEINPUT_H
#define TINYGRAD_FUZZ_FILEINPUT_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace tinygrad::fuzz {

/// Makes `data` the contents of a file in memory and returns its path. The next
/// call writes to the same file.
inline std::string writeInput(const uint8_t *data, size_t size) {
  static const int file = memfd_create("input", MFD_CLOEXEC);
  if (ftruncate(file, 0) != 0 ||
      pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) {
    std::perror("error: no file in memory");
    std::abort();
  }
  return "/proc/self/fd/" + std::to_string(file);
}

} // namespace tinygrad::fuzz

#endif // TINYGRAD_FUZZ_FILEINPUT_H
