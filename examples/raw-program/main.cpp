//===- main.cpp - A program in LLVM IR on buffers -------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowest layer by itself: a device, buffers, and a program given as text.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Runtime/Device.h"

#include "llvm/Support/Error.h"

#include <cstdio>

using namespace tinygrad;
using namespace tinygrad::runtime;

/// One pointer per buffer; the output comes first by convention.
static const char *programText = R"(
define void @add(ptr %out, ptr %a, ptr %b) {
  %x = load float, ptr %a
  %y = load float, ptr %b
  %sum = fadd float %x, %y
  store float %sum, ptr %out
  ret void
}
)";

int main() {
  // Prints the sentence of an error and ends the program.
  llvm::ExitOnError check("raw-program: ");

  DeviceRef device = check(createCPUDevice());
  BufferRef out = check(device->allocate(DType::Float32, 1));
  BufferRef a = check(device->allocate(DType::Float32, 1));
  BufferRef b = check(device->allocate(DType::Float32, 1));
  float two = 2, three = 3, sum = 0;
  check(a->copyIn(&two, sizeof(two)));
  check(b->copyIn(&three, sizeof(three)));

  ProgramRef add = check(
      device->compile("add", {ProgramSource::Language::LLVMIR, programText}));
  BufferRef buffers[] = {out, a, b};
  check(add->launch(buffers));

  check(out->copyOut(&sum, sizeof(sum)));
  std::printf("%g + %g = %g\n", two, three, sum);
  return 0;
}
