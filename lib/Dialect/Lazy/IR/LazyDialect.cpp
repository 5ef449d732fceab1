//===- LazyDialect.cpp - The lazy dialect ---------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/LazyDialect.h"
#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tinygrad::lazy;

#include "tinygrad/Dialect/Lazy/IR/LazyDialect.cpp.inc"

void LazyDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tinygrad/Dialect/Lazy/IR/LazyOps.cpp.inc"
      >();
}

Operation *LazyDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto splat = dyn_cast<DenseElementsAttr>(value);
  if (!splat || !splat.isSplat() || splat.getType() != type)
    return nullptr;
  return ConstOp::create(builder, loc, splat);
}
