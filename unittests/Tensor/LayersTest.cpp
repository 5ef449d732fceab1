//===- LayersTest.cpp - Layers --------------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/NN.h"

#include "TorchValues.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

/// A layer behind one interface.
struct Layer {
  StateDict state;
  std::function<std::vector<Tensor>(const std::vector<Tensor> &)> call;
};

} // namespace

template <typename T>
static Layer makeLayer(const T &layer) {
  return {get_state_dict(layer),
          [layer](const std::vector<Tensor> &inputs) -> std::vector<Tensor> {
            return {layer(inputs[0])};
          }};
}

template <typename T>
static Layer makeCell(const T &cell) {
  return {get_state_dict(cell),
          [cell](const std::vector<Tensor> &inputs) -> std::vector<Tensor> {
            return {inputs.size() == 1 ? cell(inputs[0])
                                       : cell(inputs[0], inputs[1])};
          }};
}

static Layer makeLSTM(bool hasBias) {
  nn::LSTMCell cell(5, 2, hasBias);
  return {get_state_dict(cell),
          [cell](const std::vector<Tensor> &inputs) -> std::vector<Tensor> {
            nn::LSTMCell::State state =
                inputs.size() == 1 ? cell(inputs[0])
                                   : cell(inputs[0], {inputs[1], inputs[2]});
            return {state.h, state.c};
          }};
}

/// The layers of the file, made as there.
static std::map<std::string, Layer> makeLayers() {
  ConvOptions conv1d, conv2d;
  conv1d.stride = {2};
  conv1d.padding = {1};
  conv1d.groups = 2;
  conv2d.stride = {1, 2};
  conv2d.padding = {1};
  conv2d.dilation = {2, 1};
  conv2d.groups = 2;
  ConvTransposeOptions transpose1d, transpose2d;
  static_cast<ConvOptions &>(transpose1d) = conv1d;
  transpose1d.output_padding = {1};
  transpose2d.stride = {2};
  transpose2d.padding = {1};
  transpose2d.output_padding = {1};
  transpose2d.dilation = {2};
  auto relu = nn::RNNCell::Nonlinearity::Relu;
  return {
      {"Linear", makeLayer(nn::Linear(5, 3))},
      {"Linear without bias", makeLayer(nn::Linear(5, 3, false))},
      {"Conv1d", makeLayer(nn::Conv1d(4, 6, 3, conv1d))},
      {"Conv2d", makeLayer(nn::Conv2d(4, 6, {3, 2}, conv2d))},
      {"ConvTranspose1d", makeLayer(nn::ConvTranspose1d(4, 6, 3, transpose1d))},
      {"ConvTranspose2d",
       makeLayer(nn::ConvTranspose2d(4, 2, {3, 2}, transpose2d))},
      {"LayerNorm", makeLayer(nn::LayerNorm({5, 6}))},
      {"LayerNorm without weight", makeLayer(nn::LayerNorm({6}, 1e-3, false))},
      {"LayerNorm2d", makeLayer(nn::LayerNorm2d(4))},
      {"GroupNorm", makeLayer(nn::GroupNorm(2, 4))},
      {"InstanceNorm", makeLayer(nn::InstanceNorm(4))},
      {"Embedding", makeLayer(nn::Embedding(7, 3))},
      {"RNNCell", makeCell(nn::RNNCell(5, 2))},
      {"RNNCell with relu", makeCell(nn::RNNCell(5, 2, true, relu))},
      {"LSTMCell", makeLSTM(true)},
      {"LSTMCell without bias and state", makeLSTM(false)},
      {"GRUCell", makeCell(nn::GRUCell(5, 2))},
      {"GRUCell without state", makeCell(nn::GRUCell(5, 2))},
  };
}

static StateDict readState(const Json &entry) {
  StateDict state;
  for (const auto &[name, tensor] : entry.items())
    state.emplace(name, readTensor(tensor));
  return state;
}

