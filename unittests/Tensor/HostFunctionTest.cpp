//===- HostFunctionTest.cpp - Tensors that the host computes --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/HostFunction.h"

#include "TensorTest.h"

#include "tinygrad/Tensor/Jit.h"
#include "tinygrad/Tensor/Module.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

class HostFunctions : public ::testing::TestWithParam<const char *> {
protected:
  HostFunctions() {
    Context::Options options;
    options.device = GetParam();
    scope.emplace(Context::create(options));
    registerHostFunction("atan2", [this](std::span<const HostArray> arrays) {
      ++numCalls;
      auto *y = static_cast<const float *>(arrays[0].data);
      auto *x = static_cast<const float *>(arrays[1].data);
      for (int64_t i = 0; i < arrays[2].numElements; ++i)
        static_cast<float *>(arrays[2].data)[i] = std::atan2(y[i], x[i]);
    });
  }

  static Tensor atan2(const Tensor &y, const Tensor &x) {
    return callHostFunction("atan2", {y, x}, y.shape(), DType::Float32);
  }

  std::optional<Context::Scope> scope;
  int numCalls = 0;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, HostFunctions,
                         ::testing::Values("INTERP", "CPU"),
                         [](const auto &info) { return info.param; });

TEST_P(HostFunctions, run_when_their_result_is_realized) {
  Tensor y = Tensor({1.f, 2.f, 3.f, 4.f}, {2, 2}).permute({1, 0});
  Tensor x = Tensor({1.f, 1.f, 1.f, 1.f}, {2, 2});
  Tensor angle = atan2(y, x) * 2;
  EXPECT_EQ(numCalls, 0);
  // The inputs are row-major there, whatever views they are.
  expectTensor(angle, {2, 2},
               {2 * std::atan(1.), 2 * std::atan(3.), 2 * std::atan(2.),
                2 * std::atan(4.)});
  EXPECT_EQ(numCalls, 1);
}

TEST_P(HostFunctions, run_in_captured_steps) {
  TinyJit step(
      [](const Tensor &y, const Tensor &x) { return atan2(y + 1, x); });
  for (float i = 0; i < 4; ++i)
    expectTensor(step(Tensor({i}), Tensor({2.f})), {1},
                 {std::atan2(i + 1, 2.f)});
  EXPECT_EQ(numCalls, 4);
}

TEST_P(HostFunctions, have_the_gradient_of_a_function) {
  Function angle{
      [](const std::vector<Tensor> &in) { return atan2(in[0], in[1]); },
      [](const std::vector<Tensor> &in, const Tensor &,
         const Tensor &grad) -> std::vector<std::optional<Tensor>> {
        Tensor norm = in[0] * in[0] + in[1] * in[1];
        return {grad * in[1] / norm, grad * -in[0] / norm};
      }};
  Tensor y({1.f, 2.f}), x({3.f, 4.f});
  y.requires_grad_();
  x.requires_grad_();
  angle.apply({y, x}).sum().backward();
  expectTensor(y.grad(), {2}, {0.3, 0.2});
  expectTensor(x.grad(), {2}, {-0.1, -0.1});
}

TEST_P(HostFunctions, without_a_registration_end_with_who_needs_them) {
  std::vector<std::weak_ptr<float>> factors;
  auto scale = [&](float factor, const Tensor &x) {
    auto held = std::make_shared<float>(factor);
    factors.push_back(held);
    return callHostFunction(
        "scale",
        [held](std::span<const HostArray> arrays) {
          *static_cast<float *>(arrays[1].data) =
              *held * *static_cast<const float *>(arrays[0].data);
        },
        {x}, x.shape(), x.dtype());
  };
  auto count = [&] {
    return std::ranges::count_if(
        factors, [](const auto &factor) { return !factor.expired(); });
  };
  Tensor x({3.f});
  Tensor waiting = scale(2, x), last = scale(4, x);
  int64_t before = Context::getCurrent()->getStatistics().misses;
  for (float i = 0; i < 5; ++i)
    expectTensor(scale(i, x), {1}, {3. * i});
  EXPECT_EQ(Context::getCurrent()->getStatistics().misses, before + 1);
  EXPECT_EQ(count(), 2);
  expectTensor(waiting, {1}, {6});
  // That number is taken by another one, and the others keep theirs.
  Tensor other = scale(5, x);
  expectTensor(last, {1}, {12});
  expectTensor(other, {1}, {15});
  EXPECT_EQ(count(), 0);
  {
    TinyJit step([&](const Tensor &x) { return scale(7, x) + 1; });
    for (float i = 0; i < 4; ++i)
      expectTensor(step(Tensor({i})), {1}, {7. * i + 1});
    EXPECT_EQ(count(), 1);
  }
  EXPECT_EQ(count(), 0);
  {
    Tensor forgotten = scale(1, x);
  }
  EXPECT_EQ(count(), 0);
}

TEST_P(HostFunctions, of_a_module_stay_with_the_context) {
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> weak = held;
  Module module = [&] {
    auto run = [held](std::span<const HostArray> arrays) {
      *static_cast<float *>(arrays[0].data) = 8;
    };
    return Module::trace(
        {callHostFunction("eight", run, {}, {1}, DType::Float32)});
  }();
  held.reset();
  expectTensor(module.compile()({})[0], {1}, {8});
  EXPECT_FALSE(weak.expired());
  scope.reset();
  EXPECT_TRUE(weak.expired());
}

TEST_P(HostFunctions, fail_with_the_text_of_what_they_throw) {
  registerHostFunction("fails", [](std::span<const HostArray>) {
    throw std::runtime_error("no more paper");
  });
  Tensor result = callHostFunction("fails", {Tensor({1.f})}, {1}, DType::Int32);
  try {
    result.realize();
    ADD_FAILURE();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("no more paper"),
              std::string::npos);
  }
  EXPECT_THROW(callHostFunction("unknown", {}, {1}, DType::Int32).realize(),
               Error);
}
