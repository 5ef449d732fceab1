//===- ShuffleMovement.cpp - Movement operations before elementwise ones --===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SMO. Flag: SHUFFLE_MOVEMENT_OPS, from OPT=1. Place: LazyBuffer.permute,
// _movement_op, _push_movement_ops.
//
// SMO1: permute(expand(x)) becomes expand(permute(x)).
// SMO2: a shrink, stride or permute of an elementwise value without children
// goes to the sources of that value; so does the reshape of a unary one.
// SMO3: movement operations between two elementwise ones, or before a reduce,
// go to the sources of the inner one where nothing else reads what is between.
//
// Expands stay, because they would multiply the work; pads are SPO's, and other
// reshapes PRE's. Where so much has been built again that the time would grow
// with the square of the program, nothing is moved anymore.
//
//===----------------------------------------------------------------------===//

#include "LazyBuilder.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;
using ops::OpKind;
using shape::Layout;

namespace {

class ShuffleMovementRule : public Rule {
public:
  ShuffleMovementRule() : Rule("SMO", "SHUFFLE_MOVEMENT_OPS", 1) {}

  // SMO1
  BufferTask movement(LazyBuilder &builder, const BufferRef &source,
                      const Movement &movement, Location loc) const override {
    if (movement.kind != OpKind::Permute ||
        !source->isUnrealized(OpKind::Expand))
      return {};
    return permuteExpand(builder, source, movement, loc);
  }

  // SMO2
  BufferTask view(LazyBuilder &builder, const BufferRef &source,
                  const Movement &movement, const Layout &layout,
                  Location loc) const override {
    if (!source->isUnrealized(Group::Elementwise) || !builder.mayRebuild())
      return {};
    auto mover = llvm::find_if(builder.getRules(), [&](const Rule *rule) {
      return rule->movesIntoElementwise(movement, *source->op);
    });
    if (mover == builder.getRules().end() ||
        builder.getGraph().countChildren(*source) != 0)
      return {};
    return moveInto(builder, source->op, {movement}, (*mover)->getLabel());
  }

  std::string getMovementLabel(const LazyBuffer &source,
                               const Movement &movement,
                               bool isView) const override {
    return isView ? "SMO2" : "SMO1";
  }

  bool movesIntoElementwise(const Movement &movement,
                            const LazyOp &op) const override {
    switch (movement.kind) {
    case OpKind::Shrink:
    case OpKind::Stride:
    case OpKind::Permute:
      return true;
    case OpKind::Reshape:
      return ops::getInfo(op.kind).group == ops::OpGroup::Unary;
    default:
      return false;
    }
  }

  // SMO3
  SourcesTask moveSources(LazyBuilder &builder,
                          const Sources &sources) const override {
    bool applies = llvm::any_of(sources, [&](const Source &source) {
      return findMove(builder, *source.buffer).op;
    });
    return applies ? moveAllSources(builder, sources) : SourcesTask();
  }

private:
  static BufferTask permuteExpand(LazyBuilder &builder, BufferRef source,
                                  Movement movement, Location loc) {
    shape::Sizes shape = source->getShape().permute(movement.arg.getNumbers());
    BufferRef moved =
        co_await builder.move(source->getSource(), std::move(movement), loc);
    co_return co_await builder.expand(moved, std::move(shape), source->op->loc);
  }

  /// What to move and where to: nothing if `op` is null.
  struct Move {
    std::vector<Movement> movements;
    OpRef op;
    /// The label of the rule without which this would not be moved.
    StringRef allower;
  };

  /// Moves before `op`, where the rule `allower` has allowed that.
  static BufferTask moveInto(LazyBuilder &builder, OpRef op,
                             std::vector<Movement> movements,
                             StringRef allower) {
    BufferRef moved = co_await builder.replaceWithMovementOps(
        std::move(op), std::move(movements));
    if (!allower.starts_with("SMO"))
      builder.getGraph().note(*moved, allower);
    co_return moved;
  }

  static Move findMove(LazyBuilder &builder, LazyBuffer &source) {
    LazyGraph &graph = builder.getGraph();
    // The root tells in a moment that most sources have nothing to move to.
    if (!source.isUnrealized(Group::Movement) ||
        !source.movementRoot->isUnrealized(Group::Elementwise) ||
        !builder.mayRebuild())
      return {};
    auto padMover = llvm::find_if(
        builder.getRules(), [](const Rule *rule) { return rule->movesPads(); });
    bool movesPads = padMover != builder.getRules().end();
    Move move;
    move.allower = "SMO";
    LazyBuffer *inner = &source;
    bool hasPad = false;
    while (inner->group == Group::Movement) {
      OpKind kind = inner->op->kind;
      bool isPad = kind == OpKind::Pad;
      if (kind == OpKind::Expand || kind == OpKind::AsStrided ||
          (isPad && !movesPads) || graph.countChildren(*inner) > 1)
        return {};
      hasPad |= isPad;
      move.movements.push_back(inner->op->movement);
      inner = inner->getSource().get();
    }
    if (graph.countChildren(*inner) > 1 || (hasPad && inner->op->isUnsafePad))
      return {};
    if (hasPad)
      move.allower = (*padMover)->getLabel();
    std::reverse(move.movements.begin(), move.movements.end());
    move.op = inner->op;
    return move;
  }

  static SourcesTask moveAllSources(LazyBuilder &builder, Sources sources) {
    Sources result;
    for (const Source &source : sources) {
      // Moving one source may take children from the next.
      Move move = findMove(builder, *source.buffer);
      if (!move.op) {
        result.push_back(source);
        continue;
      }
      BufferRef moved = co_await moveInto(
          builder, move.op, std::move(move.movements), move.allower);
      builder.getGraph().note(*moved, "SMO3");
      result.push_back({std::move(moved), source.cast});
    }
    co_return result;
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createShuffleMovementRule() {
  return std::make_unique<ShuffleMovementRule>();
}
