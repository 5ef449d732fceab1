//===- CacheTest.cpp - What engines keep for one another ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/CacheSchedule.h"
#include "GraphBuilder.h"
#include "TemporaryFolder.h"
#include "tinygrad/Engine/Environment.h"

#include <map>
#include <mutex>
#include <random>
#include <set>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

namespace {

struct Outcome {
  Values values;
  Engine::CompileStatistics statistics;
};

} // namespace

static std::shared_ptr<Engine> makeEngine(const std::string &folder,
                                          int numCompileThreads = 2) {
  Engine::Options options;
  options.numThreads = 1;
  options.cacheDirectory = folder;
  options.numCompileThreads = numCompileThreads;
  return llvm::cantFail(Engine::create(options));
}

/// A product of matrices and what follows from it: four kernels, and `scale`
/// stands in two of them.
static ops::Graph makeGraph(double scale = 2) {
  GraphBuilder builder;
  int32_t x = builder.input(DType::Float32, {3, 1, 4});
  int32_t w = builder.input(DType::Float32, {1, 5, 4});
  int32_t factor = builder.constant(
      ops::Scalar::fromDouble(DType::Float32, scale), {3, 5, 1});
  int32_t product = builder.op(
      ops::OpKind::Mul, {builder.op(ops::OpKind::Expand, {x}, {3, 5, 4}),
                         builder.op(ops::OpKind::Expand, {w}, {3, 5, 4})});
  int32_t sum = builder.op(ops::OpKind::ReduceSum, {product}, {3, 5, 1});
  int32_t scaled = builder.op(ops::OpKind::Mul, {sum, factor});
  int32_t largest = builder.op(ops::OpKind::ReduceMax, {scaled}, {1, 5, 1});
  int32_t total = builder.op(ops::OpKind::ReduceSum, {largest}, {1, 1, 1});
  return builder.build({scaled, largest, total});
}

static Outcome run(Engine &engine, const ops::Graph &graph = makeGraph()) {
  std::vector<double> x(12), w(20);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<double>(i) - 5;
  for (size_t i = 0; i < w.size(); ++i)
    w[i] = 3 - static_cast<double>(i % 7);
  Outcome outcome;
  std::vector<HostTensor> results =
      llvm::cantFail(runGraph(engine, graph,
                              {makeTensor(DType::Float32, {3, 1, 4}, x),
                               makeTensor(DType::Float32, {1, 5, 4}, w)}));
  for (const HostTensor &result : results)
    for (double value : getValues(result))
      outcome.values.push_back(value);
  outcome.statistics = engine.getCompileStatistics();
  return outcome;
}

static Values getExpected() {
  static const Values expected = run(*makeEngine("")).values;
  return expected;
}

TEST(CacheTest, startsWarmWithoutAPass) {
  TemporaryFolder folder;
  Outcome cold = run(*makeEngine(folder.getPath()));
  EXPECT_EQ(cold.values, getExpected());
  EXPECT_EQ(cold.statistics.kernels, 4);
  EXPECT_EQ(cold.statistics.kernelsCompiled, 4);
  EXPECT_EQ(cold.statistics.warmSchedules, 0);
  EXPECT_EQ(cold.statistics.warmSeconds, 0);
  EXPECT_EQ(listFiles(folder.getPath()).size(), 5u);

  Outcome warm = run(*makeEngine(folder.getPath()));
  EXPECT_EQ(warm.values, getExpected());
  EXPECT_EQ(warm.statistics.kernels, 4);
  EXPECT_EQ(warm.statistics.kernelsCompiled, 0);
  EXPECT_EQ(warm.statistics.kernelsOnDisk, 4);
  EXPECT_EQ(warm.statistics.warmSchedules, 1);
  EXPECT_GT(warm.statistics.warmSeconds, 0);
  EXPECT_EQ(warm.statistics.warmSeconds, warm.statistics.seconds);
}

