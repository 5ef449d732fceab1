//===- LawTest.cpp - Movements that undo each other -------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Laws on random trackers: on a contiguous one each comes back as one
// contiguous view, on any other with no more views and an equal index function.
//
//===----------------------------------------------------------------------===//

#include "RandomChain.h"
#include "TestUtils.h"

#include "gtest/gtest.h"

using namespace tinygrad::shape;

namespace {

class LawTest : public testing::Test {
protected:
  using Law = std::function<ShapeTracker(const ShapeTracker &)>;

  /// Checks that `law` is the identity on contiguous and on random trackers.
  void expectIdentity(const Law &law) {
    for (int64_t round = 0; round < 3000; ++round) {
      Dims shape = generator.makeShape();
      ShapeTracker tracker = ShapeTracker::fromShape(shape);
      ASSERT_EQ(law(tracker), tracker) << tracker.toString();
      ASSERT_TRUE(law(tracker).isContiguous());
      for (int64_t length = generator.pick(1, 4); length > 0; --length)
        tracker =
            apply(generator.makeMovement(tracker.getShape(), 64), tracker);
      ShapeTracker result = law(tracker);
      ASSERT_LE(result.getViews().size(), tracker.getViews().size());
      ASSERT_EQ(getTable(result), getTable(tracker)) << tracker.toString();
      ASSERT_TRUE(result.isEquivalent(tracker));
    }
  }

  ChainGenerator generator{5};
};

TEST_F(LawTest, PermuteAndItsInverse) {
  expectIdentity([&](const ShapeTracker &tracker) {
    MovementOp permute{MovementOp::Kind::Permute, {}, {}, {}};
    while (permute.kind != MovementOp::Kind::Permute || permute.ints.empty()) {
      if (tracker.getRank() == 0)
        return tracker;
      permute = generator.makeMovement(tracker.getShape(), 64);
    }
    Dims inverse(permute.ints.size());
    for (size_t axis = 0; axis < inverse.size(); ++axis)
      inverse[permute.ints[axis]] = static_cast<int64_t>(axis);
    return tracker.permute(permute.ints).permute(inverse);
  });
}

TEST_F(LawTest, PadThenShrinkToTheInside) {
  expectIdentity([&](const ShapeTracker &tracker) {
    Mask padding, inside;
    for (int64_t extent : tracker.getShape()) {
      padding.emplace_back(generator.pick(0, 3), generator.pick(0, 3));
      inside.emplace_back(padding.back().first, padding.back().first + extent);
    }
    return tracker.pad(padding).shrink(inside);
  });
}

TEST_F(LawTest, ReshapeThereAndBack) {
  expectIdentity([&](const ShapeTracker &tracker) {
    MovementOp reshape{MovementOp::Kind::Permute, {}, {}, {}};
    while (reshape.kind != MovementOp::Kind::Reshape)
      reshape = generator.makeMovement(tracker.getShape(), 64);
    return tracker.reshape(reshape.ints).reshape(tracker.getShape());
  });
}

TEST_F(LawTest, FlipTwice) {
  expectIdentity([&](const ShapeTracker &tracker) {
    Dims steps;
    for (int64_t axis = 0; axis < tracker.getRank(); ++axis)
      steps.push_back(generator.pick(0, 1) ? 1 : -1);
    return tracker.stride(steps).stride(steps);
  });
}

TEST_F(LawTest, ExpandThenShrinkToOnePosition) {
  expectIdentity([&](const ShapeTracker &tracker) {
    Dims wide = tracker.getShape();
    Mask narrow;
    for (int64_t &extent : wide) {
      narrow.emplace_back(0, extent);
      if (extent != 1)
        continue;
      extent = generator.pick(1, 4);
      narrow.back().first = generator.pick(0, extent - 1);
      narrow.back().second = narrow.back().first + 1;
    }
    return tracker.expand(wide).shrink(narrow);
  });
}

TEST_F(LawTest, PadOfAReshapeIsAReshapeOfAPadOnTheOuterAxis) {
  for (int64_t round = 0; round < 2000; ++round) {
    int64_t rows = generator.pick(1, 4), columns = generator.pick(1, 4);
    int64_t before = generator.pick(0, 3), after = generator.pick(0, 3);
    ShapeTracker flat = ShapeTracker::fromShape({rows * columns});
    ShapeTracker grid = flat.reshape(Dims{rows, columns});
    ShapeTracker a = grid.pad(Mask{{before, after}, {0, 0}})
                         .reshape(Dims{(rows + before + after) * columns});
    ShapeTracker b = flat.pad(Mask{{before * columns, after * columns}});
    ASSERT_EQ(a, b);
  }
}

TEST_F(LawTest, CompositionIsAssociative) {
  for (int64_t round = 0; round < 3000; ++round) {
    std::vector<ShapeTracker> parts;
    Dims shape = generator.makeShape();
    for (int64_t part = 0; part < 3; ++part) {
      ShapeTracker tracker = ShapeTracker::fromShape(shape);
      for (int64_t length = generator.pick(0, 2); length > 0; --length)
        tracker =
            apply(generator.makeMovement(tracker.getShape(), 64), tracker);
      shape = tracker.getShape();
      parts.push_back(std::move(tracker));
    }
    ShapeTracker left = parts[0].compose(parts[1]).compose(parts[2]);
    ShapeTracker right = parts[0].compose(parts[1].compose(parts[2]));
    ASSERT_EQ(getTable(left), getTable(right));
    ASSERT_TRUE(left.isEquivalent(right));
  }
}

} // namespace
