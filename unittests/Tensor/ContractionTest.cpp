//===- ContractionTest.cpp - Products and windows -------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::test;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

TEST(Contraction, matrices) {
  std::vector<double> a = makeNumbers(6, 1), b = makeNumbers(12, 2);
  std::vector<double> expected;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      double sum = 0;
      for (int k = 0; k < 3; ++k)
        sum += a[i * 3 + k] * b[k * 4 + j];
      expected.push_back(sum);
    }
  Tensor x(a, {2, 3}), w(b, {3, 4});
  expectTensor(x.dot(w), {2, 4}, expected, 1e-12);
  expectTensor(x.matmul(w), {2, 4}, expected, 1e-12);
}

TEST(Contraction, vectors_and_batches) {
  Tensor row(std::vector<float>{1, 2, 3});
  Tensor matrix(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2});
  expectTensor(row.dot(row), {}, {14});
  expectTensor(row.dot(matrix), {2}, {22, 28});
  expectTensor(matrix.T().dot(row), {2}, {22, 28});
  Tensor batch = Tensor::stack({matrix.T(), matrix.T() * 2});
  expectTensor(batch.dot(matrix), {2, 2, 2}, {35, 44, 44, 56, 70, 88, 88, 112});
  expectTensor(batch.dot(row), {2, 2}, {22, 28, 44, 56});
  expectError([&] { matrix.dot(row); },
              "dot: cannot multiply shapes [3, 2] and [3]");
  expectError([&] { Tensor(1).dot(row); },
              "dot: cannot multiply shapes [] and [3]");
}

TEST(Contraction, linear) {
  Tensor x(std::vector<float>{1, 2}, {1, 2});
  Tensor weight(std::vector<float>{1, 2, 3, 4}, {2, 2});
  Tensor bias(std::vector<float>{10, 20});
  expectTensor(x.linear(weight), {1, 2}, {7, 10});
  expectTensor(x.linear(weight, bias), {1, 2}, {17, 30});
  expectTensor(x.linear(bias), {1, 2}, {10, 40});
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {

/// A convolution with its operands, computed by plain loops.
struct Conv {
  int64_t batch = 2, channels = 2, height = 7, width = 6;
  int64_t outputs = 3, kernelHeight = 3, kernelWidth = 2;
  int64_t groups = 1, strideY = 1, strideX = 1, dilationY = 1, dilationX = 1;
  int64_t top = 0, bottom = 0, left = 0, right = 0;

  Shape getInputShape() const {
    return {batch, channels * groups, height, width};
  }
  Shape getWeightShape() const {
    return {outputs * groups, channels, kernelHeight, kernelWidth};
  }
  Shape getResultShape() const {
    return {
        batch, outputs * groups,
        (height + top + bottom - dilationY * (kernelHeight - 1) - 1) / strideY +
            1,
        (width + left + right - dilationX * (kernelWidth - 1) - 1) / strideX +
            1};
  }
  ConvOptions getOptions() const {
    ConvOptions options;
    options.groups = groups;
    options.stride = {strideY, strideX};
    options.dilation = {dilationY, dilationX};
    options.padding = {left, right, top, bottom};
    return options;
  }
  std::vector<double> compute(const std::vector<double> &x,
                              const std::vector<double> &w) const;
  void check() const;
};

} // namespace

std::vector<double> Conv::compute(const std::vector<double> &x,
                                  const std::vector<double> &w) const {
  Shape shape = getResultShape();
  std::vector<double> result;
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t k = 0; k < shape[1]; ++k)
      for (int64_t oy = 0; oy < shape[2]; ++oy)
        for (int64_t ox = 0; ox < shape[3]; ++ox) {
          double sum = 0;
          for (int64_t c = 0; c < channels; ++c)
            for (int64_t ky = 0; ky < kernelHeight; ++ky)
              for (int64_t kx = 0; kx < kernelWidth; ++kx) {
                int64_t y = oy * strideY + ky * dilationY - top;
                int64_t z = ox * strideX + kx * dilationX - left;
                if (y < 0 || y >= height || z < 0 || z >= width)
                  continue;
                int64_t channel = k / outputs * channels + c;
                sum +=
                    x[((n * channels * groups + channel) * height + y) * width +
                      z] *
                    w[((k * channels + c) * kernelHeight + ky) * kernelWidth +
                      kx];
              }
          result.push_back(sum);
        }
  return result;
}

