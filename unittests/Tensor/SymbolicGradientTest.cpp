//===- SymbolicGradientTest.cpp - Gradients of symbolic extents -----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicFixture.h"

#include "tinygrad/Tensor/NN.h"
#include "tinygrad/Tensor/Optim.h"

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

/// Each test compares gradients with those that numbers as extents give, which
/// other tests compare with finite differences.
class SymbolicGradient : public SymbolicFixture {
protected:
  /// Compares the gradients of the sum of `fn`, weighted by its square, by
  /// each input.
  void compareGradients(const MakeShapes &makeShapes,
                        const TensorFunction &fn) {
    size_t count = makeShapes(i.bind(1)).size();
    for (size_t k = 0; k < count; ++k)
      check(makeShapes, [&](const std::vector<Tensor> &inputs) {
        return grad([&](const Tensor &x) {
          std::vector<Tensor> all = inputs;
          all[k] = x;
          Tensor y = fn(all);
          return (y * y + y).sum();
        })(inputs[k]);
      });
  }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, SymbolicGradient,
                         ::testing::Values("INTERP", "CPU"),
                         [](const auto &info) { return info.param; });

TEST_P(SymbolicGradient, elementwise) {
  compareGradients(
      [](const Extent &i) { return std::vector<Shape>{{3, i}, {i}, {3, 1}}; },
      [](const std::vector<Tensor> &x) {
        return ((x[0] - x[1]).exp2() * x[2]).maximum(x[1]).sin() / x[2];
      });
}

TEST_P(SymbolicGradient, reduce) {
  auto shapes = [](const Extent &i) { return std::vector<Shape>{{3, i}}; };
  compareGradients(shapes, [](const std::vector<Tensor> &x) {
    return x[0].max(1) + x[0].sum(1).sin() + x[0].min(0).sum();
  });
  compareGradients(shapes, [](const std::vector<Tensor> &x) {
    return x[0].softmax() * x[0].log_softmax(0);
  });
}

TEST_P(SymbolicGradient, matmul) {
  compareGradients(
      [](const Extent &i) { return std::vector<Shape>{{i, 4}, {4, i}}; },
      [](const std::vector<Tensor> &x) { return x[0].matmul(x[1]); });
  compareGradients(
      [](const Extent &i) { return std::vector<Shape>{{2, i}, {i, 3}}; },
      [](const std::vector<Tensor> &x) { return x[0].matmul(x[1]); });
}

TEST_P(SymbolicGradient, movement) {
  compareGradients(
      [](const Extent &i) { return std::vector<Shape>{{2, i, 3}, {i, 3}}; },
      [](const std::vector<Tensor> &x) {
        return x[0]
            .permute({1, 2, 0})
            .reshape({-1, 6})
            .pad({{1, 2}, {0, 1}})
            .flip({0, 1})
            .shrink({{1, x[1].shape(0) + 2}, {1, 4}})
            .stride({1, -2});
      });
  compareGradients(
      [](const Extent &i) { return std::vector<Shape>{{2, i}, {2, 3}}; },
      [](const std::vector<Tensor> &x) {
        return Tensor::cat({x[0], x[1], x[0]}, 1)
            .unsqueeze(0)
            .expand({3, -1, -1});
      });
  compareGradients(
      [](const Extent &i) { return std::vector<Shape>{{2, i}}; },
      [](const std::vector<Tensor> &x) { return x[0].stride({1, 3}) * 2.0; });
}

TEST_P(SymbolicGradient, attention) {
  Tensor mask =
      (Tensor::arange(10).unsqueeze(1) >= Tensor::arange(10)).realize();
  compareGradients(
      [](const Extent &i) {
        return std::vector<Shape>{{2, i, 4}, {2, i, 4}, {2, i, 4}};
      },
      [&](const std::vector<Tensor> &x) {
        const Extent &length = x[0].shape()[1];
        return x[0].scaled_dot_product_attention(
            x[1], x[2], mask.shrink({{0, length}, {0, length}}));
      });
}

// Positions that are learnt: the gradient of what is beyond the length is 0.
TEST_P(SymbolicGradient, shrinks_of_what_has_numbers) {
  Tensor table(makeNumbers(30), {10, 3});
  table.requires_grad_();
  for (int64_t n : {2, 7}) {
    table.clearGrad();
    (table.shrink({{0, i.bind(n)}, {0, 3}}) * 2.0).sum().backward();
    std::vector<double> expected(30);
    std::fill_n(expected.begin(), 3 * n, 2.0);
    expectTensor(table.grad(), {10, 3}, expected);
  }
}

TEST_P(SymbolicGradient, second_order) {
  check([](const Extent &i) { return std::vector<Shape>{{3, i}}; },
        [](const std::vector<Tensor> &x) {
          auto f = [](const Tensor &y) { return (y.softmax() * y * y).sum(); };
          auto g = [&](const Tensor &y) { return (grad(f)(y) * y).sum(); };
          return grad(g)(x[0]);
        });
}

TEST_P(SymbolicGradient, one_compilation_trains_all_lengths) {
  Variable length("length", 1, 1024);
  nn::Linear layer(4, 3), plainLayer(4, 3);
  load_state_dict(plainLayer, get_state_dict(layer));
  optim::Adam adam(get_parameters(layer)),
      plainAdam(get_parameters(plainLayer));
  auto train = [](const nn::Linear &layer, optim::Optimizer &optimizer,
                  const Tensor &x, const Tensor &labels) {
    optimizer.zero_grad();
    Tensor loss = layer(x).sparse_categorical_crossentropy(labels);
    loss.backward();
    optimizer.step({loss});
    return loss;
  };
  TinyJit step([&](const Tensor &x, const Tensor &labels) {
    return train(layer, adam, x, labels);
  });
  int64_t calls = 0, compiled = 0;
  for (int64_t n : {3, 2, 1, 64, 1024, 17}) {
    Tensor x = Tensor::rand({n, 4}).realize();
    Tensor labels = Tensor::randint({n}, 0, 3).realize();
    double expected = train(plainLayer, plainAdam, x, labels).item();
    int64_t before = countCompiled();
    Tensor loss =
        step(x.reshape({length.bind(n), 4}), labels.reshape({length.bind(n)}));
    if (++calls > 2)
      compiled += countCompiled() - before;
    EXPECT_NEAR(loss.item(), expected, 1e-4);
    expectTensor(layer.weight, {3, 4}, plainLayer.weight.toVector<double>(),
                 1e-4);
  }
  EXPECT_EQ(compiled, 0);
}
