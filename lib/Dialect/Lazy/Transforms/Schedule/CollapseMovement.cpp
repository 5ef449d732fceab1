//===- CollapseMovement.cpp - A movement operation of one of its kind -----===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// COL. Flag: none, always on. Place: LazyBuffer.reshape, pad, expand, permute,
// shrink, stride.
//
// Two movement operations of one kind, one after the other, are one:
// COL1 reshape, COL2 pad, COL3 expand, COL4 permute, COL5 shrink, COL6 stride.
// lazy.py multiplies steps always, which is wrong where a step back follows a
// step that does not reach the last position; here such a pair stays.
//
//===----------------------------------------------------------------------===//

#include "LazyBuilder.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;
using ops::OpKind;
using shape::Sizes;

namespace {

class CollapseRule : public Rule {
public:
  CollapseRule() : Rule("COL", "", 0) {}

  BufferTask movement(LazyBuilder &builder, const BufferRef &source,
                      const Movement &movement, Location loc) const override {
    if (!source->isUnrealized(movement.kind))
      return {};
    std::optional<Sizes> arg = join(*source, movement);
    if (!arg)
      return {};
    // Only here lazy.py takes the operation out of its source's children.
    if (movement.kind == OpKind::Reshape)
      source->isDetached = true;
    return builder.move(source->getSource(),
                        {movement.kind, std::move(*arg), nullptr}, loc);
  }

  std::string getMovementLabel(const LazyBuffer &source,
                               const Movement &movement,
                               bool isView) const override {
    constexpr OpKind kinds[] = {OpKind::Reshape, OpKind::Pad,
                                OpKind::Expand,  OpKind::Permute,
                                OpKind::Shrink,  OpKind::Stride};
    return "COL" + std::to_string(llvm::find(kinds, movement.kind) - kinds + 1);
  }

private:
  /// Returns the argument of the one operation that `source` and then
  /// `movement`, of one kind, are; nothing where none is.
  static std::optional<Sizes> join(LazyBuffer &source,
                                   const Movement &movement) {
    const Sizes &inner = source.op->movement.arg, &outer = movement.arg;
    switch (movement.kind) {
    case OpKind::Reshape:
    case OpKind::Expand:
      return outer;
    case OpKind::Permute:
      return inner.permute(outer.getNumbers());
    case OpKind::Pad:
      return Sizes::visit(inner, outer, [](const auto &a, auto b) -> Sizes {
        for (size_t i = 0; i < b.size(); ++i)
          b[i] = b[i] + a[i];
        return b;
      });
    case OpKind::Shrink:
      // Both ends count from where the first one begins.
      return Sizes::visit(inner, outer, [](const auto &a, auto b) -> Sizes {
        for (size_t i = 0; i < b.size(); ++i)
          b[i] = b[i] + a[i / 2 * 2];
        return b;
      });
    case OpKind::Stride:
      return joinStrides(inner.getNumbers(), outer.getNumbers(),
                         source.getSource()->getShape().getExprs());
    default:
      return std::nullopt;
    }
  }

  static std::optional<Sizes> joinStrides(const shape::Dims &inner,
                                          shape::Dims outer,
                                          const shape::SymbolicDims &shape) {
    for (auto [step, first, extent] : llvm::zip_equal(outer, inner, shape)) {
      bool reachesLast =
          extent.isConstant()
              ? extent.isConstant(0) || (extent.getValue() - 1) % first == 0
              : first == 1 || first == -1;
      if (step < 0 && !reachesLast)
        return std::nullopt;
      step *= first;
    }
    return outer;
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createCollapseRule() {
  return std::make_unique<CollapseRule>();
}
