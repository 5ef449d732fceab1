//===- AutogradTest.cpp - Histories, guards and functions of users --------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "tinygrad/Tensor/Gradient.h"

#include <thread>

using namespace tinygrad;
using namespace tinygrad::test;

static Tensor makeLeaf() {
  return Tensor(std::vector<float>{1, 2, 3}).requires_grad_();
}

TEST(Autograd, gradients_add_up) {
  Tensor x = makeLeaf();
  (x * x).sum().backward();
  expectTensor(x.grad(), {3}, {2, 4, 6});
  x.sum().backward();
  expectTensor(x.grad(), {3}, {3, 5, 7});
  x.clearGrad();
  EXPECT_FALSE(x.hasGrad());
  expectError([&] { x.grad(); },
              "grad: expects a tensor that `backward` has given a gradient, "
              "got one without, of shape [3]");
}

TEST(Autograd, shared_values) {
  Tensor x = makeLeaf();
  Tensor y = x * 2;
  (y * y + y).sum().backward();
  expectTensor(x.grad(), {3}, {10, 18, 26});
}

TEST(Autograd, realizing_keeps_the_history) {
  Tensor x = makeLeaf();
  Tensor y = (x * x).realize();
  Tensor loss = (y * y).sum().realize();
  loss.backward();
  expectTensor(x.grad(), {3}, {4, 32, 108});
}

TEST(Autograd, only_leaves_that_want_a_gradient_get_one) {
  Tensor x = makeLeaf(), y(std::vector<float>{1, 1, 1});
  Tensor z = x * y;
  EXPECT_TRUE(z.requires_grad());
  EXPECT_FALSE((y * 2).requires_grad());
  z.sum().backward();
  EXPECT_TRUE(x.hasGrad());
  EXPECT_FALSE(y.hasGrad());
  EXPECT_FALSE(z.hasGrad());
}

TEST(Autograd, functions_of_steps_have_gradients_of_zeros) {
  for (Tensor (*function)(const Tensor &) : {&trunc, &floor, &ceil, &sign}) {
    Tensor x = makeLeaf();
    function(x * 0.75).sum().backward();
    expectTensor(x.grad(), {3}, {0, 0, 0});
  }
}

TEST(Autograd, what_is_computed_of_refused_tensors_is_refused) {
  Tensor x(std::vector<float>{1, 2, 3}), y(std::vector<float>{1, 1, 1});
  x.requires_grad_(false);
  EXPECT_TRUE((x * 2).sum().isGradSpecified());
  EXPECT_FALSE((x * y).isGradSpecified());
  EXPECT_FALSE((y * 2).isGradSpecified());
  EXPECT_FALSE((Tensor::ones({3}) * 2).isGradSpecified());
  EXPECT_TRUE((x * makeLeaf()).requires_grad());
  // A variable keeps what was said of itself.
  y.assign(x * 2);
  EXPECT_FALSE(y.isGradSpecified());
}

TEST(Autograd, scalars_are_variables_in_every_type) {
  Tensor x = Tensor::full({}, 3.0).requires_grad_();
  (x.cast(DType::Float64) * x).backward();
  expectTensor(x.grad(), {}, {6});
  Tensor number = 2.0;
  number.requires_grad_();
  (number * makeLeaf()).sum().backward();
  expectTensor(number.grad(), {}, {6});
}

TEST(Autograd, an_inner_tensor_may_ask) {
  Tensor x = makeLeaf();
  Tensor y = (x * 2).requires_grad_();
  (y * y).sum().backward();
  expectTensor(y.grad(), {3}, {4, 8, 12});
  expectTensor(x.grad(), {3}, {8, 16, 24});
}

TEST(Autograd, detach_and_no_grad) {
  Tensor x = makeLeaf();
  (x * x.detach()).sum().backward();
  expectTensor(x.grad(), {3}, {1, 2, 3});
  NoGradGuard noGrad;
  EXPECT_FALSE((x * 2).requires_grad());
}

