//===- CacheFolder.h - Compiled code on disk --------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file per entry, written under another name and moved into place, so that
// several processes may use a folder at once and any of them may die at any
// time. Nothing that is read is trusted: an entry that is damaged, cut off, not
// ours or of another key is no entry. Whatever goes wrong costs the cache and
// no more.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_ENGINE_CACHEFOLDER_H
#define TINYGRAD_LIB_ENGINE_CACHEFOLDER_H

#include "CacheKey.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace tinygrad::engine {

/// Entries in `DIRECTORY/v1`, found by their keys. May be used from several
/// threads at once.
class CacheFolder {
public:
  /// Keeps about `maxBytes` in `directory`, which is made when something is
  /// written. With an empty `directory` nothing is ever found or kept.
  CacheFolder(llvm::StringRef directory, int64_t maxBytes);

  bool isUsed() const { return !folder.empty(); }

  /// Returns what is kept for `key`, and marks it as used.
  std::optional<std::string> read(const CacheKey &key);

  /// Keeps `value` for `key`, in place of what was kept before. If somebody has
  /// put a folder with something in it there, it stays, and nothing is kept for
  /// the key. Where the
  /// folder becomes too large, those entries go that were not used for longest.
  /// Several processes may together exceed the bound by a sixteenth each.
  void write(const CacheKey &key, llvm::StringRef value);

private:
  std::string getPath(const CacheKey &key) const;
  /// Measures the folder, and removes entries and abandoned files where it is
  /// too large. The mutex is held.
  void evict();

  const std::string folder;
  const int64_t maxBytes;
  std::mutex mutex;
  /// The size of the folder, as far as known; -1 before it was measured.
  int64_t numBytes = -1;
  /// What this object has written since then.
  int64_t numNewBytes = 0;
  uint64_t numWrites = 0;
};

} // namespace tinygrad::engine

#endif // TINYGRAD_LIB_ENGINE_CACHEFOLDER_H
