//===- ScheduleTest.cpp - Tests of schedules and of who holds values ------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Schedule.h"

#include "TensorTest.h"
#include "tinygrad/Tensor/Jit.h"
#include "tinygrad/Tensor/Lazy.h"
#include "tinygrad/Tensor/Sharing.h"

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

/// A context that forms tinygrad's kernels at a level.
ContextRef makeReference(int level) {
  Context::Options options;
  options.optLevel = level;
  options.countsHolders = true;
  options.numThreads = 1;
  return Context::create(options);
}

class Holders : public testing::Test {
protected:
  Holders() : context(makeReference(2)), scope(context) {}

  /// Returns how many kernels run for it.
  int64_t countKernels(const Tensor &x) {
    int64_t before = context->getCounters().kernels;
    x.realize();
    return context->getCounters().kernels - before;
  }

  ContextRef context;
  Context::Scope scope;
};

std::vector<float> range(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(i));
  return values;
}

TEST(Schedule, TellsWhatAKernelComputes) {
  Tensor x(range(6), {2, 3}), y(range(6), {2, 3});
  Schedule plan = schedule({(x.permute({1, 0}) * y.permute({1, 0})).sum(1)});
  ASSERT_EQ(plan.getNumKernels(), 1);
  const ops::ScheduleRecord &record = plan.items[0].record;
  EXPECT_EQ(record.kind, ops::ScheduleRecord::Kind::Kernel);
  EXPECT_EQ(record.inputs, (std::vector<int32_t>{0, 1}));
  ASSERT_EQ(plan.inputs.size(), 2u);
  std::vector<std::string> words;
  for (const ops::KernelNode &node : record.tree)
    words.push_back(node.op);
  EXPECT_EQ(words, (std::vector<std::string>{"load", "load", "mul",
                                             "reduce_sum", "store"}));
  EXPECT_EQ(record.tree[0].tracker->toString(),
            shape::SymbolicShapeTracker::fromShape({2, 3})
                .permute(std::vector<int64_t>{1, 0})
                .toString());
  EXPECT_EQ(record.flops, 12);
  EXPECT_EQ(record.bytesWritten, 12);
  EXPECT_NE(record.text.find("lazy.kernel"), std::string::npos);
}

TEST(Schedule, ComputesNothing) {
  Tensor x = Tensor(range(4)) + 1;
  int64_t before = Context::getCurrent()->getCounters().kernels;
  EXPECT_EQ(schedule({x}).getNumKernels(), 1);
  EXPECT_EQ(Context::getCurrent()->getCounters().kernels, before);
  EXPECT_FALSE(x.isRealized());
  x.realize();
  EXPECT_EQ(schedule({x}).items.size(), 0u);
}

TEST(Schedule, ReadsWhatIsKnown) {
  Tensor x(range(4));
  Tensor y = x.sum(0), z = y.exp2() + 1;
  Schedule all = schedule({z}), rest = schedule({z}, {y});
  ASSERT_EQ(all.getNumKernels(), 1);
  ASSERT_EQ(rest.getNumKernels(), 1);
  EXPECT_EQ(all.items[0].record.tree.size(), 6u);
  EXPECT_EQ(rest.items[0].record.tree.size(), 5u);
  EXPECT_EQ(getValueNumber(rest.inputs[0]), getValueNumber(y));
}

TEST(Schedule, SaysWhichValueAStepComputes) {
  Tensor a(range(4));
  Tensor sum = a.sum(0), out = sum.expand({4}) * a;
  Schedule plan = schedule({out});
  ASSERT_EQ(plan.getNumKernels(), 2);
  ASSERT_TRUE(plan.items[1].value.has_value());
  EXPECT_EQ(getValueNumber(*plan.items[1].value), getValueNumber(out));
  EXPECT_EQ(plan.items[1].record.inputs[0], -1);
}

