//===- SymbolicErrorsTest.cpp - What extents without numbers refuse -------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicFixture.h"

using namespace tinygrad;
using namespace tinygrad::test;

TEST(SymbolicErrors, variables) {
  expectError([] { Variable("2i", 1, 2); },
              "Variable: expects a name of letters, digits and `_`, got `2i`");
  expectError([] { Variable("i", 2, 1); },
              "Variable: expects bounds of `i` in order, got [2, 1]");
  expectError([] { Variable("i", 1, 10).bind(11); },
              "Variable: expects a value of `i` in [1, 10], got 11");
}

TEST(SymbolicErrors, shapes) {
  Variable i("i", 1, 10);
  Tensor x = Tensor::ones({3, 4}).reshape({3, i.bind(4)});
  expectError([&] { x + Tensor::ones({4}); },
              "add: cannot broadcast [3, i] and [4]");
  expectError([&] { x.reshape({3, 5}); },
              "reshape: cannot prove that [3, i] and [3, 5] have the same "
              "number of elements");
  expectError([&] { x.shrink({{0, 3}, {0, i.bind(4) + 1}}); },
              "shrink: cannot prove that 0 <= 0 <= i + 1 <= i, a range of the "
              "source's shape [3, i]");
  expectError(
      [&] { Tensor::ones({3, 4}).reshape({3, i.bind(4) - 5 + 5 - 8}); },
      "reshape: cannot prove that `i - 8` is not negative in [3, i - 8]");
  expectError([&] { x.nbytes(); },
              "Extent: expects a number, got the symbolic extent `i * 12`");
  expectError([&] { x.getitem({ellipsis, 3}); },
              "getitem: cannot prove that 0 <= 3 <= 4 <= i, a range of the "
              "source's shape [3, i]");
}

TEST(SymbolicErrors, two_values_in_one_graph) {
  Variable i("i", 1, 10), other("i", 1, 5);
  auto make = [](const Extent &extent) {
    int64_t n = extent.getValue();
    return Tensor::ones({n}).contiguous().reshape({extent}).sum();
  };
  expectError([&] { (make(i.bind(2)) + make(i.bind(3))).realize(); },
              "realize: expects one value of variable `i`, got 2 and 3");
  expectError([&] { (make(i.bind(2)) + make(other.bind(2))).realize(); },
              "realize: expects one pair of bounds of variable `i`, got two");
}

TEST(SymbolicErrors, captured_calls) {
  Variable i("i", 1, 10), j("j", 1, 10);
  auto make = [](int64_t n, const Extent &extent) {
    return Tensor::ones({3, n}).reshape({3, extent});
  };
  TinyJit step([](const Tensor &x, const Tensor &y) { return x + y; });
  for (int64_t n = 1; n < 4; ++n)
    step(make(n, i.bind(n)), make(n, i.bind(n)));
  expectError([&] { step(make(7, i.bind(7)), Tensor::ones({3, 7})); },
              "TinyJit: expects input 1 to be float32 [3, i] as it was "
              "captured, got float32 [3, 7]");
  expectError([&] { step(make(7, j.bind(7)), make(7, j.bind(7))); },
              "TinyJit: expects input 0 to be float32 [3, i] as it was "
              "captured, got float32 [3, j]");
  expectError([&] { step(make(7, i.bind(7)), make(6, i.bind(6))); },
              "TinyJit: expects one value of variable `i`, got 7 and 6");
}

TEST(SymbolicErrors, what_would_be_baked_in) {
  Variable i("i", 1, 10), j("j", 1, 4);
  Tensor x = Tensor::ones({3, 4}).reshape({3, i.bind(4)});
  Tensor weight = Tensor::ones({3, 4}).contiguous().realize();
  TinyJit binds([](const Tensor &x) { return x.reshape({3, 4}); });
  binds(x);
  expectError([&] { binds(x); },
              "reshape: cannot capture a function that binds or unbinds "
              "variables, from shape [3, i] to [3, 4]; each call would do it "
              "with the first value");
  TinyJit reads([](const Tensor &x) { return x * x.shape(1).getValue(); });
  reads(x);
  expectError([&] { reads(x); },
              "TinyJit: cannot capture a function that takes the value of the "
              "symbolic extent `i`; each call would have that of the first");
  TinyJit closes([&](const Tensor &x) {
    return x.sum() + weight.shrink({{0, 3}, {0, j.bind(2)}}).sum();
  });
  closes(x);
  expectError([&] { closes(x); },
              "TinyJit: cannot capture a function that binds variable `j`, "
              "which is in the shape of no input; each call would have its "
              "first value");
  EXPECT_FALSE(closes.isCaptured());
}
