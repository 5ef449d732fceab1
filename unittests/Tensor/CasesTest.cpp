//===- CasesTest.cpp - What broke for users of such systems ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small inputs behind bugs of tinygrad, MLX, PyTorch and others. Right values
// are numpy's.
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <fstream>
#include <limits>
#include <numeric>
#include <thread>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::test;

using Doubles = std::vector<double>;

/// 1, 2, 3, … so that no element equals the zeros of padding.
static Tensor iota(const Shape &shape) {
  return Tensor::arange(1, static_cast<double>(count(shape)) + 1, 1,
                        DType::Float32)
      .reshape(shape);
}

static const double inf = std::numeric_limits<double>::infinity();
static const double NaN = std::numeric_limits<double>::quiet_NaN();

TEST(Cases, R001_pad_then_split_and_join_the_axis) {
  Tensor x = iota({2, 5, 5});
  Tensor padded = x.pad({{2, 0}, {0, 0}, {0, 0}});
  Doubles expected(100);
  std::iota(expected.begin() + 50, expected.end(), 1);
  expectTensor(padded.reshape({2, 2, 5, 5}).reshape({4, 5, 5}), {4, 5, 5},
               expected);
}

TEST(Cases, R003_reshape_cuts_across_the_mask) {
  Tensor x = iota({1, 2});
  expectTensor(x.pad({{1, 0}, {0, 1}}).reshape({3, 2}), {3, 2},
               {0, 0, 0, 1, 2, 0});
  expectTensor(x.pad({{1, 1}, {0, 2}}).reshape({4, 3}), {4, 3},
               {0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0});
}

TEST(Cases, R005_R010_R013_steps_and_flips) {
  Slice third{std::nullopt, std::nullopt, 3};
  expectTensor(iota({2, 3}).permute({1, 0}).reshape({6})[third], {2}, {1, 5});
  expectTensor(iota({1, 4})
                   .pad({{0, 1}, {0, 0}})
                   .flip(0)
                   .reshape({2, 1, 4})
                   .reshape({4, 2, 1}),
               {4, 2, 1}, {0, 0, 0, 0, 1, 2, 3, 4});
  Tensor x = iota({3, 2});
  Slice reversed{std::nullopt, std::nullopt, -1};
  Tensor column = x.getitem({reversed, Slice{0, 1}});
  expectTensor(x.flip({0, 1}) * 2 + x - column, {3, 2}, {8, 7, 8, 7, 8, 7});
}

TEST(Cases, R007_what_is_padded_does_not_leak) {
  Tensor x({1.0f, 4.0f});
  expectTensor(Tensor::cat({x, x.exp()}), {4},
               {1, 4, std::exp(1), std::exp(4)});
  expectTensor(Tensor::cat({x, x.log()}), {4}, {1, 4, 0, std::log(4)});
  expectTensor(Tensor::cat({x, 1 / x}), {4}, {1, 4, 1, 0.25});
  expectTensor(Tensor::cat({x, x / Tensor({2.0f, 8.0f})}), {4},
               {1, 4, 0.5, 0.5});
  expectTensor(Tensor::cat({x, x == 0}), {4}, {1, 4, 0, 0});
}

TEST(Cases, R011_slices_of_padding) {
  for (double value : {0.0, 3.5}) {
    Tensor p = iota({4, 4}).pad({{1, 2}, {3, 4}}, value);
    expectTensor(p[0], {11}, Doubles(11, value));
    expectTensor(p[6], {11}, Doubles(11, value));
    expectTensor(p.getitem({Slice(), 1}), {7}, Doubles(7, value));
    expectTensor(p.getitem({Slice(), 8}), {7}, Doubles(7, value));
    expectTensor(p.getitem({Slice{5, 7}, Slice{0, 2}}), {2, 2},
                 Doubles(4, value));
    expectTensor(p.getitem({0, 0}), {}, {value});
  }
}

TEST(Cases, R022_beyond_2_to_the_31) {
  int64_t n = 65536, all = n * n;
  Tensor x = Tensor::arange(n).reshape({n, 1}).expand({n, n}).reshape({all});
  expectTensor(x.shrink({{all - 3, all}}), {3}, {65535, 65535, 65535});
}

