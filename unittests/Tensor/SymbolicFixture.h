//===- SymbolicFixture.h - Tests of symbolic extents ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TENSOR_SYMBOLICFIXTURE_H
#define TINYGRAD_UNITTESTS_TENSOR_SYMBOLICFIXTURE_H

#include "TensorTest.h"

#include "tinygrad/Tensor/Jit.h"

#include <optional>

namespace tinygrad::test {

/// Runs programs for several values of a variable, on two devices, and counts
/// what was compiled.
class SymbolicFixture : public ::testing::TestWithParam<const char *> {
protected:
  SymbolicFixture() {
    Context::Options options;
    options.device = GetParam();
    options.numThreads = 2;
    context = Context::create(options);
    scope.emplace(context);
  }
  int64_t countCompiled() const { return context->getStatistics().misses; }

  /// Compares `fn` on inputs of `shapes` with symbolic extents with what it
  /// gives for numbers; `shapes` are made with i.bind(3), i.bind(2), …, and
  /// compiled once, or captured once.
  using MakeShapes = std::function<std::vector<Shape>(const Extent &i)>;
  void check(const MakeShapes &makeShapes, const TensorFunction &fn) {
    for (bool isCaptured : {false, true}) {
      int numCalls = 0;
      CapturedStep step;
      int64_t numCompiled = 0;
      for (int64_t n : {3, 1, 5, 4, 10}) {
        std::vector<Tensor> plain, symbolic;
        for (const Shape &shape : makeShapes(i.bind(n))) {
          Shape numbers = shape.getValues();
          Tensor x(makeNumbers(count(numbers), plain.size() + 1), numbers);
          plain.push_back(x.cast(DType::Float32).realize());
          symbolic.push_back(plain.back().reshape(shape));
        }
        Tensor expected = fn(plain).realize();
        int64_t before = countCompiled();
        Tensor actual =
            isCaptured ? step.call(symbolic,
                                   [&](const std::vector<Tensor> &inputs) {
                                     ++numCalls;
                                     return std::vector<Tensor>{fn(inputs)};
                                   })
                             .front()
                       : fn(symbolic).realize();
        numCompiled += countCompiled() - before;
        EXPECT_EQ(actual.shape().getValues(), expected.shape());
        expectTensor(actual.reshape(expected.shape()), expected.shape(),
                     expected.toVector<double>(), 1e-5);
      }
      EXPECT_LE(numCompiled, isCaptured ? 0 : 1);
      if (isCaptured)
        EXPECT_EQ(numCalls, 2);
    }
  }

  Variable i = Variable("i", 1, 10);
  ContextRef context;
  std::optional<Context::Scope> scope;
};

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_TENSOR_SYMBOLICFIXTURE_H
