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
#include "mlir/Interfaces/FunctionInterfaces.h"

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

LogicalResult LazyDialect::verifyRegionArgAttribute(Operation *op,
                                                    unsigned regionIndex,
                                                    unsigned argIndex,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == deviceAttrName) {
    if (isa<StringAttr>(attribute.getValue()))
      return success();
    return op->emitError() << "expects `" << deviceAttrName
                           << "` to be a string, got " << attribute.getValue();
  }
  if (attribute.getName() != variableAttrName)
    return op->emitError() << "expects `" << variableAttrName << "` or `"
                           << deviceAttrName
                           << "` as attributes of the lazy dialect on an "
                              "argument, got `"
                           << attribute.getName().getValue() << "`";
  auto variable = dyn_cast<VariableAttr>(attribute.getValue());
  if (!variable)
    return op->emitError() << "expects `" << variableAttrName
                           << "` to be a #lazy.variable, got "
                           << attribute.getValue();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  // An index becomes an integer on the way to LLVM.
  Type type = function.getArgumentTypes()[argIndex];
  if (!type.isIndex() && !type.isSignlessInteger(64) &&
      !type.isSignlessInteger(32))
    return op->emitError() << "expects a variable to be bound by an argument "
                              "of type index, or i64 or i32 once it is "
                              "lowered, got "
                           << type;
  for (unsigned other = 0; other < argIndex; ++other) {
    auto before =
        function.getArgAttrOfType<VariableAttr>(other, variableAttrName);
    if (before && before.getName() == variable.getName())
      return op->emitError() << "expects one argument for variable '"
                             << variable.getName() << "', got two";
  }
  return success();
}

LogicalResult
LazyDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                         NamedAttribute attribute) {
  return op->emitError() << "expects no attribute of the lazy dialect on a "
                            "result, got `"
                         << attribute.getName().getValue() << "`";
}
