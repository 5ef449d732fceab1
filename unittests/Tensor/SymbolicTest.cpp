//===- SymbolicTest.cpp - Extents that are known when a program runs ------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicFixture.h"

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

/// Each test runs what test_symbolic_ops.py and test_symbolic_jit.py do.
class Symbolic : public SymbolicFixture {};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, Symbolic, ::testing::Values("INTERP", "CPU"),
                         [](const auto &info) { return info.param; });

TEST_P(Symbolic, elementwise) {
  check([](const Extent &i) { return std::vector<Shape>{{3, i}}; },
        [](const std::vector<Tensor> &x) { return x[0] + 1; });
  check([](const Extent &i) { return std::vector<Shape>{{3, i}, {3, i}}; },
        [](const std::vector<Tensor> &x) { return x[0] * x[1] + x[0]; });
  check([](const Extent &i) { return std::vector<Shape>{{3, 1}, {i}}; },
        [](const std::vector<Tensor> &x) {
          return (x[0] < x[1]).where(x[0], x[1].exp());
        });
}

TEST_P(Symbolic, reduce) {
  check([](const Extent &i) { return std::vector<Shape>{{3, i}}; },
        [](const std::vector<Tensor> &x) { return x[0].sum(1); });
  check([](const Extent &i) { return std::vector<Shape>{{3, i}}; },
        [](const std::vector<Tensor> &x) { return x[0].max(0); });
  check([](const Extent &i) { return std::vector<Shape>{{3, i}}; },
        [](const std::vector<Tensor> &x) { return x[0].softmax(); });
  check([](const Extent &i) { return std::vector<Shape>{{i, 3}}; },
        [](const std::vector<Tensor> &x) { return x[0].log_softmax(); });
}

TEST_P(Symbolic, matmul) {
  check([](const Extent &i) { return std::vector<Shape>{{3, i}, {i, 5}}; },
        [](const std::vector<Tensor> &x) { return x[0].matmul(x[1]); });
  check([](const Extent &i) { return std::vector<Shape>{{i, 3}, {3, i}}; },
        [](const std::vector<Tensor> &x) { return x[0].matmul(x[1]) + 1; });
  check([](const Extent &i) { return std::vector<Shape>{{i, 4}, {4}, {4, 2}}; },
        [](const std::vector<Tensor> &x) {
          return (x[0] + x[1]).relu().linear(x[2]);
        });
}

TEST_P(Symbolic, attention) {
  check(
      [](const Extent &i) {
        return std::vector<Shape>{{2, 1, 4, 8}, {2, i, 4, 8}, {2, i, 4, 8}};
      },
      [](const std::vector<Tensor> &x) {
        return x[0].transpose(1, 2).scaled_dot_product_attention(
            x[1].transpose(1, 2), x[2].transpose(1, 2));
      });
}

TEST_P(Symbolic, causal_attention) {
  Tensor mask =
      (Tensor::arange(10).unsqueeze(1) >= Tensor::arange(10)).realize();
  check(
      [](const Extent &i) { return std::vector<Shape>{{2, i, 4}, {2, i, 4}}; },
      [&](const std::vector<Tensor> &x) {
        const Extent &length = x[0].shape()[1];
        return x[0].scaled_dot_product_attention(
            x[1], x[1], mask.shrink({{0, length}, {0, length}}));
      });
}

TEST_P(Symbolic, movement) {
  check([](const Extent &i) { return std::vector<Shape>{{2, i, 3}}; },
        [](const std::vector<Tensor> &x) {
          return x[0].permute({1, 2, 0}).reshape({-1, 6}).pad({{1, 2}, {0, 1}});
        });
  check([](const Extent &i) { return std::vector<Shape>{{2, i}}; },
        [](const std::vector<Tensor> &x) {
          return x[0].unsqueeze(0).expand({4, -1, -1}).flatten().flip(0);
        });
  check([](const Extent &i) { return std::vector<Shape>{{i, 3}, {2, 3}}; },
        [](const std::vector<Tensor> &x) { return Tensor::cat({x[0], x[1]}); });
  check([](const Extent &i) { return std::vector<Shape>{{3, i}, {3, 2}}; },
        [](const std::vector<Tensor> &x) {
          return Tensor::cat({x[1], x[0], x[1]}, 1);
        });
}