/// Compares the gradients of the sum that make_torch_nn_values.py takes.
static void checkGrads(const std::vector<Tensor> &outputs,
                       const StateDict &state,
                       const std::vector<Tensor> &inputs, const Json &grads) {
  Tensor loss = Tensor::zeros({});
  for (const Tensor &output : outputs) {
    std::vector<float> weights;
    for (int64_t i = 0; i < output.numel(); ++i)
      weights.push_back(static_cast<float>(i % 7) - 2.5f);
    loss = loss + (output.flatten() * Tensor(weights)).sum();
  }
  loss.backward();
  for (const auto &[name, grad] : grads.items()) {
    SCOPED_TRACE(name);
    const Tensor &tensor =
        name.starts_with("input") ? inputs[name[5] - '0'] : state.at(name);
    ASSERT_TRUE(tensor.hasGrad());
    expectEntry(tensor.grad(), grad, 1e-4);
  }
}

TEST(Layers, values_and_gradients_of_pytorch) {
  std::map<std::string, Layer> layers = makeLayers();
  Json values = readTorchValues()["layers"];
  EXPECT_EQ(values.size(), layers.size());
  for (const Json &entry : values) {
    SCOPED_TRACE(entry["name"].get<std::string>());
    const Layer &layer = layers.at(entry["name"]);
    load_state_dict(layer.state, readState(entry["state"]));
    bool isEmbedding = entry["name"] == "Embedding";
    std::vector<Tensor> inputs;
    for (const Json &input : entry["inputs"])
      inputs.push_back(isEmbedding ? readTensor(input, DType::Int64)
                                   : readTensor(input).requires_grad_());
    std::vector<Tensor> outputs = layer.call(inputs);
    ASSERT_EQ(outputs.size(), entry["outputs"].size());
    for (size_t i = 0; i < outputs.size(); ++i)
      expectEntry(outputs[i], entry["outputs"][i]);
    checkGrads(outputs, layer.state, inputs, entry["grads"]);
  }
}

TEST(Layers, batchnorm_trains_and_evaluates_as_pytorch_s) {
  Json values = readTorchValues()["batchnorm"];
  ASSERT_EQ(values.size(), 2u);
  for (const Json &entry : values) {
    nn::BatchNorm2d norm(3, 1e-5, entry["affine"]);
    StateDict state = get_state_dict(norm);
    load_state_dict(norm, readState(entry["state"]));
    std::vector<Tensor> inputs;
    for (const Json &input : entry["inputs"])
      inputs.push_back(readTensor(input).requires_grad_());
    {
      TrainingGuard training;
      for (size_t i = 0; i < 2; ++i)
        expectEntry(norm(inputs[i]), entry["outputs"][i]);
      // One more step would change the statistics.
      norm.trackRunningStats = false;
      checkGrads({norm(inputs[1])}, state, {inputs[1]}, entry["grads"]);
    }
    for (const auto &[name, tensor] : entry["trained"].items())
      expectEntry(
          state.at(name).reshape(tensor["shape"].get<std::vector<int64_t>>()),
          tensor);
    expectEntry(norm(inputs[0]), entry["outputs"][2]);
  }
}

//===----------------------------------------------------------------------===//
// What is drawn
//===----------------------------------------------------------------------===//

/// Expects numbers that fill [-bound, bound].
static void expectUniform(const Tensor &tensor, double bound) {
  std::vector<double> values = tensor.toVector<double>();
  auto [low, high] = std::ranges::minmax(values);
  EXPECT_GE(low, -bound);
  EXPECT_LE(high, bound);
  EXPECT_LT(low, -0.9 * bound);
  EXPECT_GT(high, 0.9 * bound);
  EXPECT_NEAR(tensor.mean().item(), 0, 0.15 * bound);
}

TEST(Layers, weights_are_drawn_as_tinygrad_draws_them) {
  Tensor::manual_seed(1);
  nn::Linear linear(16, 300);
  expectUniform(linear.weight, 1.0 / 4);
  expectUniform(*linear.bias, 1.0 / 4);
  nn::Conv2d conv(8, 256, {3, 3}, [] {
    ConvOptions options;
    options.groups = 2;
    return options;
  }());
  expectUniform(conv.weight, 1.0 / 6);
  expectUniform(*conv.bias, 1.0 / 6);
  // The second axis of a transposed convolution's weight has the results.
  nn::ConvTranspose2d transposed(8, 256, {2});
  expectUniform(transposed.weight, 1.0 / 32);
  expectUniform(*transposed.bias, 1.0 / 32);
  expectUniform(nn::Embedding(100, 50).weight, std::sqrt(6.0 / 150));
  nn::LSTMCell cell(3, 100);
  expectUniform(cell.weight_ih, 0.1);
  expectUniform(*cell.bias_hh, 0.1);
}

