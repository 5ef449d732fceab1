//===- JitTest.cpp - Steps that are captured ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Jit.h"
#include "tinygrad/Tensor/NN.h"
#include "tinygrad/Tensor/Optim.h"

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::test;

static Tensor make(std::vector<float> values) { return Tensor(values); }

TEST(Jit, runs_the_function_twice) {
  int numCalls = 0;
  TinyJit add([&](const Tensor &x, const Tensor &y) {
    ++numCalls;
    return x + y * 2;
  });
  for (int i = 0; i < 5; ++i) {
    float value = static_cast<float>(i);
    EXPECT_EQ(add.isCaptured(), i >= 2);
    expectTensor(add(make({value, 1}), make({1, value})), {2},
                 {value + 2.0, 1 + 2.0 * value});
  }
  EXPECT_EQ(numCalls, 2);
  add.reset();
  EXPECT_FALSE(add.isCaptured());
  expectTensor(add(make({1}), make({2})), {1}, {5});
  EXPECT_EQ(numCalls, 3);
}

TEST(Jit, results_stay) {
  TinyJit twice([](const Tensor &x) { return x * 2; });
  std::vector<Tensor> results;
  for (float i = 0; i < 4; ++i)
    results.push_back(twice(make({i})));
  for (int i = 0; i < 4; ++i)
    expectTensor(results[i], {1}, {2.0 * i});
}

TEST(Jit, several_results_and_none) {
  Tensor total = make({0}).realize();
  TinyJit several(
      [](const Tensor &x) { return std::vector<Tensor>{x, x + 1, x}; });
  TinyJit none([&](const Tensor &x) { total.assign(total + x); });
  for (float i = 1; i <= 4; ++i) {
    Tensor x = make({i});
    std::vector<Tensor> results = several(x);
    ASSERT_EQ(results.size(), 3u);
    expectTensor(results[0], {1}, {i});
    expectTensor(results[1], {1}, {i + 1});
    expectTensor(results[2], {1}, {i});
    none(x);
  }
  expectTensor(total, {1}, {10});
}

TEST(Jit, several_graphs_are_one_step) {
  TinyJit step([](const Tensor &x) {
    Tensor y = (x + 1).realize();
    Tensor z = (y * y).realize();
    return z - y;
  });
  for (float i = 0; i < 4; ++i)
    expectTensor(step(make({i})), {1}, {(i + 1) * (i + 1) - (i + 1)});
}

TEST(Jit, variables_are_read_and_assigned_at_each_call) {
  Tensor weight = make({1}).realize(), other = make({10}).realize();
  TinyJit step([&](const Tensor &x) {
    Tensor result = weight * x + other;
    weight.assign(weight + 1);
    return result;
  });
  double expected = 1;
  for (int i = 0; i < 4; ++i) {
    expectTensor(step(make({2})), {1}, {2 * expected + 10});
    expectTensor(weight, {1}, {++expected});
  }
  // What changes outside counts, computed or not.
  weight.assign(make({100}) + 1);
  other.assign(make({7}));
  expectTensor(step(make({2})), {1}, {209});
  expectTensor(weight, {1}, {102});
}

TEST(Jit, a_value_from_outside_is_not_computed_again) {
  Tensor variable = make({1}).realize();
  Tensor before = variable * 2;
  TinyJit step([&](const Tensor &x) {
    variable.assign(variable + x);
    return before + variable;
  });
  for (int i = 1; i <= 4; ++i)
    expectTensor(step(make({10})), {1}, {2 + 1 + 10.0 * i});
}

TEST(Jit, an_input_may_be_assigned) {
  TinyJit step([](const Tensor &x) { Tensor(x).assign(x + 1); });
  for (int i = 0; i < 4; ++i) {
    Tensor x = make({static_cast<float>(i)});
    step(x);
    expectTensor(x, {1}, {i + 1.0});
  }
}

TEST(Jit, a_variable_that_an_input_was_assigned_to_is_no_input) {
  Tensor previous = make({0});
  TinyJit step([&](const Tensor &x) {
    Tensor result = x - previous;
    previous.assign(x);
    return result;
  });
  Tensor a = make({5}), b = make({7}), c = make({100});
  std::vector<std::pair<Tensor, double>> calls = {{a, 5},  {a, 0},   {b, 2},
                                                  {c, 93}, {a, -95}, {a, 0}};
  for (const auto &[x, difference] : calls)
    expectTensor(step(x), {1}, {difference});
  expectTensor(a, {1}, {5});
}

