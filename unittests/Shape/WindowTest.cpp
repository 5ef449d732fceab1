//===- WindowTest.cpp - Accesses by their own conditions --------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows of an image (repeat, shrink, reshape, shrink) and what their
// gradients read: each rule by example, next to an example one off where it
// would be wrong, and random ones against brute force.
//
//===----------------------------------------------------------------------===//

#include "RandomChain.h"
#include "TestUtils.h"

#include "gtest/gtest.h"

using namespace tinygrad::shape;

namespace {

std::string access(std::vector<View> views) {
  ShapeTracker tracker = ShapeTracker::fromViews(std::move(views));
  EXPECT_EQ(getAccessTable(tracker), getTable(tracker)) << tracker.toString();
  return toString(tracker.getAccess());
}

/// Square windows of a square image, as tinygrad makes them.
struct Windows {
  int64_t batch, channels, image, kernel, stride, dilation;

  int64_t getCount() const {
    return (image - dilation * (kernel - 1) - 1) / stride + 1;
  }
  int64_t getPeriod() const { return image + dilation; }
  int64_t getRepeats() const {
    return (kernel * getPeriod() + image - 1) / image;
  }

  /// Reads the windows of `tracker`, [batch, channels, image, image], as
  /// [batch, channels, count, count, kernel, kernel].
  ShapeTracker read(const ShapeTracker &tracker) const {
    int64_t n = batch, c = channels, i = image, k = kernel, s = stride;
    int64_t o = getCount(), p = getPeriod(), r = getRepeats();
    ShapeTracker result =
        tracker.reshape(Dims{n, c, 1, i, 1, i})
            .expand(Dims{n, c, r, i, r, i})
            .reshape(Dims{n, c, r * i, r * i})
            .shrink(Mask{{0, n}, {0, c}, {0, k * p}, {0, k * p}})
            .reshape(Dims{n, c, k, p, k, p});
    // The last stride may end behind the period.
    int64_t end = o * s, more = std::max<int64_t>(end - p, 0);
    result =
        result.pad(Mask{{0, 0}, {0, 0}, {0, 0}, {0, more}, {0, 0}, {0, more}})
            .shrink(Mask{{0, n}, {0, c}, {0, k}, {0, end}, {0, k}, {0, end}})
            .reshape(Dims{n, c, k, o, s, k, o, s})
            .shrink(Mask{
                {0, n}, {0, c}, {0, k}, {0, o}, {0, 1}, {0, k}, {0, o}, {0, 1}})
            .reshape(Dims{n, c, k, o, k, o});
    return result.permute(Dims{0, 1, 3, 5, 2, 4});
  }

