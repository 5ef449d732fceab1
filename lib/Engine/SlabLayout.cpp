//===- SlabLayout.cpp - Where temporaries lie in one block ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlabLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>

using namespace tinygrad;
using namespace tinygrad::engine;

static int64_t getSize(const Piece &piece) {
  return static_cast<int64_t>(
      llvm::alignTo(std::max<int64_t>(piece.numBytes, 1), slabAlignment));
}

/// Returns the sum of two sizes, which may be the largest ones.
static int64_t add(int64_t left, int64_t right) {
  return std::min(left + right, maxSlabBytes);
}

/// Goes through the steps: calls `begin` for each piece when its life begins,
/// and before that `end` for those whose lives are over.
template <typename BeginT, typename EndT>
static void walkLives(std::span<const Piece> pieces, BeginT begin, EndT end) {
  using Last = std::pair<int32_t, size_t>;
  std::priority_queue<Last, std::vector<Last>, std::greater<>> lives;
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (; !lives.empty() && lives.top().first < pieces[i].first; lives.pop())
      end(lives.top().second);
    begin(i);
    lives.push({pieces[i].last, i});
  }
}

int64_t engine::computeLiveBytes(std::span<const Piece> pieces) {
  int64_t all = 0, live = 0, most = 0;
  for (const Piece &piece : pieces)
    all = add(all, getSize(piece));
  // So much is not counted exactly.
  if (all == maxSlabBytes)
    return all;
  walkLives(
      pieces,
      [&](size_t i) { most = std::max(most, live += getSize(pieces[i])); },
      [&](size_t i) { live -= getSize(pieces[i]); });
  return most;
}

//===----------------------------------------------------------------------===//
// In order
//===----------------------------------------------------------------------===//

namespace {

/// Hands out ranges of a line that grows, the lowest that fits first.
class Line {
public:
  int64_t take(int64_t size) {
    for (auto it = gaps.begin(); it != gaps.end(); ++it) {
      auto [begin, gapSize] = *it;
      if (gapSize < size)
        continue;
      gaps.erase(it);
      if (gapSize > size)
        gaps[begin + size] = gapSize - size;
      return begin;
    }
    // A gap at the end grows.
    int64_t begin = end;
    if (!gaps.empty()) {
      auto last = std::prev(gaps.end());
      if (last->first + last->second == end) {
        begin = last->first;
        gaps.erase(last);
      }
    }
    end = add(begin, size);
    return begin;
  }

  void giveBack(int64_t begin, int64_t size) {
    auto next = gaps.lower_bound(begin);
    if (next != gaps.end() && begin + size == next->first) {
      size += next->second;
      next = gaps.erase(next);
    }
    if (next != gaps.begin()) {
      auto previous = std::prev(next);
      if (previous->first + previous->second == begin) {
        previous->second += size;
        return;
      }
    }
    gaps[begin] = size;
  }

  int64_t getEnd() const { return end; }

private:
  /// Sizes by where they begin.
  std::map<int64_t, int64_t> gaps;
  int64_t end = 0;
};

} // namespace

static SlabLayout placeInOrder(std::span<const Piece> pieces) {
  SlabLayout layout;
  layout.offsets.resize(pieces.size());
  Line line;
  walkLives(
      pieces,
      [&](size_t i) { layout.offsets[i] = line.take(getSize(pieces[i])); },
      [&](size_t i) { line.giveBack(layout.offsets[i], getSize(pieces[i])); });
  layout.numBytes = line.getEnd();
  return layout;
}

//===----------------------------------------------------------------------===//
// By size
//===----------------------------------------------------------------------===//

/// Places the pieces one by one in `order`, each in the smallest hole that fits
/// between those that it meets.
static SlabLayout placeOneByOne(std::span<const Piece> pieces,
                                std::span<const size_t> order) {
  SlabLayout layout;
  layout.offsets.resize(pieces.size());
  // Those that have a place, the lowest first.
  std::vector<size_t> placed;
  for (size_t index : order) {
    const Piece &piece = pieces[index];
    int64_t size = getSize(piece), end = 0;
    int64_t best = -1, bestSize = maxSlabBytes + 1;
    for (size_t other : placed) {
      if (pieces[other].last < piece.first || piece.last < pieces[other].first)
        continue;
      int64_t hole = layout.offsets[other] - end;
      if (hole >= size && hole < bestSize) {
        best = end;
        bestSize = hole;
      }
      end = std::max(end, add(layout.offsets[other], getSize(pieces[other])));
    }
    int64_t offset = best >= 0 ? best : end;
    layout.offsets[index] = offset;
    layout.numBytes = std::max(layout.numBytes, add(offset, size));
    placed.insert(llvm::upper_bound(placed, offset,
                                    [&](int64_t offset, size_t other) {
                                      return offset < layout.offsets[other];
                                    }),
                  index);
  }
  return layout;
}

SlabLayout engine::layOutSlab(std::span<const Piece> pieces,
                              size_t maxSearched) {
  SlabLayout best = placeInOrder(pieces);
  int64_t bound = computeLiveBytes(pieces);
  if (best.numBytes <= bound || pieces.size() > maxSearched)
    return best;
  std::vector<size_t> order(pieces.size());
  auto getLife = [&](size_t i) {
    return int64_t(pieces[i].last) - pieces[i].first + 1;
  };
  auto compare = [&](auto getKey) {
    std::iota(order.begin(), order.end(), size_t(0));
    // The largest key first, and of equal ones the first.
    llvm::sort(order, [&](size_t left, size_t right) {
      return std::pair(getKey(right), left) < std::pair(getKey(left), right);
    });
    SlabLayout layout = placeOneByOne(pieces, order);
    if (layout.numBytes < best.numBytes)
      best = std::move(layout);
    return best.numBytes <= bound;
  };
  // The first that is as good as it can be is taken.
  (void)(compare([&](size_t i) {
           return std::pair(getSize(pieces[i]), getLife(i));
         }) ||
         compare([&](size_t i) {
           return std::pair(getLife(i), getSize(pieces[i]));
         }) ||
         compare([&](size_t i) {
           return double(getSize(pieces[i])) * double(getLife(i));
         }));
  return best;
}
