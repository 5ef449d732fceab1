//===- SymbolicChainTest.cpp - Random chains at every binding ---*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 10,000 random chains of movements of two variables; at the end of each the
// symbolic tracker, and one composed of two, are compared with the static chain
// at every binding.
//
//===----------------------------------------------------------------------===//

#include "SymbolicChain.h"
#include "TestUtils.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace tinygrad::shape;

namespace {

/// Returns what `access` reads at each position of `shape`.
std::vector<int64_t> getTable(const SymbolicAccess &access, const Dims &shape,
                              const Bindings &bindings) {
  std::vector<int64_t> table;
  forEachPosition(shape, [&](const Dims &position) {
    auto evaluate = [&](const IndexExpr &expr) {
      return expr.evaluate(position, bindings);
    };
    bool isRead = std::all_of(access.conditions.begin(),
                              access.conditions.end(), [&](const auto &range) {
                                int64_t value = evaluate(range.expr);
                                return evaluate(range.min) <= value &&
                                       value <= evaluate(range.max);
                              });
    table.push_back(isRead ? evaluate(access.index) : -1);
  });
  return table;
}

/// Returns what is wrong with `tracker` if it should be `expected` at
/// `bindings`, or nothing.
std::string findError(const SymbolicShapeTracker &tracker,
                      const SymbolicAccess &access, const Bindings &bindings,
                      const ShapeTracker &expected) {
  std::string error;
  std::optional<SymbolicShapeTracker> bound = tracker.bind(bindings, error);
  if (!bound)
    return error;
  std::optional<ShapeTracker> plain = bound->toStatic();
  if (!plain)
    return "toStatic";
  if (plain->getShape() != expected.getShape())
    return "shape";
  std::vector<int64_t> table = getTable(expected);
  if (getTable(*plain) != table)
    return "getIndex";
  if (getTable(access, expected.getShape(), bindings) != table)
    return "getAccess";
  int64_t size = 0;
  bool isIdentity = true;
  for (size_t i = 0; i < table.size(); ++i) {
    size = std::max(size, table[i] + 1);
    isIdentity &= table[i] == static_cast<int64_t>(i);
  }
  if (tracker.getBufferSize().evaluate({}, bindings) < size)
    return "getBufferSize";
  if (tracker.isContiguous() && !isIdentity)
    return "isContiguous";
  return "";
}

/// As areRealStrides, at `bindings`.
bool areRealStrides(const SymbolicShapeTracker &tracker, bool ignoreValid,
                    const Bindings &bindings, const ShapeTracker &expected) {
  std::vector<std::optional<int64_t>> strides;
  for (const std::optional<IndexExpr> &stride :
       tracker.getRealStrides(ignoreValid))
    strides.push_back(stride ? std::optional(stride->evaluate({}, bindings))
                             : std::nullopt);
  return areRealStrides(expected, strides, ignoreValid);
}

TEST(SymbolicChainTest, RandomChainsReadWhatStaticChainsRead) {
  constexpr int64_t chainCount = 10000, maxElements = 120;
  SymbolicGenerator generator(20240214);
  int64_t singleCount = 0, possibleCount = 0;
  for (int64_t chain = 0; chain < chainCount; ++chain) {
    generator.startChain();
    SymbolicDims shape = generator.makeShape(maxElements);
    SymbolicShapeTracker tracker = SymbolicShapeTracker::fromShape(shape);
    std::string text = tracker.toString();
    std::vector<SymbolicMovement> movements;
    // The second half of the chain by itself, to be read through the first.
    std::optional<SymbolicShapeTracker> first, second;
    for (int64_t length = generator.pick(1, 6); length > 0; --length) {
      SymbolicMovement movement =
          generator.makeMovement(tracker.getShape(), maxElements);
      text += " " + toString(movement);
      if (!first && generator.pick(0, 2) == 0) {
        first = tracker;
        second = SymbolicShapeTracker::fromShape(tracker.getShape());
      }
      tracker = apply(movement, tracker);
      if (second)
        second = apply(movement, *second);
      movements.push_back(std::move(movement));
    }
    std::vector<SymbolicShapeTracker> trackers{tracker};
    if (first)
      trackers.push_back(first->compose(*second));
    std::vector<SymbolicAccess> accesses;
    for (const SymbolicShapeTracker &each : trackers)
      accesses.push_back(each.getAccess());
    bool isSingle = true;
    for (const Bindings &bindings : getAllBindings(generator.getVariables())) {
      ShapeTracker expected =
          ShapeTracker::fromShape(evaluate(shape, bindings));
      for (const SymbolicMovement &movement : movements)
        expected = apply(movement.evaluate(bindings), expected);
      for (size_t n = 0; n < trackers.size(); ++n)
        ASSERT_EQ(findError(trackers[n], accesses[n], bindings, expected), "")
            << text << " -> " << trackers[n].toString()
            << " at i = " << bindings.at("i") << ", j = " << bindings.at("j");
      isSingle &= expected.getViews().size() == 1;
      if (chain % 8 == 0)
        for (bool ignoreValid : {false, true})
          ASSERT_TRUE(areRealStrides(tracker, ignoreValid, bindings, expected))
              << text << " -> " << tracker.toString();
    }
    possibleCount += isSingle;
    singleCount += tracker.getViews().size() == 1;
  }
  // Where each binding has one view, there is nearly always one for all.
  RecordProperty("single", std::to_string(singleCount));
  RecordProperty("possible", std::to_string(possibleCount));
  EXPECT_GT(singleCount * 100, possibleCount * 99);
}

} // namespace
