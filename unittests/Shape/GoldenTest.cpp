//===- GoldenTest.cpp - ShapeTracker against the reference ------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every row of conformance/golden/shapetracker.jsonl and view_merge.jsonl.
// Index tables bind always; views, flags, strides and sizes where the row does
// not mark the reference wrong.
//
//===----------------------------------------------------------------------===//

#include "RandomChain.h"
#include "TestUtils.h"

#include "gtest/gtest.h"
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

using namespace tinygrad::shape;
using nlohmann::json;

namespace {

std::vector<json> readRows(const std::string &file) {
  std::ifstream stream(TINYGRAD_SOURCE_DIR "/conformance/golden/" + file);
  std::vector<json> rows;
  for (std::string line; std::getline(stream, line);)
    rows.push_back(json::parse(line));
  return rows;
}

ShapeTracker applyOp(const ShapeTracker &tracker, const json &op) {
  std::string name = op[0];
  auto dims = [&] { return op[1].get<Dims>(); };
  auto pairs = [&] { return op[1].get<Mask>(); };
  if (name == "reshape")
    return tracker.reshape(dims());
  if (name == "permute")
    return tracker.permute(dims());
  if (name == "expand")
    return tracker.expand(dims());
  if (name == "pad")
    return tracker.pad(pairs());
  if (name == "shrink")
    return tracker.shrink(pairs());
  EXPECT_EQ(name, "stride");
  return tracker.stride(dims());
}

ShapeTracker buildRow(const json &row) {
  ShapeTracker tracker = ShapeTracker::fromShape(row["shape"].get<Dims>());
  for (const json &op : row["ops"])
    tracker = applyOp(tracker, op);
  return tracker;
}

/// True for 0, 1, 2, …
bool isIdentity(const std::vector<int64_t> &table) {
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i] != static_cast<int64_t>(i))
      return false;
  return true;
}

class GoldenTest : public testing::Test {
protected:
  /// Calls `check` on each row, with its name in the messages.
  template <typename Check>
  void forEachRow(size_t count, Check check) {
    std::vector<json> rows = readRows("shapetracker.jsonl");
    ASSERT_EQ(rows.size(), count);
    for (const json &row : rows) {
      SCOPED_TRACE(row["name"].get<std::string>());
      check(row, buildRow(row));
    }
  }
};

TEST_F(GoldenTest, IndexTablesAreEqualBeforeAndAfterSimplify) {
  forEachRow(492, [](const json &row, const ShapeTracker &tracker) {
    EXPECT_EQ(tracker.getShape(), row["out_shape"].get<Dims>());
    for (const ShapeTracker &each : {tracker, tracker.simplify()}) {
      std::vector<int64_t> table = getTable(each);
      EXPECT_EQ(table, getAccessTable(each)) << each.toString();
      if (row.contains("index"))
        EXPECT_EQ(table, row["index"].get<std::vector<int64_t>>())
            << each.toString();
      else
        EXPECT_EQ(std::accumulate(table.begin(), table.end(), int64_t(0)),
                  row["index_sum"].get<int64_t>());
    }
  });
}

TEST_F(GoldenTest, NeverMoreViewsThanTheReference) {
  forEachRow(492, [](const json &row, const ShapeTracker &tracker) {
    if (row.contains("reference_wrong"))
      return;
    EXPECT_LE(tracker.getViews().size(), row["views"].size())
        << tracker.toString();
    EXPECT_LE(tracker.simplify().getViews().size(),
              row["views_simplified"].size())
        << tracker.simplify().toString();
  });
}

TEST_F(GoldenTest, ContiguityIsTheReferences) {
  std::map<std::string, json> merges;
  for (json &row : readRows("view_merge.jsonl"))
    merges[row["name"]] = row;
  forEachRow(492, [&](const json &row, const ShapeTracker &tracker) {
    if (row.contains("reference_wrong"))
      return;
    bool expected = row["contiguous_simplified"];
    // view_merge.jsonl says where the reference misses it, and where it keeps
    // two views although one would do.
    auto merge = merges.find(row["name"]);
    if (merge != merges.end() && merge->second.contains("contiguous"))
      expected = merge->second["contiguous"];
    else if (merge != merges.end() &&
             merge->second.contains("reference_could_merge"))
      expected = isIdentity(row["index"].get<std::vector<int64_t>>());
    EXPECT_EQ(tracker.isContiguous(), expected) << tracker.toString();
  });
}

