//===- TypeRulesTest.cpp - Which types operations take --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/Graph.h"

#include "gtest/gtest.h"

using namespace tinygrad;
using namespace tinygrad::ops;

/// Returns the sentence that rejects; empty: accepted.
static std::string verify(OpKind kind, const std::vector<DType> &operands,
                          DType result) {
  std::string error;
  bool isValid = verifyTypes(kind, operands, result, error);
  EXPECT_EQ(isValid, error.empty());
  return error;
}

TEST(TypeRules, oneType) {
  using enum DType;
  EXPECT_EQ(verify(OpKind::Add, {Int32, Int32}, Int32), "");
  EXPECT_EQ(verify(OpKind::Add, {Bool, Bool}, Bool), "");
  EXPECT_EQ(verify(OpKind::Pow, {Int32, Int32}, Int32), "");
  EXPECT_EQ(verify(OpKind::MulAcc, {Float16, Float16, Float16}, Float16), "");
  EXPECT_EQ(verify(OpKind::ReduceSum, {Bool}, Bool), "");
  EXPECT_EQ(verify(OpKind::Reshape, {UInt8}, UInt8), "");
  EXPECT_EQ(verify(OpKind::Copy, {UInt8}, UInt8), "");
  EXPECT_EQ(verify(OpKind::Assign, {UInt8, UInt8}, UInt8), "");
  EXPECT_EQ(verify(OpKind::Assign, {Float32, Float16}, Float32),
            "expects operands of one type, got float32 and float16");
  EXPECT_EQ(verify(OpKind::Add, {Float32, Int32}, Float32),
            "expects operands of one type, got float32 and int32");
  EXPECT_EQ(verify(OpKind::MulAcc, {Float16, Float16, Float32}, Float32),
            "expects operands of one type, got float16 and float32");
  EXPECT_EQ(verify(OpKind::Add, {Int32, Int32}, Int64),
            "expects a result of type int32, got int64");
  EXPECT_EQ(verify(OpKind::ReduceSum, {Float16}, Float32),
            "expects a result of type float16, got float32");
  EXPECT_EQ(verify(OpKind::Pad, {Bool}, UInt8),
            "expects a result of type bool, got uint8");
  EXPECT_EQ(verify(OpKind::Neg, {Int32}, Bool),
            "expects a result of type int32, got bool");
  EXPECT_EQ(verify(OpKind::Add, {Int32}, Int32), "expects 2 operands, got 1");
}

TEST(TypeRules, exceptions) {
  using enum DType;
  EXPECT_EQ(verify(OpKind::Cast, {Float64}, Bool), "");
  EXPECT_EQ(verify(OpKind::Empty, {}, BFloat16), "");
  EXPECT_EQ(verify(OpKind::Custom, {Int8, Float64}, Bool), "");

  EXPECT_EQ(verify(OpKind::Bitcast, {Float16}, BFloat16), "");
  EXPECT_EQ(verify(OpKind::Bitcast, {Bool}, Bool), "");
  EXPECT_EQ(verify(OpKind::Bitcast, {Bool}, Int8),
            "expects types of equal width, got bool and int8");
  EXPECT_EQ(verify(OpKind::Bitcast, {Float32}, Int64),
            "expects types of equal width, got float32 and int64");

  EXPECT_EQ(verify(OpKind::Where, {Bool, Int32, Int32}, Int32), "");
  EXPECT_EQ(verify(OpKind::Where, {Float16, Int32, Int32}, Int32), "");
  EXPECT_EQ(verify(OpKind::Where, {Bool, Int32, Int64}, Int64),
            "expects values of one type, got int32 and int64");
  EXPECT_EQ(verify(OpKind::Where, {Bool, Int32, Int32}, Bool),
            "expects a result of type int32, got bool");

  EXPECT_EQ(verify(OpKind::CmpLt, {Int32, Int32}, Bool), "");
  EXPECT_EQ(verify(OpKind::CmpEq, {Int32, Int32}, Int32), "");
  EXPECT_EQ(verify(OpKind::CmpLt, {Int32, Int32}, Float32),
            "expects a result of type bool or int32, got float32");
  EXPECT_EQ(verify(OpKind::CmpEq, {Int32, UInt32}, Bool),
            "expects operands of one type, got int32 and uint32");
}

TEST(TypeRules, someTypesOnly) {
  using enum DType;
  for (OpKind kind : {OpKind::Exp2, OpKind::Log2, OpKind::Exp, OpKind::Log,
                      OpKind::Sin, OpKind::Sqrt, OpKind::Recip}) {
    EXPECT_EQ(verify(kind, {BFloat16}, BFloat16), "");
    EXPECT_EQ(verify(kind, {Int32}, Int32),
              "expects a float operand, got int32");
    EXPECT_EQ(verify(kind, {Float32}, Float64),
              "expects a result of type float32, got float64");
  }
  EXPECT_EQ(verify(OpKind::Not, {Bool}, Bool), "");
  EXPECT_EQ(verify(OpKind::Not, {Int32}, Int32),
            "expects a bool operand, got int32");
  EXPECT_EQ(verify(OpKind::Not, {Bool}, Int32),
            "expects a result of type bool, got int32");
  EXPECT_EQ(verify(OpKind::Xor, {Bool, Bool}, Bool), "");
  EXPECT_EQ(verify(OpKind::Xor, {Float32, Float32}, Float32),
            "expects integer or bool operands, got float32");
}
