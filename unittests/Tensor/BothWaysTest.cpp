//===- BothWaysTest.cpp - Gradients by nodes and by pass ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `Tensor::backward` and the pass `lazy-autodiff` run the same rules over two
// builders. Each case states one function both ways; the gradients must be
// equal.
//
//===----------------------------------------------------------------------===//

#include "Differentiate.h"
#include "TensorTest.h"

#include "tinygrad/Engine/Engine.h"

#include "llvm/Support/Error.h"

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

struct Case {
  const char *name;
  /// The extents of the arguments, all of float64.
  std::vector<Shape> shapes;
  /// The body of `func.func @f(%x, %y, …)`; its last line is the return.
  const char *body;
  Shape result;
  TensorFunction function;
};

std::string getTypeText(const Shape &shape) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + "f64>";
}

std::string getModuleText(const Case &test) {
  const char *names[] = {"%x", "%y", "%z"};
  std::string text = "func.func @f(";
  for (size_t i = 0; i < test.shapes.size(); ++i)
    text += std::string(i ? ", " : "") + names[i] + ": " +
            getTypeText(test.shapes[i]);
  return text + ") -> " + getTypeText(test.result) + " {\n" + test.body +
         "\n}\n";
}

runtime::BufferRef makeBuffer(runtime::Device &device,
                              const std::vector<double> &values) {
  runtime::BufferRef buffer =
      llvm::cantFail(device.allocate(DType::Float64, values.size()));
  llvm::cantFail(buffer->copyIn(values.data(), values.size() * sizeof(double)));
  return buffer;
}

class BothWays : public testing::TestWithParam<Case> {};

TEST_P(BothWays, gradients_agree) {
  const Case &test = GetParam();
  std::vector<std::vector<double>> inputs;
  for (size_t i = 0; i < test.shapes.size(); ++i) {
    inputs.push_back(makeNumbers(count(test.shapes[i]), i + 1));
    // Inside of the domain of logarithms, roots and powers.
    for (double &value : inputs.back())
      value = std::abs(value) + 0.25;
  }
  std::vector<double> seed = makeNumbers(count(test.result), 9);

  std::string module = differentiate(getModuleText(test));
  ASSERT_NE(module, "");
  auto engine = engine::Engine::create({});
  ASSERT_TRUE(static_cast<bool>(engine)) << llvm::toString(engine.takeError());
  auto executable = (*engine)->compile(module, "test", "f_grad");
  ASSERT_TRUE(static_cast<bool>(executable))
      << llvm::toString(executable.takeError()) << module;
  std::vector<runtime::BufferRef> buffers;
  for (const std::vector<double> &values : inputs)
    buffers.push_back(makeBuffer((*engine)->getDevice(), values));
  buffers.push_back(makeBuffer((*engine)->getDevice(), seed));
  auto results = (*executable)->run(buffers);
  ASSERT_TRUE(static_cast<bool>(results))
      << llvm::toString(results.takeError());

  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    tensors.push_back(Tensor(inputs[i], test.shapes[i]).realize());
    tensors.back().requires_grad_(true);
  }
  Tensor weight(seed, test.result);
  (test.function(tensors) * weight).sum().backward();

  ASSERT_EQ(results->size(), inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::vector<double> byPass(inputs[i].size());
    llvm::cantFail(
        (*results)[i]->copyOut(byPass.data(), byPass.size() * sizeof(double)));
    expectTensor(tensors[i].grad(), test.shapes[i], byPass, 1e-12);
  }
}

TensorFunction unary(Tensor (*fn)(const Tensor &)) {
  return [fn](const std::vector<Tensor> &x) { return fn(x[0]); };
}

