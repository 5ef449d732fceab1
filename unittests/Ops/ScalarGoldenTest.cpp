//===- ScalarGoldenTest.cpp - Scalars against the reference ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every row of conformance/golden/ops.jsonl, that is: numpy's values, and those
// of tinygrad 6d6eb9302d where they differ.
//
//===----------------------------------------------------------------------===//

#include "GoldenRows.h"

#include "gtest/gtest.h"

using namespace tinygrad;
using namespace tinygrad::ops;
using namespace tinygrad::test;

static Scalar reduce(OpKind kind, DType type,
                     const std::vector<Scalar> &elements) {
  Scalar result = getIdentity(kind, getAccumulationType(type));
  for (const Scalar &value : elements)
    result = accumulate(kind, result, cast(value, getAccumulationType(type)));
  return cast(result, type);
}

TEST(ScalarGolden, everyRow) {
  int numValues = 0, numUndefined = 0;
  for (const GoldenRow &row : readGoldenRows()) {
    SCOPED_TRACE(row.name);
    for (size_t i = 0; i < row.expected.size(); ++i) {
      if (!row.isDefined[i]) {
        ++numUndefined;
        continue;
      }
      ++numValues;
      bool isReduce = getInfo(row.kind).group == OpGroup::Reduce;
      Scalar actual = isReduce ? reduce(row.kind, row.type, row.operands[i])
                               : evaluate(row.kind, row.type, row.operands[i]);
      EXPECT_TRUE(row.accepts(i, actual))
          << "position " << i << ": got " << toText(actual) << ", expected "
          << toText(row.expected[i]);
    }
  }
  RecordProperty("values", numValues);
  RecordProperty("undefined", numUndefined);
}
