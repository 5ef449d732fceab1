//===- SharingTest.cpp - Memory that others know, too ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Sharing.h"
#include "TensorTest.h"
#include "tinygrad/Tensor/Jit.h"

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

/// Memory of somebody else, and whether it was given back.
struct Foreign {
  explicit Foreign(std::vector<float> values, size_t offset = 0)
      : values(std::move(values)), memory(this->values.data() + offset,
                                          [this](void *) { isFree = true; }) {}

  std::vector<float> values;
  bool isFree = false;
  std::shared_ptr<void> memory;
};

class Sharing : public ::testing::TestWithParam<const char *> {
protected:
  Sharing() : context(makeContext()), scope(context) {}

  static ContextRef makeContext() {
    Context::Options options;
    options.device = GetParam();
    options.numThreads = 1;
    return Context::create(options);
  }
  static float *getFloats(const Tensor &tensor) {
    return static_cast<float *>(shareElements(tensor).memory.get());
  }

  ContextRef context;
  Context::Scope scope;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, Sharing, ::testing::Values("INTERP", "CPU"),
                         [](const auto &info) { return info.param; });

TEST_P(Sharing, shows_the_elements_where_they_are) {
  Tensor x = Tensor(std::vector<float>{1, 2, 3}) + 1;
  float *elements = getFloats(x);
  EXPECT_EQ(elements[2], 4);
  EXPECT_EQ(getFloats(x), elements);
  elements[0] = 10;
  EXPECT_EQ(x.toVector<float>(), (std::vector<float>{10, 3, 4}));
  EXPECT_EQ((x * 2).toVector<float>(), (std::vector<float>{20, 6, 8}));
}

TEST_P(Sharing, keeps_the_memory_of_a_tensor) {
  SharedElements kept;
  {
    Tensor x = Tensor(std::vector<float>{1, 2, 3}) * 2;
    kept = shareElements(x);
  }
  Tensor other = Tensor(std::vector<float>{7, 8, 9}) * 2;
  other.realize();
  EXPECT_FALSE(kept.isReadOnly);
  EXPECT_EQ(static_cast<float *>(kept.memory.get())[2], 6);
}

TEST_P(Sharing, keeps_the_memory_of_others) {
  Foreign foreign({0, 1, 2, 3}, 1);
  {
    Tensor x =
        fromSharedElements({std::move(foreign.memory)}, {3}, DType::Float32);
    EXPECT_EQ(getFloats(x), foreign.values.data() + 1);
    foreign.values[1] = 5;
    // What is computed later keeps it, too.
    Tensor y = x + 1;
    x = Tensor(0);
    EXPECT_FALSE(foreign.isFree);
    EXPECT_EQ(y.toVector<float>(), (std::vector<float>{6, 3, 4}));
  }
  EXPECT_TRUE(foreign.isFree);
}

TEST_P(Sharing, an_assign_leaves_the_memory_alone) {
  Foreign foreign({1, 2});
  Tensor x = fromSharedElements({foreign.memory}, {2}, DType::Float32);
  x.assign(x * 3);
  EXPECT_EQ(x.toVector<float>(), (std::vector<float>{3, 6}));
  EXPECT_EQ(foreign.values, (std::vector<float>{1, 2}));

  float *shown = getFloats(x);
  x.assign(x + 1);
  EXPECT_EQ(x.toVector<float>(), (std::vector<float>{4, 7}));
  EXPECT_NE(getFloats(x), shown);
}

TEST_P(Sharing, a_captured_step_leaves_the_memory_alone) {
  Foreign foreign({1, 2});
  Tensor state = fromSharedElements({foreign.memory}, {2}, DType::Float32);
  auto step = jit([&](const Tensor &x) {
    state.assign(state + x);
    return state * 2;
  });
  for (int i = 1; i <= 5; ++i) {
    SharedElements shown = shareElements(state);
    std::vector<float> before = state.toVector<float>();
    EXPECT_EQ(step(Tensor(std::vector<float>{1, 1})).toVector<float>(),
              (std::vector<float>{2.f * (1 + i), 2.f * (2 + i)}));
    auto *elements = static_cast<float *>(shown.memory.get());
    EXPECT_EQ(std::vector<float>(elements, elements + 2), before);
  }
  EXPECT_EQ(foreign.values, (std::vector<float>{1, 2}));
}

TEST_P(Sharing, no_second_tensor_changes) {
  Foreign foreign({1, 2});
  Tensor x = fromSharedElements({foreign.memory}, {2}, DType::Float32);
  std::vector<Tensor> computed = {x + 0, x * 1, x + 0};
  realize(computed);
  foreign.values[0] = 5;
  for (const Tensor &value : computed)
    EXPECT_EQ(value.toVector<float>(), (std::vector<float>{1, 2}));
  // Two results of one run may be one buffer.
  getFloats(computed[0])[1] = 7;
  EXPECT_EQ(computed[2].toVector<float>(), (std::vector<float>{1, 2}));

  // A captured step returns no shared memory either.
  auto step = jit([](const Tensor &a) { return a + 0; });
  for (int i = 0; i < 4; ++i)
    EXPECT_NE(getFloats(step(x)), getFloats(x));
}

TEST_P(Sharing, read_only_memory_stays_read_only) {
  Foreign foreign({1, 2});
  Tensor x = fromSharedElements({foreign.memory, true}, {2}, DType::Float32);
  EXPECT_TRUE(shareElements(x).isReadOnly);
  EXPECT_EQ(getFloats(x), foreign.values.data());
  EXPECT_FALSE(shareElements(x + 1).isReadOnly);
  x.assign(x + 1);
  EXPECT_FALSE(shareElements(x).isReadOnly);
  EXPECT_EQ(foreign.values, (std::vector<float>{1, 2}));
}

TEST_P(Sharing, tells_what_it_cannot_do) {
  Foreign foreign({1, 2});
  std::shared_ptr<void> odd(foreign.memory,
                            static_cast<char *>(foreign.memory.get()) + 1);
  expectError([&] { fromSharedElements({odd}, {1}, DType::Float32); },
              "fromSharedElements: cannot share the memory: expects memory "
              "aligned to the 4 bytes of an element");
  expectError([&] { fromSharedElements({}, {1}, DType::Float32); },
              "fromSharedElements: expects memory, got null");
  EXPECT_EQ(fromSharedElements({}, {0, 3}, DType::Float32).shape(),
            (Shape{0, 3}));
  auto step = jit([](const Tensor &x) {
    shareElements(x);
    return x + 1;
  });
  step(Tensor(std::vector<float>{1}));
  expectError([&] { step(Tensor(std::vector<float>{1})); },
              "TinyJit: cannot capture a function that shares the memory of "
              "tensors; return them instead");
}