TEST(CacheTest, findsKernelsInMemory) {
  std::shared_ptr<Engine> engine = makeEngine("");
  auto first = engine->compile(makeGraph());
  ASSERT_TRUE(bool(first)) << llvm::toString(first.takeError());
  Outcome other = run(*engine, makeGraph(3));
  EXPECT_EQ(other.statistics.kernelsCompiled, 6);
  EXPECT_EQ(other.statistics.kernelsInMemory, 2);
  first->reset();
  // What nobody holds is gone.
  Outcome again = run(*engine);
  EXPECT_EQ(again.values, getExpected());
  EXPECT_EQ(again.statistics.kernelsCompiled, 10);
}

TEST(CacheTest, showsTheCodeOfWhatComesFromTheFolder) {
  TemporaryFolder folder;
  std::mutex mutex;
  std::multiset<std::string> shown;
  auto makeEngine = [&] {
    Engine::Options options;
    options.cacheDirectory = folder.getPath();
    options.onCode = [&](const CodeRecord &record) {
      std::lock_guard lock(mutex);
      shown.insert(record.kernel + " " + record.stage + " " + record.text);
    };
    return llvm::cantFail(Engine::create(options));
  };
  std::shared_ptr<Engine> first = makeEngine();
  auto held = llvm::cantFail(first->compile(makeGraph()));
  std::multiset<std::string> compiled = std::exchange(shown, {});
  EXPECT_EQ(compiled.size(), 8u);
  // A schedule that is known, and one that shares two of its kernels.
  EXPECT_EQ(run(*makeEngine()).statistics.warmSchedules, 1);
  EXPECT_EQ(std::exchange(shown, {}), compiled);
  EXPECT_EQ(run(*makeEngine(), makeGraph(3)).statistics.kernelsOnDisk, 2);
  EXPECT_EQ(std::exchange(shown, {}).size(), 8u);
  // What the engine has was shown.
  EXPECT_EQ(run(*first).statistics.kernelsInMemory, 4);
  EXPECT_TRUE(shown.empty());
}

TEST(CacheTest, tellsApartWhatDiffers) {
  TemporaryFolder folder;
  run(*makeEngine(folder.getPath()));
  Outcome other = run(*makeEngine(folder.getPath()), makeGraph(3));
  EXPECT_EQ(other.statistics.kernelsCompiled, 2);
  EXPECT_EQ(other.statistics.kernelsOnDisk, 2);
  EXPECT_EQ(other.values, run(*makeEngine(""), makeGraph(3)).values);
  Engine::Options options;
  options.cacheDirectory = folder.getPath();
  options.optLevel = 0;
  Outcome level = run(*llvm::cantFail(Engine::create(options)));
  EXPECT_EQ(level.values, getExpected());
  EXPECT_EQ(level.statistics.warmSchedules, 0);
  EXPECT_GT(level.statistics.kernels, 3);
}

TEST(CacheTest, doesNotDependOnLocations) {
  TemporaryFolder folder;
  auto compile = [&](const std::string &fileName, const std::string &blank) {
    std::shared_ptr<Engine> engine = makeEngine(folder.getPath());
    auto executable = engine->compile(
        blank + "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {" +
            blank + "  %r = lazy.neg %x : tensor<4xf32>\n" +
            "  return %r : tensor<4xf32>\n}\n",
        fileName, "main");
    EXPECT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
    return engine->getCompileStatistics().warmSchedules;
  };
  EXPECT_EQ(compile("a.mlir", ""), 0);
  EXPECT_EQ(compile("b.mlir", "\n\n"), 1);
}

TEST(CacheTest, doesNotDependOnThreads) {
  TemporaryFolder one, four;
  run(*makeEngine(one.getPath(), 1));
  run(*makeEngine(four.getPath(), 4));
  std::vector<std::string> files = listFiles(one.getPath());
  EXPECT_EQ(files.size(), 5u);
  EXPECT_EQ(listFiles(four.getPath()).size(), files.size());
  for (const std::string &file : files)
    EXPECT_EQ(readBytes(file),
              readBytes(four.getPath() + file.substr(one.getPath().size())));
}