TEST(Schedule, OperandsAreCastWhereTheyAreRead) {
  Tensor x(range(8), {2, 4});
  Tensor w = Tensor(range(12), {4, 3}).cast(DType::Float16).realize();
  Tensor product = x.matmul(w);
  EXPECT_EQ(schedule({product}).getNumKernels(), 1);
  EXPECT_EQ(product.toVector<float>(),
            (std::vector<float>{42, 48, 54, 114, 136, 158}));
  // One that somebody asks for is an operation like any other.
  EXPECT_EQ(schedule({x.matmul(w.cast(DType::Float32))}).getNumKernels(), 2);
}

TEST(Schedule, JoiningWithNothingIsNoKernel) {
  Tensor x = Tensor(range(6), {2, 3}).realize();
  Tensor joined = cat({Tensor::zeros({0, 3}), x}, 0);
  EXPECT_EQ(schedule({joined * 2}).getNumKernels(), 1);
  EXPECT_EQ(getBufferIdentity(joined.realize()), getBufferIdentity(x));
}

TEST(Schedule, WhatIsStoredIsCastByOneKernel) {
  Tensor x = Tensor(range(6), {2, 3}).realize();
  Tensor stored =
      castToStore((x + 1).pad({{1, 1}, {0, 0}}).contiguous(), DType::Float16);
  EXPECT_EQ(stored.dtype(), DType::Float16);
  EXPECT_EQ(schedule({stored}).getNumKernels(), 1);
  EXPECT_EQ(stored.cast(DType::Float32).toVector<float>(),
            (std::vector<float>{0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0}));
}

TEST_F(Holders, AValueThatIsUsedElsewhereIsAKernel) {
  Tensor a(range(256), {16, 16}), b(range(256), {16, 16});
  Tensor sum = (a * b).sum(), other = sum + 2;
  EXPECT_EQ(countKernels(sum + 1), 2);
  // And it is not computed again.
  EXPECT_EQ(countKernels(other), 1);
}

TEST_F(Holders, WithoutAnotherUseItIsNone) {
  Tensor a(range(256), {16, 16}), b(range(256), {16, 16});
  EXPECT_EQ(countKernels((a * b).sum() + 1), 1);
}

TEST_F(Holders, WhatIsWrittenTwiceIsComputedOnce) {
  Tensor a(range(16)), b(range(16));
  Tensor c = a * b, d = a * b;
  EXPECT_EQ(countKernels(c), 1);
  EXPECT_EQ(countKernels(d), 0);
  EXPECT_EQ(getBufferIdentity(c), getBufferIdentity(d));
}

TEST_F(Holders, ValuesDoNotDependOnThem) {
  Tensor a(range(12), {3, 4});
  Tensor held = a.sum(0);
  Tensor out = held * 2 + a.sum(0).exp2();
  Tensor later = held - 1;
  std::vector<float> values = out.toVector<float>();
  for (int i = 0; i < 4; ++i) {
    float sum = static_cast<float>(3 * i + 12);
    EXPECT_EQ(values[i], sum * 2 + std::exp2(sum));
  }
  EXPECT_EQ(later.toVector<float>()[1], 14);
}

TEST_F(Holders, ACapturedStepComputesNothingTwice) {
  Tensor w(range(16), {4, 4}), w2 = (w / 64).realize();
  auto compute = [&](const Tensor &x) {
    Tensor h = x;
    for (int i = 0; i < 4; ++i) {
      Tensor y = h.matmul(w2);
      (y + 1).realize();
      h = h + y.sin();
    }
    return h;
  };
  Tensor x(range(16), {4, 4});
  std::vector<float> expected = compute(x).toVector<float>();
  int64_t before = context->getCounters().kernels;
  compute(x).realize();
  int64_t numKernels = context->getCounters().kernels - before;
  TinyJit step(compute);
  for (int i = 0; i < 3; ++i) {
    before = context->getCounters().kernels;
    EXPECT_EQ(step(x).toVector<float>(), expected);
    EXPECT_EQ(context->getCounters().kernels - before, numKernels);
  }
  EXPECT_EQ(step.getNumKernels(), numKernels);
}

