//===- CacheKey.h - What a cached result depends on - h ---------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_ENGINE_CACHEKEY_H
#define TINYGRAD_LIB_ENGINE_CACHEKEY_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tinygrad::target {
struct CPUTarget;
} // namespace tinygrad::target

namespace tinygrad::engine {

/// All that a result depends on, and a name for it. Equal names are taken as a
/// hint: whoever finds a result by its name compares the texts, too.
struct CacheKey {
  CacheKey() = default;
  explicit CacheKey(std::string text);

  bool operator==(const CacheKey &other) const = default;

  std::string text;
  /// The SHA-256 of the text, in 64 hexadecimal digits.
  std::string name;
};

/// Returns the part that all keys of one compiler and one processor share: our
/// build id, LLVM's version, triple, processor, features and vector width.
std::string describeEnvironment(const target::CPUTarget &target);

/// Returns a text that changes with the code of the compiler.
llvm::StringRef getBuildId();

} // namespace tinygrad::engine

#endif // TINYGRAD_LIB_ENGINE_CACHEKEY_H
