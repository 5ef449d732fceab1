//===- ScheduleVersions.cpp - Notes on what memory holds ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleVersions.h"

#include "tinygrad/Dialect/Lazy/Transforms/SizeArithmetic.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;

bool lazy::isScheduleStep(Operation *op) {
  return isa<KernelOp, CustomOp, CopyOp>(op) && op->getNumResults() == 0 &&
         llvm::all_of(op->getOperands().take_front(getNumData(op)).getTypes(),
                      llvm::IsaPred<MemRefType>);
}

unsigned lazy::getNumData(Operation *step) {
  auto kernel = dyn_cast<KernelOp>(step);
  return kernel ? kernel.getData().size() : step->getNumOperands();
}

unsigned lazy::getNumRead(Operation *step) {
  if (auto kernel = dyn_cast<KernelOp>(step))
    return kernel.getInputs().size();
  // A custom that names no memory writes none.
  return std::max(step->getNumOperands(), 1U) - 1;
}

bool lazy::keepsInit(KernelOp kernel, size_t index) {
  if (hasLoads(getInitArgument(kernel, index)))
    return true;
  shape::Layout stored = getStore(kernel, index).getTracker().getLayout();
  Value init = kernel.getInits()[index];
  auto type = cast<MemRefType>(init.getType());
  if (type.hasStaticShape())
    return !stored.hasSizeOf(
        shape::Layout::fromShape(shape::Dims{type.getNumElements()}));
  auto alloc = init.getDefiningOp<memref::AllocOp>();
  if (!alloc)
    return !stored.isSymbolic();
  std::optional<shape::IndexExpr> size =
      alloc.getDynamicSizes().size() == 1
          ? readSize(alloc.getDynamicSizes().front())
          : std::nullopt;
  return !size || !stored.hasSizeOf(
                      shape::Layout::fromShape(shape::SymbolicDims{*size}));
}

SmallVector<OperandVersions> lazy::getVersionForm(Operation *step) {
  SmallVector<OperandVersions> form(getNumData(step));
  unsigned numRead = getNumRead(step);
  auto kernel = dyn_cast<KernelOp>(step);
  auto copy = dyn_cast<CopyOp>(step);
  bool copiesPart = copy && (copy.getSize() || copy.getTargetOffset() != 0);
  for (auto [index, versions] : llvm::enumerate(form)) {
    bool isWritten = index >= numRead;
    if (!isWritten || copiesPart ||
        (kernel && keepsInit(kernel, index - numRead)))
      versions.read = 0;
    if (isWritten)
      versions.made = 0;
  }
  return form;
}

std::optional<SmallVector<OperandVersions>> lazy::getVersions(Operation *step) {
  std::optional<ArrayRef<int64_t>> numbers = getVersionNumbers(step);
  if (!numbers)
    return std::nullopt;
  SmallVector<OperandVersions> versions = getVersionForm(step);
  size_t next = 0;
  for (OperandVersions &operand : versions)
    for (std::optional<int64_t> *number : {&operand.read, &operand.made}) {
      if (!*number)
        continue;
      if (next == numbers->size())
        return std::nullopt;
      *number = (*numbers)[next++];
    }
  if (next != numbers->size())
    return std::nullopt;
  return versions;
}

void lazy::setVersions(Operation *step, ArrayRef<OperandVersions> versions) {
  SmallVector<int64_t> numbers;
  for (const OperandVersions &operand : versions)
    for (std::optional<int64_t> number : {operand.read, operand.made})
      if (number)
        numbers.push_back(*number);
  setVersionNumbers(step, numbers);
}

std::optional<ArrayRef<int64_t>> lazy::getVersionNumbers(Operation *op) {
  auto numbers = op->getAttrOfType<DenseI64ArrayAttr>(versionsAttrName);
  if (!numbers)
    return std::nullopt;
  return numbers.asArrayRef();
}

void lazy::setVersionNumbers(Operation *op, ArrayRef<int64_t> numbers) {
  op->setAttr(versionsAttrName,
              DenseI64ArrayAttr::get(op->getContext(), numbers));
}