void Conv::check() const {
  std::vector<double> x = makeNumbers(count(getInputShape()), 1);
  std::vector<double> w = makeNumbers(count(getWeightShape()), 2);
  expectTensor(Tensor(x, getInputShape())
                   .conv2d(Tensor(w, getWeightShape()), getOptions()),
               getResultShape(), compute(x, w), 1e-12);
}

TEST(Convolution, plain) { Conv().check(); }

TEST(Convolution, negative_padding_cuts) {
  Tensor x = Tensor::arange(16).cast(DType::Float32).reshape({1, 1, 4, 4});
  ConvOptions options;
  options.padding = {-1};
  expectTensor(x.conv2d(Tensor::ones({1, 1, 2, 2}), options), {1, 1, 1, 1},
               {30});
}

TEST(Convolution, padding) {
  Conv conv;
  conv.top = 1;
  conv.bottom = 2;
  conv.left = 3;
  conv.check();
}

TEST(Convolution, stride) {
  Conv conv;
  conv.strideY = 2;
  conv.check();
  // Windows that do not overlap, and steps longer than the window.
  conv.strideY = 3;
  conv.strideX = 2;
  conv.check();
  conv.strideY = 4;
  conv.strideX = 5;
  conv.check();
}

TEST(Convolution, dilation) {
  Conv conv;
  conv.dilationY = 2;
  conv.dilationX = 3;
  conv.check();
  conv.strideY = 2;
  conv.strideX = 6;
  conv.check();
}

TEST(Convolution, groups) {
  Conv conv;
  conv.groups = 3;
  conv.top = conv.left = 1;
  conv.check();
  conv.channels = 1;
  conv.outputs = 1;
  conv.check();
}

TEST(Convolution, one_by_one) {
  Conv conv;
  conv.kernelHeight = conv.kernelWidth = 1;
  conv.check();
}

TEST(Convolution, bias_and_short_options) {
  Tensor x = Tensor::ones({1, 1, 3, 3}), w = Tensor::ones({2, 1, 3, 3});
  ConvOptions options;
  options.padding = {1};
  Tensor bias(std::vector<float>{0, 100});
  expectTensor(
      x.conv2d(w, bias, options), {1, 2, 3, 3},
      {4, 6, 4, 6, 9, 6, 4, 6, 4, 104, 106, 104, 106, 109, 106, 104, 106, 104});
}

TEST(Convolution, one_and_three_axes) {
  Tensor x(std::vector<float>{1, 2, 3, 4}, {1, 1, 4});
  expectTensor(x.conv2d(Tensor(std::vector<float>{1, 10}, {1, 1, 2})),
               {1, 1, 3}, {21, 32, 43});
  Tensor cube = Tensor::ones({1, 1, 3, 3, 3});
  expectTensor(cube.conv2d(Tensor::ones({1, 1, 2, 2, 3})), {1, 1, 2, 2, 1},
               {12, 12, 12, 12});
}

