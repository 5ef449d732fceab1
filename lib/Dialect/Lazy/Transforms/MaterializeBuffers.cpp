//===- MaterializeBuffers.cpp - Give each result a buffer of its own ------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

#include "llvm/ADT/SmallString.h"

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_MATERIALIZEBUFFERSPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;

namespace {

struct MaterializeBuffersPass
    : lazy::impl::MaterializeBuffersPassBase<MaterializeBuffersPass> {
  void runOnOperation() override {
    WalkResult plain = getOperation().walk([](Operation *op) {
      return isa_and_present<LazyDialect>(op->getDialect()) &&
                     failed(verifyNumbers(op))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (plain.wasInterrupted())
      return signalPassFailure();
    SmallVector<Operation *> moves;
    getOperation().walk([&](Operation *op) {
      if (isa<AssignOp, CopyOp, FromCPUOp>(op))
        moves.push_back(op);
    });
    for (Operation *op : moves) {
      if (op->getNumResults() == 0)
        continue;
      op->getResult(0).replaceAllUsesWith(
          isa<AssignOp>(op)
              ? copy(op, op->getOperand(1), op->getOperand(0))
              : transfer(op, op->getOperand(0), op->getResult(0).getType()));
      op->erase();
    }
    SmallVector<ConstOp> constants;
    getOperation().walk([&](ConstOp op) {
      if (llvm::any_of(op->getUsers(), needsBuffer))
        constants.push_back(op);
    });
    for (ConstOp constant : constants)
      constant.getResult().replaceUsesWithIf(
          copy(constant, constant),
          [](OpOperand &use) { return needsBuffer(use.getOwner()); });
    // A callback knows buffers, not views of them.
    SmallVector<CustomOp> customs;
    getOperation().walk([&](CustomOp custom) { customs.push_back(custom); });
    for (CustomOp custom : customs)
      for (OpOperand &operand : custom->getOpOperands())
        if (operand.get().getDefiningOp<ViewOp>())
          operand.set(copy(custom, operand.get()));
    WalkResult result = getOperation().walk([&](func::ReturnOp returnOp) {
      llvm::SmallPtrSet<Value, 8> owned;
      for (OpOperand &operand : returnOp->getOpOperands()) {
        Value value = operand.get();
        if (!isa<RankedTensorType>(value.getType()))
          continue;
        if (hasOwnBuffer(value) && owned.insert(value).second)
          continue;
        if (!isBufferTensor(value.getType())) {
          returnOp.emitOpError() << "expects tensors of static shape with "
                                    "elements of the lazy dialect, got "
                                 << value.getType();
          return WalkResult::interrupt();
        }
        Value reshaped = reshapeKernel(value);
        operand.set(reshaped ? reshaped : copy(returnOp, value));
        owned.insert(operand.get());
      }
      eraseDead(returnOp);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  static bool needsBuffer(Operation *user) {
    return isa<KernelOp, CustomOp, CopyOp>(user);
  }

  /// Returns `value` as one of `type`, which may be on another device.
  Value transfer(Operation *user, Value value, Type type) {
    if (value.getType() == type)
      return value;
    // A copy reads elements that lie side by side.
    if (auto view = value.getDefiningOp<ViewOp>();
        view && !findCopiedRange(value))
      value = copy(user, value);
    OpBuilder builder(user);
    return CopyOp::create(builder, user->getLoc(), type, value).getResult();
  }

  /// True if an operation makes `value` in a buffer that it shares with no
  /// argument, and that nothing overwrites later.
  static bool hasOwnBuffer(Value value) {
    Operation *op = value.getDefiningOp();
    auto isInit = [](OpOperand &use) {
      auto kernel = dyn_cast<KernelOp>(use.getOwner());
      return kernel && use.getOperandNumber() >= kernel.getInputs().size();
    };
    if (!op || llvm::any_of(value.getUses(), isInit))
      return false;
    auto kernel = dyn_cast<KernelOp>(op);
    if (!kernel)
      return isa<CustomOp, CopyOp>(op);
    unsigned index = cast<OpResult>(value).getResultNumber();
    return static_cast<bool>(kernel.getInits()[index].getDefiningOp<EmptyOp>());
  }

  /// Where `value` is the whole result of a kernel in another shape, and
  /// nothing else uses that result: gives the kernel's result this shape. A
  /// kernel stores through a view of its own, so the shape of its result is
  /// free. Returns null where it is not so.
  Value reshapeKernel(Value value) {
    auto view = value.getDefiningOp<ViewOp>();
    auto kernel =
        view ? view.getSource().getDefiningOp<KernelOp>() : KernelOp();
    if (!kernel || !view.getSource().hasOneUse() || !value.hasOneUse() ||
        !view.getTracker().getTracker().isContiguous() ||
        view.getType().getNumElements() !=
            view.getSource().getType().getNumElements())
      return {};
    auto result = cast<OpResult>(view.getSource());
    unsigned index = result.getResultNumber();
    auto init = kernel.getInits()[index].getDefiningOp<EmptyOp>();
    if (!init)
      return {};
    OpBuilder builder(init);
    Value empty = EmptyOp::create(builder, init.getLoc(), view.getType());
    kernel.getInitsMutable()[index].set(empty);
    kernel.getBlock()
        ->getArgument(kernel.getInputs().size() + index)
        .setType(view.getType());
    result.setType(view.getType());
    value.replaceAllUsesWith(result);
    view.erase();
    if (init->use_empty())
      init.erase();
    return result;
  }

  /// Makes a kernel before `user` that copies `value`, a constant, a view or a
  /// buffer, into `init`, or into a buffer of its own. On the host, where no
  /// kernel runs, a `lazy.copy` does it, if it can. A file has no second
  /// buffer.
  Value copy(Operation *user, Value value, Value init = {}) {
    Location loc = value.getLoc();
    OpBuilder builder(user);
    auto type = cast<RankedTensorType>(value.getType());
    if (!init && getDevice(type) == hostDevice && findCopiedRange(value))
      return CopyOp::create(builder, loc, type, value).getResult();
    SmallVector<Value> inputs;
    auto tracker = shape::ShapeTracker::fromShape(lazy::getShape(type));
    shape::ShapeTracker source = tracker;
    auto constant = value.getDefiningOp<ConstOp>();
    if (!constant) {
      if (auto view = value.getDefiningOp<ViewOp>()) {
        source = view.getTracker().getTracker();
        value = view.getSource();
        // A padded constant: the padding is read through the view, and that
        // needs a buffer.
        if (value.getDefiningOp<ConstOp>())
          value = copy(user, value);
        builder.setInsertionPoint(user);
      }
      inputs.push_back(value);
    }
    // In a kernel values are on no device.
    RankedTensorType elements = getTensorType(
        &getContext(), lazy::getShape(type), *getDType(type.getElementType()));
    if (!init)
      init = EmptyOp::create(builder, loc, type);
    SmallString<32> name("copy");
    for (int64_t extent : type.getShape())
      (name += "_") += std::to_string(extent);
    auto kernel = KernelOp::create(builder, loc, TypeRange(type),
                                   builder.getStringAttr(name), inputs,
                                   ValueRange(init), PlanAttr());
    Block *block = builder.createBlock(&kernel.getBody());
    for (Value operand : kernel.getOperands())
      block->addArgument(operand.getType(), loc);
    Value element =
        constant ? ConstOp::create(builder, loc,
                                   getSplatAttr(elements, constant.getScalar()))
                       .getResult()
                 : LoadOp::create(builder, loc, elements, block->getArgument(0),
                                  ShapeTrackerAttr::get(&getContext(), source))
                       .getResult();
    StoreOp::create(builder, loc, element, block->getArguments().back(),
                    ShapeTrackerAttr::get(&getContext(), tracker));
    return kernel.getResult(0);
  }

  /// Views and constants that only the results used have become part of the
  /// copies.
  void eraseDead(func::ReturnOp returnOp) {
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(*returnOp->getBlock())))
      if (isa<ViewOp, ConstOp>(op) && op.use_empty())
        op.erase();
  }
};

} // namespace
