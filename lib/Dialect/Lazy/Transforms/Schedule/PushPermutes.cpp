//===- PushPermutes.cpp - Permutes before reduces and reshapes ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PPE. Flag: PUSH_PERMUTES, from OPT=3, within SHUFFLE_MOVEMENT_OPS. Place:
// LazyBuffer.permute.
//
// PPE1: permute(reduce(x)) becomes reduce(permute(x)).
// PPE2: permute(reshape(x)) becomes reshape(permute(x)), where each axis of the
// reshape is a run of whole axes of x.
//
//===----------------------------------------------------------------------===//

#include "LazyBuilder.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;
using ops::OpKind;

namespace {

class PushPermutesRule : public Rule {
public:
  PushPermutesRule() : Rule("PPE", "PUSH_PERMUTES", 3, "SMO") {}

  BufferTask movement(LazyBuilder &builder, const BufferRef &source,
                      const Movement &movement, Location loc) const override {
    if (movement.kind != OpKind::Permute || source->isRealized())
      return {};
    if (source->group == Group::Reduce)
      return permuteReduce(builder, source, movement, loc);
    if (source->op->kind != OpKind::Reshape)
      return {};
    auto groups =
        shape::Sizes::visit(source->getSource()->getShape(), source->getShape(),
                            [](const auto &from, const auto &to) {
                              return getContraction(from, to);
                            });
    if (!groups)
      return {};
    shape::Dims order;
    for (int64_t axis : movement.arg.getNumbers())
      llvm::append_range(order, (*groups)[axis]);
    source->isDetached = true;
    return permuteReshape(builder, source, std::move(order),
                          source->getShape().permute(movement.arg.getNumbers()),
                          loc);
  }

  std::string getMovementLabel(const LazyBuffer &source,
                               const Movement &movement,
                               bool isView) const override {
    return source.group == Group::Reduce ? "PPE1" : "PPE2";
  }

private:
  static BufferTask permuteReduce(LazyBuilder &builder, BufferRef source,
                                  Movement movement, Location loc) {
    shape::Sizes shape = source->getShape().permute(movement.arg.getNumbers());
    source->isDetached = true;
    BufferRef moved =
        co_await builder.move(source->getSource(), std::move(movement), loc);
    co_return co_await builder.r(
        {source->op->kind, moved, std::move(shape), source->op->loc});
  }

  static BufferTask permuteReshape(LazyBuilder &builder, BufferRef source,
                                   shape::Dims order, shape::Sizes shape,
                                   Location loc) {
    BufferRef moved =
        co_await builder.permute(source->getSource(), std::move(order), loc);
    co_return co_await builder.reshape(moved, std::move(shape),
                                       source->op->loc);
  }

  /// Returns for each axis of `to` the axes of `from` that it joins, in order,
  /// or nothing where an axis is split. Axes of extent 1 may join nothing.
  template <typename T>
  static std::optional<std::vector<shape::Dims>>
  getContraction(const std::vector<T> &from, const std::vector<T> &to) {
    std::vector<shape::Dims> groups(to.size());
    size_t begin = 0;
    // The first run of axes of `from` with the elements of all axes of `to` so
    // far; the last axis takes what is left, which is of extent 1.
    T wanted = 1;
    for (size_t i = 0; i < to.size(); ++i) {
      wanted = wanted * to[i];
      size_t end = 0;
      if (wanted != 1) {
        T joined = 1;
        while (end < from.size() && joined != wanted)
          joined = joined * from[end++];
        if (joined != wanted)
          return std::nullopt;
      }
      if (i + 1 == to.size())
        end = from.size();
      for (size_t axis = begin; axis < end; ++axis)
        groups[i].push_back(axis);
      begin = end;
    }
    return groups;
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createPushPermutesRule() {
  return std::make_unique<PushPermutesRule>();
}
