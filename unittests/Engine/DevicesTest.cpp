//===- DevicesTest.cpp - Programs on several devices - c ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceBuffers.h"
#include "GraphBuilder.h"
#include "ToyDevice.h"
#include "tinygrad/Engine/Engine.h"

#include "gtest/gtest.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

namespace {

/// The tests run with each of the engine's own devices.
class DevicesTest : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    Engine::Options options;
    options.device = GetParam();
    options.numThreads = 2;
    options.devices["TOY"] = toy::ToyDevice::create;
    engine = llvm::cantFail(Engine::create(options));
  }

  /// Runs `main` of a module in which `!host`, `!toy`, … are vectors of four
  /// floats; the inputs are put where the signature wants them.
  llvm::Expected<std::vector<runtime::BufferRef>>
  run(const std::string &text, std::vector<std::vector<float>> inputs) {
    auto executable = compile(text);
    if (!executable)
      return executable.takeError();
    std::vector<runtime::BufferRef> buffers;
    for (size_t i = 0; i < inputs.size(); ++i)
      buffers.push_back(
          makeBuffer(*engine, (*executable)->getInputs()[i].device, inputs[i]));
    return (*executable)->run(buffers);
  }
  llvm::Expected<std::shared_ptr<Executable>> compile(const std::string &text) {
    return engine->compile(
        "!cpu = tensor<4xf32>\n" + makeType("host", 4, "HOST") +
            makeType("toy", 4, "TOY") + makeType("toy1", 4, "TOY:1") +
            makeType("disk", 4, "DISK:" + path.string()) + text,
        "devices.mlir", "main");
  }
  int64_t countLaunches(const std::string &name) {
    return static_cast<toy::ToyDevice &>(
               *llvm::cantFail(engine->getDevice(name)))
        .getNumLaunches();
  }

  std::shared_ptr<Engine> engine;
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("devices-test-" + std::to_string(getpid()));

public:
  ~DevicesTest() override { std::filesystem::remove(path); }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, DevicesTest,
                         ::testing::Values("INTERP", "CPU", "TOY"),
                         [](const auto &info) { return info.param; });

TEST_P(DevicesTest, copiesFromAndToTheHost) {
  auto results = run("func.func @main(%x: !host, %y: !cpu) -> (!host, !cpu) {\n"
                     "  %0 = lazy.copy %x : !host -> !cpu\n"
                     "  %1 = lazy.add %0, %y : !cpu\n"
                     "  %2 = lazy.copy %1 : !cpu -> !host\n"
                     "  return %2, %1 : !host, !cpu\n"
                     "}\n",
                     {{1, 2, 3, 4}, {10, 20, 30, 40}});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ((*results)[0]->getDevice().getName(), "HOST");
  EXPECT_EQ(readFloats(*(*results)[0]), (Floats{11, 22, 33, 44}));
  EXPECT_EQ(&(*results)[1]->getDevice(), &engine->getDevice());
  EXPECT_EQ(readFloats(*(*results)[1]), (Floats{11, 22, 33, 44}));
}

TEST_P(DevicesTest, copiesPartsOfTheHost) {
  auto results =
      run("func.func @main(%x: !host) -> (tensor<2xf32>, tensor<3xf32>) {\n"
          "  %0 = lazy.shrink %x begin [2] end [4] : !host -> tensor<2xf32, "
          "#lazy.type<device = \"HOST\">>\n"
          "  %1 = lazy.copy %0 : tensor<2xf32, #lazy.type<device = \"HOST\">> "
          "-> tensor<2xf32>\n"
          "  %2 = lazy.stride %x [-2] : !host -> tensor<2xf32, "
          "#lazy.type<device = \"HOST\">>\n"
          "  %3 = lazy.pad %2 low [1] high [0] : tensor<2xf32, "
          "#lazy.type<device = \"HOST\">> -> tensor<3xf32, #lazy.type<device = "
          "\"HOST\">>\n"
          "  %4 = lazy.copy %3 : tensor<3xf32, #lazy.type<device = \"HOST\">> "
          "-> tensor<3xf32>\n"
          "  return %1, %4 : tensor<2xf32>, tensor<3xf32>\n"
          "}\n",
          {{1, 2, 3, 4}});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(readFloats(*(*results)[0]), (Floats{3, 4}));
  EXPECT_EQ(readFloats(*(*results)[1]), (Floats{0, 4, 2}));
}