TEST(CacheTest, recompilesWhatIsDamagedOrGone) {
  TemporaryFolder folder;
  run(*makeEngine(folder.getPath()));
  std::mt19937 random(0);
  for (const std::string &file : listFiles(folder.getPath())) {
    const std::string good = readBytes(file);
    auto expectRepaired = [&] {
      Outcome outcome = run(*makeEngine(folder.getPath()));
      EXPECT_EQ(outcome.values, getExpected());
      EXPECT_EQ(outcome.statistics.warmSchedules, 0);
      EXPECT_EQ(readBytes(file), good);
    };
    std::filesystem::remove(file);
    expectRepaired();
    for (int i = 0; i < 5; ++i) {
      std::string bytes = good;
      bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
      writeBytes(file, bytes);
      expectRepaired();
    }
    writeBytes(file, good.substr(0, good.size() / 2));
    expectRepaired();
  }
  EXPECT_EQ(run(*makeEngine(folder.getPath())).statistics.warmSchedules, 1);
}

TEST(CacheTest, worksWithoutAUsableFolder) {
  TemporaryFolder temporary;
  writeBytes(temporary.getPath() + "/file", "no folder");
  Outcome outcome = run(*makeEngine(temporary.getPath() + "/file"));
  EXPECT_EQ(outcome.values, getExpected());
  EXPECT_EQ(outcome.statistics.kernelsCompiled, 4);
  Engine::Options options;
  options.cacheDirectory = temporary.getPath() + "/small";
  options.maxCacheBytes = 100;
  EXPECT_EQ(run(*llvm::cantFail(Engine::create(options))).values,
            getExpected());
  EXPECT_FALSE(std::filesystem::exists(options.cacheDirectory));
}

TEST(CacheTest, isUsedBySeveralProcesses) {
  TemporaryFolder folder;
  Values expected = getExpected();
  std::vector<pid_t> processes;
  for (int i = 0; i < 3; ++i)
    processes.push_back(startProcess([&] {
      for (int j = 0; j < 5; ++j)
        if (run(*makeEngine(folder.getPath())).values != expected)
          return false;
      return true;
    }));
  for (pid_t process : processes)
    EXPECT_TRUE(hasSucceeded(process));
  EXPECT_EQ(run(*makeEngine(folder.getPath())).statistics.warmSchedules, 1);
}

