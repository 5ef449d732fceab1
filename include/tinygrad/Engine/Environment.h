//===- Environment.h - What the user's environment says ---------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs, which ask once; an engine knows its options alone.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_ENGINE_ENVIRONMENT_H
#define TINYGRAD_ENGINE_ENVIRONMENT_H

#include "llvm/Support/Error.h"

#include <functional>
#include <string>

namespace tinygrad::engine {

/// Returns the value of a variable, or null if it is not set; std::getenv.
using VariableReader = std::function<const char *(const char *name)>;

/// Returns the folder for Engine::Options::cacheDirectory: what
/// TINYGRAD_CACHE_DIR says, else `tinygrad-mlir` in XDG_CACHE_HOME or in the
/// home directory's `.cache`. Empty where TINYGRAD_CACHE is 0, where
/// TINYGRAD_CACHE_DIR is set to nothing, or where there is no home directory.
std::string chooseCacheDirectory(const VariableReader &readVariable);

/// Returns the number that the variable `name` is, or `byDefault` where it is
/// not set or empty. Fails where it is no integer from 0 to `highest`.
llvm::Expected<int> readNumber(const VariableReader &readVariable,
                               const char *name, int byDefault, int highest);

} // namespace tinygrad::engine

#endif // TINYGRAD_ENGINE_ENVIRONMENT_H