// Views, constants, unused inputs and one value twice: each result is a buffer
// where its type says.
TEST_P(DevicesTest, returnsWhatIsNotComputed) {
  auto results = run("func.func @main(%x: !host) -> (!host, tensor<2x2xf32, "
                     "#lazy.type<device = \"HOST\">>, !cpu, !cpu) {\n"
                     "  %0 = lazy.reshape %x : !host -> tensor<2x2xf32, "
                     "#lazy.type<device = \"HOST\">>\n"
                     "  %1 = lazy.copy %x : !host -> !cpu\n"
                     "  return %x, %0, %1, %1 : !host, tensor<2x2xf32, "
                     "#lazy.type<device = \"HOST\">>, !cpu, !cpu\n"
                     "}\n",
                     {{1, 2, 3, 4}});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  for (const runtime::BufferRef &result : *results)
    EXPECT_EQ(readFloats(*result), (Floats{1, 2, 3, 4}));
  EXPECT_NE((*results)[2], (*results)[3]);
}

TEST_P(DevicesTest, computesOnSeveralDevices) {
  auto results = run("func.func @main(%x: !cpu, %y: !toy1) -> (!cpu, !toy1) {\n"
                     "  %0 = lazy.neg %x : !cpu\n"
                     "  %1 = lazy.copy %0 : !cpu -> !toy1\n"
                     "  %2 = lazy.add %1, %y : !toy1\n"
                     "  %3 = lazy.neg %2 : !toy1\n"
                     "  %4 = lazy.contiguous %3 : !toy1\n"
                     "  %5 = lazy.copy %4 : !toy1 -> !cpu\n"
                     "  return %5, %3 : !cpu, !toy1\n"
                     "}\n",
                     {{1, 2, 3, 4}, {10, 20, 30, 40}});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(readFloats(*(*results)[0]), (Floats{-9, -18, -27, -36}));
  EXPECT_EQ(readFloats(*(*results)[1]), (Floats{-9, -18, -27, -36}));
  EXPECT_EQ((*results)[1]->getDevice().getName(), "TOY:1");
  // The interpreter computes wherever values are.
  EXPECT_EQ(countLaunches("TOY:1") > 0, GetParam() != "INTERP");
  if (GetParam() == "TOY")
    EXPECT_EQ(countLaunches("TOY"), 1);
}

TEST_P(DevicesTest, callsBackWithTheBuffersOfAllDevices) {
  std::vector<std::string> names;
  engine->registerCallback("fill",
                           [&](std::span<const runtime::BufferRef> buffers) {
                             for (const runtime::BufferRef &buffer : buffers)
                               names.push_back(buffer->getDevice().getName());
                             Floats values = readFloats(*buffers[0]);
                             for (float &value : values)
                               value *= 2;
                             return buffers.back()->copyIn(values.data(), 16);
                           });
  auto results = run("!both = tensor<8xf32, #lazy.type<device = \"HOST\">>\n"
                     "func.func @main(%both: !both) -> !toy1 {\n"
                     "  %x = lazy.shrink %both begin [4] end [8] : !both -> "
                     "!host\n"
                     "  %0 = lazy.custom \"fill\"(%x) : (!host) -> !toy1\n"
                     "  %1 = lazy.neg %0 : !toy1\n"
                     "  return %1 : !toy1\n"
                     "}\n",
                     {{0, 0, 0, 0, 1, 2, 3, 4}});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(readFloats(*(*results)[0]), (Floats{-2, -4, -6, -8}));
  // The interpreter's callbacks see its own buffers.
  if (GetParam() != "INTERP")
    EXPECT_EQ(names, (std::vector<std::string>{"HOST", "TOY:1"}));
  EXPECT_PRED2(contains,
               getError(compile("func.func @main(%x: !host) -> !toy1 {\n"
                                "  %0 = lazy.custom \"no\"(%x) : (!host) -> "
                                "!toy1\n"
                                "  return %0 : !toy1\n"
                                "}\n")),
               "devices.mlir:7:8: error: 'lazy.custom' op expects a callback "
               "`no`, but none is registered");
}