TEST_P(Symbolic, means) {
  auto shapes = [](const Extent &i) { return std::vector<Shape>{{3, i}}; };
  check(shapes, [](const std::vector<Tensor> &x) { return x[0].mean(1); });
  check(shapes, [](const std::vector<Tensor> &x) { return x[0].mean(); });
  check(shapes, [](const std::vector<Tensor> &x) {
    return x[0].var(1, false, 0) + x[0].std(0).sum();
  });
  check(shapes, [](const std::vector<Tensor> &x) { return x[0].std(); });
  check(shapes, [](const std::vector<Tensor> &x) { return x[0].layernorm(); });
  check(shapes, [](const std::vector<Tensor> &x) {
    return x[0].binary_crossentropy_logits(x[0].sigmoid());
  });
}

TEST_P(Symbolic, positions) {
  auto shapes = [](const Extent &i) { return std::vector<Shape>{{3, i}}; };
  check(shapes, [](const std::vector<Tensor> &x) { return x[0].argmax(1); });
  check(shapes, [](const std::vector<Tensor> &x) { return x[0].argmin(); });
  check(shapes, [](const std::vector<Tensor> &x) { return x[0].cumsum(1); });
  check(shapes, [](const std::vector<Tensor> &x) {
    return x[0].triu() + x[0].tril(-1) * 2;
  });
  check(shapes, [](const std::vector<Tensor> &x) { return x[0][1]; });
  check(shapes, [](const std::vector<Tensor> &x) {
    return x[0].getitem({Slice{std::nullopt, 2}, 0}) +
           x[0].getitem({Slice{1, std::nullopt}, -1});
  });
  check(shapes, [](const std::vector<Tensor> &x) {
    return x[0].getitem({Slice{std::nullopt, std::nullopt, -2},
                         Slice{std::nullopt, std::nullopt, -1}});
  });
  check(shapes, [](const std::vector<Tensor> &x) {
    return x[0].getitem({0, Slice{std::nullopt, std::nullopt, 2}}).sum() +
           x[0].getitem({ellipsis, Slice{-1, std::nullopt, -3}}).sum(1) +
           x[0].getitem({ellipsis, Slice{0, std::nullopt, INT64_MAX}}).sum(1) +
           setitem(x[0], {1, Slice{std::nullopt, std::nullopt, -2}}, 3).sum(1);
  });
  check(shapes, [](const std::vector<Tensor> &x) {
    Tensor wide = Tensor::cat({x[0], x[0]}, 1);
    return setitem(wide, {1, Slice{0, x[0].shape(1)}}, 5.0)
        .getitem({ellipsis, Slice{1, -1}});
  });
  check(shapes, [](const std::vector<Tensor> &x) {
    return x[0].getitem({ellipsis, Tensor({0, -1, 0})});
  });
  check(shapes, [](const std::vector<Tensor> &x) {
    return setitem(x[0], {Tensor({0, 2}), -1}, Tensor({7.0f, 8.0f}));
  });
  check(shapes, [](const std::vector<Tensor> &x) {
    return x[0].gather(Tensor({0, 0, 0}, {3, 1}), 1);
  });
}

TEST_P(Symbolic, einsum) {
  check([](const Extent &i) { return std::vector<Shape>{{3, i}, {i, 2}}; },
        [](const std::vector<Tensor> &x) {
          return Tensor::einsum("ij,jk->ki", {x[0], x[1]}) +
                 Tensor::einsum("ij->i", {x[0]});
        });
}

TEST_P(Symbolic, windows_of_a_batch) {
  check(
      [](const Extent &i) {
        return std::vector<Shape>{{i, 2, 5, 5}, {3, 2, 3, 3}, {3}};
      },
      [](const std::vector<Tensor> &x) {
        return x[0]
            .conv2d(x[1], x[2], {.padding = {1}})
            .max_pool2d()
            .avg_pool2d({2, 2}, {.stride = {1}});
      });
}

