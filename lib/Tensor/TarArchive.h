//===- TarArchive.h - Where the entries of a tar archive are ----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_TARARCHIVE_H
#define TINYGRAD_LIB_TENSOR_TARARCHIVE_H

#include "ZipArchive.h"

namespace tinygrad::detail {

/// Returns where the entries of an archive are in the file, by name; of one
/// that occurs twice, the last. Throws Error where the archive is damaged.
std::map<std::string, ArchiveEntry> readTarDirectory(TensorFile &file);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_TARARCHIVE_H
