//===- TorchNestedTest.cpp - Values of PyTorch's files as nested there ----===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/State.h"

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::test;

TEST(TorchNested, values_are_nested_as_in_the_file) {
  TorchValue loaded = torch_load_value(TINYGRAD_SOURCE_DIR
                                       "/unittests/Tensor/data/torch_zip.pt");
  using Kind = TorchValue::Kind;
  ASSERT_EQ(loaded.kind, Kind::Dict);
  std::map<std::string, TorchValue> values;
  for (size_t i = 0; i < loaded.items.size(); i += 2)
    values[loaded.items[i].text] = loaded.items[i + 1];
  EXPECT_EQ(values["epoch"].kind, Kind::Int);
  EXPECT_EQ(values["epoch"].integer, 3);
  EXPECT_EQ(values["rate"].kind, Kind::Float);
  EXPECT_EQ(values["rate"].real, 0.5);
  EXPECT_EQ(values["text"].kind, Kind::String);
  EXPECT_EQ(values["text"].text, "a text");
  EXPECT_EQ(values["nothing"].kind, Kind::None);
  EXPECT_EQ(values["views"].kind, Kind::List);
  EXPECT_EQ(values["views"].items.size(), 5u);
  const TorchValue &model = values["model"];
  ASSERT_EQ(model.items.size(), 4u);
  EXPECT_EQ(model.items[2].text, "bias");
  expectTensor(*model.items[3].tensor, {1}, {2});
}
