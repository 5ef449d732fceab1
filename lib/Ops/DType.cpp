//===- DType.cpp - Names of element types ---------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/DType.h"

using namespace tinygrad;

static constexpr std::string_view names[numDTypes] = {
    "bool",  "int8",   "uint8",   "int16",    "uint16",  "int32",  "uint32",
    "int64", "uint64", "float16", "bfloat16", "float32", "float64"};

std::string_view tinygrad::getName(DType type) {
  return names[static_cast<int>(type)];
}

std::optional<DType> tinygrad::parseDType(std::string_view name) {
  for (int i = 0; i < numDTypes; ++i)
    if (names[i] == name)
      return static_cast<DType>(i);
  return std::nullopt;
}
