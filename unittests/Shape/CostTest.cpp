//===- CostTest.cpp - What composition costs --------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts steps, not time. The library has no counter; every movement makes and
// copies views, so that allocations and their bytes, which this program counts,
// stand for its work.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Shape/SymbolicShapeTracker.h"

#include "gtest/gtest.h"
#include <cstdlib>
#include <new>

static int64_t allocationCount = 0, allocatedBytes = 0;

void *operator new(size_t size) {
  ++allocationCount;
  allocatedBytes += static_cast<int64_t>(size);
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  std::abort();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

using namespace tinygrad::shape;

namespace {

struct Cost {
  int64_t allocations, bytes;
  bool operator==(const Cost &) const = default;
};

template <typename Function>
Cost measure(Function function) {
  int64_t allocations = allocationCount, bytes = allocatedBytes;
  function();
  return {allocationCount - allocations, allocatedBytes - bytes};
}

/// Applies `count` operations that keep a tracker of `shape` at two views: a
/// flattened transpose is padded, cut, flipped, reshaped, again and again.
ShapeTracker applyChain(const Dims &shape, int64_t count) {
  int64_t rows = shape[0], columns = shape[1];
  ShapeTracker tracker = ShapeTracker::fromShape(shape)
                             .permute(Dims{1, 0})
                             .reshape(Dims{rows * columns});
  for (int64_t op = 0; op < count; ++op)
    switch (op % 6) {
    case 0:
      tracker = tracker.pad(Mask{{3, 5}});
      break;
    case 1:
      tracker = tracker.stride(Dims{-1});
      break;
    case 2:
      tracker = tracker.shrink(Mask{{5, 5 + rows * columns}});
      break;
    case 3:
      tracker = tracker.reshape(Dims{rows, columns});
      break;
    case 4:
      tracker = tracker.permute(Dims{1, 0}).permute(Dims{1, 0});
      break;
    case 5:
      tracker = tracker.reshape(Dims{rows * columns});
      break;
    }
  return tracker;
}

TEST(CostTest, AChainOfThousandOpsCostsTwiceOneOfFiveHundred) {
  // 498 and 996: whole rounds of six operations.
  Cost half = measure([] { applyChain({6, 10}, 498); });
  Cost whole = measure([] { applyChain({6, 10}, 996); });
  EXPECT_LE(applyChain({6, 10}, 996).getViews().size(), 2u);
  EXPECT_LE(whole.allocations, half.allocations * 2 + 16);
  EXPECT_LE(whole.bytes, half.bytes * 2 + 4096);
}

/// As applyChain, with `size` rows and columns; it stays at two views.
SymbolicShapeTracker applySymbolicChain(const IndexExpr &size, int64_t count) {
  IndexExpr columns = size + 2;
  SymbolicShapeTracker tracker =
      SymbolicShapeTracker::fromShape({size, columns})
          .permute(Dims{1, 0})
          .reshape({size * columns});
  for (int64_t op = 0; op < count; ++op)
    switch (op % 6) {
    case 0:
      tracker = tracker.pad({{3, size}});
      break;
    case 1:
      tracker = tracker.stride(Dims{-1});
      break;
    case 2:
      tracker = tracker.shrink({{size, size + size * columns}});
      break;
    case 3:
      tracker = tracker.reshape({size, columns});
      break;
    case 4:
      tracker = tracker.permute(Dims{1, 0}).permute(Dims{1, 0});
      break;
    case 5:
      tracker = tracker.reshape({size * columns});
      break;
    }
  return tracker;
}

TEST(CostTest, ASymbolicChainCostsTwiceOneOfHalfTheLength) {
  IndexExpr size = IndexExpr::variable("size", 1, 100);
  Cost half = measure([&] { applySymbolicChain(size, 498); });
  Cost whole = measure([&] { applySymbolicChain(size, 996); });
  EXPECT_LE(applySymbolicChain(size, 996).getViews().size(), 2u);
  EXPECT_LE(whole.allocations, half.allocations * 2 + 16);
  EXPECT_LE(whole.bytes, half.bytes * 2 + 4096);
}

TEST(CostTest, BoundsOfVariablesDoNotCount) {
  auto all = [](int64_t max) {
    return measure([&] {
      SymbolicShapeTracker tracker =
          applySymbolicChain(IndexExpr::variable("size", 2, max), 48);
      tracker.simplify();
      tracker.getRealStrides();
      tracker.getBufferSize();
      tracker.getAccess();
    });
  };
  EXPECT_EQ(all(100), all(1 << 20));
}

/// Applies `count` operations of which each third adds a view that does not
/// merge.
ShapeTracker applyGrowingChain(int64_t count) {
  // Two primes: no reshape splits or joins whole axes.
  int64_t rows = 1000003, columns = 999983;
  ShapeTracker tracker = ShapeTracker::fromShape({rows, columns});
  for (int64_t op = 0; op < count; ++op)
    switch (op % 3) {
    case 0:
      tracker = std::move(tracker).permute(Dims{1, 0});
      break;
    case 1:
      tracker = std::move(tracker).reshape(Dims{rows, columns});
      break;
    case 2:
      tracker = std::move(tracker).stride(Dims{-1, 1});
      break;
    }
  return tracker;
}

TEST(CostTest, ViewsThatDoNotMergeCostNoMoreThanTheyAre) {
  Cost first = measure([] { applyGrowingChain(501); });
  Cost second = measure([] { applyGrowingChain(1002); });
  Cost third = measure([] { applyGrowingChain(1503); });
  EXPECT_GT(applyGrowingChain(501).getViews().size(), 150u);
  // Each part costs what the one before it did; the list of views doubles its
  // room now and then.
  EXPECT_LE(third.allocations - second.allocations,
            second.allocations - first.allocations + 16);
  EXPECT_LE(third.bytes, first.bytes * 4);
}

TEST(CostTest, NumberOfElementsDoesNotCount) {
  auto all = [](Dims shape) {
    return measure([&] {
      ShapeTracker tracker = applyChain(shape, 48);
      tracker.simplify();
      tracker.getRealStrides();
      tracker.getBufferSize();
      tracker.getIndexRange();
      tracker.getAccess();
    });
  };
  Cost small = all({6, 10});
  Cost large = all({6 << 20, 10 << 20});
  EXPECT_EQ(small, large);
}

TEST(CostTest, RejectingAMergeDoesNotWalkOverElements) {
  auto reject = [](int64_t extent) {
    return measure([&] {
      View inner = View::create({extent, extent}, Dims{1, extent}, 0,
                                Mask{{1, extent}, {2, extent - 1}});
      EXPECT_FALSE(compose(inner, View::create({extent * extent})));
    });
  };
  EXPECT_EQ(reject(8), reject(int64_t(1) << 30));
}

} // namespace