TEST_P(Symbolic, dropout_draws_new_numbers) {
  TrainingGuard training;
  TinyJit drop([](const Tensor &x) { return x.dropout(0.5); });
  std::vector<float> previous;
  for (int64_t n : {9, 10, 10, 10}) {
    Tensor x = Tensor::ones({40, n}).contiguous().realize();
    Tensor dropped = drop(x.reshape({40, i.bind(n)}));
    EXPECT_NEAR(dropped.mean().item(), 1, 0.3);
    EXPECT_NE(dropped.toVector<float>(), previous);
    previous = dropped.toVector<float>();
  }
}

TEST_P(Symbolic, two_variables) {
  Variable j("j", 1, 10);
  TinyJit add([](const Tensor &a, const Tensor &b) {
    return Tensor::cat({a.matmul(b) + 1, a}, 1);
  });
  int64_t compiled = 0;
  for (int64_t n = 1; n < 5; ++n)
    for (int64_t m = 1; m < 5; ++m) {
      Tensor a = Tensor::rand({n, 3}).realize(), b = Tensor::rand({3, m});
      b.realize();
      Tensor expected = Tensor::cat({a.matmul(b) + 1, a}, 1).realize();
      int64_t before = countCompiled();
      Tensor result = add(a.reshape({i.bind(n), 3}), b.reshape({3, j.bind(m)}));
      compiled += countCompiled() - before;
      EXPECT_EQ(result.shape(), (Shape{i.bind(n), j.bind(m) + 3}));
      expectTensor(result.reshape({n, m + 3}), {n, m + 3},
                   expected.toVector<double>(), 1e-5);
    }
  EXPECT_EQ(compiled, 1);
}

TEST_P(Symbolic, shrinks_of_what_has_numbers) {
  Tensor a(makeNumbers(77), {7, 11});
  a.realize();
  TinyJit plusOne([](const Tensor &x) { return x + 1; });
  int64_t compiled = 0;
  for (int64_t n = 1; n < 5; ++n) {
    Extent vi = Variable("i", 1, 9).bind(n);
    Tensor expected = a.shrink({{3, 5}, {n, n + 2}}).realize();
    int64_t before = countCompiled();
    Tensor part = a.shrink({{3, 5}, {vi, vi + 2}}),
           head = a.shrink({{0, 7}, {0, vi}});
    part.realize();
    head.realize();
    compiled += countCompiled() - before;
    // Its extent is a number, since the variable cancels.
    expectTensor(part, {2, 2}, expected.toVector<double>());
    EXPECT_EQ(head.shape(), (Shape{7, vi}));
    EXPECT_EQ(head.toVector<double>().size(), static_cast<size_t>(7 * n));
    expectTensor(plusOne(part), {2, 2}, (expected + 1).toVector<double>());
  }
  EXPECT_EQ(compiled, 2);
}

TEST_P(Symbolic, shrinks_that_some_values_forbid) {
  Tensor a = Tensor::arange(11).realize();
  TinyJit part([](const Tensor &x) { return x + 1; });
  for (int64_t n = 1; n < 5; ++n) {
    // Beyond the end for 10, and before the start for 1.
    Extent vi = Variable("i", 1, 10).bind(n);
    expectTensor(part(a.shrink({{vi, vi + 2}})), {2}, {n + 1., n + 2.});
    if (n > 1)
      expectTensor(a.shrink({{vi - 2, vi}}), {2}, {n - 2., n - 1.});
  }
  EXPECT_THROW(a.shrink({{Variable("i", 1, 10).bind(10), 12}}), Error);
}

TEST_P(Symbolic, pads_that_some_values_forbid) {
  for (int64_t n = 1; n < 4; ++n) {
    // One less than nothing for 4.
    Extent vi = Variable("i", 1, 4).bind(n);
    Tensor head = Tensor::arange(4).realize().shrink({{0, vi}}) + 1;
    Tensor after = head.pad({{0, 3 - vi}}), before = head.pad({{3 - vi, 0}});
    Tensor filled = head.pad({{3 - vi, 0}}, 7);
    std::vector<double> numbers(3), last(3), sevens(3, 7);
    for (int64_t i = 0; i < n; ++i) {
      numbers[i] = i + 1;
      last[3 - n + i] = sevens[3 - n + i] = i + 1;
    }
    expectTensor(after, {3}, numbers);
    expectTensor(before, {3}, last);
    expectTensor(filled, {3}, sevens);
  }
  Extent four = Variable("i", 1, 4).bind(4);
  EXPECT_THROW(Tensor::ones({4}).shrink({{0, four}}).pad({{0, 3 - four}}),
               Error);
}

