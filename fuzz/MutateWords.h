//===- MutateWords.h - Changes of a text word by word -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_FUZZ_MUTATEWORDS_H
#define TINYGRAD_FUZZ_MUTATEWORDS_H

#include <cstddef>
#include <cstdint>

namespace tinygrad::fuzz {

/// Replaces a number, an element type or the name of an operation of the text
/// by another of its kind: one occurrence or, so that shapes and types still
/// fit, all of them. Returns the new size; the text is unchanged where it has
/// no such word or the result does not fit in `maxSize`.
size_t mutateWords(uint8_t *data, size_t size, size_t maxSize, unsigned seed);

} // namespace tinygrad::fuzz

#endif // TINYGRAD_FUZZ_MUTATEWORDS_H
