//===- OpKindTest.cpp - Names and facts of types and ops ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/Graph.h"

#include "gtest/gtest.h"

#include <iterator>
#include <string>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::ops;

TEST(DType, namesRoundTrip) {
  for (int i = 0; i < numDTypes; ++i) {
    DType type = static_cast<DType>(i);
    EXPECT_EQ(parseDType(getName(type)), type);
  }
  EXPECT_EQ(getName(DType::BFloat16), "bfloat16");
  EXPECT_FALSE(parseDType("f32"));
  EXPECT_FALSE(parseDType(""));
}

TEST(OpKind, namesRoundTrip) {
  struct Line {
    OpKind kind;
    const char *name;
    OpGroup group;
    int arity;
    bool unsafePad;
  };
  const Line lines[] = {
#define TINYGRAD_OP(kind, name, group, arity, unsafePad)                       \
  {OpKind::kind, name, OpGroup::group, arity, unsafePad},
#include "tinygrad/Ops/Ops.def"
  };
  EXPECT_EQ(std::size(lines), static_cast<size_t>(numOpKinds));
  for (const Line &line : lines) {
    EXPECT_EQ(parseOpKind(line.name), line.kind);
    const OpInfo &info = getInfo(line.kind);
    EXPECT_EQ(info.kind, line.kind);
    EXPECT_EQ(info.name, line.name);
    EXPECT_EQ(info.group, line.group);
    EXPECT_EQ(info.arity, line.arity);
    EXPECT_EQ(info.isUnsafePad, line.unsafePad);
    EXPECT_EQ(isElementwise(line.kind), line.group == OpGroup::Unary ||
                                            line.group == OpGroup::Binary ||
                                            line.group == OpGroup::Ternary);
  }
  EXPECT_FALSE(parseOpKind("view"));
  EXPECT_FALSE(parseOpKind("Add"));
}

// A pad may move above an op only if the op makes zeros of zeros, in every
// type that the verifier lets through.
TEST(OpKind, unsafePadFollowsFromValues) {
  for (int i = 0; i <= static_cast<int>(OpKind::Where); ++i) {
    const OpInfo &info = getInfo(static_cast<OpKind>(i));
    bool isEverNonZero = false;
    for (int j = 0; j < numDTypes; ++j) {
      DType type = static_cast<DType>(j);
      std::vector<DType> types(info.arity, type);
      std::string error;
      if (!verifyTypes(info.kind, types, type, error))
        continue;
      std::vector<Scalar> zeros(info.arity, Scalar::fromInt(type, 0));
      bool isNonZero = evaluate(info.kind, type, zeros).isTrue();
      isEverNonZero |= isNonZero;
      if (isNonZero)
        EXPECT_TRUE(isUnsafePad(info.kind, type))
            << info.name << " of " << getName(type);
    }
    // The flag is no wider than it must be, but for cmplt: lazy.py lists it,
    // and its kernels must be matched.
    if (info.isUnsafePad && info.kind != OpKind::CmpLt)
      EXPECT_TRUE(isEverNonZero) << info.name;
  }
  EXPECT_TRUE(isUnsafePad(OpKind::Neg, DType::Bool));
  EXPECT_FALSE(isUnsafePad(OpKind::Neg, DType::Int8));
}