TEST(Convolution, errors) {
  Tensor x = Tensor::ones({1, 2, 3, 3});
  expectError([&] { x.conv2d(Tensor::ones({1, 3, 3, 3})); },
              "conv2d: expects an input of shape [N, groups*C, ..] and a "
              "weight of shape [groups*K, C, ..], got [1, 2, 3, 3] and "
              "[1, 3, 3, 3] with 1 groups");
  expectError([&] { x.conv2d(Tensor::ones({1, 2, 4, 4})); },
              "conv2d: expects a window that fits into shape [1, 2, 3, 3], got "
              "kernel [4, 4] with dilation [1, 1]");
  ConvOptions options;
  options.stride = {0};
  expectError([&] { x.conv2d(Tensor::ones({1, 2, 1, 1}), options); },
              "conv2d: expects a stride of at least 1 for 2 axes, got [0]");
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Compares pooling with plain loops over windows of 2 by 3.
static void checkPool(int64_t strideY, int64_t strideX, int64_t dilation) {
  constexpr int64_t height = 6, width = 7, kernelY = 2, kernelX = 3;
  std::vector<double> x = makeNumbers(height * width), maxima, means;
  int64_t rows = (height - dilation * (kernelY - 1) - 1) / strideY + 1;
  int64_t columns = (width - dilation * (kernelX - 1) - 1) / strideX + 1;
  for (int64_t oy = 0; oy < rows; ++oy)
    for (int64_t ox = 0; ox < columns; ++ox) {
      double largest = -INFINITY, sum = 0;
      for (int64_t ky = 0; ky < kernelY; ++ky)
        for (int64_t kx = 0; kx < kernelX; ++kx) {
          double value = x[(oy * strideY + ky * dilation) * width +
                           ox * strideX + kx * dilation];
          largest = std::max(largest, value);
          sum += value;
        }
      maxima.push_back(largest);
      means.push_back(sum / (kernelY * kernelX));
    }
  PoolOptions options;
  options.stride = {strideY, strideX};
  options.dilation = {dilation};
  Tensor input(x, {1, 1, height, width});
  Shape shape = {1, 1, rows, columns};
  expectTensor(input.max_pool2d({kernelY, kernelX}, options), shape, maxima);
  expectTensor(input.avg_pool2d({kernelY, kernelX}, options), shape, means);
}

TEST(Pooling, windows) {
  checkPool(2, 3, 1);
  checkPool(1, 1, 1);
  checkPool(2, 1, 2);
  checkPool(3, 4, 1);
  checkPool(4, 5, 1);
}

TEST(Pooling, default_stride_is_the_window) {
  Tensor x = Tensor::arange(16).reshape({1, 1, 4, 4});
  expectTensor(x.max_pool2d(), {1, 1, 2, 2}, {5, 7, 13, 15});
  expectTensor(x.avg_pool2d(), {1, 1, 2, 2}, {2.5, 4.5, 10.5, 12.5});
  // What does not fill a window is left out.
  expectTensor(x.max_pool2d({3, 3}), {1, 1, 1, 1}, {10});
}

// R118: the rewrite gives what the sum of products gives.
TEST(Contraction, winograd) {
  struct Row {
    Shape input, weight;
    ConvOptions options;
  };
  ConvOptions padded, grouped;
  padded.padding = {1};
  grouped.groups = 2;
  grouped.padding = {2, 0};
  for (const Row &row : {Row{{1, 3, 11, 28}, {2, 3, 3, 3}, padded},
                         Row{{2, 4, 5, 6}, {4, 2, 3, 3}, grouped},
                         Row{{1, 2, 9}, {3, 2, 3}, ConvOptions()}}) {
    Tensor x(makeNumbers(count(row.input)), row.input);
    Tensor w(makeNumbers(count(row.weight), 2), row.weight);
    Tensor plain = x.conv2d(w, row.options);
    Tensor::wino on;
    Tensor fast = x.conv2d(w, row.options);
    expectTensor(fast, plain.shape(), plain.toVector<double>(), 1e-9);
    // It rounds otherwise, which shows that it is another way.
    EXPECT_NE(fast.toVector<double>(), plain.toVector<double>());
  }
  Tensor::wino on;
  checkGradients(
      [](const std::vector<Tensor> &in) { return in[0].conv2d(in[1]); },
      {{1, 1, 5, 4}, {1, 1, 3, 3}});
  expectError(
      [] { Tensor::ones({1, 1, 2, 2}).conv2d(Tensor::ones({1, 1, 3, 3})); },
      "conv2d: expects a window that fits into shape [1, 1, 2, 2], got kernel "
      "[3, 3] with dilation [1, 1]");
}
