//===- OpKind.cpp - Facts of operations -----------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/OpKind.h"

using namespace tinygrad::ops;

static constexpr OpInfo infos[] = {
#define TINYGRAD_OP(kind, name, group, arity, unsafePad)                       \
  {OpKind::kind, name, OpGroup::group, arity, unsafePad},
#include "tinygrad/Ops/Ops.def"
};

const OpInfo &tinygrad::ops::getInfo(OpKind kind) {
  return infos[static_cast<int>(kind)];
}

std::optional<OpKind> tinygrad::ops::parseOpKind(std::string_view name) {
  for (const OpInfo &info : infos)
    if (info.name == name)
      return info.kind;
  return std::nullopt;
}
