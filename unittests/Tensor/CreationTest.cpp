//===- CreationTest.cpp - Making and reading tensors ----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::test;

TEST(Creation, from_data) {
  Tensor x(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(x.dtype(), DType::Float32);
  expectTensor(x, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(x.ndim(), 2);
  EXPECT_EQ(x.numel(), 6);
  EXPECT_EQ(x.shape(-1), 3);
  expectTensor(Tensor(std::vector<int>{7, 8}), {2}, {7, 8});
  EXPECT_EQ(Tensor(std::vector<uint8_t>{1}).dtype(), DType::UInt8);
}

TEST(Creation, bools_take_one_byte) {
  Tensor x(std::vector<bool>{true, false, true});
  EXPECT_EQ(x.dtype(), DType::Bool);
  EXPECT_EQ(x.toVector<bool>(), (std::vector<bool>{true, false, true}));
}

TEST(Creation, values_round_trip_in_every_type) {
  for (int i = 0; i < numDTypes; ++i) {
    DType type = static_cast<DType>(i);
    Tensor x = Tensor::arange(0, 2, 1, type);
    EXPECT_EQ(x.dtype(), type);
    expectTensor(x, {2}, {0, 1});
  }
}

TEST(Creation, constants) {
  expectTensor(Tensor::zeros({2, 2}), {2, 2}, {0, 0, 0, 0});
  expectTensor(Tensor::ones({3}, DType::Int32), {3}, {1, 1, 1});
  expectTensor(Tensor::full({2}, 2.5, DType::Float64), {2}, {2.5, 2.5});
  expectTensor(Tensor::full({}, 4), {}, {4});
  expectTensor(Tensor::ones({2}, DType::Int8).full_like(7), {2}, {7, 7});
  EXPECT_EQ(Tensor::zeros({2}, DType::Int64).ones_like().dtype(), DType::Int64);
  EXPECT_EQ(Tensor::empty({4, 2}).shape(), (Shape{4, 2}));
}

TEST(Creation, scalars_adapt) {
  Tensor ints(std::vector<int>{1, 2});
  EXPECT_EQ((ints + 1).dtype(), DType::Int32);
  EXPECT_EQ((ints + 1.5).dtype(), DType::Float32);
  EXPECT_EQ((Tensor(std::vector<bool>{true}) + 1).dtype(), DType::Int32);
  Tensor halves = Tensor::ones({2}, DType::Float16);
  EXPECT_EQ((halves * 2.0).dtype(), DType::Float16);
  // The number keeps its bits beside a float64.
  Tensor doubles = Tensor::zeros({1}, DType::Float64);
  EXPECT_EQ((doubles + 0.1).item(), 0.1);
  // A number that the type can't hold widens it.
  Tensor bytes(std::vector<int8_t>{100});
  EXPECT_TRUE((bytes < 300).item<bool>());
}

TEST(Creation, arange) {
  expectTensor(Tensor::arange(4), {4}, {0, 1, 2, 3});
  expectTensor(Tensor::arange(5, 0, -2), {3}, {5, 3, 1});
  expectTensor(Tensor::arange(0, 1, 0.25, DType::Float32), {4},
               {0, 0.25, 0.5, 0.75});
  expectTensor(Tensor::arange(3, 3), {0}, {});
  expectError([] { Tensor::arange(0, 1, 0); },
              "arange: expects finite ends and a step that is not zero, got "
              "0.000000, 1.000000 and 0.000000");
}

TEST(Creation, eye) {
  expectTensor(Tensor::eye(3), {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  expectTensor(Tensor::eye(0), {0, 0}, {});
}

TEST(Creation, item) {
  EXPECT_EQ(Tensor(3).item<int>(), 3);
  EXPECT_EQ(Tensor::full({1, 1}, 2.5).item(), 2.5);
  EXPECT_TRUE(Tensor(true).item<bool>());
  expectError([] { Tensor::zeros({2}).item(); },
              "item: expects a tensor with one element, got shape [2]");
}

TEST(Creation, errors) {
  expectError([] { Tensor(std::vector<float>{1, 2}, {3}); },
              "tensor: expects as many elements as shape [3] has, got 2");
  expectError([] { Tensor::zeros({-1}); },
              "full: expects extents that are not negative and fewer than "
              "2^62 elements, got [-1]");
}

TEST(Creation, error_carries_op_and_shapes) {
  try {
    Tensor::zeros({2, 3}) + Tensor::zeros({4});
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.getOp(), "add");
    EXPECT_EQ(error.getShapes(), (std::vector<Shape>{{2, 3}, {4}}));
    EXPECT_TRUE(error.getCompilerText().empty());
  }
}

TEST(Creation, to_string) {
  EXPECT_EQ(Tensor(std::vector<float>{1, 2.5, -3, 0.1f}, {2, 2}).toString(),
            "Tensor([[1, 2.5],\n [-3, 0.1]], shape=[2, 2], dtype=float32, "
            "device=CPU)");
  EXPECT_EQ(Tensor(std::vector<bool>{true}).toString(),
            "Tensor([true], shape=[1], dtype=bool, device=CPU)");
  EXPECT_EQ(Tensor(std::vector<int64_t>{INT64_MIN, (int64_t(1) << 53) + 1})
                .toString(),
            "Tensor([-9223372036854775808, 9007199254740993], shape=[2], "
            "dtype=int64, device=CPU)");
  EXPECT_EQ(Tensor(std::vector<uint64_t>{UINT64_MAX}).toString(),
            "Tensor([18446744073709551615], shape=[1], dtype=uint64, "
            "device=CPU)");
  EXPECT_EQ(Tensor(std::vector<double>{-std::nan(""), -0.0}).toString(),
            "Tensor([nan, -0], shape=[2], dtype=float64, device=CPU)");
  EXPECT_EQ(Tensor(7).toString(),
            "Tensor(7, shape=[], dtype=int32, device=CPU)");
  EXPECT_EQ(Tensor::arange(2000).toString(),
            "Tensor([0, 1, 2, ..., 1997, 1998, 1999], shape=[2000], "
            "dtype=int32, device=CPU)");
}

TEST(Creation, assign_changes_the_variable_alone) {
  Tensor x(std::vector<float>{1, 2});
  Tensor doubled = x * 2;
  Tensor handle = x;
  x.assign(x + 10);
  expectTensor(handle, {2}, {11, 12});
  expectTensor(doubled, {2}, {2, 4});
  expectError([&] { x.assign(Tensor::zeros({3})); },
              "assign: expects a value of the tensor's shape [2], got [3]");
  expectError([&] { x.assign(Tensor::zeros({2}, DType::Int32)); },
              "assign: expects a value of the tensor's type float32, got "
              "int32");
}

TEST(Creation, compound_assignment) {
  Tensor x(std::vector<float>{1, 2});
  Tensor handle = x;
  x += 1;
  x *= 2;
  x -= 1;
  x /= 2;
  expectTensor(handle, {2}, {1.5, 2.5});
}

TEST(Creation, contexts_do_not_mix) {
  Tensor x = Tensor::arange(2);
  Context::Options options;
  options.device = "INTERP";
  ContextRef other = Context::create(options);
  Context::Scope scope(other);
  Tensor y = Tensor::arange(2);
  EXPECT_EQ(y.getContext(), other);
  expectTensor(y + 1, {2}, {1, 2});
  expectError([&] { x + y; }, "add: expects operands of one context, got two");
}