TEST_F(Holders, AViewOfAllElementsHasNoMemoryOfItsOwn) {
  Tensor x = (Tensor(range(6), {2, 3}) + 1).realize();
  Tensor view = x.reshape({3, 2}), turned = x.permute({1, 0});
  EXPECT_EQ(countKernels(view), 0);
  EXPECT_EQ(getBufferIdentity(view), getBufferIdentity(x));
  EXPECT_EQ(countKernels(turned), 1);
  EXPECT_EQ(countKernels(x.shrink({{0, 1}, {0, 3}})), 1);
  // It keeps its elements.
  x.assign(x * 2);
  x.realize();
  expectTensor(view, {3, 2}, {1, 2, 3, 4, 5, 6});
  expectTensor(x, {2, 3}, {2, 4, 6, 8, 10, 12});
  // What somebody else may write to is not the view's.
  shareElements(x);
  EXPECT_EQ(countKernels(x.reshape({6})), 1);
}

TEST_F(Holders, CountsEachRun) {
  Tensor a(range(8));
  std::vector<std::string> names;
  context->setRunObserver([&](const std::vector<std::string> &kernels) {
    names.insert(names.end(), kernels.begin(), kernels.end());
  });
  Context::Counters before = context->getCounters();
  (a + 1).realize();
  context->setRunObserver(nullptr);
  (a + 2).realize();
  Context::Counters after = context->getCounters();
  EXPECT_EQ(names, (std::vector<std::string>{"e_8"}));
  EXPECT_EQ(after.kernels - before.kernels, 2);
  EXPECT_EQ(after.flops - before.flops, 16);
  EXPECT_EQ(after.bytes - before.bytes, 128);
}

TEST(Lazy, ShowsTheBaseOfViews) {
  Tensor x(range(6), {2, 3});
  auto [base, tracker] = getBase(x.permute({1, 0}).reshape({6}));
  EXPECT_EQ(getValueNumber(base), getValueNumber(x));
  EXPECT_EQ(tracker.getViews().size(), 2u);
  EXPECT_EQ(getBufferIdentity(base), getBufferIdentity(x));
  EXPECT_EQ(getBufferIdentity(x + 1), nullptr);
}

TEST(Lazy, TellsWhatMakesAValue) {
  Tensor x(range(6), {2, 3});
  LazyValue value = inspect(x.permute({1, 0}));
  EXPECT_EQ(value.kind, ops::OpKind::Permute);
  EXPECT_EQ(value.ints, (Shape{1, 0}));
  ASSERT_EQ(value.operands.size(), 1u);
  EXPECT_FALSE(inspect(x).kind.has_value());
  EXPECT_TRUE(inspect(Tensor::empty({2})).isUnset);
}

TEST(Lazy, MakesOperations) {
  Tensor x(range(3)), y(range(3));
  Tensor sum = makeLazy(ops::OpKind::Add, {x, y}, DType::Float32);
  EXPECT_EQ(sum.toVector<float>(), (std::vector<float>{0, 2, 4}));
  EXPECT_THROW(makeLazy(ops::OpKind::Add, {x}, DType::Float32), Error);
  EXPECT_THROW(
      makeLazy(ops::OpKind::Add, {x, Tensor(range(4))}, DType::Float32), Error);
  EXPECT_THROW(makeLazy(ops::OpKind::Const, {}, DType::Float32), Error);
}

TEST(Lazy, WritesElements) {
  Tensor x(range(3));
  std::vector<float> values = {7, 8, 9};
  writeElements(x, values.data(), 12);
  EXPECT_EQ(x.toVector<float>(), values);
  EXPECT_THROW(writeElements(x, values.data(), 8), Error);
  EXPECT_THROW(writeElements(x + 1, values.data(), 12), Error);
}

} // namespace
