//===- Environment.cpp - What the user's environment says -----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Environment.h"

#include <cstdlib>

using namespace tinygrad;

std::string engine::chooseCacheDirectory(const VariableReader &readVariable) {
  auto read = [&](const char *name) -> std::string {
    const char *value = readVariable(name);
    return value ? value : "";
  };
  if (read("TINYGRAD_CACHE") == "0")
    return "";
  if (const char *directory = readVariable("TINYGRAD_CACHE_DIR"))
    return directory;
  // The specification of this variable says that other paths are ignored.
  std::string caches = read("XDG_CACHE_HOME"), home = read("HOME");
  if (!caches.starts_with('/'))
    caches = home.starts_with('/') ? home + "/.cache" : "";
  return caches.empty() ? "" : caches + "/tinygrad-mlir";
}

llvm::Expected<int> engine::readNumber(const VariableReader &readVariable,
                                       const char *name, int byDefault,
                                       int highest) {
  const char *text = readVariable(name);
  if (!text || !*text)
    return byDefault;
  char *end = nullptr;
  long value = std::strtol(text, &end, 10);
  if (*end || value < 0 || value > highest)
    return llvm::createStringError(
        std::string("expects ") + name + " to be an integer from 0 to " +
        std::to_string(highest) + ", got `" + text + "`");
  return static_cast<int>(value);
}
