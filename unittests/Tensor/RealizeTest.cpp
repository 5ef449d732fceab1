//===- RealizeTest.cpp - What is kept when tensors are computed -----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Realize.h"

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::test;

TEST(RealizeWithShared, keeps_what_takes_a_reduce_and_is_held) {
  Tensor x(makeNumbers(16), {4, 4});
  Tensor held = x.matmul(x) + 1, view = held.permute({1, 0});
  Tensor cheap = x * 2;
  Tensor result = (view.exp() + cheap).sum() + x.sum();
  realizeWithShared({result});
  EXPECT_TRUE(result.isRealized());
  EXPECT_TRUE(held.isRealized());
  // Views and what is elementwise are computed again where they are used.
  EXPECT_FALSE(view.isRealized());
  EXPECT_FALSE(cheap.isRealized());
  Tensor other = x.matmul(x) + 1;
  expectTensor(held, {4, 4}, other.toVector<double>());
  expectTensor(
      result, {},
      {((other.permute({1, 0}).exp() + x * 2).sum() + x.sum()).item()});
}

TEST(RealizeWithShared, keeps_nothing_that_nobody_holds) {
  Context::Scope scope(Context::create(Context::Options()));
  Tensor x(makeNumbers(16), {4, 4});
  Tensor result = x.matmul(x).sum();
  realizeWithShared({result});
  // One graph: its parts are gone.
  EXPECT_EQ(Context::getCurrent()->getStatistics().misses, 1);
}

TEST(RealizeWithShared, keeps_what_has_a_larger_copy) {
  Tensor x(makeNumbers(4), {2, 2});
  Tensor padded = x * 2, cut = x * 3;
  Tensor result = padded.pad({{0, 1}, {0, 0}}).contiguous() +
                  cut.shrink({{0, 1}, {0, 2}}).contiguous();
  realizeWithShared({result});
  EXPECT_TRUE(padded.isRealized());
  EXPECT_FALSE(cut.isRealized());
  expectTensor(padded, {2, 2}, (x * 2).toVector<double>());
}

TEST(RealizeWithShared, keeps_the_forward_values_of_a_step) {
  Tensor x(makeNumbers(4), {2, 2});
  Tensor weight = Tensor(makeNumbers(4), {2, 2}).realize().requires_grad_();
  Tensor out = x.matmul(weight).retain_grad(), loss = (out * out).sum();
  loss.backward();
  Tensor grad = weight.grad(), other = x.sum();
  weight.assign(weight.detach() - grad);
  realizeWithShared({weight, other});
  EXPECT_TRUE(weight.isRealized());
  EXPECT_TRUE(out.isRealized());
  EXPECT_FALSE(loss.isRealized());
  EXPECT_FALSE(grad.isRealized());
  EXPECT_DOUBLE_EQ(loss.item(), (out * out).sum().item());
}

TEST(RealizeWithShared, finds_what_is_held_without_its_history) {
  Tensor x(makeNumbers(4), {2, 2});
  Tensor square = x.requires_grad_().square().sum();
  Tensor value = square.detach();
  Tensor result = value * 2;
  realizeWithShared({result});
  EXPECT_TRUE(value.isRealized());
  EXPECT_TRUE(square.isRealized());
  square.backward();
  expectTensor(x.grad(), {2, 2}, (x.detach() * 2).toVector<double>());
}
