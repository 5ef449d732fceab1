//===- MethodsTest.cpp - Methods that change variables or draw ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::test;

static Tensor range(const Shape &shape) {
  return Tensor::arange(count(shape)).reshape(shape);
}

TEST(Methods, facts) {
  Tensor x = Tensor::ones({2, 3}, DType::Float16);
  EXPECT_EQ(x.element_size(), 2);
  EXPECT_EQ(x.nbytes(), 12);
  EXPECT_TRUE(x.is_floating_point());
  EXPECT_FALSE(range({2}).is_floating_point());
  EXPECT_EQ(x.float_().dtype(), DType::Float32);
  EXPECT_EQ(range({2}).half().dtype(), DType::Float16);
  EXPECT_EQ(Tensor(std::vector<int16_t>{1, -2}).data(),
            (std::vector<uint8_t>{1, 0, 0xFE, 0xFF}));
}

TEST(Methods, setitem) {
  Tensor x = range({2, 3});
  Tensor before = x + 0;
  x.setitem({1, Slice{0, 2}}, 9);
  expectTensor(x, {2, 3}, {0, 1, 2, 9, 9, 5});
  x.setitem({ellipsis, Slice{std::nullopt, std::nullopt, -2}},
            Tensor({10.7f, 20.2f}));
  EXPECT_EQ(x.dtype(), DType::Int32);
  expectTensor(x, {2, 3}, {20, 1, 10, 20, 9, 10});
  // Of equal positions the last one counts; one out of range counts for none.
  x.setitem({0, Tensor({1, 1, 7, -1})}, Tensor({3, 4, 5, 6}));
  expectTensor(x, {2, 3}, {20, 4, 6, 20, 9, 10});
  x.setitem({Slice{2, 1}}, 1);
  x.setitem({Tensor::empty({0}, DType::Int32)}, 1);
  expectTensor(x, {2, 3}, {20, 4, 6, 20, 9, 10});
  expectTensor(before, {2, 3}, {0, 1, 2, 3, 4, 5});
  x.setitem({}, 7);
  expectTensor(x, {2, 3}, {7, 7, 7, 7, 7, 7});
}

TEST(Methods, setitem_keeps_what_is_not_finite) {
  Tensor x({1.0f, NAN, -INFINITY});
  x.setitem({0}, INFINITY);
  expectTensor(x, {3}, {INFINITY, NAN, -INFINITY});
}

TEST(Methods, in_place_operators) {
  Tensor x({3.0f, 4.0f});
  Tensor same = x;
  x += 1;
  x -= 2;
  x *= 2;
  x /= 4;
  expectTensor(same, {2}, {1, 1.5});
  x.pow_(2);
  expectTensor(same, {2}, {1, 2.25});
  Tensor m = range({2, 2});
  m.matmul_(Tensor::eye(2, DType::Int32));
  expectTensor(m, {2, 2}, {0, 1, 2, 3});
  m ^= 1;
  expectTensor(m, {2, 2}, {1, 0, 3, 2});
  expectTensor(m ^ m, {2, 2}, {0, 0, 0, 0});
}

TEST(Methods, to_moves_the_variable_and_its_gradient) {
  Tensor x = Tensor({1.0f, 2.0f}).requires_grad_();
  (x * x).sum().backward();
  Tensor same = x;
  x.to_("HOST");
  EXPECT_EQ(same.device(), "HOST");
  EXPECT_EQ(same.grad().device(), "HOST");
  expectTensor(same, {2}, {1, 2});
  expectTensor(same.grad(), {2}, {2, 4});
  x.to_("");
  EXPECT_TRUE(x.requires_grad());
  expectTensor(x.cpu(), {2}, {1, 2});
}