const Case cases[] = {
    {"exp2",
     {{2, 3}},
     "%r = lazy.exp2 %x : tensor<2x3xf64>\n"
     "return %r : tensor<2x3xf64>",
     {2, 3},
     unary(exp2)},
    {"log2",
     {{2, 3}},
     "%r = lazy.log2 %x : tensor<2x3xf64>\n"
     "return %r : tensor<2x3xf64>",
     {2, 3},
     unary(log2)},
    {"sin",
     {{2, 3}},
     "%r = lazy.sin %x : tensor<2x3xf64>\n"
     "return %r : tensor<2x3xf64>",
     {2, 3},
     unary(sin)},
    {"sqrt",
     {{2, 3}},
     "%r = lazy.sqrt %x : tensor<2x3xf64>\n"
     "return %r : tensor<2x3xf64>",
     {2, 3},
     unary(sqrt)},
    {"recip",
     {{2, 3}},
     "%r = lazy.recip %x : tensor<2x3xf64>\n"
     "return %r : tensor<2x3xf64>",
     {2, 3},
     unary(reciprocal)},
    {"neg",
     {{2, 3}},
     "%r = lazy.neg %x : tensor<2x3xf64>\n"
     "return %r : tensor<2x3xf64>",
     {2, 3},
     unary(neg)},
    {"add",
     {{4}, {4}},
     "%r = lazy.add %x, %y : tensor<4xf64>\n"
     "return %r : tensor<4xf64>",
     {4},
     [](const std::vector<Tensor> &x) { return x[0] + x[1]; }},
    {"sub",
     {{4}, {4}},
     "%r = lazy.sub %x, %y : tensor<4xf64>\n"
     "return %r : tensor<4xf64>",
     {4},
     [](const std::vector<Tensor> &x) { return x[0] - x[1]; }},
    {"mul",
     {{4}, {4}},
     "%r = lazy.mul %x, %y : tensor<4xf64>\n"
     "return %r : tensor<4xf64>",
     {4},
     [](const std::vector<Tensor> &x) { return x[0] * x[1]; }},
    {"div",
     {{4}, {4}},
     "%r = lazy.div %x, %y : tensor<4xf64>\n"
     "return %r : tensor<4xf64>",
     {4},
     [](const std::vector<Tensor> &x) { return x[0] / x[1]; }},
    {"max",
     {{4}, {4}},
     "%r = lazy.max %x, %y : tensor<4xf64>\n"
     "return %r : tensor<4xf64>",
     {4},
     [](const std::vector<Tensor> &x) { return maximum(x[0], x[1]); }},
    {"pow",
     {{4}, {4}},
     "%r = lazy.pow %x, %y : tensor<4xf64>\n"
     "return %r : tensor<4xf64>",
     {4},
     [](const std::vector<Tensor> &x) { return pow(x[0], x[1]); }},
    {"where",
     {{4}, {4}},
     "%c = lazy.cmplt %x, %y : tensor<4xf64> -> tensor<4xi1>\n"
     "%r = lazy.where %c, %x, %y : tensor<4xi1>, tensor<4xf64>\n"
     "return %r : tensor<4xf64>",
     {4},
     [](const std::vector<Tensor> &x) {
       return where(x[0] < x[1], x[0], x[1]);
     }},
    {"mulacc",
     {{4}, {4}, {4}},
     "%r = lazy.mulacc %x, %y, %z : tensor<4xf64>\n"
     "return %r : tensor<4xf64>",
     {4},
     [](const std::vector<Tensor> &x) { return x[0] * x[1] + x[2]; }},
    {"reduce_sum",
     {{4, 3}},
     "%r = lazy.reduce_sum %x : tensor<4x3xf64> -> tensor<4x1xf64>\n"
     "return %r : tensor<4x1xf64>",
     {4, 1},
     [](const std::vector<Tensor> &x) { return sum(x[0], {1}, true); }},
    {"reduce_max",
     {{4, 3}},
     "%r = lazy.reduce_max %x : tensor<4x3xf64> -> tensor<1x3xf64>\n"
     "return %r : tensor<1x3xf64>",
     {1, 3},
     [](const std::vector<Tensor> &x) { return max(x[0], {0}, true); }},
    {"reshape",
     {{4, 3}},
     "%r = lazy.reshape %x : tensor<4x3xf64> -> tensor<2x6xf64>\n"
     "return %r : tensor<2x6xf64>",
     {2, 6},
     [](const std::vector<Tensor> &x) { return reshape(x[0], {2, 6}); }},
    {"permute",
     {{4, 3}},
     "%r = lazy.permute %x [1, 0] : tensor<4x3xf64> -> tensor<3x4xf64>\n"
     "return %r : tensor<3x4xf64>",
     {3, 4},
     [](const std::vector<Tensor> &x) { return permute(x[0], {1, 0}); }},
    {"expand",
     {{1, 3}},
     "%r = lazy.expand %x : tensor<1x3xf64> -> tensor<4x3xf64>\n"
     "return %r : tensor<4x3xf64>",
     {4, 3},
     [](const std::vector<Tensor> &x) { return expand(x[0], {4, 3}); }},
    {"pad",
     {{4, 3}},
     "%r = lazy.pad %x low [1, 0] high [0, 2] : tensor<4x3xf64> -> "
     "tensor<5x5xf64>\n"
     "return %r : tensor<5x5xf64>",
     {5, 5},
     [](const std::vector<Tensor> &x) { return pad(x[0], {{1, 0}, {0, 2}}); }},
    {"shrink",
     {{4, 3}},
     "%r = lazy.shrink %x begin [1, 0] end [3, 2] : tensor<4x3xf64> -> "
     "tensor<2x2xf64>\n"
     "return %r : tensor<2x2xf64>",
     {2, 2},
     [](const std::vector<Tensor> &x) {
       return shrink(x[0], {{1, 3}, {0, 2}});
     }},
    {"stride",
     {{4, 3}},
     "%r = lazy.stride %x [2, -1] : tensor<4x3xf64> -> tensor<2x3xf64>\n"
     "return %r : tensor<2x3xf64>",
     {2, 3},
     [](const std::vector<Tensor> &x) { return stride(x[0], {2, -1}); }},
    {"assign",
     {{4}, {4}},
     "%s = lazy.sin %y : tensor<4xf64>\n"
     "%a = lazy.assign %x, %s : tensor<4xf64>\n"
     "%r = lazy.mul %a, %x : tensor<4xf64>\n"
     "return %r : tensor<4xf64>",
     {4},
     [](const std::vector<Tensor> &x) { return sin(x[1]) * x[0]; }},
    // Windows of a padded row.
    {"view",
     {{5}},
     "%r = lazy.view %x <[7], strides = [1], offset = -1, mask = [[1, 6]], "
     "then [5, 3], strides = [1, 1]> : tensor<5xf64> -> tensor<5x3xf64>\n"
     "return %r : tensor<5x3xf64>",
     {5, 3},
     [](const std::vector<Tensor> &x) {
       Tensor padded = pad(x[0], {{1, 1}});
       std::vector<Tensor> columns;
       for (int64_t i = 0; i < 3; ++i)
         columns.push_back(reshape(shrink(padded, {{i, i + 5}}), {5, 1}));
       return Tensor::cat(columns, 1);
     }},
    {"two_uses",
     {{4}},
     "%s = lazy.sin %x : tensor<4xf64>\n%r = lazy.mul %s, %x : tensor<4xf64>\n"
     "return %r : tensor<4xf64>",
     {4},
     [](const std::vector<Tensor> &x) { return sin(x[0]) * x[0]; }},
};

INSTANTIATE_TEST_SUITE_P(Ops, BothWays, testing::ValuesIn(cases),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
