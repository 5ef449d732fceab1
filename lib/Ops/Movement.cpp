//===- Movement.cpp - Movement operations of Shape in Ops -----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/Movement.h"

#include <utility>

using namespace tinygrad;
using namespace tinygrad::ops;
using shape::MovementOp;

static constexpr std::pair<OpKind, MovementOp::Kind> kinds[] = {
    {OpKind::Reshape, MovementOp::Kind::Reshape},
    {OpKind::Permute, MovementOp::Kind::Permute},
    {OpKind::Expand, MovementOp::Kind::Expand},
    {OpKind::Pad, MovementOp::Kind::Pad},
    {OpKind::Shrink, MovementOp::Kind::Shrink},
    {OpKind::Stride, MovementOp::Kind::Stride},
    {OpKind::AsStrided, MovementOp::Kind::AsStrided},
};

OpKind ops::getKind(MovementOp::Kind kind) {
  return kinds[static_cast<int>(kind)].first;
}

OpAttributes ops::getAttributes(const MovementOp &op) {
  OpAttributes attributes{op.ints, {}, {}};
  std::vector<int64_t> &ints = attributes.ints;
  for (auto [first, second] : op.pairs)
    ints.insert(ints.end(), {first, second});
  if (op.view) {
    ints = op.view->getShape();
    ints.insert(ints.end(), op.view->getStrides().begin(),
                op.view->getStrides().end());
    ints.push_back(op.view->getOffset());
  }
  return attributes;
}

MovementOp ops::toMovementOp(OpKind kind, const OpAttributes &attributes) {
  const std::vector<int64_t> &ints = attributes.ints;
  MovementOp op{};
  for (auto [ours, theirs] : kinds)
    if (ours == kind)
      op.kind = theirs;
  if (kind == OpKind::AsStrided) {
    auto strides = ints.begin() + static_cast<ptrdiff_t>(ints.size() / 2);
    op.view =
        shape::View::create({ints.begin(), strides},
                            shape::Dims(strides, ints.end() - 1), ints.back());
  } else if (kind == OpKind::Pad || kind == OpKind::Shrink) {
    for (size_t i = 0; i < ints.size(); i += 2)
      op.pairs.emplace_back(ints[i], ints[i + 1]);
  } else {
    op.ints = ints;
  }
  return op;
}
