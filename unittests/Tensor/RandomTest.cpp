//===- RandomTest.cpp - Random numbers ------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Tensor/Philox.h"

#include "TensorTest.h"

#include <algorithm>
#include <cstring>

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

struct Moments {
  double mean, variance, lowest, highest;
};

} // namespace

static Moments measure(const Tensor &tensor) {
  std::vector<double> values = tensor.toVector<double>();
  double n = static_cast<double>(values.size()), mean = 0, variance = 0;
  for (double value : values)
    mean += value / n;
  for (double value : values)
    variance += (value - mean) * (value - mean) / n;
  return {mean, variance, *std::ranges::min_element(values),
          *std::ranges::max_element(values)};
}

// The known answers of the Random123 library that accompanies the paper.
TEST(Random, philox_known_answers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(detail::philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  uint32_t ones = 0xffffffff;
  EXPECT_EQ(detail::philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(detail::philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                               {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, first_numbers_of_seed_0) {
  Tensor::manual_seed(0);
  // The upper 24 bits of the words above.
  expectTensor(Tensor::rand({4}), {4},
               {0x6627e8 / 16777216.0, 0xe169c5 / 16777216.0,
                0xbc57ac / 16777216.0, 0x9b00db / 16777216.0},
               0);
}

TEST(Random, the_same_seed_gives_the_same_numbers) {
  Tensor::manual_seed(42);
  EXPECT_EQ(Context::getCurrent()->getSeed(), 42u);
  std::vector<float> first = Tensor::randn({100}).toVector<float>();
  std::vector<float> second = Tensor::randn({100}).toVector<float>();
  Tensor::manual_seed(42);
  EXPECT_EQ(Tensor::randn({100}).toVector<float>(), first);
  EXPECT_EQ(Tensor::randn({100}).toVector<float>(), second);
  EXPECT_NE(first, second);
  Tensor::manual_seed(43);
  EXPECT_NE(Tensor::randn({100}).toVector<float>(), first);
}

TEST(Random, numbers_belong_to_the_call_not_to_the_realization) {
  Tensor::manual_seed(1);
  Tensor a = Tensor::rand({10}), b = Tensor::rand({10});
  std::vector<float> valuesB = b.toVector<float>();
  std::vector<float> valuesA = a.toVector<float>();
  Tensor::manual_seed(1);
  EXPECT_EQ(Tensor::rand({10}).toVector<float>(), valuesA);
  EXPECT_EQ(Tensor::rand({10}).toVector<float>(), valuesB);
  // Computed twice in two graphs, a tensor is the same.
  Tensor c = Tensor::rand({10});
  EXPECT_EQ((c + 0).toVector<float>(), c.toVector<float>());
}

TEST(Random, distributions) {
  Tensor::manual_seed(5);
  constexpr int64_t n = 40'000;
  Moments uniform = measure(Tensor::rand({n}));
  EXPECT_NEAR(uniform.mean, 0.5, 0.01);
  EXPECT_NEAR(uniform.variance, 1.0 / 12, 0.002);
  EXPECT_GE(uniform.lowest, 0);
  EXPECT_LT(uniform.highest, 1);

  Moments normal = measure(Tensor::randn({n}));
  EXPECT_NEAR(normal.mean, 0, 0.02);
  EXPECT_NEAR(normal.variance, 1, 0.03);

  Moments moved = measure(Tensor::normal({n}, 3, 2));
  EXPECT_NEAR(moved.mean, 3, 0.05);
  EXPECT_NEAR(moved.variance, 4, 0.1);

  Moments range = measure(Tensor::uniform({n}, -2, 6));
  EXPECT_NEAR(range.mean, 2, 0.06);
  EXPECT_GE(range.lowest, -2);
  EXPECT_LE(range.highest, 6);
}

TEST(Random, every_float_type) {
  Tensor::manual_seed(2);
  for (DType type : {DType::Float16, DType::BFloat16, DType::Float64}) {
    Tensor x = Tensor::rand({5000}, type);
    EXPECT_EQ(x.dtype(), type);
    Moments moments = measure(x);
    EXPECT_NEAR(moments.mean, 0.5, 0.02);
    EXPECT_LT(moments.highest, 1);
  }
  expectError([] { Tensor::rand({2}, DType::Int32); },
              "rand: expects a float type, got int32");
}

TEST(Random, randint) {
  Tensor::manual_seed(7);
  Tensor x = Tensor::randint({20'000}, -3, 3);
  EXPECT_EQ(x.dtype(), DType::Int32);
  std::vector<int> counts(6);
  for (int value : x.toVector<int>()) {
    ASSERT_GE(value, -3);
    ASSERT_LT(value, 3);
    ++counts[value + 3];
  }
  for (int number : counts)
    EXPECT_NEAR(number, 20'000 / 6.0, 300);
  expectError([] { Tensor::randint({2}, 3, 3); },
              "randint: expects a range with 1 to 2^24 integers, got from 3 to "
              "3");
}

TEST(Random, bounds_of_weights) {
  Tensor::manual_seed(8);
  double bound = std::sqrt(6.0 / (100 + 50));
  EXPECT_LE(measure(Tensor::glorot_uniform({100, 50})).highest, bound);
  bound = std::sqrt(3.0) * std::sqrt(2.0 / 1.0001) / std::sqrt(50);
  Moments kaiming = measure(Tensor::kaiming_uniform({100, 50}));
  EXPECT_LE(kaiming.highest, bound);
  EXPECT_NEAR(kaiming.variance, bound * bound / 3, 1e-3);
  EXPECT_LE(measure(Tensor::scaled_uniform({100, 50})).highest,
            1 / std::sqrt(5000));
  EXPECT_NEAR(measure(Tensor::kaiming_normal({100, 50})).variance, 2.0 / 50,
              3e-3);
}

TEST(Random, dropout) {
  Tensor::manual_seed(9);
  Tensor x = Tensor::full({10'000}, 3);
  expectTensor(x.dropout(0.5).max(), {}, {3});
  TrainingGuard training;
  std::vector<float> values = x.dropout(0.25).toVector<float>();
  int64_t dropped = std::ranges::count(values, 0.0f);
  EXPECT_NEAR(dropped, 2500, 150);
  EXPECT_EQ(std::ranges::count(values, 4.0f), 10'000 - dropped);
  expectTensor(x.dropout(1).max(), {}, {0});
  expectError([&] { x.dropout(1.5); },
              "dropout: expects a probability from 0 to 1, got 1.500000");
}

TEST(Random, contexts_have_their_own) {
  Context::Options options;
  options.device = "INTERP";
  auto draw = [](const ContextRef &context) {
    Context::Scope scope(context);
    return Tensor::rand({3}).toVector<float>();
  };
  ContextRef a = Context::create(options), b = Context::create(options);
  a->manual_seed(1);
  b->manual_seed(1);
  std::vector<float> first = draw(a);
  draw(a);
  EXPECT_EQ(draw(b), first);
}
