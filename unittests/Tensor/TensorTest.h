//===- TensorTest.h - What the tests of tensors share -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TENSOR_TENSORTEST_H
#define TINYGRAD_UNITTESTS_TENSOR_TENSORTEST_H

#include "tinygrad/Tensor/Tensor.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace tinygrad::test {

/// Expects a tensor to have `shape` and, within `tolerance` relative to 1 or
/// to the value, `values`.
inline void expectTensor(const Tensor &tensor, const Shape &shape,
                         const std::vector<double> &values,
                         double tolerance = 1e-6) {
  EXPECT_EQ(tensor.shape(), shape);
  std::vector<double> actual = tensor.toVector<double>();
  ASSERT_EQ(actual.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(actual[i])) << "element " << i;
    } else if (std::isinf(values[i])) {
      EXPECT_EQ(actual[i], values[i]) << "element " << i;
    } else {
      EXPECT_NEAR(actual[i], values[i],
                  tolerance * std::max(1.0, std::abs(values[i])))
          << "element " << i;
    }
  }
}

/// Expects `fn` to throw an Error that reads `message`, apart from the place of
/// the call.
inline void expectError(const std::function<void()> &fn,
                        const std::string &message) {
  try {
    fn();
    ADD_FAILURE() << "no error; expected: " << message;
  } catch (const Error &error) {
    std::string text = error.what();
    std::string place = " (" + error.getPlace() + ")";
    if (size_t found = text.find(place); found != std::string::npos)
      text.erase(found, place.size());
    EXPECT_EQ(text, message);
  }
}

/// Returns `count` numbers in [-1, 1) without a pattern, the same every time.
inline std::vector<double> makeNumbers(int64_t count, unsigned seed = 1) {
  std::vector<double> result;
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    result.push_back(static_cast<double>(state >> 33) / (1u << 30) - 1);
  }
  return result;
}

/// Returns the product of the extents.
inline int64_t count(const Shape &shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

using TensorFunction = std::function<Tensor(const std::vector<Tensor> &)>;

/// Compares the gradients of a weighted sum of `fn`'s elements at float64
/// `inputs` with central differences.
inline void checkGradients(const TensorFunction &fn,
                           const std::vector<Shape> &shapes,
                           std::vector<std::vector<double>> inputs) {
  auto makeInputs = [&](bool wantsGrad) {
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < shapes.size(); ++i) {
      tensors.push_back(Tensor(inputs[i], shapes[i]));
      if (wantsGrad)
        tensors.back().requires_grad_();
    }
    return tensors;
  };
  auto computeLoss = [&](const std::vector<Tensor> &tensors) {
    Tensor result = fn(tensors);
    Tensor weights(makeNumbers(result.numel(), 77), result.shape());
    return (result * weights).sum();
  };
  std::vector<Tensor> tensors = makeInputs(true);
  computeLoss(tensors).backward();
  constexpr double step = 1e-5;
  for (size_t i = 0; i < shapes.size(); ++i) {
    ASSERT_TRUE(tensors[i].hasGrad()) << "input " << i;
    EXPECT_EQ(tensors[i].grad().shape(), shapes[i]);
    std::vector<double> grad = tensors[i].grad().toVector<double>();
    for (size_t k = 0; k < inputs[i].size(); ++k) {
      double value = inputs[i][k];
      inputs[i][k] = value + step;
      double above = computeLoss(makeInputs(false)).item();
      inputs[i][k] = value - step;
      double below = computeLoss(makeInputs(false)).item();
      inputs[i][k] = value;
      EXPECT_NEAR(grad[k], (above - below) / (2 * step), 1e-6)
          << "input " << i << ", element " << k;
    }
  }
}

/// The same, at numbers without a pattern.
inline void checkGradients(const TensorFunction &fn,
                           const std::vector<Shape> &shapes) {
  std::vector<std::vector<double>> inputs;
  for (size_t i = 0; i < shapes.size(); ++i)
    inputs.push_back(makeNumbers(count(shapes[i]), i + 1));
  checkGradients(fn, shapes, std::move(inputs));
}

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_TENSOR_TENSORTEST_H