TEST_P(Symbolic, one_compilation_for_all_lengths) {
  Variable length("length", 1, 1024);
  Tensor weight(makeNumbers(8 * 4), {8, 4});
  weight.realize();
  double rate = 0.5;
  TinyJit step([&](const Tensor &x) {
    return (x.matmul(weight).softmax() *
            Tensor::parameter([&] { return rate; }))
        .sum(0);
  });
  int64_t compiled = 0;
  for (int64_t n : {1, 2, 1024, 17, 512, 1000}) {
    Tensor x = Tensor::rand({n, 8}, DType::Float64).realize();
    rate = 1.0 / static_cast<double>(n);
    int64_t before = countCompiled();
    Tensor result = step(x.reshape({length.bind(n), 8}));
    compiled += countCompiled() - before;
    EXPECT_NEAR(result.sum().item(), 1, 1e-6);
  }
  EXPECT_EQ(compiled, 1);
}

TEST_P(Symbolic, steps_keep_state) {
  Tensor total = Tensor::zeros({3}).contiguous().realize();
  TinyJit step([&](const Tensor &x) { total.assign(total + x.sum(1)); });
  double sum = 0;
  for (int64_t n : {1, 2, 5, 3, 10}) {
    step(Tensor::ones({3, n}).reshape({3, i.bind(n)}));
    sum += static_cast<double>(n);
    expectTensor(total, {3}, {sum, sum, sum});
  }
}

TEST_P(Symbolic, variables_are_inputs_of_steps) {
  CapturedStep step;
  Tensor x = Tensor::arange(12).reshape({4, 3});
  for (int64_t n = 1; n < 5; ++n) {
    Extent vi = Variable("i", 1, 4).bind(n);
    auto function = [&](const std::vector<Tensor> &inputs) {
      return std::vector<Tensor>{inputs[0].shrink({{0, vi}, {0, 3}}).sum(0) +
                                 1};
    };
    double sum = 3. * n * (n - 1) / 2 + 1;
    Tensor result = step.call({x.detach()}, function, {vi})[0];
    expectTensor(result, {3}, {sum, sum + n, sum + 2. * n});
  }
  EXPECT_TRUE(step.isCaptured());
  auto fail = [](const std::vector<Tensor> &) -> std::vector<Tensor> {
    return {};
  };
  expectError(
      [&] { step.call({x}, fail, {2}); },
      "TinyJit: expects the extents [i] as they were captured, got [2]");
}

TEST_P(Symbolic, values_are_those_of_the_bound_variables) {
  Extent vi = i.bind(2);
  Tensor x = Tensor(std::vector<float>{1, 2}).reshape({vi});
  EXPECT_EQ(x.toVector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(x.toString(), "Tensor([1, 2], shape=[i], dtype=float32, device=" +
                              context->getDevice() + ")");
  EXPECT_EQ(x.numel().toString(), "i");
  EXPECT_EQ(x.shape(-1).getValue(), 2);
  EXPECT_EQ(x.sum().item(), 3);
  // What was not realized before is.
  Tensor lazy = (Tensor(std::vector<float>{1, 2}) + 1).reshape({vi}) * 2;
  expectTensor(lazy.reshape({2}), {2}, {4, 6});
  expectTensor((lazy + 1).reshape({2, 1}), {2, 1}, {5, 7});
  EXPECT_EQ(i.bind(1) * 2 + 1, 2 * i.bind(1) + 1);
  EXPECT_NE(i.bind(1), i.bind(2));
  EXPECT_EQ(Variable("n", 3, 3).bind(3), 3);
}

TEST_P(Symbolic, gradients_flow_through_what_binds) {
  Tensor x = Tensor(std::vector<float>{1, 2}).requires_grad_();
  Tensor y = x.reshape({1, 2});
  Tensor bound = x.reshape({i.bind(2)}).reshape({1, 2});
  (y * bound).sum().backward();
  expectTensor(x.grad(), {2}, {2, 4});
}
