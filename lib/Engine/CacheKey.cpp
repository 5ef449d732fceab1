//===- CacheKey.cpp - What a cached result depends on ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheKey.h"
#include "tinygrad/Target/CPUTarget.h"

#include "BuildId.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/SHA256.h"

using namespace tinygrad;
using namespace tinygrad::engine;

CacheKey::CacheKey(std::string text) : text(std::move(text)) {
  llvm::SHA256 hash;
  hash.update(this->text);
  name = llvm::toHex(hash.final(), /*LowerCase=*/true);
}

llvm::StringRef engine::getBuildId() { return TINYGRAD_BUILD_ID; }

std::string engine::describeEnvironment(const target::CPUTarget &target) {
  return ("build " + getBuildId() + "\nllvm " LLVM_VERSION_STRING "\ntriple " +
          target.triple + "\ncpu " + target.cpu + "\nfeatures " +
          target.features + "\nvector bits " + llvm::Twine(target.vectorBits) +
          "\n")
      .str();
}
