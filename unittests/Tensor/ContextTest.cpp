//===- ContextTest.cpp - Contexts, failures and threads -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Engine.h"

#include "TensorTest.h"

#include <cstdlib>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

/// An engine that can be told to fail.
class FailingEngine : public engine::Engine {
public:
  explicit FailingEngine(std::shared_ptr<Engine> inner)
      : inner(std::move(inner)) {}

  runtime::Device &getDevice() override { return inner->getDevice(); }
  llvm::Expected<runtime::DeviceRef>
  getDevice(const std::string &name) override {
    return inner->getDevice(name);
  }
  llvm::Error registerDevice(const std::string &name,
                             runtime::DeviceFactory factory) override {
    return inner->registerDevice(name, std::move(factory));
  }
  llvm::Expected<std::shared_ptr<engine::Executable>>
  compile(const ops::Graph &graph, std::stop_token stop,
          engine::Watch *watch) override {
    if (isBroken)
      return llvm::createStringError("error: no registers left");
    return inner->compile(graph);
  }
  llvm::Expected<std::shared_ptr<engine::Executable>>
  compile(const std::string &text, const std::string &fileName,
          const std::string &entry, std::stop_token stop,
          engine::Watch *watch) override {
    return inner->compile(text, fileName, entry);
  }
  llvm::Expected<std::vector<ops::ScheduleRecord>>
  schedule(const ops::Graph &graph) override {
    return inner->schedule(graph);
  }
  void registerCallback(const std::string &name,
                        engine::Callback callback) override {
    inner->registerCallback(name, std::move(callback));
  }
  CompileStatistics getCompileStatistics() const override {
    return inner->getCompileStatistics();
  }

  bool isBroken = true;

private:
  std::shared_ptr<Engine> inner;
};

} // namespace

static std::shared_ptr<engine::Engine> makeEngine() {
  engine::Engine::Options options;
  options.device = "INTERP";
  return cantFail(engine::Engine::create(options));
}

TEST(Context, a_failed_compilation_changes_nothing) {
  auto engine = std::make_shared<FailingEngine>(makeEngine());
  Context::Scope scope(Context::create(engine));
  Tensor x(std::vector<float>{1, 2});
  Tensor y = x + 1;
  try {
    y.realize();
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.getOp(), "realize");
    EXPECT_EQ(error.getCompilerText(), "error: no registers left");
    EXPECT_EQ(error.what(), "realize: cannot compile the graph (" +
                                error.getPlace() +
                                ")\nerror: no registers left");
  }
  EXPECT_FALSE(y.isRealized());
  engine->isBroken = false;
  expectTensor(y, {2}, {2, 3});
}

TEST(Context, two_contexts_share_an_engine) {
  std::shared_ptr<engine::Engine> engine = makeEngine();
  ContextRef a = Context::create(engine), b = Context::create(engine);
  for (const ContextRef &context : {a, b}) {
    Context::Scope scope(context);
    expectTensor(Tensor::arange(2) + 1, {2}, {1, 2});
    EXPECT_EQ(context->getStatistics().misses, 1);
  }
}

TEST(Context, scopes_nest) {
  ContextRef a = Context::create(makeEngine()),
             b = Context::create(makeEngine());
  Context::Scope outer(a);
  {
    Context::Scope inner(b);
    EXPECT_EQ(Context::getCurrent(), b);
  }
  EXPECT_EQ(Context::getCurrent(), a);
}

TEST(Context, a_tensor_keeps_its_context) {
  std::optional<Tensor> x;
  {
    Context::Scope scope(Context::create(makeEngine()));
    x = Tensor::arange(3);
  }
  // Computed where the tensor lives, though another context is current.
  expectTensor((*x * 2).argmax(), {}, {2});
}

TEST(Context, environment) {
  setenv("TINYGRAD_THREADS", "3", 1);
  setenv("TINYGRAD_OPT", "4", 1);
  setenv("TINYGRAD_DEVICE", "INTERP", 1);
  Context::Options options = Context::readEnvironment();
  EXPECT_EQ(options.numThreads, 3);
  EXPECT_EQ(options.optLevel, 4);
  EXPECT_EQ(options.device, "INTERP");
  EXPECT_FALSE(options.profile);
  setenv("TINYGRAD_OPT", "5", 1);
  expectError([] { Context::readEnvironment(); },
              "Context: expects TINYGRAD_OPT to be an integer from 0 to 4, got "
              "`5`");
  for (const char *name :
       {"TINYGRAD_THREADS", "TINYGRAD_OPT", "TINYGRAD_DEVICE"})
    unsetenv(name);
}

/// Computes something that depends on `number` in the current context.
static double compute(int number) {
  Tensor x = Tensor::full({16}, number).requires_grad_();
  ((x * x).sum() / 16.0).backward();
  return (x.grad() * 8.0).mean().item();
}

TEST(Context, threads_with_one_context_and_with_their_own) {
  ContextRef shared = Context::create(makeEngine());
  std::vector<std::thread> threads;
  std::vector<double> results(8);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      Context::Scope scope(i % 2 ? shared : Context::create(makeEngine()));
      for (int k = 0; k < 20; ++k)
        results[i] += compute(i + k) - k;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 8; ++i)
    EXPECT_NEAR(results[i], 20 * i, 1e-3);
}
