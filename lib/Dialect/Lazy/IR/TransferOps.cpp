//===- TransferOps.cpp - Copies between devices, and assignment -----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fold.h"

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;

//===----------------------------------------------------------------------===//
// CopyOp and FromCPUOp
//===----------------------------------------------------------------------===//

/// Checks that a transfer changes nothing but the encoding.
static LogicalResult verifyTransfer(Operation *op) {
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (getSymbolicShape(source) != getSymbolicShape(result) ||
      source.getElementType() != result.getElementType())
    return op->emitOpError() << "expects a result with the shape and element "
                                "type of "
                             << source << ", got " << result;
  return success();
}

// copy_c1
LogicalResult CopyOp::verify() { return verifyTransfer(*this); }

LogicalResult FromCPUOp::verify() {
  // fromcpu_c2
  StringRef source = getDevice(getSource().getType());
  StringRef result = getDevice(getType());
  if ((source != hostDevice && source != defaultDevice) ||
      result != defaultDevice)
    return emitOpError() << "expects a source on '" << hostDevice << "' or '"
                         << defaultDevice << "' and a result on '"
                         << defaultDevice << "', got '" << source << "' and '"
                         << result << "'";
  // fromcpu_c1
  return verifyTransfer(*this);
}

OpFoldResult CopyOp::fold(FoldAdaptor) {
  // A copy on the device where the copy is already.
  Operation *definition = getSource().getDefiningOp();
  if (isa_and_nonnull<CopyOp, FromCPUOp>(definition))
    if (OpFoldResult source = replaceBy(*this, getSource()))
      return source;
  // copy(copy(x)) -> copy(x).
  auto inner = getSourceBefore<CopyOp>(*this);
  if (!inner)
    return {};
  getSourceMutable().assign(inner.getSource());
  return getResult();
}

OpFoldResult FromCPUOp::fold(FoldAdaptor) {
  // The buffer is read where it lies, not where a copy has put it.
  auto inner = getSourceBefore<CopyOp>(*this);
  if (!inner || inner.getSource().getType() != getSource().getType())
    return {};
  getSourceMutable().assign(inner.getSource());
  return getResult();
}

//===----------------------------------------------------------------------===//
// AssignOp
//===----------------------------------------------------------------------===//

OpFoldResult AssignOp::fold(FoldAdaptor) {
  // A value that is written over itself.
  if (getTarget() == getValue())
    return replaceBy(*this, getTarget());
  return {};
}