TEST(Cases, R026_R028_R030_nothing) {
  Tensor none = Tensor::zeros({4, 4, 4}).shrink({{0, 4}, {0, 0}, {0, 4}});
  expectTensor(Tensor::cat({none, Tensor::ones({4, 1, 4})}, 1), {4, 1, 4},
               Doubles(16, 1));
  const std::pair<Shape, Shape> shapes[] = {
      {{3, 0}, {0, 2}}, {{0, 3}, {3, 2}}, {{3, 2}, {2, 0}}, {{0, 4}, {4, 0}}};
  for (const auto &[left, right] : shapes) {
    Shape shape = {left[0], right[1]};
    expectTensor(Tensor::ones(left).matmul(Tensor::ones(right)), shape,
                 Doubles(static_cast<size_t>(count(shape))));
  }
  Tensor empty = Tensor::ones({1, 0, 32});
  expectTensor((empty > 0).where(empty, 1), {1, 0, 32}, {});
  expectTensor(empty.linear(Tensor::ones({32, 2}), Tensor::ones({2})),
               {1, 0, 2}, {});
}

TEST(Cases, R031_R035_R037_integers) {
  Tensor x = Tensor::arange(4);
  expectTensor(x.maximum(1.5), {4}, {1.5, 1.5, 2, 3});
  expectTensor((x > 1).where(x, 0.5), {4}, {0.5, 0.5, 2, 3});
  expectTensor(x + 0.25, {4}, {0.25, 1.25, 2.25, 3.25});
  Tensor bytes(std::vector<uint8_t>{1, 200, 7});
  Tensor others(std::vector<uint8_t>{2, 100, 7});
  expectTensor(bytes - others, {3}, {255, 100, 0});
  expectTensor((bytes - others).abs(), {3}, {255, 100, 0});
  expectTensor(Tensor({110, 110, -110, -110}) / Tensor({55, -55, 55, -55}), {4},
               {2, -2, -2, 2});
}

TEST(Cases, R038_nan_in_max_at_each_place) {
  for (int n : {2, 5, 16})
    for (int place : {0, n / 2, n - 1}) {
      std::vector<float> values(static_cast<size_t>(n));
      std::iota(values.begin(), values.end(), 0.0f);
      values[static_cast<size_t>(place)] = static_cast<float>(NaN);
      expectTensor(Tensor(values).max(), {}, {NaN});
      expectTensor(Tensor(values).min(), {}, {NaN});
      expectTensor(Tensor(values).argmax(), {}, {double(place)});
    }
}

TEST(Cases, R040_R042_R079_infinities_and_signs) {
  Tensor x({-INFINITY, 2.0f, INFINITY});
  expectTensor(x.gather(Tensor({2, 1, 0}), 0), {3}, {inf, 2, -inf});
  Doubles negated = (-Tensor({0.0f, -0.0f, 3.0f})).toVector<double>();
  EXPECT_TRUE(std::signbit(negated[0]));
  EXPECT_FALSE(std::signbit(negated[1]));
  expectTensor(1.0 / -Tensor({0.0f, -0.0f}), {2}, {-inf, inf});
  expectTensor(Tensor::full({3}, 1) / 0, {3}, {inf, inf, inf});
  expectTensor(Tensor::full({1}, -1) / Tensor::zeros({1}), {1}, {-inf});
  expectTensor(Tensor::zeros({1}) / Tensor::zeros({1}), {1}, {NaN});
  expectTensor(Tensor({1.0f, -2.0f, 0.0f}) / 0.0, {3}, {inf, -inf, NaN});
  expectTensor(Tensor({inf, NaN, 1.0}) * 0, {3}, {NaN, NaN, 0});
  for (double zero : {0.0, -0.0, 0.0, -0.0})
    expectTensor(1.0 / (Tensor({1.0f, 0.0f}) > 0.5).where(zero, 1.0), {2},
                 {1 / zero, 1});
}

TEST(Cases, R045_R098_softmax) {
  expectTensor(Tensor({-inf, -inf}).softmax(), {2}, {NaN, NaN});
  Tensor x({1000.0f, 1001.0f, -1e4f, -INFINITY, 0.0f, 1.0f}, {2, 3});
  double e = std::exp(1);
  Doubles expected = {1 / (1 + e), e / (1 + e), 0, 0, 1 / (1 + e), e / (1 + e)};
  expectTensor(x.softmax(), {2, 3}, expected);
}