TEST(Autograd, assign_keeps_the_wish) {
  Tensor x = makeLeaf();
  Tensor before = (x * x).sum();
  x.assign(x.detach() + 1);
  EXPECT_TRUE(x.requires_grad());
  (x * x).sum().backward();
  expectTensor(x.grad(), {3}, {4, 6, 8});
  // The older value is part of the variable's history too.
  x.clearGrad();
  before.backward();
  expectTensor(x.grad(), {3}, {2, 4, 6});
  expectError([&] { x += 1; },
              "add: cannot change a tensor that wants a gradient; use assign");
}

TEST(Autograd, integers_take_no_part) {
  Tensor x = makeLeaf();
  EXPECT_FALSE(x.cast(DType::Int32).requires_grad());
  EXPECT_FALSE((x < 2).requires_grad());
  expectError([] { Tensor::arange(2).requires_grad_(); },
              "requires_grad_: expects a tensor of a float type, got int32");
}

TEST(Autograd, errors) {
  expectError([] { makeLeaf().backward(); },
              "backward: expects a tensor with one element, got shape [3]");
  expectError([] { Tensor(1.0).backward(); },
              "backward: expects a tensor computed from one that requires a "
              "gradient");
  // Every fourth of 2^62 - 1 elements: a row of 2^62 would hold their zeros.
  Tensor x = Tensor(std::vector<float>{1}).requires_grad_();
  Tensor taken = stride(expand(x, {(int64_t(1) << 62) - 1}), {4});
  expectError([&] { taken.sum().backward(); },
              "backward: expects gradients of fewer than 2^62 elements, but "
              "that of `stride` takes more");
}

TEST(Autograd, gradients_hold_no_variable_alive) {
  std::weak_ptr<detail::TensorImpl> weak;
  {
    Tensor x = makeLeaf();
    weak = x.getImpl();
    (x * x).sum().backward();
  }
  EXPECT_TRUE(weak.expired());
}

TEST(Autograd, retain_grad_gives_a_computed_tensor_its_gradient) {
  Tensor x = Tensor({1.0f, 2.0f}).requires_grad_();
  Tensor y = (x * 2).retain_grad(), z = x * 3;
  (y * y + z).sum().backward();
  expectTensor(y.grad(), {2}, {4, 8});
  expectTensor(x.grad(), {2}, {11, 19});
  EXPECT_FALSE(z.hasGrad());
  // So does one of the same value.
  Tensor same = y.reshape({2}).retain_grad();
  (same * 5).sum().backward();
  expectTensor(same.grad(), {2}, {5, 5});
  expectTensor(y.grad(), {2}, {9, 13});
  // Of what no gradient flows to there is none.
  Tensor plain = (Tensor({1.0f}) * 2).retain_grad();
  (plain * x.shrink({{0, 1}})).sum().backward();
  EXPECT_FALSE(plain.hasGrad());
}

TEST(Autograd, a_gradient_is_set) {
  Tensor x = Tensor({1.0f, 2.0f}).requires_grad_();
  x.setGrad(Tensor({5.0f, 6.0f}));
  x.sum().backward();
  expectTensor(x.grad(), {2}, {6, 7});
  expectError([&] { x.setGrad(Tensor({1.0f})); },
              "grad: expects a gradient of the tensor's shape [2], got [1]");
}

TEST(Autograd, sign_is_flat) {
  Tensor x = Tensor({-1.0f, 2.0f}).requires_grad_();
  (x.sign() * x).sum().backward();
  expectTensor(x.grad(), {2}, {-1, 1});
}

TEST(Autograd, comparisons_cut_gradients_off) {
  Tensor x = makeLeaf(), y = x.detach();
  EXPECT_TRUE(isGradCutOff((x * 2 < y).sum()));
  EXPECT_TRUE(isGradCutOff((equal(x * 2, y).cast(DType::Float32) + 1).sum()));
  EXPECT_FALSE(isGradCutOff((y < 3).sum()));
  EXPECT_FALSE(isGradCutOff((x * 2).sum()));
  EXPECT_FALSE(isGradCutOff((x < 3).sum().detach()));
  NoGradGuard guard;
  EXPECT_FALSE(isGradCutOff((x * 2).sum()));
}

