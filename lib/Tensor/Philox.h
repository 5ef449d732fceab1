//===- Philox.h - A counter-based generator ---------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox 4x32-10 of J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel Random
// Numbers: As Easy as 1, 2, 3" (SC11): a bijection of a 128-bit counter for
// each 64-bit key.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_PHILOX_H
#define TINYGRAD_LIB_TENSOR_PHILOX_H

#include "tinygrad/Ops/DType.h"

#include <array>
#include <cstdint>

namespace tinygrad::detail {

/// Returns the four random words of `counter` under `key`.
inline std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                          std::array<uint32_t, 2> key) {
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    uint64_t first = uint64_t{0xD2511F53} * counter[0];
    uint64_t second = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// Writes `count` elements of the float type `type`, uniform in [0, 1) with as
/// many bits as the type holds, to `target`: the numbers of call `call` after
/// the generator was started from `seed`.
void fillUniform(void *target, int64_t count, DType type, uint64_t seed,
                 uint64_t call);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_PHILOX_H
