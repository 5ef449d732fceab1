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
    if (!getResult() || getTarget() || getOffset() != 0 ||
        getTargetOffset() != 0 || getSize())
      return emitOpError() << "expects a result, no target, no offset and no "
                              "size on tensors";
    return verifyTransfer(*this);
  }
  // copy_c2
  if (getResult() || !getTarget())
    return emitOpError() << "expects a target and no result on memrefs";
  auto target = cast<MemRefType>(getTarget().getType());
  if (target.getElementType() != memory.getElementType())
    return emitOpError() << "expects memory of one element type, got " << memory
                         << " and " << target;
  if (getSize() && static_cast<int64_t>(*getSize()) < 0)
    return emitOpError() << "expects a size that is not negative, got "
                         << static_cast<int64_t>(*getSize());
  // What is not known of a memref with `?` is not checked.
  auto check = [&](MemRefType type, int64_t offset) -> LogicalResult {
    int64_t size = std::max<int64_t>(getNumElements(), 0);
    if (offset >= 0 &&
        (!type.hasStaticShape() || (offset <= type.getNumElements() &&
                                    size <= type.getNumElements() - offset)))
      return success();
    return emitOpError() << "expects " << size << " elements to lie in " << type
                         << " from " << offset << " on";
  };
  return success(succeeded(check(target, getTargetOffset())) &&
                 succeeded(check(memory, getOffset())));
}

int64_t CopyOp::getNumElements() {
  if (std::optional<uint64_t> size = getSize())
    return static_cast<int64_t>(*size);
  auto target = cast<MemRefType>(getTarget().getType());
  if (!target.hasStaticShape())
    return -1;
  return std::max<int64_t>(
      target.getNumElements() - static_cast<int64_t>(getTargetOffset()), 0);
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

bool Storage::isWhole() const {
  auto type = cast<RankedTensorType>(base.getType());
  return layout.isContiguous() &&
         layout.hasSizeOf(shape::Layout::fromShape(getSizes(type)));
}

/// Makes of `source`, the elements in the order of `outer`, those in the order
/// of `inner`, the shape of what `outer` views. False if `outer` does not view
/// each of its elements once.
static bool undo(const shape::View &outer, const shape::Dims &inner,
                 shape::ShapeTracker &source) {
  shape::Dims steps, order;
  for (int64_t axis = 0; axis < outer.getRank(); ++axis) {
    steps.push_back(outer.getStrides()[axis] < 0 ? -1 : 1);
    order.push_back(axis);
  }
  // Coarse axes first. Those of extent 1 have stride 0 and decide nothing.
  llvm::sort(order, [&](int64_t lhs, int64_t rhs) {
    return std::pair(-std::abs(outer.getStrides()[lhs]), lhs) <
           std::pair(-std::abs(outer.getStrides()[rhs]), rhs);
  });
  int64_t numElements = 1;
  for (int64_t axis : llvm::reverse(order)) {
    if (outer.getShape()[axis] > 1 &&
        std::abs(outer.getStrides()[axis]) != numElements)
      return false;
    numElements *= outer.getShape()[axis];
  }
  if (numElements != shape::ShapeTracker::fromShape(inner).getNumElements())
    return false;
  source = std::move(source).stride(steps).permute(order).reshape(inner);
  return true;
}

std::optional<Storage> StorageFinder::find(AssignOp assign,
                                           std::string &error) {
  Value value = assign.getTarget();
  SmallVector<Operation *> chain;
  // What cannot be reached may be its own operand.
  llvm::SmallPtrSet<Operation *, 8> seen;
  auto known = places.find(value);
  while (known == places.end()) {
    Operation *op = value.getDefiningOp();
    if (!op || !isa<AssignOp, ViewOp, MovementOpInterface>(op) ||
        !seen.insert(op).second)
      break;
    if (isSymbolic(op)) {
      error = "expects a target that is viewed with numbers only";
      return std::nullopt;
    }
    chain.push_back(op);
    // An assign's target comes first, as the source of a view does.
    value = op->getOperand(0);
    known = places.find(value);
  }
  Place place =
      known != places.end()
          ? known->second
          : Place{value, shape::Layout::fromShape(getSizes(
                             cast<RankedTensorType>(value.getType())))};
  for (Operation *op : llvm::reverse(chain)) {
    if (auto view = dyn_cast<ViewOp>(op))
      place.layout = shape::ShapeTracker(place.layout.getTracker())
                         .compose(view.getTracker().getTracker());
    else if (auto movement = dyn_cast<MovementOpInterface>(op))
      place.layout = movement.applyTo(place.layout.getTracker());
    places.try_emplace(op->getResult(0), place);
  }
  places.try_emplace(assign.getResult(), place);
  // Nothing views a base of a symbolic size.
  if (place.layout.isSymbolic())
    return Storage{place.base, place.layout, place.layout, place.layout};
  Value base = place.base;
  shape::ShapeTracker tracker = place.layout.getTracker();
  tracker = tracker.simplify();
  auto source = shape::ShapeTracker::fromShape(tracker.getShape());
  if (tracker.getNumElements() == 0)
    return Storage{base, tracker,
                   shape::ShapeTracker::fromViews({tracker.getViews().back()}),
                   source};
  for (const shape::View &view : tracker.getViews()) {
    if (view.getMask()) {
      error = "expects a target without padding, got " + tracker.toString();
      return std::nullopt;
    }
    if (!view.isOneToOne()) {
      error = "expects a target whose elements lie apart, got " +
              tracker.toString();
      return std::nullopt;
    }
  }
  ArrayRef<shape::View> views = tracker.getViews();
  for (; views.size() > 1; views = views.drop_back()) {
    if (!undo(views.back(), views.drop_back().back().getShape(), source)) {
      error = "expects a target that one view shows, perhaps reshaped, got " +
              tracker.toString();
      return std::nullopt;
    }
  }
  auto target = shape::ShapeTracker::fromViews({views.front()});
  return Storage{base, tracker, std::move(target), std::move(source)};
}

OpFoldResult AssignOp::fold(FoldAdaptor) {
  // A value that is written over itself.
  if (getTarget() == getValue())
    return replaceBy(*this, getTarget());
  return {};
}
