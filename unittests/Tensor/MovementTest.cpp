//===- MovementTest.cpp - Views and indexing ------------------------------===//
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

TEST(Movement, reshape) {
  expectTensor(range({2, 3}).reshape({3, -1}), {3, 2}, {0, 1, 2, 3, 4, 5});
  expectTensor(range({6}).reshape({-1, 2, 1}), {3, 2, 1}, {0, 1, 2, 3, 4, 5});
  expectError([] { range({6}).reshape({4, -1}); },
              "reshape: cannot infer the extent -1 of [4, -1] from shape [6]");
  expectError([] { range({6}).reshape({-1, -1}); },
              "reshape: expects at most one extent of -1, got [-1, -1]");
  expectError([] { range({6}).reshape({4}); },
              "reshape: expects the same number of elements, got [6] and [4]");
}

TEST(Movement, permute_and_transpose) {
  expectTensor(range({2, 3}).T(), {3, 2}, {0, 3, 1, 4, 2, 5});
  expectTensor(range({2, 1, 3}).permute({2, 0, 1}), {3, 2, 1},
               {0, 3, 1, 4, 2, 5});
  expectTensor(range({2, 3}).transpose(-1, 0), {3, 2}, {0, 3, 1, 4, 2, 5});
  expectError([] { range({2, 3}).permute({0, 2}); },
              "permute: expects an axis of a tensor with 2 axes, got 2");
}

TEST(Movement, expand) {
  expectTensor(range({2, 1}).expand({2, 3}), {2, 3}, {0, 0, 0, 1, 1, 1});
  expectTensor(range({2}).expand({2, -1}), {2, 2}, {0, 1, 0, 1});
  expectError([] { range({2}).expand({3}); },
              "expand: expects only axes of size 1 to be expanded, got [2] and "
              "[3]");
}

TEST(Movement, pad_and_shrink) {
  expectTensor(range({2}).pad({{1, 2}}), {5}, {0, 0, 1, 0, 0});
  expectTensor(range({2}).pad({{1, 2}}, 9), {5}, {9, 0, 1, 9, 9});
  expectTensor(Tensor::ones({1, 2}).pad2d({1, 0, 0, 1}), {2, 3},
               {0, 1, 1, 0, 0, 0});
  expectTensor(Tensor::ones({1}).pad({{0, 1}}, -INFINITY), {2}, {1, -INFINITY});
  expectTensor(range({2, 3}).pad2d({-1, 0}), {2, 2}, {1, 2, 4, 5});
  expectTensor(range({3, 3}).shrink({{1, 3}, {0, 2}}), {2, 2}, {3, 4, 6, 7});
  expectError([] { range({3}).shrink({{1, 4}}); },
              "shrink: expects ranges inside the source's shape [3], got "
              "[1, 4]");
}

TEST(Movement, flip_and_stride) {
  expectTensor(range({2, 3}).flip(1), {2, 3}, {2, 1, 0, 5, 4, 3});
  expectTensor(range({2, 3}).flip({0, -1}), {2, 3}, {5, 4, 3, 2, 1, 0});
  expectTensor(range({5}).stride({2}), {3}, {0, 2, 4});
  expectTensor(range({5}).stride({-2}), {3}, {4, 2, 0});
  expectError([] { range({2, 3}).flip({0, 0}); },
              "flip: expects each axis once, got [0, 0]");
}

TEST(Movement, axes_of_size_one) {
  expectTensor(range({2}).unsqueeze(0), {1, 2}, {0, 1});
  expectTensor(range({2}).unsqueeze(-1), {2, 1}, {0, 1});
  expectTensor(range({1, 2, 1}).squeeze(), {2}, {0, 1});
  expectTensor(range({1, 2, 1}).squeeze(0), {2, 1}, {0, 1});
  expectTensor(range({2, 1}).squeeze(0), {2, 1}, {0, 1});
  expectTensor(range({2, 1, 2}).flatten(), {4}, {0, 1, 2, 3});
  expectTensor(range({2, 1, 2}).flatten(1), {2, 2}, {0, 1, 2, 3});
  expectTensor(range({2, 2}).flatten(2), {2, 2, 1}, {0, 1, 2, 3});
  expectTensor(Tensor::zeros({0, 3}).flatten(), {0}, {});
  expectTensor(range({2}).repeat({2, 2}), {2, 4}, {0, 1, 0, 1, 0, 1, 0, 1});
}