TEST(Cases, R047_R096_ties_and_whole_numbers) {
  Tensor x({3, 7, 7, 1, 5, 5, 5, 5, -2, -9, -2, -3}, {3, 4});
  expectTensor(x.argmax(1), {3}, {1, 0, 0});
  expectTensor(x.argmax(0), {4}, {1, 0, 0, 1});
  expectTensor(x.argmax(), {}, {1});
  Tensor f({1.0f, 2.1f, 0.0f, -5.0f, -2.5f, 2.5f, -0.5f, 16777216.0f});
  expectTensor(f.floor(), {8}, {1, 2, 0, -5, -3, 2, -1, 16777216});
  expectTensor(f.ceil(), {8}, {1, 3, 0, -5, -2, 3, 0, 16777216});
  expectTensor(f.trunc(), {8}, {1, 2, 0, -5, -2, 2, 0, 16777216});
}

TEST(Cases, R049_R051_R053_R054_R056_R094_types) {
  Tensor x({65504.0f, 65519.0f, 65520.0f, -65520.0f, 1e-8f, 2049.0f, 2051.0f});
  expectTensor(x.half(), {7}, {65504, 65504, inf, -inf, 0, 2048, 2052});
  Tensor halves = Tensor::full({3}, 60000, DType::Float16);
  expectTensor(halves.mean(), {}, {60000});
  EXPECT_EQ(halves.mean().dtype(), DType::Float16);
  expectTensor(halves.var(), {}, {0});
  expectTensor(Tensor({1.0, NaN, 2.0}).cast(DType::BFloat16).sum(), {}, {NaN});
  expectTensor(Tensor::ones({30, 10}, DType::Bool).sum(1), {30},
               Doubles(30, 10));
  EXPECT_NEAR(Tensor::full({1'000'000}, 0.1).contiguous().sum().item(), 1e5,
              10);
  expectTensor(Tensor(1.0).bitcast(DType::UInt32), {}, {1065353216});
}

TEST(Cases, R058_R060_R062_assign) {
  Tensor a = Tensor::ones({4}).contiguous().realize();
  Tensor t = a * 3;
  a.assign(Tensor::full({4}, 2));
  expectTensor(a + (t - 1), {4}, {4, 4, 4, 4});
  Tensor x = Tensor::arange(5000).realize();
  x.assign(x + x.flip(0));
  expectTensor(x, {5000}, Doubles(5000, 4999));
  Tensor b = Tensor::zeros({8}).contiguous().realize();
  Tensor c = Tensor::zeros({8}).contiguous().realize();
  b.assign(b + 1);
  expectTensor(b, {8}, Doubles(8, 1));
  expectTensor(c, {8}, Doubles(8, 0));
}

TEST(Cases, R064_R066_R089_graphs) {
  Tensor deep({0.0f, 1.0f}), wide({1.0f, 3.0f});
  for (int i = 0; i < 3000; ++i)
    deep = deep + 1;
  expectTensor(deep, {2}, {3000, 3001});
  for (int i = 0; i < 22; ++i)
    wide = wide + wide;
  expectTensor(wide, {2}, {0x1p22, 3 * 0x1p22});
  Tensor total = Tensor({0.0f, 0.0f});
  for (int i = 1; i < 300; ++i)
    total = total + Tensor({float(i), float(2 * i)}).realize();
  expectTensor(total, {2}, {299 * 150, 299 * 300});
}

TEST(Cases, R072_R074_R078_gradients) {
  Tensor x = Tensor({2.0, 5.0, 5.0, 4.0, 4.0, 4.0}, {2, 3}).requires_grad_();
  x.max(1).sum().backward();
  expectTensor(x.grad(), {2, 3}, {0, .5, .5, 1. / 3, 1. / 3, 1. / 3});
  for (int power : {2, 3}) {
    Tensor base = Tensor({0.0, 2.0, -1.5}).requires_grad_();
    base.pow(power).sum().backward();
    Doubles slopes = power == 2 ? Doubles{0, 4, -3} : Doubles{0, 12, 6.75};
    expectTensor(base.grad(), {3}, slopes);
  }
  Tensor y = Tensor({-1.0f, 0.0f, -0.0f, 2.0f}).requires_grad_();
  y.relu().sum().backward();
  expectTensor(y.grad(), {4}, {0, 0, 0, 1});
}

TEST(Cases, R081_huge_constants) {
  Tensor x = Tensor::zeros({2}).contiguous().realize();
  for (double c : {inf, -inf, 3.4028234e38, -3.4028234e38, 2e-38, NaN}) {
    double rounded = static_cast<float>(c);
    expectTensor(x + c, {2}, {rounded, rounded}, 0);
  }
  Tensor i = Tensor::zeros({1}, DType::Int32).contiguous().realize();
  for (int c :
       {std::numeric_limits<int>::min(), std::numeric_limits<int>::max()})
    expectTensor(i + c, {1}, {double(c)}, 0);
}

