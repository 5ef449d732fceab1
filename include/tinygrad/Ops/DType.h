//===- DType.h - Element types ----------------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types of tensors, in their order of promotion.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPS_DTYPE_H
#define TINYGRAD_OPS_DTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace tinygrad {

/// An element type. The order is tinygrad's order of priority: an elementwise
/// result of mixed sources has the highest of their types.
enum class DType : uint8_t {
  Bool,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float16,
  BFloat16,
  Float32,
  Float64,
};

/// The number of element types.
inline constexpr int numDTypes = static_cast<int>(DType::Float64) + 1;

/// Returns the size of one element in memory, in bytes. A bool takes one.
constexpr int getByteWidth(DType type) {
  constexpr int widths[numDTypes] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
  return widths[static_cast<int>(type)];
}

/// Returns true for float16, bfloat16, float32 and float64.
constexpr bool isFloat(DType type) { return type >= DType::Float16; }

/// Returns true for the signed and unsigned integers; bool is none of them.
constexpr bool isInteger(DType type) {
  return type != DType::Bool && !isFloat(type);
}

/// Returns true for the unsigned integers and for bool.
constexpr bool isUnsigned(DType type) {
  return type == DType::Bool || type == DType::UInt8 || type == DType::UInt16 ||
         type == DType::UInt32 || type == DType::UInt64;
}

/// Returns the number of significant bits of a float type, with the leading one
/// that is not stored; 0 for every other type.
constexpr int getPrecision(DType type) {
  constexpr int bits[numDTypes] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 11, 8, 24, 53};
  return bits[static_cast<int>(type)];
}

/// Returns tinygrad's and numpy's name of `type`, such as "float32".
std::string_view getName(DType type);

/// Returns the type called `name` by tinygrad and numpy, or nothing.
std::optional<DType> parseDType(std::string_view name);

/// Returns the type in which a sum of `type` is accumulated: float32 for the
/// two half types, `type` itself for every other one.
constexpr DType getAccumulationType(DType type) {
  return type == DType::Float16 || type == DType::BFloat16 ? DType::Float32
                                                           : type;
}

} // namespace tinygrad

#endif // TINYGRAD_OPS_DTYPE_H
