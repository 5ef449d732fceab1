//===- AllocationTest.cpp - What a repeated graph allocates ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <cstdlib>

using namespace tinygrad;
using namespace tinygrad::test;

/// How often this thread asked for memory of the heap.
static thread_local int64_t numAllocations = 0;

// In place of glibc's, which all else of the program calls, operator new among
// it.
extern "C" {
void *__libc_malloc(size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  ++numAllocations;
  return __libc_malloc(size);
}
void *realloc(void *memory, size_t size) {
  ++numAllocations;
  return __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  ++numAllocations;
  return __libc_memalign(alignment, size);
}
}

/// Returns what realizing a graph that is compiled already allocates: `count`
/// operations that make one kernel.
static int64_t countForChain(const Tensor &x, int count) {
  int64_t allocations = 0;
  for (int round = 0; round < 2; ++round) {
    Tensor y = x;
    for (int i = 0; i < count; ++i)
      y = y + x;
    int64_t before = numAllocations;
    y.realize();
    allocations = numAllocations - before;
    EXPECT_EQ(y.toVector<float>()[3], static_cast<float>(count + 1));
  }
  return allocations;
}

/// The same for `count` kernels.
static int64_t countForKernels(const Tensor &x, int count) {
  int64_t allocations = 0;
  for (int round = 0; round < 2; ++round) {
    Tensor y = x;
    for (int i = 0; i < count; ++i)
      y = (y + x).contiguous();
    int64_t before = numAllocations;
    y.realize();
    allocations = numAllocations - before;
    EXPECT_EQ(y.toVector<float>()[3], static_cast<float>(count + 1));
  }
  return allocations;
}

class Allocations : public testing::Test {
protected:
  static Context::Options getOptions() {
    Context::Options options;
    options.numThreads = 1;
    return options;
  }
  ContextRef context = Context::create(getOptions());
  Context::Scope scope{context};
  Tensor x = Tensor(std::vector<float>(16, 1));
};

// Tables of the walk grow by doubling, and nothing else grows with the graph.
TEST_F(Allocations, of_a_repeated_graph) {
  int64_t small = countForChain(x, 10);
  int64_t large = countForChain(x, 320);
  EXPECT_LE(small, 20);
  // Five doublings of at most five tables.
  EXPECT_LE(large, small + 25);
}

TEST_F(Allocations, of_repeated_kernels) {
  int64_t small = countForKernels(x, 10);
  int64_t large = countForKernels(x, 320);
  EXPECT_LE(small, 20);
  EXPECT_LE(large, small + 25);
}
