//===- ZipArchive.h - Where the entries of a zip archive are ----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch stores the entries of its archives as they are, aligned, so that they
// can be mapped. All that is asked of the archive is thus its directory: where
// the bytes of each entry are in the file. Libraries for zip archives decode
// entries and do not tell their place, and one would be a dependency of each
// program that links this one; hence a strict reader of our own, which refuses
// what is compressed, encrypted or split.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_ZIPARCHIVE_H
#define TINYGRAD_LIB_TENSOR_ZIPARCHIVE_H

#include "TensorFile.h"

#include <cstdint>
#include <map>
#include <string>

namespace tinygrad::detail {

/// Where the bytes of an archive's entry are in the file.
struct ArchiveEntry {
  uint64_t begin, size;
};

/// Returns the entries of an archive, with or without the extension for large
/// files (zip64), by name. They lie in the file. Throws Error where the archive
/// is damaged. Checksums are not compared: that would read all of the file.
std::map<std::string, ArchiveEntry> readZipDirectory(TensorFile &file);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_ZIPARCHIVE_H