/// Compares a slice of an axis with what stepping through it gives.
static void checkSlice(Slice slice, const std::vector<double> &expected) {
  expectTensor(range({6}).getitem({slice}),
               {static_cast<int64_t>(expected.size())}, expected);
}

TEST(Indexing, slices) {
  checkSlice({1, 4}, {1, 2, 3});
  checkSlice({std::nullopt, 2}, {0, 1});
  checkSlice({-2, std::nullopt}, {4, 5});
  checkSlice({0, -1}, {0, 1, 2, 3, 4});
  checkSlice({-100, 100}, {0, 1, 2, 3, 4, 5});
  checkSlice({4, 2}, {});
  checkSlice({1, 6, 2}, {1, 3, 5});
  checkSlice({0, 5, 2}, {0, 2, 4});
  checkSlice({0, 6, 100}, {0});
  checkSlice({std::nullopt, std::nullopt, -1}, {5, 4, 3, 2, 1, 0});
  checkSlice({5, 0, -2}, {5, 3, 1});
  checkSlice({4, std::nullopt, -2}, {4, 2, 0});
  checkSlice({-2, -5, -1}, {4, 3, 2});
  checkSlice({0, 5, -1}, {});
  checkSlice({100, -100, -3}, {5, 2});
}

TEST(Indexing, several_indices) {
  Tensor x = range({2, 3, 4});
  expectTensor(x[1], {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  expectTensor(x.getitem({1, -1}), {4}, {20, 21, 22, 23});
  expectTensor(x.getitem({1, 2, 3}), {}, {23});
  expectTensor(x.getitem({ellipsis, 0}), {2, 3}, {0, 4, 8, 12, 16, 20});
  expectTensor(x.getitem({0, ellipsis, Slice{1, 3}}), {3, 2},
               {1, 2, 5, 6, 9, 10});
  expectTensor(x.getitem({1, newaxis, 0, Slice{0, 2}}), {1, 2}, {12, 13});
  expectTensor(x.getitem({ellipsis, newaxis, newaxis, 0, 0, 0}), {1, 1}, {0});
}

TEST(Indexing, errors) {
  Tensor x = range({2, 3});
  expectError([&] { x[2]; },
              "getitem: index 2 is out of bounds for dimension 0 with size 2");
  expectError([&] { x.getitem({0, -4}); },
              "getitem: index -4 is out of bounds for dimension 1 with size 3");
  expectError([&] { x.getitem({0, 0, 0}); },
              "getitem: expects at most 2 indices for shape [2, 3], got 3");
  expectError([&] { x.getitem({Slice{0, 1, 0}}); },
              "getitem: expects a step that is not zero");
  expectError([&] { x.getitem({ellipsis, ellipsis}); },
              "getitem: expects at most one ellipsis");
}

TEST(Movement, cat_and_stack) {
  expectTensor(Tensor::cat({range({1, 2}), range({2, 2})}), {3, 2},
               {0, 1, 0, 1, 2, 3});
  expectTensor(Tensor::cat({range({2, 1}), range({2, 2})}, -1), {2, 3},
               {0, 0, 1, 1, 2, 3});
  expectTensor(Tensor::stack({range({2}), range({2})}), {2, 2}, {0, 1, 0, 1});
  expectTensor(Tensor::stack({range({2}), range({2})}, -1), {2, 2},
               {0, 0, 1, 1});
  expectError([] { Tensor::cat({range({1, 2}), range({1, 3})}); },
              "cat: expects shapes that differ in axis 0 alone, got [1, 2] and "
              "[1, 3]");
  expectError([] { Tensor::stack({range({1}), range({2})}); },
              "stack: expects tensors of one shape, got [1] and [2]");
}

TEST(Movement, chunk_and_split) {
  std::vector<Tensor> parts = range({5}).chunk(2);
  ASSERT_EQ(parts.size(), 2u);
  expectTensor(parts[0], {3}, {0, 1, 2});
  expectTensor(parts[1], {2}, {3, 4});
  EXPECT_EQ(Tensor::zeros({0, 2}).chunk(3).size(), 3u);
  EXPECT_EQ(range({2, 6}).split(2, 1).size(), 3u);
  expectTensor(range({2, 4}).split(2, 1)[1], {2, 2}, {2, 3, 6, 7});
}