TEST(Methods, gather_and_index_out_of_range_give_0) {
  Tensor x({5.0f, 6.0f});
  expectTensor(x[Tensor({1, 2, -2, -3})], {4}, {6, 0, 5, 0});
  expectTensor(x.gather(Tensor({1, 2, -1}), 0), {3}, {6, 0, 0});
  expectTensor(x[std::vector<int64_t>{-1, 0}], {2}, {6, 5});
  // Positions of narrow types count along axes that are longer.
  Tensor wide = Tensor::arange(300);
  expectTensor(wide[Tensor(std::vector<int8_t>{-1, 100})], {2}, {299, 100});
  expectTensor(wide[Tensor(std::vector<uint8_t>{255})], {1}, {255});
  expectTensor(Tensor(std::vector<bool>{true, false})[Tensor({1, 0})], {2},
               {0, 1});
}

TEST(Methods, repeated_positions_add_their_gradients) {
  Tensor x = Tensor({5.0, 6.0, 7.0}).requires_grad_();
  (x[Tensor({0, 2, 0, 0})] * Tensor({1.0, 10.0, 100.0, 1000.0}))
      .sum()
      .backward();
  expectTensor(x.grad(), {3}, {1101, 0, 10});
}

TEST(Methods, multinomial) {
  Tensor::manual_seed(7);
  Tensor weights({0.0f, 1.0f, 3.0f, 0.0f});
  Tensor draws = weights.multinomial(4000, true);
  EXPECT_EQ(draws.dtype(), DType::Int32);
  EXPECT_EQ(draws.shape(), Shape{4000});
  std::vector<int> counts(4);
  for (int position : draws.toVector<int>())
    ++counts.at(position);
  EXPECT_EQ(counts[0], 0);
  EXPECT_EQ(counts[3], 0);
  EXPECT_NEAR(counts[1], 1000, 120);
  Tensor rows = Tensor({1.0f, 0.0f, 0.0f, 5.0f}, {2, 2});
  expectTensor(rows.multinomial(), {2, 1}, {0, 1});
}

TEST(Methods, einsum_of_one_and_of_sizes_of_1) {
  Tensor x = range({2, 3});
  expectTensor(Tensor::einsum("ij, j -> i", {x, range({3})}), {2}, {5, 14});
  expectTensor(Tensor::einsum("ij,ij->ij", {x, Tensor::ones({2, 1})}), {2, 3},
               {0, 1, 2, 3, 4, 5});
  expectTensor(Tensor::einsum("i...->...", {x}), {3}, {3, 5, 7});
  expectTensor(Tensor::einsum("iij->ji", {range({2, 2, 2})}), {2, 2},
               {0, 6, 1, 7});
  expectTensor(Tensor::einsum("ba", {x}), {3, 2}, {0, 3, 1, 4, 2, 5});
}

TEST(Methods, attention_with_dropout_drops_only_while_training) {
  Tensor q = Tensor::ones({1, 4, 2}), v = Tensor::ones({1, 4, 2});
  Tensor kept = q.scaled_dot_product_attention(q, v, std::nullopt, 0.5);
  expectTensor(kept, {1, 4, 2}, std::vector<double>(8, 1));
  Tensor::train training;
  Tensor some = q.scaled_dot_product_attention(q, v, std::nullopt, 0.999);
  EXPECT_LT(some.sum().item(), 8);
}

TEST(Methods, cumsum_of_many_and_of_nothing) {
  std::vector<int> ones(1000, 1);
  std::vector<double> expected;
  for (int i = 1; i <= 1000; ++i)
    expected.push_back(i);
  expectTensor(Tensor(ones).cumsum(), {1000}, expected);
  expectTensor(Tensor::zeros({0, 2}).cumsum(), {0, 2}, {});
  // An infinity in one block has no influence on those before.
  std::vector<float> values(600, 0);
  values[550] = INFINITY;
  Tensor sums = Tensor(values).cumsum();
  EXPECT_EQ(sums[549].item(), 0);
  EXPECT_EQ(sums[599].item(), INFINITY);
}
