//===- StateDictTest.cpp - Tensors by name --------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/NN.h"
#include "tinygrad/Tensor/State.h"

#include "TensorTest.h"

#include <filesystem>
#include <fstream>

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

/// A model with layers under names and in a list.
struct Model {
  nn::Conv2d conv{1, 2, {3}};
  std::vector<nn::Linear> layers = {nn::Linear(4, 3), nn::Linear(3, 2, false)};

  void collect(StateCollector &collector) const {
    collector.add("conv", conv);
    collector.add("layers", layers);
  }
};

/// A model with all that a collector takes.
struct Parts {
  std::map<std::string, std::vector<Tensor>> lists = {
      {"a", {Tensor(1), Tensor(2)}}, {"b", {}}};
  std::array<Tensor, 2> pair = {Tensor(3), Tensor(4)};
  std::optional<Tensor> some = Tensor(5), none;
  std::shared_ptr<nn::Linear> shared = std::make_shared<nn::Linear>(1, 1);
  std::unique_ptr<nn::Linear> absent;

  void collect(StateCollector &collector) const {
    collector.add("lists", lists);
    collector.add("pair", pair);
    collector.add("some", some);
    collector.add("none", none);
    collector.add("shared", shared);
    collector.add("absent", absent);
  }
};

} // namespace

static std::vector<std::string> getNames(const StateDict &state) {
  std::vector<std::string> names;
  for (const auto &entry : state)
    names.push_back(entry.first);
  return names;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST(StateDict, models_by_name) {
  Model model;
  EXPECT_EQ(
      getNames(get_state_dict(model)),
      (std::vector<std::string>{"conv.bias", "conv.weight", "layers.0.bias",
                                "layers.0.weight", "layers.1.weight"}));
  // In the order of the model.
  std::vector<Tensor> parameters = get_parameters(model);
  ASSERT_EQ(parameters.size(), 5u);
  EXPECT_EQ(parameters[0].getImpl(), model.conv.weight.getImpl());
  EXPECT_EQ(getNames(get_state_dict(model.layers, "part")),
            (std::vector<std::string>{"part.0.bias", "part.0.weight",
                                      "part.1.weight"}));
  EXPECT_EQ(getNames(get_state_dict(model.layers[1])),
            (std::vector<std::string>{"weight"}));
  EXPECT_EQ(getNames(get_state_dict(Tensor(1))),
            (std::vector<std::string>{""}));
}

TEST(StateDict, lists_maps_and_pointers) {
  EXPECT_EQ(
      getNames(get_state_dict(Parts())),
      (std::vector<std::string>{"lists.a.0", "lists.a.1", "pair.0", "pair.1",
                                "shared.bias", "shared.weight", "some"}));
}

TEST(StateDict, two_tensors_of_one_name) {
  StateCollector collector;
  collector.add("x", Tensor(1));
  collector.add("x", Tensor(2));
  expectError([&] { get_state_dict(collector); },
              "get_state_dict: expects one tensor for each name, got two "
              "called `x`");
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

TEST(StateDict, loading_another_model_s) {
  Tensor::manual_seed(1);
  Model model, other;
  KeyDifference difference = load_state_dict(other, get_state_dict(model));
  EXPECT_TRUE(difference.missing.empty() && difference.unexpected.empty());
  expectTensor(other.layers[0].weight, {3, 4},
               model.layers[0].weight.toVector<double>());
  EXPECT_TRUE(other.conv.weight.requires_grad());
  // They are variables of their own.
  model.layers[0].weight.assign(Tensor::zeros({3, 4}));
  EXPECT_NE(other.layers[0].weight.abs().sum().item(), 0);
}

TEST(StateDict, names_that_differ) {
  Model model;
  std::vector<float> before = model.conv.bias->toVector<float>();
  StateDict state = get_state_dict(Model());
  state.erase("layers.1.weight");
  state.erase("conv.weight");
  expectError([&] { load_state_dict(model, state); },
              "load_state_dict: expects the names of the model, got none of "
              "`conv.weight`, `layers.1.weight`");
  state.emplace("more", Tensor(1));
  state.emplace("less", Tensor(1));
  expectError([&] { load_state_dict(model, state); },
              "load_state_dict: expects the names of the model, got none of "
              "`conv.weight`, `layers.1.weight`, and also `less`, `more`");
  EXPECT_EQ(model.conv.bias->toVector<float>(), before);

  KeyDifference difference = load_state_dict(model, state, /*strict=*/false);
  EXPECT_EQ(difference.missing,
            (std::vector<std::string>{"conv.weight", "layers.1.weight"}));
  EXPECT_EQ(difference.unexpected, (std::vector<std::string>{"less", "more"}));
  EXPECT_EQ(model.conv.bias->toVector<float>(),
            state.at("conv.bias").toVector<float>());
}

TEST(StateDict, all_shapes_that_differ) {
  Model model;
  std::vector<float> before = model.conv.bias->toVector<float>();
  StateDict state = get_state_dict(Model());
  state.insert_or_assign("conv.weight", Tensor::zeros({1}));
  state.insert_or_assign("layers.1.weight", Tensor::zeros({3, 2}));
  for (bool strict : {true, false})
    expectError([&] { load_state_dict(model, state, strict); },
                "load_state_dict: expects `conv.weight` to be [2, 1, 3, 3], "
                "got [1], and `layers.1.weight` to be [2, 3], got [3, 2]");
  EXPECT_EQ(model.conv.bias->toVector<float>(), before);
}

TEST(StateDict, types_are_converted) {
  StateDict target = {{"half", Tensor::zeros({2}, DType::Float16)},
                      {"count", Tensor::zeros({1}, DType::Int64)}};
  load_state_dict(target, {{"half", Tensor(std::vector<double>{0.1, 1e6})},
                           {"count", Tensor(3.0f)}});
  EXPECT_EQ(target.at("half").dtype(), DType::Float16);
  expectTensor(target.at("half"), {2}, {0.0999755859375, INFINITY}, 0);
  expectTensor(target.at("count"), {1}, {3});
}

TEST(StateDict, nothing_changes_where_a_value_cannot_be_read) {
  std::string path =
      (std::filesystem::temp_directory_path() / "state_dict_test").string() +
      std::to_string(getpid());
  safe_save({{"a", Tensor::ones({4})}, {"b", Tensor::ones({1 << 16})}}, path);
  StateDict loaded = safe_load(path, "DISK");
  StateDict target = {{"a", Tensor::zeros({4})},
                      {"b", Tensor::zeros({1 << 16})}};
  Tensor before = target.at("a") + 1;
  // As where a disk fails, or somebody cuts the file.
  Context::Options options;
  options.maxBytes = 1 << 12;
  ContextRef small = Context::create(options);
  {
    Context::Scope scope(small);
    StateDict smallTarget = {{"a", Tensor::zeros({4})},
                             {"b", Tensor::zeros({1 << 16})}};
    StateDict smallSource = safe_load(path, "DISK");
    EXPECT_THROW(load_state_dict(smallTarget, smallSource), Error);
    expectTensor(smallTarget.at("a"), {4}, {0, 0, 0, 0});
  }
  load_state_dict(target, loaded);
  EXPECT_TRUE(target.at("b").isRealized());
  expectTensor(target.at("b").sum(), {}, {1 << 16});
  expectTensor(before, {4}, {1, 1, 1, 1});
  // What was loaded does not need the file any more.
  std::filesystem::remove(path);
  expectTensor(target.at("a"), {4}, {1, 1, 1, 1});
}
