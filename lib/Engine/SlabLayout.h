//===- SlabLayout.h - Where temporaries lie in one block --------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_ENGINE_SLABLAYOUT_H
#define TINYGRAD_LIB_ENGINE_SLABLAYOUT_H

#include <cstdint>
#include <span>
#include <vector>

namespace tinygrad::engine {

/// Pieces of the slab begin at multiples of it: whole vectors, whole lines.
inline constexpr int64_t slabAlignment = 64;
/// No slab is larger: it is so large that its allocation fails.
inline constexpr int64_t maxSlabBytes = int64_t(1) << 60;

/// Something that lies in the slab from step `first` to step `last`.
struct Piece {
  /// At most maxSlabBytes.
  int64_t numBytes;
  int32_t first, last;
};

/// Where pieces lie in one block. Those whose lives do not meet share bytes.
struct SlabLayout {
  /// By piece.
  std::vector<int64_t> offsets;
  int64_t numBytes = 0;
};

/// Lays out `pieces`, which are in the order of their first steps. Where holes
/// make the slab larger than what lives at once, up to `maxSearched` pieces are
/// also placed by size, and the best layout is taken. Time: n log n, and n^2
/// for a search.
SlabLayout layOutSlab(std::span<const Piece> pieces, size_t maxSearched);

/// Returns the most bytes of pieces that live at once, each rounded up to
/// slabAlignment: no slab is smaller. maxSlabBytes where all together are more.
int64_t computeLiveBytes(std::span<const Piece> pieces);

} // namespace tinygrad::engine

#endif // TINYGRAD_LIB_ENGINE_SLABLAYOUT_H