TEST(Jit, a_variable_that_is_handed_in_as_well_is_no_input) {
  Tensor weight = make({1, 2}).realize();
  TinyJit step([&](const Tensor &x) { return x + weight * 10; });
  Tensor a = make({100, 100});
  expectTensor(step(a), {2}, {110, 120});
  expectTensor(step(weight), {2}, {11, 22});
  expectTensor(step(a), {2}, {110, 120});
}

TEST(Jit, inputs_collect_gradients_while_the_function_runs) {
  TinyJit step([](const Tensor &x) {
    (x * x).sum().backward();
    return x.grad() * 2;
  });
  Tensor leaf = make({3}).requires_grad_();
  expectTensor(step(leaf), {1}, {12});
  expectTensor(leaf.grad(), {1}, {6});
  // What an input was made from gets its part, too.
  Tensor source = make({5}).requires_grad_(), made = source * 2;
  TinyJit other([](const Tensor &x) { x.sum().backward(); });
  for (int i = 1; i <= 2; ++i) {
    other(made);
    expectTensor(source.grad(), {1}, {2.0 * i});
  }
}

TEST(Jit, numbers_may_be_inputs) {
  TinyJit twice([](const Tensor &x) { return x * 2.0f; });
  for (int i = 1; i <= 4; ++i)
    expectTensor(twice(Tensor(static_cast<float>(i))), {}, {2.0 * i});
}

TEST(Jit, variables_may_be_numbers) {
  Tensor factor(1.0f), offset = Tensor::full({}, 1), exponent(1.0f);
  int numCalls = 0;
  TinyJit step([&](const Tensor &x) {
    ++numCalls;
    return pow(x, exponent) * factor + offset;
  });
  for (int i = 0; i < 3; ++i)
    expectTensor(step(make({2})), {1}, {3});
  EXPECT_EQ(numCalls, 2);
  for (int i = 2; i <= 4; ++i) {
    factor.assign(Tensor(static_cast<float>(i)));
    offset.assign(Tensor(static_cast<float>(10 * i)));
    expectTensor(step(make({2})), {1}, {12.0 * i});
  }
  // It is captured once more, as a number no longer.
  EXPECT_EQ(numCalls, 3);
  exponent.assign(Tensor(3.0f));
  expectTensor(step(make({2})), {1}, {4.0 * 8 + 40});
}

TEST(Jit, variables_may_change_places) {
  Tensor a = make({1}).realize(), b = make({2}).realize();
  int numCalls = 0;
  TinyJit step([&](const Tensor &x) {
    ++numCalls;
    Tensor old = a.detach();
    a.assign(b);
    b.assign(old);
    return a * x;
  });
  for (int i = 0; i < 5; ++i)
    expectTensor(step(make({3})), {1}, {i % 2 ? 3.0 : 6.0});
  EXPECT_EQ(numCalls, 2);
}

TEST(Jit, variables_of_one_buffer_that_part_are_captured_anew) {
  Tensor a = make({1}).realize(), b = a.detach();
  TinyJit step([&](const Tensor &x) { return a * x + b; });
  for (int i = 0; i < 3; ++i)
    expectTensor(step(make({3})), {1}, {4});
  b.assign(make({10}).realize());
  expectTensor(step(make({3})), {1}, {13});
  a.assign(make({2}).realize());
  expectTensor(step(make({3})), {1}, {16});
}

TEST(Jit, parameters_that_read_their_value) {
  double factor = 1;
  TinyJit step([&](const Tensor &x) {
    return x * Tensor::parameter([&] { return factor; });
  });
  for (int i = 1; i <= 4; ++i) {
    factor = i * 0.5;
    expectTensor(step(make({2})), {1}, {static_cast<double>(i)});
  }
}

TEST(Jit, draws_the_numbers_that_it_drew_without) {
  auto draw = [](const Tensor &x) {
    Tensor unused = Tensor::rand({2});
    return x + Tensor::rand({3}) + Tensor::randn({3});
  };
  TinyJit step(draw);
  std::vector<std::vector<float>> plain, captured;
  Tensor::manual_seed(5);
  for (int i = 0; i < 4; ++i)
    plain.push_back(draw(make({0, 0, 0})).toVector<float>());
  Tensor::manual_seed(5);
  for (int i = 0; i < 4; ++i)
    captured.push_back(step(make({0, 0, 0})).toVector<float>());
  EXPECT_EQ(plain, captured);
  EXPECT_NE(plain[2], plain[3]);
}

