//===- RunTableTest.cpp - The table of a run ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/RunTable.h"

#include "gtest/gtest.h"

using namespace tinygrad::engine;

static std::string print(const RunRecord &record, bool useColors = false) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream.enable_colors(useColors);
  printRunTable(stream, record, 3);
  return text;
}

static RunRecord makeRecord() {
  RunRecord record;
  record.seconds = 0.00123;
  record.kernels.push_back({"r_64_32", "CPU", 2e-6, 4096, 8448, true});
  record.kernels.push_back({"e_4096n1", "CPU", 1e-3, 2000000, 16000000, false});
  record.kernels.push_back({"e_1", "CPU", 0, 1, 12, false});
  return record;
}

TEST(RunTableTest, hasARowPerKernelAndSums) {
  EXPECT_EQ(
      print(makeRecord()),
      "run 3: 1.23 ms\n"
      "  #  kernel      device     time  GFLOP/s   GB/s    bytes  code\n"
      "  0  r_64_32     CPU     2.00 us     2.05   4.22  8.45 kB  cache\n"
      "  1  e_4096n1    CPU     1.00 ms     2.00  16.00  16.0 MB  compiled\n"
      "  2  e_1         CPU     0.00 us        -      -     12 B  compiled\n"
      "     total of 3          1.00 ms     2.00  15.98  16.0 MB\n");
}

TEST(RunTableTest, isOneLineWithoutKernels) {
  EXPECT_EQ(print({{}, 2.5}), "run 3: 2.50 s\n");
}

TEST(RunTableTest, isColouredWhereTheStreamIs) {
  std::string text = print(makeRecord(), /*useColors=*/true);
  // The reduce in magenta, the longest time in red.
  EXPECT_NE(text.find("\033[0;35mr_64_32"), std::string::npos) << text;
  EXPECT_NE(text.find("\033[0;31m1.00 ms"), std::string::npos) << text;
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033')
      i = text.find('m', i);
    else
      plain += text[i];
  }
  EXPECT_EQ(plain, print(makeRecord()));
}
