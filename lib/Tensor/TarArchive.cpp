//===- TarArchive.cpp - Where the entries of a tar archive are ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format: for each entry a header of 512 bytes, with text and octal numbers
// at fixed places, and the entry's bytes, filled up to a multiple of 512.
// Blocks of zeros end the archive.
//
//===----------------------------------------------------------------------===//

#include "TarArchive.h"

#include <algorithm>
#include <optional>

using namespace tinygrad;
using namespace tinygrad::detail;

static constexpr uint64_t blockBytes = 512;

/// Returns the text of a field, which ends at its first zero.
static std::string getText(const std::string &header, size_t begin,
                           size_t numBytes) {
  std::string field = header.substr(begin, numBytes);
  return field.substr(0, field.find('\0'));
}

/// Returns the octal number of a field, or nothing.
static std::optional<uint64_t> getOctal(const std::string &header, size_t begin,
                                        size_t numBytes) {
  uint64_t result = 0;
  for (char c : getText(header, begin, numBytes)) {
    if (c == ' ')
      continue;
    if (c < '0' || c > '7')
      return std::nullopt;
    result = result * 8 + static_cast<uint64_t>(c - '0');
  }
  return result;
}

/// Returns the sum of the header's bytes, its own field counted as spaces.
static uint64_t computeChecksum(std::string header) {
  header.replace(148, 8, 8, ' ');
  uint64_t sum = 0;
  for (char c : header)
    sum += static_cast<uint8_t>(c);
  return sum;
}

std::map<std::string, ArchiveEntry> detail::readTarDirectory(TensorFile &file) {
  std::map<std::string, ArchiveEntry> entries;
  uint64_t position = 0;
  while (true) {
    std::string header = file.read(position, blockBytes);
    if (std::ranges::count(header, '\0') == blockBytes)
      return entries;
    position += blockBytes;
    std::optional<uint64_t> size = getOctal(header, 124, 12);
    if (getOctal(header, 148, 8) != computeChecksum(header) || !size ||
        *size > file.getSize() - position)
      file.fail("the tar archive is damaged");
    // Anything but a file, such as attributes of the next entry, is left out.
    char kind = header[156];
    if (kind == '0' || kind == '\0')
      entries[getText(header, 0, 100)] = {position, *size};
    position += (*size + blockBytes - 1) / blockBytes * blockBytes;
  }
}