TEST_F(GoldenTest, RealStridesAreTheReferencesOrBetter) {
  forEachRow(492, [](const json &row, const ShapeTracker &tracker) {
    if (row.contains("reference_wrong"))
      return;
    for (bool ignoreValid : {false, true}) {
      auto strides = tracker.getRealStrides(ignoreValid);
      const json &expected =
          row[ignoreValid ? "real_strides_ignore_valid" : "real_strides"];
      ASSERT_EQ(strides.size(), expected.size());
      EXPECT_TRUE(areRealStrides(tracker, strides, ignoreValid));
      for (size_t axis = 0; axis < strides.size(); ++axis) {
        // Where one position or none is read, any stride is as good.
        if (expected[axis].is_null() || countReadPositions(tracker, axis) < 2)
          continue;
        EXPECT_EQ(strides[axis], expected[axis].get<int64_t>())
            << tracker.toString() << " axis " << axis
            << (ignoreValid ? " ignoring masks" : "");
      }
    }
  });
}

TEST_F(GoldenTest, BufferSizeHoldsTheLargestIndexAndIsExactForOneView) {
  forEachRow(492, [](const json &row, const ShapeTracker &tracker) {
    int64_t exact = row["max_index"].get<int64_t>() + 1;
    EXPECT_GE(tracker.getBufferSize(), exact);
    if (tracker.getViews().size() == 1)
      EXPECT_EQ(tracker.getBufferSize(), exact) << tracker.toString();
    else if (!row.contains("reference_wrong"))
      EXPECT_LE(tracker.getBufferSize(), row["size"].get<int64_t>())
          << tracker.toString();
  });
}

TEST_F(GoldenTest, OneViewWhereverOneExists) {
  std::map<std::string, ShapeTracker> trackers;
  for (const json &row : readRows("shapetracker.jsonl"))
    trackers.emplace(row["name"], buildRow(row));
  std::vector<json> rows = readRows("view_merge.jsonl");
  ASSERT_EQ(rows.size(), 486u);
  int64_t singleViews = 0;
  for (const json &row : rows) {
    SCOPED_TRACE(row["name"].get<std::string>());
    const ShapeTracker &tracker = trackers.at(row["name"]);
    if (row["single_view"].is_null()) {
      EXPECT_GT(tracker.getViews().size(), 1u);
      continue;
    }
    const json &view = row["single_view"];
    std::optional<Mask> mask;
    if (!view["mask"].is_null())
      mask = view["mask"].get<Mask>();
    ShapeTracker expected = ShapeTracker::fromViews(
        {View::create(view["shape"].get<Dims>(), view["strides"].get<Dims>(),
                      view["offset"].get<int64_t>(), mask)});
    EXPECT_EQ(tracker, expected)
        << tracker.toString() << " against " << expected.toString();
    ++singleViews;
  }
  EXPECT_EQ(singleViews, 390);
}

// The reference's own list, `movement_ops`, is one as_strided per view.
TEST_F(GoldenTest, MovementOpsMakeTheIndexTable) {
  forEachRow(492, [](const json &row, const ShapeTracker &tracker) {
    IndexTable table = IndexTable::fromShape({tracker.getBufferSize()});
    std::vector<MovementOp> ops = toMovementOps(tracker, table.shape);
    for (const MovementOp &op : ops) {
      EXPECT_NE(op.kind, MovementOp::Kind::AsStrided);
      table = table.apply(op);
    }
    EXPECT_EQ(table.shape, row["out_shape"].get<Dims>());
    EXPECT_EQ(table.indices, row.contains("index")
                                 ? row["index"].get<std::vector<int64_t>>()
                                 : getTable(tracker))
        << toString(ops);
  });
}

} // namespace