TEST_P(DevicesTest, readsAndWritesFiles) {
  const char *text = "func.func @main() -> (tensor<2xf32>, !cpu) {\n"
                     "  %0 = lazy.empty : !disk\n"
                     "  %1 = lazy.reshape %0 : !disk -> tensor<4xf32, "
                     "#lazy.type<device = \"PATH\">>\n"
                     "  %2 = lazy.shrink %1 begin [1] end [3] : !disk -> "
                     "tensor<2xf32, #lazy.type<device = \"PATH\">>\n"
                     "  %3 = lazy.copy %2 : tensor<2xf32, #lazy.type<device = "
                     "\"PATH\">> -> tensor<2xf32>\n"
                     "  %4 = lazy.copy %0 : !disk -> !cpu\n"
                     "  return %3, %4 : tensor<2xf32>, !cpu\n"
                     "}\n";
  std::string reading = text;
  for (size_t at; (at = reading.find("PATH")) != std::string::npos;)
    reading.replace(at, 4, "DISK:" + path.string());
  EXPECT_PRED2(contains, getError(run(reading, {})),
               "cannot read `" + path.string() + "`: No such file");
  auto written = run("func.func @main(%x: !cpu) -> !disk {\n"
                     "  %0 = lazy.neg %x : !cpu\n"
                     "  %1 = lazy.copy %0 : !cpu -> !disk\n"
                     "  return %1 : !disk\n"
                     "}\n",
                     {{1, 2, 3, 4}});
  ASSERT_TRUE(bool(written)) << llvm::toString(written.takeError());
  EXPECT_EQ(readFloats(*(*written)[0]), (Floats{-1, -2, -3, -4}));
  EXPECT_EQ(std::filesystem::file_size(path), 16u);
  auto results = run(reading, {});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(readFloats(*(*results)[0]), (Floats{-2, -3}));
  EXPECT_EQ(readFloats(*(*results)[1]), (Floats{-1, -2, -3, -4}));
}

TEST_P(DevicesTest, emitsGraphsWithDevices) {
  ops::Graph graph;
  auto add = [&](ops::GraphNode node) { graph.nodes.push_back(node); };
  add({std::nullopt, {}, {4}, DType::Float32, {}, "HOST"});
  add({ops::OpKind::Copy, {0}, {4}, DType::Float32, {}, ""});
  add({ops::OpKind::Neg, {1}, {4}, DType::Float32, {}, ""});
  graph.inputs = {0};
  graph.outputs = {2};
  auto executable = llvm::cantFail(engine->compile(graph));
  EXPECT_EQ(executable->getInputs()[0].device, "HOST");
  EXPECT_EQ(executable->getOutputs()[0].device, "");
  auto results = executable->run(std::vector<runtime::BufferRef>{
      makeBuffer(*engine, "HOST", {1, 2, 3, 4})});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(readFloats(*(*results)[0]), (Floats{-1, -2, -3, -4}));

  EXPECT_EQ(getError(executable->run(std::vector<runtime::BufferRef>{
                makeBuffer(*engine, "", {1, 2, 3, 4})})),
            "expects input 0 on device `HOST`, got one on `" + GetParam() +
                "`");
  graph.nodes[2].device = "HOST";
  EXPECT_PRED2(contains, getError(engine->compile(graph)),
               "expects operands and result on one device, got 'CPU' and "
               "'HOST'");
  graph.nodes[2].device = "CPU";
  EXPECT_PRED2(contains, getError(engine->compile(graph)),
               "node 2 (`lazy.neg`): expects the name of another device than "
               "the default one, got `CPU`");
}