TEST(Layers, parameters_want_gradients_and_statistics_do_not) {
  nn::BatchNorm2d norm(2);
  EXPECT_TRUE(norm.weight->requires_grad());
  EXPECT_FALSE(norm.running_mean.requires_grad());
  EXPECT_EQ(get_state_dict(nn::BatchNorm2d(2, 1e-5, false)).size(), 3u);
  EXPECT_TRUE(nn::GRUCell(1, 1).weight_hh.requires_grad());
}

//===----------------------------------------------------------------------===//
// Edges and bad input
//===----------------------------------------------------------------------===//

TEST(Layers, embedding_at_the_edges) {
  nn::Embedding layer(3, 2);
  layer.weight.assign(
      Tensor(std::vector<float>{1, 2, INFINITY, NAN, 5, 6}, {3, 2}));
  // Neither an infinite row nor one that is not there spoils the others.
  expectTensor(layer(Tensor(std::vector<int>{0, 2, 3, -1})), {4, 2},
               {1, 2, 5, 6, 0, 0, 0, 0});
  expectTensor(layer(Tensor(std::vector<int>{2}, {})), {2}, {5, 6});
  EXPECT_EQ(layer(Tensor::zeros({0, 4}, DType::Int32)).shape(),
            (Shape{0, 4, 2}));
  expectTensor(layer(Tensor(std::vector<float>{2, 0.5f})), {2, 2},
               {5, 6, 1, 2});
  expectError([&] { layer(Tensor::ones({2}, DType::Bool)); },
              "Embedding: expects indices that are numbers, got bool");
}

TEST(Layers, bad_sizes) {
  ConvOptions options;
  options.groups = 2;
  expectError([&] { nn::Conv2d(3, 6, {3}, options); },
              "Conv2d: expects a kernel, and channels that 2 groups share "
              "evenly, got [3], 6 and 3 channels");
  expectError([&] { nn::Conv2d(2, 2, {1, 2, 3}); },
              "Conv2d: expects a kernel, and channels that 1 groups share "
              "evenly, got [1, 2, 3], 2 and 2 channels");
  expectError([&] { nn::ConvTranspose1d(2, 2, 0); },
              "ConvTranspose1d: expects a kernel, and channels that 1 groups "
              "share evenly, got [0], 2 and 2 channels");
  expectError([&] { nn::GroupNorm(3, 4); },
              "GroupNorm: expects channels that 3 groups share evenly, got 4");
  expectError([&] { nn::LayerNorm(Shape{}); },
              "LayerNorm: expects the shape of at least one axis");
  expectError([&] { nn::LSTMCell(2, 0); },
              "RecurrentCell: expects positive sizes, got 2 and 0");
}

TEST(Layers, bad_inputs) {
  Tensor x = Tensor::ones({2, 3});
  expectError([&] { nn::Linear(4, 1)(x); },
              "Linear: expects an input of shape [.., 4], got [2, 3]");
  expectError(
      [&] { nn::BatchNorm2d(3)(x); },
      "BatchNorm2d: expects an input of shape [N, 3, H, W], got [2, 3]");
  expectError([&] { nn::LayerNorm({2, 3})(Tensor::ones({3})); },
              "LayerNorm: expects an input of shape [.., 2, 3], got [3]");
  expectError(
      [&] { nn::LayerNorm2d(3)(x); },
      "LayerNorm2d: expects an input of shape [N, 3, H, W], got [2, 3]");
  expectError([&] { nn::GroupNorm(1, 4)(x); },
              "GroupNorm: expects an input of shape [N, 4, ..], got [2, 3]");
  expectError([&] { nn::RNNCell(4, 1)(x); },
              "RNNCell: expects an input of shape [N, 4], got [2, 3]");
  expectError([&] { nn::GRUCell(3, 1)(x, Tensor::ones({2, 2})); },
              "GRUCell: expects a hidden state of shape [2, 1], got [2, 2]");
  EXPECT_THROW(nn::Conv2d(3, 1, {1})(x), Error);
  EXPECT_THROW(nn::ConvTranspose2d(3, 1, {1})(x), Error);
}

TEST(Layers, sequential) {
  nn::Linear layer(2, 2);
  Tensor x = Tensor::ones({1, 2});
  expectTensor(x.sequential({layer, relu}), {1, 2},
               layer(x).relu().toVector<double>());
}