TEST(Autograd, defaults_hold_where_no_guard_lives) {
  setTraining(true);
  setGradEnabled(false);
  EXPECT_TRUE(isTraining());
  EXPECT_FALSE(isGradEnabled());
  std::thread([] { EXPECT_TRUE(isTraining()); }).join();
  {
    Tensor::train off(false);
    EXPECT_FALSE(isTraining());
  }
  EXPECT_TRUE(isTraining());
  setTraining(false);
  setGradEnabled(true);
  {
    Tensor::no_grad off;
    EXPECT_FALSE(isGradEnabled());
  }
  EXPECT_TRUE(isGradEnabled());
}

//===----------------------------------------------------------------------===//
// Function
//===----------------------------------------------------------------------===//

TEST(Function, has_the_gradient_it_says) {
  // A sign that passes gradients straight through.
  Function straight;
  straight.forward = [](const std::vector<Tensor> &in) { return in[0].sign(); };
  straight.backward = [](const std::vector<Tensor> &, const Tensor &,
                         const Tensor &grad) {
    return std::vector<std::optional<Tensor>>{grad};
  };
  Tensor x = Tensor(std::vector<float>{-2, 3}).requires_grad_();
  Tensor y = straight.apply({x * 2});
  expectTensor(y, {2}, {-1, 1});
  (y * 5).sum().backward();
  expectTensor(x.grad(), {2}, {10, 10});
}

TEST(Function, several_inputs_and_a_missing_gradient) {
  Function product;
  product.forward = [](const std::vector<Tensor> &in) {
    EXPECT_FALSE(in[0].requires_grad());
    return in[0] * in[1];
  };
  product.backward = [](const std::vector<Tensor> &in, const Tensor &result,
                        const Tensor &grad) {
    return std::vector<std::optional<Tensor>>{std::nullopt,
                                              grad * result / in[1]};
  };
  Tensor x = makeLeaf(), y = makeLeaf();
  product.apply({x, y}).sum().backward();
  EXPECT_FALSE(x.hasGrad());
  expectTensor(y.grad(), {3}, {1, 2, 3});
}

TEST(Function, wrong_gradients_are_errors) {
  Function wrong;
  wrong.forward = [](const std::vector<Tensor> &in) { return in[0] * 2; };
  wrong.backward = [](const std::vector<Tensor> &, const Tensor &,
                      const Tensor &grad) {
    return std::vector<std::optional<Tensor>>{grad.sum()};
  };
  Tensor x = makeLeaf();
  expectError([&] { wrong.apply({x}).sum().backward(); },
              "Function: expects the gradient of an input to have its shape "
              "and type, [3] float32, got [] float32");
}

//===----------------------------------------------------------------------===//
// Size
//===----------------------------------------------------------------------===//

TEST(DeepGraph, a_chain_of_100000_operations) {
  Tensor x = Tensor(std::vector<double>{1}).requires_grad_();
  Tensor y = x;
  for (int i = 0; i < 100'000; ++i)
    y = y * 1.00001;
  y.sum().backward();
  EXPECT_NEAR(y.item(), std::pow(1.00001, 100'000), 1e-9);
  EXPECT_NEAR(x.grad().item(), std::pow(1.00001, 100'000), 1e-9);
}

TEST(DeepGraph, sharing_stays_linear) {
  Tensor x = Tensor(std::vector<double>{1}).requires_grad_();
  Tensor y = x;
  for (int i = 0; i < 1000; ++i)
    y = y + y;
  (y * std::pow(2.0, -1000)).sum().backward();
  EXPECT_EQ(y.item(), std::pow(2.0, 1000));
  EXPECT_EQ(x.grad().item(), 1);
}

TEST(DeepGraph, functions_and_detached_values) {
  Tensor x = Tensor(std::vector<double>{1}).requires_grad_();
  Tensor y = x;
  for (int i = 0; i < 20'000; ++i)
    y = y.relu();
  y.sum().backward();
  EXPECT_EQ(x.grad().item(), 1);

  // A rule that holds a tensor makes a chain of its own.
  for (int i = 0; i < 20'000; ++i) {
    Function keep;
    keep.forward = [](const std::vector<Tensor> &in) { return in[0]; };
    keep.backward = [y](const std::vector<Tensor> &, const Tensor &,
                        const Tensor &grad) {
      return std::vector<std::optional<Tensor>>{grad};
    };
    y = keep.apply({y});
  }
}
