//===- WatchTest.cpp - Work that asks whether to go on --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Watch.h"
#include "tinygrad/Tensor/Context.h"
#include "tinygrad/Tensor/Jit.h"

#include "TensorTest.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::test;
using engine::Progress;

namespace {

/// Notes what it is told, and stops at a place.
class Notes : public engine::Watch {
public:
  std::vector<Progress> notes;
  /// The stage and the number of kernels at which it stops.
  std::optional<std::pair<Progress::Stage, int64_t>> place;
  bool isOnOtherThread = false;

  int64_t count(Progress::Stage stage) const {
    return std::ranges::count(notes, stage, &Progress::stage);
  }

protected:
  bool check(const Progress &progress) override {
    isOnOtherThread |= std::this_thread::get_id() != thread;
    notes.push_back(progress);
    return place && place->first == progress.stage &&
           place->second <= progress.done;
  }

private:
  std::thread::id thread = std::this_thread::get_id();
};

class Watch : public ::testing::Test {
protected:
  Watch() : context(Context::create(makeOptions())), scope(context) {}

  static Context::Options makeOptions() {
    Context::Options options;
    options.cacheDirectory.clear();
    options.numThreads = 2;
    return options;
  }

  ContextRef context;
  Context::Scope scope;
  Notes notes;
};

} // namespace

/// Adds `addend` as often, in as many kernels.
static Tensor addInKernels(Tensor x, int count, int addend = 1) {
  for (int i = 0; i < count; ++i)
    x = (x + addend).contiguous();
  return x;
}

TEST_F(Watch, is_told_how_far_a_thread_is) {
  Tensor x(std::vector<float>{1, 2});
  // A kernel is compiled once.
  Tensor y = addInKernels(x, 5);
  Tensor z = (y.sum() * 2).contiguous() + y;
  {
    WatchGuard guard(&notes);
    z.realize();
    EXPECT_EQ(WatchGuard::getCurrent(), &notes);
  }
  EXPECT_EQ(WatchGuard::getCurrent(), nullptr);
  expectTensor(z, {2}, {32, 33});
  EXPECT_FALSE(notes.isOnOtherThread);
  EXPECT_GT(notes.count(Progress::Stage::Schedule), 0);
  EXPECT_GT(notes.count(Progress::Stage::Compile), 0);
  EXPECT_GT(notes.count(Progress::Stage::Run), 0);
  Progress before;
  for (const Progress &note : notes.notes) {
    EXPECT_GE(note.stage, before.stage);
    if (note.stage == before.stage) {
      EXPECT_GE(note.done, before.done);
    }
    EXPECT_LE(note.done, note.total);
    before = note;
  }
  EXPECT_EQ(before.total, 7);
  EXPECT_EQ(before.done, 6);
  size_t number = notes.notes.size();
  (z + 1).realize();
  EXPECT_EQ(notes.notes.size(), number);
}

TEST_F(Watch, stops_each_stage) {
  int addend = 1;
  for (auto place : {std::pair(Progress::Stage::Schedule, int64_t(0)),
                     std::pair(Progress::Stage::Compile, int64_t(0)),
                     std::pair(Progress::Stage::Run, int64_t(2))}) {
    Tensor x(std::vector<float>{1, 2});
    // A new kernel each time.
    Tensor y = addInKernels(x, 5, ++addend);
    notes.place = place;
    notes.reset();
    {
      WatchGuard guard(&notes);
      expectError([&] { y.realize(); }, "realize: cancelled");
      EXPECT_TRUE(notes.isStopped());
      EXPECT_FALSE(y.isRealized());
      // It is for good.
      expectError([&] { (x + 1).realize(); }, "realize: cancelled");
      WatchGuard none(nullptr);
      expectTensor(x + 2, {2}, {3, 4});
    }
    expectTensor(y, {2}, {1.0 + 5 * addend, 2.0 + 5 * addend});
  }
}

TEST_F(Watch, leaves_the_variables_of_a_stopped_step) {
  Tensor weight = Tensor(std::vector<float>{1, 2}).realize();
  TinyJit step([&](const Tensor &x) {
    weight.assign(weight + addInKernels(x, 4));
    return addInKernels(weight, 4);
  });
  Tensor x(std::vector<float>{1, 1});
  double added = 0;
  int numStopped = 0;
  for (int64_t place = -3; place < 12; ++place) {
    notes.reset();
    notes.place.reset();
    if (place >= 0)
      notes.place = {Progress::Stage::Run, place};
    WatchGuard guard(&notes);
    try {
      step(x);
      added += 5;
    } catch (const Error &error) {
      EXPECT_STREQ(error.what(), "realize: cancelled");
      ++numStopped;
    }
    WatchGuard none(nullptr);
    expectTensor(weight, {2}, {1 + added, 2 + added});
  }
  EXPECT_GT(numStopped, 1);
  EXPECT_GT(added, 15);
}
