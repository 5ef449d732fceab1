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

namespace {

class CollapseRule : public Rule {
public:
  CollapseRule() : Rule("COL", "", 0) {}

  BufferTask movement(LazyBuilder &builder, const BufferRef &source,
                      const Movement &movement, Location loc) const override {
    if (!source->isUnrealized(movement.kind))
      return {};
    std::vector<int64_t> arg = movement.arg;
    const std::vector<int64_t> &inner = source->op->movement.arg;
    switch (movement.kind) {
    case OpKind::Reshape:
      // Only here lazy.py takes the operation out of its source's children.
      source->isDetached = true;
      break;
    case OpKind::Expand:
      break;
    case OpKind::Permute:
      for (int64_t &axis : arg)
        axis = inner[axis];
      break;
    case OpKind::Pad:
      for (size_t i = 0; i < arg.size(); ++i)
        arg[i] += inner[i];
      break;
    case OpKind::Shrink:
      for (size_t i = 0; i < arg.size(); ++i)
        arg[i] += inner[i / 2 * 2];
      break;
    case OpKind::Stride:
      for (auto [step, first, extent] :
           llvm::zip_equal(arg, inner, source->getSource()->getShape())) {
        if (step < 0 && extent > 0 && (extent - 1) % first != 0)
          return {};
        step *= first;
      }
      break;
    default:
      return {};
    }
    return builder.move(source->getSource(),
                        {movement.kind, std::move(arg), nullptr}, loc);
  }

  std::string getMovementLabel(const LazyBuffer &source,
                               const Movement &movement,
                               bool isView) const override {
    constexpr OpKind kinds[] = {OpKind::Reshape, OpKind::Pad,
                                OpKind::Expand,  OpKind::Permute,
                                OpKind::Shrink,  OpKind::Stride};
    return "COL" + std::to_string(llvm::find(kinds, movement.kind) - kinds + 1);
  }
};

} // namespace

std::unique_ptr<Rule> tinygrad::lazy::schedule::createCollapseRule() {
  return std::make_unique<CollapseRule>();
}
