//===- DevicesTest.cpp - Tests of tensors on several devices --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "ToyDevice.h"
#include "tinygrad/Engine/Engine.h"
#include "tinygrad/Tensor/State.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

class Devices : public testing::Test {
protected:
  Devices()
      : engine(llvm::cantFail(engine::Engine::create({}))),
        scope(Context::create(engine)),
        folder(std::filesystem::temp_directory_path() /
               ("tensor-devices-test-" + std::to_string(getpid()))),
        path((folder / "data").string()), disk("DISK:" + path) {
    llvm::cantFail(engine->registerDevice("TOY", toy::ToyDevice::create));
    std::filesystem::create_directories(folder);
  }
  ~Devices() override { std::filesystem::remove_all(folder); }

  std::vector<float> readFile() {
    std::vector<float> values(std::filesystem::file_size(path) / 4);
    std::ifstream(path, std::ios::binary)
        .read(reinterpret_cast<char *>(values.data()),
              std::streamsize(values.size() * 4));
    return values;
  }
  int64_t countKernels() { return engine->getCompileStatistics().kernels; }

  std::shared_ptr<engine::Engine> engine;
  Context::Scope scope;
  std::filesystem::path folder;
  std::string path, disk;
};

using Floats = std::vector<float>;

} // namespace

// Nothing to copy, and yet there is a file afterwards.
TEST_F(Devices, files_without_elements) {
  for (const Tensor &x : {Tensor::zeros({0}), Tensor::zeros({2, 0}) + 1}) {
    std::filesystem::remove(path);
    Tensor y = x.to(disk).realize();
    EXPECT_EQ(y.device(), disk);
    EXPECT_EQ(y.shape(), x.shape());
    EXPECT_EQ(y.toVector<float>(), Floats());
    EXPECT_EQ(readFile(), Floats());
  }
}

// A file may have any name.
TEST_F(Devices, file_called_0) {
  std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  Tensor(Floats{1, 2}).to("disk:0").realize();
  std::filesystem::current_path(before);
  EXPECT_EQ(std::filesystem::file_size(folder / "0"), 8u);
}

TEST_F(Devices, to_moves_values) {
  Tensor x(Floats{1, 2, 3});
  EXPECT_EQ(x.device(), "CPU");
  Tensor y = x.to("host");
  EXPECT_EQ(y.device(), "HOST");
  EXPECT_FALSE(y.isRealized());
  expectTensor(y, {3}, {1, 2, 3});
  EXPECT_EQ(y.to("cpu").device(), "CPU");
  EXPECT_EQ(y.to("").device(), "CPU");
  expectTensor(y.to("CPU") + 1, {3}, {2, 3, 4});
  // To where it is: the same tensor.
  EXPECT_TRUE(x.to("CPU").isRealized());
  // What is computed is copied too, and a constant.
  expectTensor((x * 2).to("HOST").to("CPU"), {3}, {2, 4, 6});
  expectTensor(Tensor::full({2}, 7).to("HOST"), {2}, {7, 7});
  expectTensor(x.to("HOST").to("TOY").to("HOST"), {3}, {1, 2, 3});
}

TEST_F(Devices, whole_buffers_are_copied_without_a_program) {
  Tensor x(Floats{1, 2, 3});
  x.to("HOST").to("TOY").realize();
  EXPECT_EQ(engine->getCompileStatistics().schedules, 1);
  x.to("HOST").realize().to("TOY").realize();
  EXPECT_EQ(engine->getCompileStatistics().schedules, 1);
}

TEST_F(Devices, computes_where_values_are) {
  Tensor x = Tensor(Floats{1, 2, 3}).to("TOY");
  // Constants and parameters are wherever they are needed.
  Tensor y = (x * 2 + Tensor::ones({3}) * Tensor::parameter(3.f)).sum();
  EXPECT_EQ(y.device(), "TOY");
  EXPECT_EQ(y.item<float>(), 21);
  auto &toy =
      static_cast<toy::ToyDevice &>(*llvm::cantFail(engine->getDevice("TOY")));
  EXPECT_EQ(toy.getNumLaunches(), 1);
  // What was realized as a constant is moved.
  Tensor one = Tensor::ones({3}).realize();
  expectTensor(x + one, {3}, {2, 3, 4});
  // The same graph on another device is another one.
  expectTensor(Tensor(Floats{1, 2, 3}).to("TOY:1") + one, {3}, {2, 3, 4});
  EXPECT_EQ(toy.getNumLaunches(), 2);
}

