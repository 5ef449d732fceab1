//===- FilesTest.cpp - Tensors in files beside others ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <filesystem>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

/// Has a name in shared memory for a file, which is removed in the end.
class Files : public ::testing::Test {
protected:
  ~Files() override { std::filesystem::remove("/dev/shm/" + name); }

  std::string name = "tinygrad_files_test" + std::to_string(getpid());
  std::string device = "DISK:shm:" + name;
};

} // namespace

TEST_F(Files, come_to_the_device_of_what_they_stand_beside) {
  Tensor file = Tensor({1.f, 2.f, 3.f}).to(device).realize();
  EXPECT_EQ(std::filesystem::file_size("/dev/shm/" + name), 12u);
  Tensor sum = Tensor({10.f, 20.f, 30.f}) + file;
  EXPECT_EQ(sum.device(), Context::getCurrent()->getDevice());
  expectTensor(sum, {3}, {11, 22, 33});
  expectTensor((file == Tensor({1.f, 0.f, 3.f})).where(file, 7.0), {3},
               {1, 7, 3});
  EXPECT_TRUE(file.device().starts_with("DISK:"));
}

TEST_F(Files, hold_bytes_that_are_read_as_other_types) {
  Tensor file = Tensor({1.f, 2.f, 3.f}).to(device).realize();
  Tensor bytes = Tensor::empty({12}, DType::UInt8, device);
  // As many as there are bytes; not all of them are in the file.
  Tensor numbers = bytes.shrink({{4, 12}}).cast(DType::Float32);
  EXPECT_EQ(numbers.numel(), 8);
  expectTensor(numbers.shrink({{0, 2}}).to(""), {2}, {2, 3});
  EXPECT_THROW(numbers.to("").realize(), Error);
  EXPECT_THROW(numbers.toVector<float>(), Error);
  expectTensor(file.cast(DType::UInt32).shrink({{0, 1}}).to(""), {1},
               {0x3f800000});
  // Numbers are not converted there.
  EXPECT_THROW(file.cast(DType::Float64).realize(), Error);
}

TEST_F(Files, are_written_where_indices_show) {
  Tensor file = Tensor({1.f, 2.f, 3.f, 4.f}, {2, 2}).to(device).realize();
  file.setitem({0}, Tensor({5.f, 6.f}));
  file.setitem({1, Slice{1}}, 8.0);
  expectTensor(file.to(""), {2, 2}, {5, 6, 3, 8});
  expectTensor(Tensor::empty({4}, DType::Float32, device).to(""), {4},
               {5, 6, 3, 8});
}
