//===- GradientTest.cpp - Gradients against finite differences ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::test;

using Inputs = std::vector<Tensor>;

TEST(Gradient, arithmetic) {
  checkGradients(
      [](const Inputs &in) {
        return in[0] * in[1] + in[0] / (in[1] + 3.0) - in[1].exp();
      },
      {{2, 3}, {2, 3}});
  checkGradients([](const Inputs &in) { return in[0].square().sin().cos(); },
                 {{5}});
  checkGradients([](const Inputs &in) { return (in[0] + 2.0).pow(in[1]); },
                 {{4}, {4}});
}

TEST(Gradient, activations) {
  checkGradients(
      [](const Inputs &in) {
        const Tensor &x = in[0];
        return x.sigmoid() + x.tanh() + x.gelu() + x.silu() + x.relu() +
               x.abs() + x.elu() + x.leakyrelu() + x.softplus();
      },
      {{6}});
}

TEST(Gradient, sigmoid_far_from_zero_is_finite) {
  Tensor x = Tensor(std::vector<float>{-1000, 1000}).requires_grad_();
  x.sigmoid().sum().backward();
  expectTensor(x.grad(), {2}, {0, 0});
}

TEST(Gradient, broadcasting) {
  checkGradients([](const Inputs &in) { return in[0] * in[1] + in[2]; },
                 {{3, 1}, {2}, {}});
}

TEST(Gradient, matmul) {
  checkGradients([](const Inputs &in) { return in[0].dot(in[1]); },
                 {{2, 3}, {3, 4}});
  checkGradients([](const Inputs &in) { return in[0].dot(in[1]); },
                 {{2, 2, 3}, {3, 2}});
}

TEST(Gradient, where) {
  Tensor condition(std::vector<bool>{true, false, true});
  checkGradients(
      [&](const Inputs &in) { return condition.where(in[0], in[1] * 2.0); },
      {{3}, {3}});
}

TEST(Gradient, reduces) {
  checkGradients(
      [](const Inputs &in) {
        return in[0].sum(0) + in[0].mean(0) + in[0].max(0) + in[0].min(0);
      },
      {{3, 2}});
  checkGradients([](const Inputs &in) { return in[0].std(1); }, {{2, 4}});
}

TEST(Gradient, equal_maxima_share) {
  Tensor x = Tensor(std::vector<double>{2, 1, 2, 2}).requires_grad_();
  x.max().backward();
  expectTensor(x.grad(), {4}, {1.0 / 3, 0, 1.0 / 3, 1.0 / 3}, 1e-12);
  Tensor a = Tensor(std::vector<double>{1, 2}).requires_grad_();
  Tensor b = Tensor(std::vector<double>{1, 0}).requires_grad_();
  a.maximum(b).sum().backward();
  expectTensor(a.grad(), {2}, {0.5, 1});
  expectTensor(b.grad(), {2}, {0.5, 0});
}

TEST(Gradient, relu_at_zero_is_zero) {
  Tensor x = Tensor(std::vector<float>{-1, 0, 2}).requires_grad_();
  x.relu().sum().backward();
  expectTensor(x.grad(), {3}, {0, 0, 1});
}

TEST(Gradient, softmax) {
  checkGradients([](const Inputs &in) { return in[0].softmax(); }, {{2, 3}});
  checkGradients([](const Inputs &in) { return in[0].log_softmax(0); },
                 {{3, 2}});
}

TEST(Gradient, cross_entropy) {
  Tensor labels(std::vector<int>{1, -1, 2});
  checkGradients(
      [&](const Inputs &in) {
        return in[0].sparse_categorical_crossentropy(labels);
      },
      {{3, 3}});
}

TEST(Gradient, movement) {
  checkGradients(
      [](const Inputs &in) {
        return in[0]
            .pad({{1, 0}, {0, 2}}, 3)
            .flip(0)
            .T()
            .shrink({{1, 4}, {0, 2}});
      },
      {{2, 3}});
  checkGradients(
      [](const Inputs &in) { return Tensor::cat({in[0], in[1]}, 1); },
      {{2, 1}, {2, 2}});
  checkGradients([](const Inputs &in) { return in[0].repeat({2, 2}); },
                 {{2, 2}});
}

TEST(Gradient, getitem) {
  checkGradients(
      [](const Inputs &in) {
        return in[0].getitem({Slice{3, 0, -2}, newaxis, 1});
      },
      {{4, 3}});
  checkGradients(
      [](const Inputs &in) {
        return in[0].getitem({ellipsis, Slice{0, 5, 2}}) +
               in[0].getitem({ellipsis, Slice{1, 4}});
      },
      {{2, 5}});
}

TEST(Gradient, conv2d) {
  ConvOptions options;
  options.stride = {2, 1};
  options.padding = {1};
  options.dilation = {1, 2};
  checkGradients(
      [&](const Inputs &in) { return in[0].conv2d(in[1], in[2], options); },
      {{1, 2, 4, 5}, {2, 2, 3, 2}, {2}});
  options = ConvOptions();
  options.groups = 2;
  checkGradients([&](const Inputs &in) { return in[0].conv2d(in[1], options); },
                 {{2, 2, 3, 3}, {4, 1, 2, 2}});
}

TEST(Gradient, pooling) {
  checkGradients([](const Inputs &in) { return in[0].max_pool2d(); },
                 {{1, 2, 4, 4}});
  PoolOptions options;
  options.stride = {1};
  checkGradients(
      [&](const Inputs &in) { return in[0].max_pool2d({2, 2}, options); },
      {{1, 1, 3, 4}});
  checkGradients([](const Inputs &in) { return in[0].avg_pool2d({2, 3}); },
                 {{1, 1, 5, 6}});
}

TEST(Gradient, two_layer_network) {
  Tensor labels(std::vector<int>{0, 2, 1});
  checkGradients(
      [&](const Inputs &in) {
        Tensor hidden = in[0].linear(in[1], in[2]).tanh();
        return hidden.linear(in[3], in[4])
            .sparse_categorical_crossentropy(labels);
      },
      {{3, 4}, {4, 5}, {5}, {5, 3}, {3}});
}

TEST(Gradient, batchnorm_and_layernorm) {
  checkGradients(
      [&](const Inputs &in) {
        Tensor mean = in[0].mean({0, 2, 3});
        Tensor variance = in[0].var({0, 2, 3}, false, 0);
        return in[0].batchnorm(in[1], in[2], mean, (variance + 1e-5).rsqrt());
      },
      {{2, 2, 2, 2}, {2}, {2}});
  checkGradients([](const Inputs &in) { return in[0].layernorm(); }, {{2, 4}});
}
