//===- ZipArchive.cpp - Where the entries of a zip archive are ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format, from its specification (APPNOTE.TXT): entries, each behind a
// header of its own; the directory, a header for each entry; for large files a
// record with 64-bit numbers and the place of that record; and the end record,
// followed by a comment. The directory is what counts: an entry's own header
// only says, by its length, where the entry's bytes begin.
//
//===----------------------------------------------------------------------===//

#include "ZipArchive.h"

#include <algorithm>
#include <optional>

using namespace tinygrad;
using namespace tinygrad::detail;

/// What stands where a number does not fit; it is in a 64-bit field then.
static constexpr uint64_t overflow16 = 0xFFFF, overflow32 = 0xFFFFFFFF;

static constexpr uint32_t localSignature = 0x04034b50,
                          directorySignature = 0x02014b50,
                          endSignature = 0x06054b50,
                          end64Signature = 0x06064b50,
                          locator64Signature = 0x07064b50;
static constexpr size_t localBytes = 30, directoryBytes = 46, endBytes = 22,
                        end64Bytes = 56, locator64Bytes = 20;

/// Returns the number of `numBytes` bytes at `offset`, which are there.
static uint64_t getNumber(const std::string &bytes, size_t offset,
                          unsigned numBytes) {
  uint64_t result = 0;
  for (unsigned i = numBytes; i-- > 0;)
    result = result << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return result;
}

static bool hasSignature(const std::string &bytes, size_t offset,
                         uint32_t signature) {
  return getNumber(bytes, offset, 4) == signature;
}

namespace {

/// Where the directory is.
struct Directory {
  uint64_t begin, size, count;
  /// Where the record is that says so.
  uint64_t recordBegin;
};

} // namespace

static Directory findDirectory(TensorFile &file) {
  // The end record is the last one whose comment ends with the file.
  uint64_t tailBytes = std::min<uint64_t>(file.getSize(), endBytes + 0xFFFF);
  uint64_t tailBegin = file.getSize() - tailBytes;
  std::string tail = file.read(tailBegin, tailBytes);
  std::optional<size_t> found;
  for (size_t i = 0; i + endBytes <= tail.size(); ++i)
    if (hasSignature(tail, i, endSignature) &&
        i + endBytes + getNumber(tail, i + 20, 2) == tail.size())
      found = i;
  if (!found)
    file.fail("the zip archive has no directory: it is cut off or damaged");
  std::string end = tail.substr(*found, endBytes);
  Directory directory = {getNumber(end, 16, 4), getNumber(end, 12, 4),
                         getNumber(end, 10, 2), tailBegin + *found};
  uint64_t numDisks = 1 + std::max(getNumber(end, 4, 2), getNumber(end, 6, 2));

  if (directory.recordBegin >= locator64Bytes) {
    uint64_t locatorBegin = directory.recordBegin - locator64Bytes;
    std::string locator = file.read(locatorBegin, locator64Bytes);
    if (hasSignature(locator, 0, locator64Signature)) {
      uint64_t begin = getNumber(locator, 8, 8);
      if (begin > locatorBegin || locatorBegin - begin < end64Bytes)
        file.fail("the zip archive's end record is damaged");
      std::string end64 = file.read(begin, end64Bytes);
      if (!hasSignature(end64, 0, end64Signature))
        file.fail("the zip archive's end record is damaged");
      directory = {getNumber(end64, 48, 8), getNumber(end64, 40, 8),
                   getNumber(end64, 32, 8), begin};
      numDisks = 1 + std::max(getNumber(end64, 16, 4), getNumber(end64, 20, 4));
    }
  }
  if (numDisks != 1)
    file.fail("the zip archive is split over several files");
  if (directory.begin > directory.recordBegin ||
      directory.size != directory.recordBegin - directory.begin)
    file.fail("the zip archive's directory is not where its end record says");
  return directory;
}

/// Replaces the numbers that did not fit by those of the extra field.
static void readZip64(TensorFile &file, const std::string &extra,
                      const std::string &name,
                      std::initializer_list<uint64_t *> numbers) {
  for (size_t i = 0; i + 4 <= extra.size();) {
    uint64_t kind = getNumber(extra, i, 2), size = getNumber(extra, i + 2, 2);
    size_t position = i + 4;
    if (size > extra.size() - position)
      break;
    i = position + size;
    if (kind != 1)
      continue;
    for (uint64_t *number : numbers) {
      if (*number != overflow32)
        continue;
      if (i - position < 8)
        file.fail("entry `" + name + "` has a damaged extra field");
      *number = getNumber(extra, position, 8);
      position += 8;
    }
    return;
  }
}

/// Returns where the bytes of the entry begin whose own header is at `begin`.
static uint64_t findData(TensorFile &file, const Directory &directory,
                         const std::string &name, uint64_t begin,
                         uint64_t size) {
  auto isInside = [&](uint64_t offset, uint64_t numBytes) {
    return offset <= directory.begin && numBytes <= directory.begin - offset;
  };
  if (!isInside(begin, localBytes + name.size()))
    file.fail("entry `" + name + "` is outside of the zip archive");
  std::string header = file.read(begin, localBytes + name.size());
  if (!hasSignature(header, 0, localSignature) ||
      getNumber(header, 26, 2) != name.size() ||
      header.substr(localBytes) != name)
    file.fail("entry `" + name + "` is not where the directory says");
  uint64_t data = begin + header.size() + getNumber(header, 28, 2);
  if (!isInside(data, size))
    file.fail("entry `" + name + "` is outside of the zip archive");
  return data;
}

std::map<std::string, ArchiveEntry> detail::readZipDirectory(TensorFile &file) {
  Directory directory = findDirectory(file);
  std::string bytes = file.read(directory.begin, directory.size);
  std::map<std::string, ArchiveEntry> entries;
  size_t position = 0;
  while (position < bytes.size()) {
    if (bytes.size() - position < directoryBytes ||
        !hasSignature(bytes, position, directorySignature))
      file.fail("the zip archive's directory is damaged");
    uint64_t flags = getNumber(bytes, position + 8, 2),
             method = getNumber(bytes, position + 10, 2),
             stored = getNumber(bytes, position + 20, 4),
             size = getNumber(bytes, position + 24, 4),
             nameBytes = getNumber(bytes, position + 28, 2),
             extraBytes = getNumber(bytes, position + 30, 2),
             commentBytes = getNumber(bytes, position + 32, 2),
             begin = getNumber(bytes, position + 42, 4);
    position += directoryBytes;
    if (bytes.size() - position < nameBytes + extraBytes + commentBytes)
      file.fail("the zip archive's directory is damaged");
    std::string name = bytes.substr(position, nameBytes);
    readZip64(file, bytes.substr(position + nameBytes, extraBytes), name,
              {&size, &stored, &begin});
    position += nameBytes + extraBytes + commentBytes;
    if (flags & 1)
      file.fail("entry `" + name + "` is encrypted");
    if (method != 0 || stored != size)
      file.fail("entry `" + name + "` is compressed, as torch.save never does");
    uint64_t data = findData(file, directory, name, begin, size);
    if (!entries.emplace(name, ArchiveEntry{data, size}).second)
      file.fail("the zip archive has two entries `" + name + "`");
  }
  if (entries.size() != directory.count &&
      (directory.count != overflow16 || entries.size() < overflow16))
    file.fail("the zip archive's directory does not have as many entries as "
              "its end record says");
  return entries;
}
