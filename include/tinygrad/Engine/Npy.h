//===- Npy.h - NumPy's files of one array --------------------- -*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_ENGINE_NPY_H
#define TINYGRAD_ENGINE_NPY_H

#include "tinygrad/Engine/HostTensor.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>

namespace tinygrad::engine {

/// Returns the array in `bytes`, the content of an .npy file of version 1, 2 or
/// 3. Elements are little-endian; Fortran order is transposed; bfloat16 is the
/// two-byte void `<V2` that ml_dtypes writes. Any damage is one sentence.
llvm::Expected<HostTensor> parseNpy(llvm::StringRef bytes);

/// Reads the array in file `path`. Errors start with the path.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path);

/// Returns what stands before the elements in an .npy file (version 1).
std::string makeNpyHeader(DType type, const ops::Shape &shape);

/// Writes each array to the file of its path. All files are complete before the
/// first gets its name; where one cannot be written, none is left. Errors start
/// with the path.
llvm::Error
writeNpyFiles(llvm::ArrayRef<std::pair<std::string, HostTensor>> files);

} // namespace tinygrad::engine

#endif // TINYGRAD_ENGINE_NPY_H