TEST_F(Devices, gradients_go_back_to_where_values_are) {
  Tensor x = Tensor(Floats{1, 2, 3}).requires_grad_();
  Tensor w = Tensor(Floats{4, 5, 6}).to("TOY").requires_grad_();
  (x.to("TOY") * w).to("CPU").square().sum().backward();
  EXPECT_EQ(x.grad().device(), "CPU");
  EXPECT_EQ(w.grad().device(), "TOY");
  expectTensor(x.grad(), {3}, {32, 100, 216});
  expectTensor(w.grad(), {3}, {8, 40, 108});
  w.assign(w - w.grad() * 0.5);
  EXPECT_EQ(w.device(), "TOY");
  expectTensor(w, {3}, {0, -15, -48});
  w.assign(Tensor::zeros({3}));
  EXPECT_EQ(w.device(), "TOY");
}

TEST_F(Devices, say_what_is_wrong) {
  Tensor x(Floats{1, 2, 3});
  expectError([&] { x + x.to("HOST"); },
              "add: expects operands on one device, got `CPU` and `HOST`; `to` "
              "moves them");
  expectError(
      [&] { x.assign(x.to("TOY")); },
      "assign: expects a value on the tensor's device `CPU`, got one on "
      "`TOY`; `to` moves it");
  try {
    x.to("GPU");
    ADD_FAILURE();
  } catch (const Error &error) {
    EXPECT_EQ(error.getCompilerText(),
              "expects a device of `CPU`, `DISK`, `HOST`, `INTERP`, `TOY`, got "
              "`GPU`");
  }
  try {
    (x.to("HOST") + 1).realize();
    ADD_FAILURE();
  } catch (const Error &error) {
    EXPECT_NE(error.getCompilerText().find("got `HOST`, which holds data only"),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW(x.to("DISK"), Error);
}

//===----------------------------------------------------------------------===//
// Files, as in test_disk_tensor.py
//===----------------------------------------------------------------------===//

TEST_F(Devices, write_ones) {
  Tensor out = Tensor::ones({10, 10}).to("disk:" + path);
  EXPECT_EQ(out.device(), disk);
  EXPECT_FALSE(std::filesystem::exists(path));
  out.realize();
  EXPECT_EQ(readFile(), Floats(100, 1));
  Tensor reloaded = Tensor::empty({10, 10}, DType::Float32, disk);
  expectTensor(reloaded, {10, 10}, std::vector<double>(100, 1));
  // What nobody has set is not written.
  reloaded = Tensor::empty({10, 10}).to(disk);
  expectTensor(reloaded, {10, 10}, std::vector<double>(100, 1));
  EXPECT_EQ(reloaded.to("CPU").sum().item<float>(), 100);
}

TEST_F(Devices, views_of_files) {
  Tensor(Floats{1, 2, 3, 4, 5, 6}).to(disk).realize();
  Tensor file = Tensor::empty({6}, DType::Float32, disk);
  int64_t kernels = countKernels();
  Tensor rows = file.reshape({3, 2}).shrink({{1, 3}, {0, 2}});
  EXPECT_EQ(rows.device(), disk);
  rows.realize();
  expectTensor(rows, {2, 2}, {3, 4, 5, 6});
  expectTensor(file.reshape({2, 3}).to("CPU"), {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(countKernels(), kernels);
  // A view of other elements is made where kernels run. The file stays.
  expectTensor(file.reshape({3, 2}).permute({1, 0}), {2, 3},
               {1, 3, 5, 2, 4, 6});
  expectTensor(file.flip({0}).to("CPU") + 1, {6}, {7, 6, 5, 4, 3, 2});
  expectTensor(file.shrink({{2, 4}}).pad({{1, 0}}), {3}, {0, 3, 4});
  expectError([&] { file.flip({0}).realize(); },
              "realize: expects a view of elements that lie side by side on "
              "device `" +
                  disk + "`; `to` moves them");
  EXPECT_EQ(readFile(), (Floats{1, 2, 3, 4, 5, 6}));
  // A file can be copied to another one, and a view of what is written read.
  Tensor copy = file.to(disk + "2");
  expectTensor(copy.reshape({3, 2}).realize(), {3, 2}, {1, 2, 3, 4, 5, 6});
}

// As in tinygrad, where a file is written at once.
TEST_F(Devices, assign_to_views_of_files) {
  Tensor(Floats{1, 2, 3, 4, 5, 6}).to(disk).realize();
  Tensor file = Tensor::empty({6}, DType::Float32, disk);
  file.shrink({{2, 4}}).assign(Tensor(Floats{7, 8}));
  EXPECT_EQ(readFile(), (Floats{1, 2, 7, 8, 5, 6}));
  expectTensor(file, {6}, {1, 2, 7, 8, 5, 6});
  // What is computed, what was to be moved there, a constant, and the file's
  // own elements, which overlap.
  Tensor row = file.reshape({3, 2}).shrink({{0, 1}, {0, 2}});
  row.assign(Tensor(Floats{1, 2}, {1, 2}) * 5);
  EXPECT_EQ(readFile(), (Floats{5, 10, 7, 8, 5, 6}));
  file.shrink({{4, 6}}).assign(Tensor(Floats{3, 4}).to(disk));
  EXPECT_EQ(readFile(), (Floats{5, 10, 7, 8, 3, 4}));
  file.shrink({{0, 1}}).assign(Tensor::full({1}, 9));
  file.shrink({{1, 6}}).assign(file.shrink({{0, 5}}));
  EXPECT_EQ(readFile(), (Floats{9, 9, 10, 7, 8, 3}));
  file.assign(file.flip({0}));
  EXPECT_EQ(readFile(), (Floats{3, 8, 7, 10, 9, 9}));
  // A tensor that is to become a file is one first.
  Tensor other = Tensor::zeros({3}).to(disk + "2");
  other.shrink({{1, 2}}).assign(Tensor(Floats{1}));
  expectTensor(Tensor::empty({3}, DType::Float32, disk + "2"), {3}, {0, 1, 0});
  expectError([&] { file.flip({0}).assign(file); },
              "realize: expects a view of elements that lie side by side on "
              "device `" +
                  disk + "`; `to` moves them");
  EXPECT_EQ(readFile(), (Floats{3, 8, 7, 10, 9, 9}));
}

TEST_F(Devices, files_say_what_is_wrong) {
  auto expectReason = [](const std::function<void()> &fn,
                         const std::string &reason) {
    try {
      fn();
      ADD_FAILURE() << "no error; expected: " << reason;
    } catch (const Error &error) {
      EXPECT_EQ(error.getCompilerText(), reason);
    }
  };
  expectReason([&] { Tensor::empty({2}, DType::Float32, disk); },
               "cannot read `" + path + "`: No such file or directory");
  Tensor(Floats{1}).to(disk).realize();
  expectReason([&] { Tensor::empty({2}).to(disk); },
               "cannot read `" + path +
                   "`: expects at least 8 bytes, got a file of 4");
  expectReason(
      [&] { Tensor(Floats{1}).to("DISK:" + path + "/file").realize(); },
      "cannot write `" + path + "/file`: Not a directory");
}

TEST_F(Devices, safetensors_stay_in_the_file) {
  std::string file = (folder / "model.safetensors").string();
  StateDict saved = {{"w", Tensor(Floats{1, 2, 3, 4}, {2, 2})},
                     {"b", Tensor(std::vector<int8_t>{5, -6, 7})},
                     {"flag", Tensor(std::vector<bool>{true, false})},
                     {"none", Tensor::zeros({0, 3})}};
  safe_save(saved, file);
  StateDict loaded = safe_load(file, "DISK");
  EXPECT_EQ(loaded.at("w").device(), "DISK:" + file);
  expectTensor(loaded.at("w"), {2, 2}, {1, 2, 3, 4});
  expectTensor(loaded.at("w").shrink({{1, 2}, {0, 2}}).to("CPU"), {1, 2},
               {3, 4});
  expectTensor(loaded.at("b").to("CPU") * 2, {3}, {10, -12, 14});
  expectTensor(loaded.at("flag"), {2}, {1, 0});
  expectTensor(loaded.at("none"), {0, 3}, {});
  // Saving over the file replaces it: what was loaded still reads the old one.
  StateDict again = safe_load(file);
  EXPECT_EQ(again.at("w").device(), "CPU");
  EXPECT_TRUE(again.at("w").isRealized());
  safe_save({{"w", Tensor(Floats{9})}}, file);
  expectTensor(loaded.at("w"), {2, 2}, {1, 2, 3, 4});
  // To any device; a state dict takes what is elsewhere.
  EXPECT_EQ(safe_load(file, "TOY").at("w").device(), "TOY");
  StateDict target = {{"w", Tensor::zeros({1}).realize()}};
  load_state_dict(target, safe_load(file, "DISK"));
  EXPECT_EQ(target.at("w").device(), "CPU");
  expectTensor(target.at("w"), {1}, {9});
  // What is in one file can be saved to another one.
  safe_save(loaded, (folder / "copy").string());
  expectTensor(safe_load((folder / "copy").string()).at("b"), {3}, {5, -6, 7});
}