// A checksum says that bytes are as they were written, not that what wrote them
// was right.
TEST(CacheTest, readsOnlySchedulesThatCanRun) {
  std::vector<Signature> inputs = {{DType::Float32, {2, 3}}};
  std::vector<Signature> results = {{DType::UInt8, {4}}};
  StoredSchedule stored;
  stored.schedule.slots = {{DType::Float32, 6},
                           {DType::UInt8, 4},
                           {DType::Int64, 9},
                           {DType::Int64, 1}};
  std::vector<std::string> variables = {"i"};
  auto i = shape::IndexExpr::variable("i", 1, 5);
  stored.schedule.slots[2].numElements =
      *RuntimeSize::create(i * 3 + 1, variables);
  stored.schedule.slots[3].variable = 0;
  stored.schedule.steps = {{Step::Kind::Allocate, 0, {2}},
                           {Step::Kind::Kernel, 0, {0, 2, 3}},
                           {Step::Kind::Callback, 0, {2, 1}},
                           {Step::Kind::Free, 0, {2}}};
  stored.schedule.kernels = {"r_6"};
  stored.schedule.callbacks = {"rand"};
  stored.kernels.resize(1);
  stored.kernels[0].name = "r_6";
  stored.kernels[0].cost = {1, 2, 3};
  stored.keys = {"key"};
  const std::string bytes = serialize(stored);
  auto read = [&](const std::string &text) {
    return deserializeSchedule(text, inputs, results, variables);
  };
  std::optional<StoredSchedule> same = read(bytes);
  ASSERT_TRUE(same);
  EXPECT_EQ(serialize(*same), bytes);
  EXPECT_EQ(same->schedule.steps[1].slots, (std::vector<int32_t>{0, 2, 3}));
  EXPECT_EQ(same->schedule.slots[2].numElements.evaluate({{4}}), 13);
  EXPECT_EQ(same->kernels[0].cost.bytesWritten, 3);
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_FALSE(read(bytes.substr(0, i)));
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = bytes;
      other[i] ^= static_cast<char>(1 << bit);
      if (std::optional<StoredSchedule> changed = read(other))
        EXPECT_EQ(serialize(*changed), other);
    }
  }
  EXPECT_FALSE(read(bytes + '\0'));
  std::swap(inputs, results);
  EXPECT_FALSE(read(bytes));
  std::swap(inputs, results);

  auto expectRefused = [&](auto change) {
    StoredSchedule changed = stored;
    change(changed);
    EXPECT_FALSE(read(serialize(changed)));
  };
  auto step = [](StoredSchedule &s, size_t i) -> Step & {
    return s.schedule.steps[i];
  };
  expectRefused([&](auto &s) { step(s, 0).slots = {1}; });
  expectRefused([&](auto &s) { step(s, 0).slots = {2, 2}; });
  expectRefused([&](auto &s) { step(s, 0).slots = {3}; });
  expectRefused([&](auto &s) { step(s, 1).slots = {4}; });
  expectRefused([&](auto &s) { step(s, 1).slots = {3, 0}; });
  expectRefused([&](auto &s) { step(s, 1).slots = {-1}; });
  expectRefused([&](auto &s) { step(s, 1).index = 1; });
  expectRefused([&](auto &s) { step(s, 2).index = -1; });
  expectRefused([&](auto &s) { step(s, 2).slots = {}; });
  expectRefused([&](auto &s) { step(s, 3).slots = {0}; });
  expectRefused([&](auto &s) { step(s, 3).kind = Step::Kind(4); });
  expectRefused([&](auto &s) { s.schedule.slots[2].numElements = -1; });
  expectRefused([&](auto &s) { s.schedule.slots[2].type = DType(numDTypes); });
  expectRefused([&](auto &s) { s.schedule.slots[1].numElements = 3; });
  expectRefused([&](auto &s) { s.schedule.slots[1].variable = 0; });
  expectRefused([&](auto &s) { s.schedule.slots[3].variable = 1; });
  expectRefused([&](auto &s) { s.schedule.slots[3].variable = -2; });
  expectRefused(
      [&](auto &s) { s.schedule.slots[2].numElements.code.pop_back(); });
  variables.clear();
  EXPECT_FALSE(read(bytes));
  variables = {"i"};
  expectRefused([&](auto &s) { s.keys = {}; });
  expectRefused([&](auto &s) { s.kernels.push_back(s.kernels[0]); });
}

TEST(CacheTest, isWhereTheUserWantsIt) {
  using Variables = std::map<std::string, std::string>;
  auto choose = [](const Variables &variables) {
    return chooseCacheDirectory([&](const char *name) -> const char * {
      auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  EXPECT_EQ(choose({}), "");
  EXPECT_EQ(choose({{"HOME", "/users/a"}}), "/users/a/.cache/tinygrad-mlir");
  EXPECT_EQ(choose({{"HOME", "/users/a"}, {"XDG_CACHE_HOME", "/caches"}}),
            "/caches/tinygrad-mlir");
  EXPECT_EQ(choose({{"HOME", "/users/a"}, {"XDG_CACHE_HOME", "caches"}}),
            "/users/a/.cache/tinygrad-mlir");
  EXPECT_EQ(choose({{"HOME", "/users/a"}, {"TINYGRAD_CACHE_DIR", "here"}}),
            "here");
  EXPECT_EQ(choose({{"HOME", "/users/a"}, {"TINYGRAD_CACHE_DIR", ""}}), "");
  EXPECT_EQ(choose({{"HOME", "/users/a"}, {"TINYGRAD_CACHE", "0"}}), "");
  EXPECT_EQ(choose({{"TINYGRAD_CACHE_DIR", "here"}, {"TINYGRAD_CACHE", "1"}}),
            "here");
}