TEST(Cases, R085_threads) {
  std::vector<std::thread> threads;
  std::vector<double> results(8);
  for (int k = 0; k < 8; ++k)
    threads.emplace_back([&results, k] {
      Tensor x = Tensor::arange(10 + k);
      results[static_cast<size_t>(k)] = (x * (k + 1) + k).sum().item();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int k = 0; k < 8; ++k) {
    int n = 10 + k;
    EXPECT_EQ(results[static_cast<size_t>(k)],
              (k + 1) * n * (n - 1) / 2 + k * n);
  }
}

TEST(Cases, R091_R092_R108_fusion) {
  Tensor a({1.0f, -5.0f}), b({2.0f, -7.0f}), c({-3.0f, -6.0f});
  expectTensor(Tensor::stack({a, b, c}).max(0), {2}, {2, -5});
  Tensor x = iota({2, 4}).reshape({2, 4, 1}).expand({2, 4, 3});
  Tensor y = iota({4}).reshape({1, 4, 1}).expand({2, 4, 3});
  // Three times (1 + 5)*1, (2 + 6)*2, (3 + 7)*3 and (4 + 8)*4.
  expectTensor((x * y).sum({0, 2}), {4}, {18, 48, 90, 144});
  expectTensor(Tensor::ones({1, 2}).matmul(Tensor::ones({2, 3})), {1, 3},
               {2, 2, 2});
  Tensor framed = Tensor::ones({8, 8}).pad({{1, 1}, {1, 1}}) + 1;
  expectTensor(framed.getitem({1, 1}), {}, {2});
}

TEST(Cases, R070_two_symbolic_sizes_in_either_order) {
  for (int64_t i = 1; i < 4; ++i)
    for (int64_t j = 1; j < 4; ++j)
      for (auto [first, second] : {std::pair("i", "j"), std::pair("j", "i")}) {
        Extent vj = Variable(first, 1, 10).bind(j);
        Extent vi = Variable(second, 1, 10).bind(i);
        Tensor a = iota({j, 3}), b = iota({3, i});
        Doubles expected = (a.matmul(b) + 1).toVector<double>();
        Tensor product = a.reshape({vj, 3}).matmul(b.reshape({3, vi})) + 1;
        EXPECT_EQ(product.shape(), (Shape{vj, vi}));
        expectTensor(product.reshape({j, i}), {j, i}, expected);
      }
}

TEST(Cases, R083_random_numbers) {
  constexpr int64_t count = 20000;
  auto draw = [] { return Tensor::rand({count}).toVector<double>(); };
  auto mean = [](const Doubles &x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / count;
  };
  Tensor::manual_seed(7);
  Doubles a = draw(), b = draw();
  Tensor::manual_seed(7);
  EXPECT_EQ(draw(), a);
  double average = mean(a), square = 0, lag = 0;
  int64_t numEqual = 0;
  for (int64_t i = 0; i < count; ++i) {
    EXPECT_TRUE(a[i] >= 0 && a[i] < 1) << a[i];
    numEqual += a[i] == b[i];
    square += (a[i] - average) * (a[i] - average);
    if (i)
      lag += (a[i] - average) * (a[i - 1] - average);
  }
  EXPECT_LT(numEqual, count / 10);
  EXPECT_NEAR(average, 0.5, 0.01);
  EXPECT_NEAR(square / count, 1.0 / 12, 0.005);
  EXPECT_NEAR(lag / square, 0, 0.03);

  Doubles normal = Tensor::randn({count}).toVector<double>();
  double middle = mean(normal), variance = 0;
  for (double x : normal) {
    EXPECT_TRUE(std::isfinite(x));
    variance += (x - middle) * (x - middle) / count;
  }
  EXPECT_NEAR(middle, 0, 0.03);
  EXPECT_NEAR(std::sqrt(variance), 1, 0.03);
}

/// The bytes of memory that this process holds.
static int64_t getResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(Cases, R087_evaluations_leave_no_memory_behind) {
  std::vector<float> ones(1 << 20, 1);
  auto evaluate = [&] { (Tensor(ones) * 2 + 1).realize(); };
  for (int i = 0; i < 5; ++i)
    evaluate();
  int64_t before = getResidentBytes();
  EXPECT_GT(before, 4 << 20);
  for (int i = 0; i < 200; ++i)
    evaluate();
  EXPECT_LT(getResidentBytes() - before, 100'000'000);
}
