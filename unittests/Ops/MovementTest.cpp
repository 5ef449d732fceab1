//===- MovementTest.cpp - Movement operations of Shape in Ops -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/Movement.h"

#include "gtest/gtest.h"

using namespace tinygrad;
using namespace tinygrad::ops;

TEST(Movement, thereAndBack) {
  struct Case {
    OpKind kind;
    Shape source;
    std::vector<int64_t> ints;
  };
  const Case cases[] = {
      {OpKind::Reshape, {2, 3}, {3, 2, 1}},
      {OpKind::Reshape, {}, {1, 1}},
      {OpKind::Permute, {2, 3, 4}, {2, 0, 1}},
      {OpKind::Expand, {1, 3}, {4, 3}},
      {OpKind::Pad, {2, 3}, {1, 0, 0, 2}},
      {OpKind::Shrink, {2, 3}, {0, 1, 1, 3}},
      {OpKind::Stride, {5, 3}, {-2, 7}},
      {OpKind::AsStrided, {2, 3}, {2, 2, 3, -1, 2}},
      {OpKind::AsStrided, {2, 3}, {5}},
  };
  for (const Case &test : cases) {
    SCOPED_TRACE(std::string(getInfo(test.kind).name) + toString(test.ints));
    OpAttributes attributes;
    attributes.ints = test.ints;
    shape::MovementOp op = toMovementOp(test.kind, attributes);
    EXPECT_EQ(getKind(op.kind), test.kind);
    EXPECT_EQ(getAttributes(op).ints, test.ints);

    Shape shape;
    std::string error;
    ASSERT_TRUE(inferShape(test.kind, {test.source}, attributes, shape, error))
        << error;
    EXPECT_EQ(op.getShape(test.source), shape);
    auto tracker = shape::ShapeTracker::fromShape(test.source);
    EXPECT_EQ(shape::apply(op, tracker).getShape(), shape);
  }
}