  /// Reads a gradient of windows where the gradient of the image sums it:
  /// [batch, channels, repeats, image, repeats, image].
  ShapeTracker readGradient() const {
    int64_t n = batch, c = channels, i = image, k = kernel, s = stride;
    int64_t o = getCount(), p = getPeriod(), r = getRepeats();
    int64_t end = o * s, more = std::max<int64_t>(p - end, 0);
    int64_t rest = r * i - k * p;
    return ShapeTracker::fromShape({n, c, o, o, k, k})
        .permute(Dims{0, 1, 4, 2, 5, 3})
        .reshape(Dims{n, c, k, o, 1, k, o, 1})
        .pad(Mask{{0, 0},
                  {0, 0},
                  {0, 0},
                  {0, 0},
                  {0, s - 1},
                  {0, 0},
                  {0, 0},
                  {0, s - 1}})
        .reshape(Dims{n, c, k, end, k, end})
        .pad(Mask{{0, 0}, {0, 0}, {0, 0}, {0, more}, {0, 0}, {0, more}})
        .shrink(Mask{{0, n}, {0, c}, {0, k}, {0, p}, {0, k}, {0, p}})
        .reshape(Dims{n, c, k * p, k * p})
        .pad(Mask{{0, 0}, {0, 0}, {0, rest}, {0, rest}})
        .reshape(Dims{n, c, r, i, r, i});
  }
};

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

TEST(WindowTest, ABoundedSumLeavesADivision) {
  // Both digits are sums of two axes, which the mask bounds.
  auto digits = [](int64_t end) {
    return access(
        {View::create({24, 21}, Dims{1, 24}),
         View::create({24, 24}, Dims{21, 1}, 0, Mask{{0, 21}, {0, end}}),
         View::create({4, 6, 4, 6})});
  };
  EXPECT_EQ(digits(21), "d0 * 6 + d1 + d2 * 144 + d3 * 24, "
                        "0 <= d0 * 6 + d1 <= 20, 0 <= d2 * 6 + d3 <= 20");
  // A column more, and a row can end in the next one.
  EXPECT_NE(digits(22).find("(d2 * 6 + d3) floordiv 21"), std::string::npos);
}

TEST(WindowTest, AWindowOfARemainderIsOneOfTheBalancedSum) {
  // d0 * 6 + d1 is d1 - d0 modulo 7, at least -3 up to row 2.
  auto window = [](int64_t rows, int64_t columns) {
    return access(
        {View::create({6, 7}, Dims{7, 1}, 0, Mask{{0, rows}, {0, columns}}),
         View::create({6, 6})});
  };
  EXPECT_EQ(window(3, 4), "d0 * 6 + d1, 0 <= d0 <= 2, -3 <= d0 - d1 <= 0");
  // -3 is 4 modulo 7: in a window that holds 4 the sum would lose it.
  EXPECT_EQ(window(3, 5), "d0 * 6 + d1, 0 <= d0 * 6 + d1 <= 20, "
                          "0 <= (d0 * 6 + d1) mod 7 <= 4");
  // A row more, and the sum can be -4.
  EXPECT_EQ(window(4, 4), "d0 * 6 + d1, 0 <= d0 * 6 + d1 <= 27, "
                          "0 <= (d0 * 6 + d1) mod 7 <= 3");
}

TEST(WindowTest, AWindowCanLieAPeriodAway) {
  // Rows of 6 read backwards in rows of 7: 41 - d0 * 6 - d1.
  EXPECT_EQ(access({View::create({6, 7}, Dims{1, 6}, 0, Mask{{3, 6}, {3, 7}}),
                    View::create({6, 6}, Dims{-6, -1}, 41)}),
            "d0 * 5 - d1 * 6 + 41, 0 <= d0 <= 2, -3 <= d0 - d1 <= 0");
}

TEST(WindowTest, AConditionWithARestIsOneOnTheMultiple) {
  auto rows = [](int64_t begin, int64_t end) {
    return access({View::create({30}, Dims{1}, 0, Mask{{begin, end}}),
                   View::create({5, 2, 3}, Dims{6, 1, 2})});
  };
  // The two inner axes together are at most 5.
  EXPECT_EQ(rows(6, 18), "d0 * 6 + d1 + d2 * 2, 1 <= d0 <= 2");
  EXPECT_EQ(rows(6, 17),
            "d0 * 6 + d1 + d2 * 2, 6 <= d0 * 6 + d1 + d2 * 2 <= 16");
  EXPECT_EQ(rows(7, 18),
            "d0 * 6 + d1 + d2 * 2, 7 <= d0 * 6 + d1 + d2 * 2 <= 17");
}

TEST(WindowTest, AnExactQuotientNeedsNoDivision) {
  // Every second position is read; its index is half the position, thrice.
  auto even = [](int64_t stride) {
    return access(
        {View::create({9, 2}, Dims{stride, 1}, 0, Mask{{0, 9}, {0, 1}}),
         View::create({3, 6}, Dims{5, 1})});
  };
  EXPECT_EQ(even(4), "d0 * 10 + d1 * 2, 0 <= (d0 + d1) mod 2 <= 0");
  EXPECT_EQ(even(3), "d0 * 6 + ((d0 + d1) floordiv 2) * 3, "
                     "0 <= (d0 + d1) mod 2 <= 0");
}

//===----------------------------------------------------------------------===//
// Convolution and pooling
//===----------------------------------------------------------------------===//

TEST(WindowTest, TheGradientOfAConvolutionIsAffine) {
  ShapeTracker tracker = ShapeTracker::fromViews(
      {View::create({64, 16, 3, 7, 3, 7}, Dims{2304, 144, 3, 36, 1, 9}, 0,
                    Mask{{0, 64}, {0, 16}, {0, 3}, {0, 4}, {0, 3}, {0, 4}}),
       View::create({64, 16, 24, 24}, Dims{7056, 441, 21, 1}, 0,
                    Mask{{0, 64}, {0, 16}, {0, 21}, {0, 21}}),
       View::create({1, 64, 1, 16, 4, 6, 4, 6})});
  EXPECT_EQ(toString(tracker.getAccess()),
            "d1 * 2304 + d3 * 144 - d4 * 33 + d5 * 36 - d6 * 8 + d7 * 9, "
            "0 <= d4 <= 2, 0 <= d6 <= 2, -3 <= d4 - d5 <= 0, "
            "-3 <= d6 - d7 <= 0");
  // Dilated by 2.
  EXPECT_EQ(toString(Windows{8, 4, 11, 3, 1, 2}.readGradient().getAccess()),
            "d0 * 1764 + d1 * 441 - d2 * 123 + d3 * 63 - d4 * 17 + d5 * 9, "
            "0 <= d2 <= 2, 0 <= d4 <= 2, -6 <= d2 * 2 - d3 <= 0, "
            "-6 <= d4 * 2 - d5 <= 0");
}

TEST(WindowTest, AStrideLeavesOneDivisionPerAxis) {
  EXPECT_EQ(toString(Windows{8, 4, 11, 3, 2, 1}.readGradient().getAccess()),
            "d0 * 900 + d1 * 225 + d2 * 3 + d4 + "
            "((-d2 + d3) floordiv 2) * 45 + ((-d4 + d5) floordiv 2) * 9, "
            "0 <= d2 <= 2, 0 <= d4 <= 2, -8 <= d2 - d3 <= 0, "
            "-8 <= d4 - d5 <= 0, 0 <= (d2 + d3) mod 2 <= 0, "
            "0 <= (d4 + d5) mod 2 <= 0");
  // Max-pooling by 2 x 2: the strides are even, the index is affine.
  EXPECT_EQ(
      Windows({8, 4, 6, 2, 2, 1}).readGradient().getAccess().index.toString(),
      "d0 * 144 + d1 * 36 - d2 * 4 + d3 * 6 - d4 + d5 * 2");
}

TEST(WindowTest, TheGradientOfOverlappingRowsKeepsTheirLength) {
  EXPECT_EQ(
      toString(
          ShapeTracker::fromViews(
              {View::create(
                   {3, 64, 16, 3, 4, 6}, Dims{3, 2304, 144, 1, 36, 9}, 0,
                   Mask{{0, 3}, {0, 64}, {0, 16}, {0, 3}, {0, 4}, {0, 4}}),
               View::create({3, 64, 16, 3, 25}, Dims{73728, 1152, 72, 24, 1}, 0,
                            Mask{{0, 3}, {0, 64}, {0, 16}, {0, 3}, {0, 22}}),
               View::create({3, 64, 16, 3, 24}, Dims{76800, 1200, 75, 24, 1})})
              .getAccess()),
      "d0 * 3 + d1 * 2304 + d2 * 144 + d3 + ((-d3 + d4) floordiv 6) * 36 + "
      "((-d3 + d4) mod 6) * 9, -21 <= d3 - d4 <= 0, "
      "0 <= (-d3 + d4) mod 6 <= 3");
}

TEST(WindowTest, WindowsOfAPaddedImageAreAffine) {
  ShapeTracker padded = ShapeTracker::fromShape({64, 16, 4, 4})
                            .pad(Mask{{0, 0}, {0, 0}, {1, 1}, {1, 1}});
  EXPECT_EQ(toString(Windows{64, 16, 6, 3, 1, 1}.read(padded).getAccess()),
            "d0 * 256 + d1 * 16 + d2 * 4 + d3 + d4 * 4 + d5 - 5, "
            "1 <= d2 + d4 <= 4, 1 <= d3 + d5 <= 4");
}

//===----------------------------------------------------------------------===//
// Against brute force
//===----------------------------------------------------------------------===//

bool isAffine(const IndexExpr &expr) {
  std::string text = expr.toString();
  return text.find("floordiv") == std::string::npos &&
         text.find("mod") == std::string::npos;
}

TEST(WindowTest, RandomWindowsAndGradientsReadWhatBruteForceReads) {
  ChainGenerator generator(77);
  int64_t affineCount = 0;
  for (int64_t round = 0; round < 1000; ++round) {
    Windows windows{1,
                    generator.pick(1, 2),
                    0,
                    generator.pick(1, 3),
                    generator.pick(1, 3),
                    generator.pick(1, 2)};
    windows.image =
        windows.dilation * (windows.kernel - 1) + generator.pick(1, 4);
    ShapeTracker gradient = windows.readGradient();
    ASSERT_EQ(getAccessTable(gradient), getTable(gradient))
        << gradient.toString();
    affineCount +=
        gradient.getViews().size() > 1 && isAffine(gradient.getAccess().index);
    int64_t padding =
        generator.pick(0, std::min<int64_t>(2, windows.image / 3));
    int64_t side = windows.image - 2 * padding;
    ShapeTracker forward = windows.read(
        ShapeTracker::fromShape({1, windows.channels, side, side})
            .pad(Mask{{0, 0}, {0, 0}, {padding, padding}, {padding, padding}}));
    ASSERT_EQ(getAccessTable(forward), getTable(forward)) << forward.toString();
  }
  EXPECT_GT(affineCount, 300);
}

TEST(WindowTest, RandomDigitsReadWhatBruteForceReads) {
  // Rows of one length read in rows of another, with masks, offsets and steps
  // that need not fit: rules that are wrong by one fail here.
  ChainGenerator generator(78);
  int64_t affineCount = 0, dividedCount = 0;
  for (int64_t round = 0; round < 30000; ++round) {
    auto pickMask = [&](int64_t extent) {
      int64_t begin = generator.pick(0, 2) ? 0 : generator.pick(0, extent - 1);
      return std::pair(begin, generator.pick(begin + 1, extent));
    };
    int64_t rows = generator.pick(1, 5), columns = generator.pick(2, 7);
    View outer = View::create({rows, columns});
    std::vector<View> views{outer};
    int64_t count = rows * columns;
    for (int64_t level = generator.pick(1, 2); level > 0; --level) {
      // A view of at least `count` positions, with rows about as long.
      int64_t unit = generator.pick(0, 3) ? 1 : generator.pick(1, 3);
      int64_t period = std::max<int64_t>(1, columns + generator.pick(-2, 3));
      int64_t lines = (count + period * unit - 1) / (period * unit);
      Dims shape{lines, period, unit}, strides;
      Mask mask;
      int64_t size = 1;
      for (int64_t extent : shape) {
        mask.push_back(pickMask(extent));
        strides.push_back(generator.pick(0, 6));
        size += strides.back() * (extent - 1);
      }
      int64_t offset = generator.pick(0, 2);
      bool flips = generator.pick(0, 4) == 0;
      if (flips)
        for (size_t axis = 0; axis < 2; ++axis) {
          offset += strides[axis] * (shape[axis] - 1);
          strides[axis] = -strides[axis];
        }
      views.insert(views.begin(), View::create(shape, strides, offset, mask));
      count = size + 2;
    }
    ShapeTracker tracker = ShapeTracker::fromViews(views);
    ASSERT_EQ(getAccessTable(tracker), getTable(tracker))
        << tracker.toString() << " " << toString(tracker.getAccess());
    IndexAccess access = tracker.getAccess();
    bool affine = isAffine(access.index);
    for (const IndexRange &range : access.conditions)
      affine &= isAffine(range.expr);
    (affine ? affineCount : dividedCount) += !access.isNever();
  }
  // Enough where rules apply, and enough where they must not.
  EXPECT_GT(affineCount, 5000);
  EXPECT_GT(dividedCount, 5000);
}

TEST(WindowTest, TheNumberOfPositionsDoesNotCount) {
  // The same gradient of small and of large images.
  auto measure = [](int64_t batch, int64_t image) {
    IndexAccess access =
        Windows{batch, 2 * batch, image, 3, 1, 1}.readGradient().getAccess();
    EXPECT_TRUE(isAffine(access.index));
    return access.conditions.size();
  };
  EXPECT_EQ(measure(2, 9), measure(1 << 10, 9 << 10));
}

} // namespace