namespace {

/// A small network in training, with all that is carried from step to step.
struct Trainer {
  nn::Linear first{4, 8}, second{8, 3};
  nn::BatchNorm2d norm{8};
  optim::Adam adam{{first.weight, *first.bias, second.weight, *second.bias,
                    *norm.weight, *norm.bias},
                   0.05};

  Tensor step(const Tensor &x, const Tensor &y) {
    adam.zero_grad();
    Tensor hidden = first(x).relu().dropout(0.3);
    hidden = norm(hidden.reshape({6, 8, 1, 1})).reshape({6, 8});
    Tensor loss = second(hidden).sparse_categorical_crossentropy(y);
    loss.backward();
    adam.step({loss});
    return loss;
  }
};

} // namespace

TEST(Jit, training_is_the_same_with_and_without) {
  TrainingGuard training;
  std::vector<std::vector<double>> losses(2);
  for (bool isCaptured : {false, true}) {
    Tensor::manual_seed(1);
    Trainer trainer;
    TinyJit step(
        [&](const Tensor &x, const Tensor &y) { return trainer.step(x, y); });
    for (int i = 0; i < 8; ++i) {
      // The rate changes from step to step.
      trainer.adam.lr = 0.05 / (1 + i);
      Tensor x(makeNumbers(24, i + 1), {6, 4});
      x = x.cast(DType::Float32);
      Tensor y(std::vector<int>{0, 1, 2, 2, 1, 0});
      Tensor loss = isCaptured ? step(x, y) : trainer.step(x, y);
      losses[isCaptured].push_back(loss.item());
    }
    EXPECT_EQ(trainer.adam.getNumSteps(), 8);
    EXPECT_EQ(trainer.norm.num_batches_tracked.item(), 8);
    losses[isCaptured].push_back(trainer.second.weight.sum().item());
    losses[isCaptured].push_back(trainer.norm.running_mean.sum().item());
  }
  EXPECT_EQ(losses[0], losses[1]);
}

TEST(Jit, a_step_in_a_step_is_part_of_it) {
  int numCalls = 0;
  TinyJit inner([&](const Tensor &x) {
    ++numCalls;
    return x + 1;
  });
  TinyJit outer([&](const Tensor &x) { return inner(x) * 2; });
  for (float i = 0; i < 5; ++i)
    expectTensor(outer(make({i})), {1}, {2.0 * (i + 1)});
  EXPECT_EQ(numCalls, 2);
}

TEST(Jit, builds_no_graph) {
  Context::Options options;
  options.device = "INTERP";
  ContextRef context = Context::create(options);
  Context::Scope scope(context);
  TinyJit step([](const Tensor &x) { return (x * x).sum(); });
  Tensor x = make({1, 2});
  step(x);
  step(x);
  Context::Statistics before = context->getStatistics();
  step(x);
  Context::Statistics after = context->getStatistics();
  EXPECT_EQ(after.hits, before.hits);
  EXPECT_EQ(after.misses, before.misses);
}

TEST(Jit, refuses_what_does_not_fit) {
  TinyJit add([](const Tensor &x, const Tensor &y) { return x + y; });
  Tensor x = make({1, 2});
  add(x, make({3, 4}));
  expectError([&] { add(x, x.detach()); },
              "TinyJit: expects each input to be a tensor of its own");
  add(x, make({3, 4}));
  expectError([&] { add(x, make({1})); },
              "TinyJit: expects input 1 to be float32 [2] as it was captured, "
              "got float32 [1]");
  expectError([&] { add(x, Tensor(std::vector<int>{1, 2})); },
              "TinyJit: expects input 1 to be float32 [2] as it was captured, "
              "got int32 [2]");
  expectError([&] { add(x, x); },
              "TinyJit: expects each input to be a tensor of its own");
  expectTensor(add(x, make({5, 6})), {2}, {6, 8});
}

TEST(Jit, is_made_by_a_function) {
  auto twice = [](const Tensor &x) { return x * 2; };
  auto step = jit(twice);
  for (float i = 0; i < 4; ++i)
    expectTensor(step(make({i})), {1}, {2.0 * i});
  EXPECT_TRUE(step.isCaptured());
  EXPECT_EQ(step.getKernelNames().size(), 1u);
  EXPECT_EQ(step.getNumKernels(), 1);
}
