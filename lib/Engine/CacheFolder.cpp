//===- CacheFolder.cpp - Compiled code on disk ----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry, all numbers little-endian with 64 bits:
//
//   magic, size of the key, size of the value, key, value, checksum of all that
//
//===----------------------------------------------------------------------===//

#include "CacheFolder.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace tinygrad::engine;

static constexpr llvm::StringLiteral magic = "tg-cache";
static constexpr llvm::StringLiteral suffix = ".entry";
static constexpr llvm::StringLiteral temporarySuffix = ".part";
static constexpr uint64_t headerBytes = 24, checksumBytes = 8;
/// A file that is being written is younger than this, in seconds.
static constexpr time_t abandonedSeconds = 600;

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static void append(std::string &bytes, uint64_t number) {
  char text[8];
  llvm::support::endian::write64le(text, number);
  bytes.append(text, sizeof(text));
}

static uint64_t getChecksum(llvm::StringRef bytes) {
  return llvm::xxh3_64bits(llvm::arrayRefFromStringRef(bytes));
}

static std::string makeEntry(llvm::StringRef key, llvm::StringRef value) {
  std::string bytes;
  bytes.reserve(headerBytes + key.size() + value.size() + checksumBytes);
  bytes += magic;
  append(bytes, key.size());
  append(bytes, value.size());
  bytes += key;
  bytes += value;
  append(bytes, getChecksum(bytes));
  return bytes;
}

/// Returns the value in `entry`, if it is a whole entry of `key`.
static std::optional<llvm::StringRef> getValue(llvm::StringRef entry,
                                               llvm::StringRef key) {
  if (entry.size() < headerBytes + checksumBytes || !entry.starts_with(magic))
    return std::nullopt;
  auto readNumber = [&](size_t place) {
    return llvm::support::endian::read64le(entry.data() + place);
  };
  uint64_t size = entry.size() - headerBytes - checksumBytes;
  uint64_t keySize = readNumber(8), valueSize = readNumber(16);
  if (keySize > size || valueSize != size - keySize ||
      getChecksum(entry.drop_back(checksumBytes)) !=
          readNumber(entry.size() - checksumBytes) ||
      entry.substr(headerBytes, keySize) != key)
    return std::nullopt;
  return entry.substr(headerBytes + keySize, valueSize);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static bool isOurs(const struct stat &status) {
  return S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

/// Reads a regular file of this user that has at most `maxBytes`.
static std::optional<std::string> readFile(const std::string &path,
                                           int64_t maxBytes) {
  // Not to wait where someone has put a pipe.
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return std::nullopt;
  llvm::scope_exit close([&] { ::close(file); });
  struct stat status;
  if (fstat(file, &status) != 0 || !isOurs(status) || status.st_size > maxBytes)
    return std::nullopt;
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  for (size_t done = 0; done < bytes.size();) {
    ssize_t count = ::read(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return std::nullopt;
    done += static_cast<size_t>(count);
  }
  return bytes;
}

/// Writes a new file; leaves none if that fails.
static bool writeFile(const std::string &path, llvm::StringRef bytes) {
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  S_IRUSR | S_IWUSR);
  if (file < 0)
    return false;
  bool isWritten = true;
  while (isWritten && !bytes.empty()) {
    ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    isWritten = count > 0;
    if (isWritten)
      bytes = bytes.drop_front(static_cast<size_t>(count));
  }
  isWritten &= ::close(file) == 0;
  if (!isWritten)
    unlink(path.c_str());
  return isWritten;
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

/// The process may change its directory later.
static std::string makeAbsolute(llvm::StringRef directory) {
  llvm::SmallString<128> path(directory);
  if (!path.empty())
    (void)llvm::sys::fs::make_absolute(path);
  return path.str().str();
}

CacheFolder::CacheFolder(llvm::StringRef directory, int64_t maxBytes)
    : folder(directory.empty() ? "" : makeAbsolute(directory) + "/v1"),
      maxBytes(maxBytes) {}

std::string CacheFolder::getPath(const CacheKey &key) const {
  return folder + "/" + key.name + suffix.str();
}

std::optional<std::string> CacheFolder::read(const CacheKey &key) {
  if (!isUsed())
    return std::nullopt;
  std::string path = getPath(key);
  std::optional<std::string> entry = readFile(path, maxBytes);
  if (!entry)
    return std::nullopt;
  std::optional<llvm::StringRef> value = getValue(*entry, key.text);
  if (!value)
    return std::nullopt;
  // The time of the last change is that of the last use.
  (void)utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return value->str();
}

void CacheFolder::write(const CacheKey &key, llvm::StringRef value) {
  if (!isUsed())
    return;
  std::string entry = makeEntry(key.text, value);
  int64_t size = static_cast<int64_t>(entry.size());
  if (size > maxBytes)
    return;
  std::string temporary;
  {
    std::lock_guard lock(mutex);
    if (numBytes < 0 &&
        llvm::sys::fs::create_directories(folder, /*IgnoreExisting=*/true,
                                          llvm::sys::fs::owner_all))
      return;
    if (numBytes < 0)
      evict();
    // Two objects in one process, too, must not write one file.
    temporary = folder + "/" + std::to_string(getpid()) + "-" +
                std::to_string(reinterpret_cast<uintptr_t>(this)) + "-" +
                std::to_string(numWrites++) + temporarySuffix.str();
  }
  // A process of this number may have died here.
  unlink(temporary.c_str());
  if (!writeFile(temporary, entry))
    return;
  std::string path = getPath(key);
  bool isMoved = rename(temporary.c_str(), path.c_str()) == 0;
  // Where someone has made a folder; one that is not empty stays.
  if (!isMoved && errno == EISDIR && rmdir(path.c_str()) == 0)
    isMoved = rename(temporary.c_str(), path.c_str()) == 0;
  if (!isMoved) {
    unlink(temporary.c_str());
    return;
  }
  std::lock_guard lock(mutex);
  numBytes += size;
  numNewBytes += size;
  // Now and then, since others write, too.
  if (numBytes > maxBytes || numNewBytes > maxBytes / 16)
    evict();
}

void CacheFolder::evict() {
  struct File {
    std::string path;
    int64_t size;
    timespec lastUse;
  };
  std::vector<File> files;
  numBytes = 0;
  numNewBytes = 0;
  time_t now = time(nullptr);
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    llvm::StringRef path = it->path();
    struct stat status;
    if (lstat(it->path().c_str(), &status) != 0 || !isOurs(status))
      continue;
    if (path.ends_with(temporarySuffix) &&
        status.st_mtime < now - abandonedSeconds) {
      unlink(it->path().c_str());
    } else if (path.ends_with(suffix)) {
      files.push_back({path.str(), int64_t{status.st_size}, status.st_mtim});
      numBytes += status.st_size;
    }
  }
  if (numBytes <= maxBytes)
    return;
  std::ranges::sort(files, [](const File &a, const File &b) {
    return std::tie(a.lastUse.tv_sec, a.lastUse.tv_nsec, a.path) <
           std::tie(b.lastUse.tv_sec, b.lastUse.tv_nsec, b.path);
  });
  // Some room is made, so that the next entry does not start this again.
  for (const File &file : files) {
    if (numBytes <= maxBytes - maxBytes / 8)
      break;
    unlink(file.path.c_str());
    numBytes -= file.size;
  }
}
