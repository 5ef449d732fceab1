//===- SlabLayoutTest.cpp - Tests of the layout of temporaries ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/SlabLayout.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace tinygrad::engine;

static constexpr size_t all = SIZE_MAX;

/// True if pieces that live at one step lie apart, inside of the slab, and at
/// multiples of the alignment.
static bool isValid(const std::vector<Piece> &pieces,
                    const SlabLayout &layout) {
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (layout.offsets[i] < 0 || layout.offsets[i] % slabAlignment != 0 ||
        layout.offsets[i] + pieces[i].numBytes > layout.numBytes)
      return false;
    for (size_t k = 0; k < i; ++k) {
      bool meet = pieces[i].first <= pieces[k].last &&
                  pieces[k].first <= pieces[i].last;
      bool overlap =
          layout.offsets[i] < layout.offsets[k] + pieces[k].numBytes &&
          layout.offsets[k] < layout.offsets[i] + pieces[i].numBytes;
      if (meet && overlap)
        return false;
    }
  }
  return true;
}

static int64_t computeLiveByTrying(const std::vector<Piece> &pieces) {
  int64_t most = 0;
  for (const Piece &now : pieces) {
    int64_t live = 0;
    for (const Piece &other : pieces)
      if (other.first <= now.first && now.first <= other.last)
        live += std::max<int64_t>((other.numBytes + 63) / 64, 1) * 64;
    most = std::max(most, live);
  }
  return most;
}

/// As a schedule has them: one begins at each even step, some live on for long.
static std::vector<Piece> makePieces(std::mt19937_64 &random, int32_t count) {
  std::vector<Piece> pieces;
  for (int32_t i = 0; i < count; ++i) {
    auto life =
        static_cast<int32_t>(random() % 8 ? random() % 6 : random() % count);
    int64_t numBytes = int64_t(1) << (random() % 14);
    pieces.push_back({numBytes + int64_t(random() % 100), 2 * i,
                      std::min(2 * (i + life) + 1, 2 * count)});
  }
  return pieces;
}

// Three pieces, of which the last meets only the second: in order it finds no
// hole that is large enough.
TEST(SlabLayoutTest, placesBySizeWhereHolesAreLeft) {
  std::vector<Piece> pieces = {{64, 0, 3}, {64, 2, 7}, {128, 4, 7}};
  EXPECT_EQ(layOutSlab(pieces, 0).numBytes, 256);
  SlabLayout layout = layOutSlab(pieces, all);
  EXPECT_EQ(layout.numBytes, 192);
  EXPECT_TRUE(isValid(pieces, layout));
}

TEST(SlabLayoutTest, handlesEdges) {
  EXPECT_EQ(layOutSlab({}, all).numBytes, 0);
  std::vector<Piece> pieces = {{0, 0, 1}, {0, 0, 1}};
  SlabLayout layout = layOutSlab(pieces, all);
  EXPECT_EQ(layout.numBytes, 2 * slabAlignment);
  EXPECT_NE(layout.offsets[0], layout.offsets[1]);
  // What is too large for memory is as large as a slab can be.
  pieces.assign(20, {maxSlabBytes, 0, 1});
  EXPECT_EQ(layOutSlab(pieces, all).numBytes, maxSlabBytes);
  EXPECT_EQ(computeLiveBytes(pieces), maxSlabBytes);
}

TEST(SlabLayoutTest, staysNearWhatLivesAtOnce) {
  std::mt19937_64 random(7);
  double inOrder = 0, searched = 0;
  int numRounds = 300, numExact = 0;
  for (int round = 0; round < numRounds; ++round) {
    auto count = static_cast<int32_t>(1 + random() % 80);
    std::vector<Piece> pieces = makePieces(random, count);
    int64_t live = computeLiveBytes(pieces);
    ASSERT_EQ(live, computeLiveByTrying(pieces));
    SlabLayout first = layOutSlab(pieces, 0), best = layOutSlab(pieces, all);
    ASSERT_TRUE(isValid(pieces, first)) << round;
    ASSERT_TRUE(isValid(pieces, best)) << round;
    ASSERT_LE(live, best.numBytes);
    ASSERT_LE(best.numBytes, first.numBytes);
    ASSERT_LE(best.numBytes, live + live / 4) << round;
    numExact += best.numBytes == live;
    inOrder += double(first.numBytes) / double(live);
    searched += double(best.numBytes) / double(live);
  }
  EXPECT_LT(searched, 1.01 * numRounds);
  EXPECT_LT(searched, inOrder - 0.02 * numRounds);
  EXPECT_GT(numExact, numRounds / 2);
}