TEST_P(DevicesTest, saysWhatIsWrong) {
  if (GetParam() == "INTERP")
    return;
  EXPECT_PRED2(contains,
               getError(compile("func.func @main(%x: !host) -> !host {\n"
                                "  %0 = lazy.neg %x : !host\n"
                                "  return %0 : !host\n"
                                "}\n")),
               "devices.mlir:7:8: error: expects values on a device that "
               "computes, got `HOST`, which holds data only");
  EXPECT_PRED2(
      contains,
      getError(compile("func.func @main(%x: tensor<4xf32, #lazy.type<device = "
                       "\"GPU\">>) -> !cpu {\n"
                       "  %0 = lazy.copy %x : tensor<4xf32, #lazy.type<device "
                       "= \"GPU\">> -> !cpu\n"
                       "  return %0 : !cpu\n"
                       "}\n")),
      "expects a device of `CPU`, `DISK`, `HOST`, `INTERP`, `TOY`, got `GPU`");
  // A file is one piece of memory: a second buffer of it would be the first.
  EXPECT_PRED2(contains,
               getError(compile("func.func @main(%x: !disk) -> tensor<2x2xf32, "
                                "#lazy.type<device = \"DISK:" +
                                path.string() +
                                "\">> {\n"
                                "  %0 = lazy.reshape %x : !disk -> "
                                "tensor<2x2xf32, #lazy.type<device = \"DISK:" +
                                path.string() +
                                "\">>\n"
                                "  return %0 : tensor<2x2xf32, "
                                "#lazy.type<device = \"DISK:" +
                                path.string() +
                                "\">>\n"
                                "}\n")),
               "which holds data only");
}

TEST_P(DevicesTest, findsDevicesByName) {
  EXPECT_EQ(llvm::cantFail(engine->getDevice("")).get(), &engine->getDevice());
  EXPECT_EQ(llvm::cantFail(engine->getDevice(GetParam())).get(),
            &engine->getDevice());
  EXPECT_EQ(llvm::cantFail(engine->getDevice("host:0")),
            llvm::cantFail(engine->getDevice("HOST")));
  EXPECT_EQ(
      llvm::toString(engine->registerDevice("TOY", toy::ToyDevice::create)),
      "device `TOY` is registered");
  EXPECT_EQ(
      llvm::toString(engine->registerDevice("NEW", toy::ToyDevice::create)),
      "");
  EXPECT_TRUE(bool(llvm::cantFail(engine->getDevice("new:3"))));
  EXPECT_PRED2(contains, getError(engine->getDevice("CPU:1")),
               "expects one device `CPU`, got `CPU:1`");
  Engine::Options options;
  options.device = "HOST";
  EXPECT_PRED2(contains, getError(Engine::create(options)),
               "expects a device that runs kernels, got `HOST`, which holds "
               "data only");
  options.device = "CPU";
  options.devices["cpu"] = toy::ToyDevice::create;
  EXPECT_PRED2(contains, getError(Engine::create(options)), "in capitals");
}

// Kernels of a device take the values of variables in buffers there.
TEST_P(DevicesTest, takesVariables) {
  auto type = [](const std::string &device) {
    return "tensor<?xf32, #lazy.type<device = \"" + device +
           "\", dims = [#i]>>\n";
  };
  auto executable =
      compile("#i = #lazy.variable<i, 1, 8>\n"
              "!h = " +
              type("HOST") + "!t = " + type("TOY:1") +
              "!c = tensor<?xf32, #lazy.type<dims = [#i]>>\n"
              "func.func @main(%n: index {lazy.variable = #i}, %x: !h) -> (!h, "
              "!c) {\n"
              "  %0 = lazy.copy %x : !h -> !t\n"
              "  %1 = lazy.neg %0 : !t\n"
              "  %2 = lazy.copy %1 : !t -> !c\n"
              "  %3 = lazy.mul %2, %2 : !c\n"
              "  %4 = lazy.copy %1 : !t -> !h\n"
              "  return %4, %3 : !h, !c\n"
              "}\n");
  ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
  for (const Floats &values : {Floats{1, 2, 3}, Floats{4}}) {
    auto results = (*executable)
                       ->run({{makeBuffer(*engine, "HOST", values)}},
                             {.variables = {{"i", int64_t(values.size())}}});
    ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
    Floats negated, squares;
    for (float value : values) {
      negated.push_back(-value);
      squares.push_back(value * value);
    }
    EXPECT_EQ(readFloats(*(*results)[0]), negated);
    EXPECT_EQ(readFloats(*(*results)[1]), squares);
  }
}
