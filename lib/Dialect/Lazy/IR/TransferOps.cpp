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

LogicalResult CopyOp::verify() {
  auto memory = dyn_cast<MemRefType>(getSource().getType());
  // copy_c1
  if (!memory) {
    if (!getResult() || getTarget() || getOffset() != 0)
      return emitOpError() << "expects a result, no target and no offset on "
                              "tensors";
    return verifyTransfer(*this);
  }
  // copy_c2
  if (getResult() || !getTarget())
    return emitOpError() << "expects a target and no result on memrefs";
  auto target = cast<MemRefType>(getTarget().getType());
  int64_t offset = getOffset();
  if (target.getElementType() != memory.getElementType() || offset < 0 ||
      offset > memory.getNumElements() ||
      target.getNumElements() > memory.getNumElements() - offset)
    return emitOpError() << "expects elements of " << target << " to lie in "
                         << memory << " from " << offset << " on";
  return success();
}

void CopyOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getTarget())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable()[0]);
}

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

LogicalResult CopyOp::fold(FoldAdaptor,
                           SmallVectorImpl<OpFoldResult> &results) {
  if (!getResult())
    return failure();
  // A copy to the device where the value is.
  if (OpFoldResult source = replaceBy(*this, getSource())) {
    results.push_back(source);
    return success();
  }
  // copy(copy(x)) -> copy(x).
  auto inner = getSourceBefore<CopyOp>(*this);
  if (!inner)
    return failure();
  getSourceMutable().assign(inner.getSource());
  return success();
}

OpFoldResult FromCPUOp::fold(FoldAdaptor) {
  // A value that is there.
  if (OpFoldResult source = replaceBy(*this, getSource()))
    return source;
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
