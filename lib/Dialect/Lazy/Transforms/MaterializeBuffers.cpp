//===- MaterializeBuffers.cpp - Give each result a buffer of its own ------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_MATERIALIZEBUFFERSPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;

namespace {

/// What kernels have made of the memory of values.
class MemoryVersions {
public:
  /// Notes into which memory `kernel` writes.
  void add(KernelOp kernel) {
    for (auto [init, result] :
         llvm::zip(kernel.getInits(), kernel.getResults())) {
      if (init.getDefiningOp<EmptyOp>())
        continue;
      Value base = getBase(init);
      bases[result] = base;
      latest[base] = result;
    }
  }
  /// Notes that `value`, which goes away, is `other`.
  void replace(Value value, Value other) { bases[value] = getBase(other); }
  /// Returns what was written last into the memory of `value`.
  Value getLatest(Value value) const {
    Value base = getBase(value);
    Value written = latest.lookup(base);
    return written ? written : base;
  }

private:
  Value getBase(Value value) const {
    Value base = bases.lookup(value);
    return base ? base : value;
  }

  llvm::DenseMap<Value, Value> bases, latest;
};

struct MaterializeBuffersPass
    : lazy::impl::MaterializeBuffersPassBase<MaterializeBuffersPass> {
  void runOnOperation() override {
    for (Operation &op : getOperation().getOps())
      if (failed(verifyBound(getOperation(), &op)))
        return signalPassFailure();
    if (failed(checkKernels()) || failed(convertMoves()) ||
        failed(convertOperands()) || failed(convertResults()))
      signalPassFailure();
  }

  /// A kernel that reads and writes where no kernel runs is an operation that
  /// cannot be there.
  LogicalResult checkKernels() {
    WalkResult result = getOperation().walk([&](KernelOp kernel) {
      if (kernel.isOnMemory() || kernel.getInits().empty())
        return WalkResult::advance();
      StringRef device =
          getDevice(cast<RankedTensorType>(kernel.getInits()[0].getType()));
      if (!holdsDataOnly(device))
        return WalkResult::advance();
      emitDataOnly(kernel.getLoc(), device);
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Makes buffers of constants and views that an operation needs as buffers.
  LogicalResult convertOperands() {
    SmallVector<ConstOp> constants;
    getOperation().walk([&](ConstOp op) {
      if (llvm::any_of(op->getUsers(), needsBuffer))
        constants.push_back(op);
    });
    for (ConstOp constant : constants) {
      Operation *user = *llvm::find_if(constant->getUsers(), needsBuffer);
      Value copied = copy(constant, constant, user->getLoc());
      if (!copied)
        return failure();
      constant.getResult().replaceUsesWithIf(
          copied, [](OpOperand &use) { return needsBuffer(use.getOwner()); });
    }
    // A callback knows buffers, not views of them.
    SmallVector<CustomOp> customs;
    getOperation().walk([&](CustomOp custom) { customs.push_back(custom); });
    for (CustomOp custom : customs)
      for (OpOperand &operand : custom->getOpOperands()) {
        if (!operand.get().getDefiningOp<ViewOp>())
          continue;
        Value copied = copy(custom, operand.get(), custom.getLoc());
        if (!copied)
          return failure();
        operand.set(copied);
      }
    return success();
  }

  LogicalResult convertResults() {
    WalkResult result = getOperation().walk([&](func::ReturnOp returnOp) {
      llvm::SmallPtrSet<Value, 8> owned;
      for (OpOperand &operand : returnOp->getOpOperands()) {
        Value value = operand.get();
        if (!isa<RankedTensorType>(value.getType()))
          continue;
        if (hasOwnBuffer(value) && owned.insert(value).second)
          continue;
        if (!isGraphTensor(value.getType())) {
          returnOp.emitOpError()
              << "expects tensors of the lazy dialect, got " << value.getType();
          return WalkResult::interrupt();
        }
        Value own = reshapeKernel(value);
        if (!own)
          own = copy(returnOp, value, returnOp.getLoc());
        if (!own)
          return WalkResult::interrupt();
        operand.set(own);
        owned.insert(own);
      }
      eraseDead(returnOp);
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  static bool needsBuffer(Operation *user) {
    return isa<KernelOp, CustomOp, CopyOp>(user);
  }

  /// Says that what is wanted at `loc` is computed, and what to do.
  static void emitDataOnly(Location loc, StringRef device) {
    emitError(loc) << "expects values on a device that computes, got `"
                   << device
                   << "`, which holds data only: nothing but plain copies is "
                      "done there; `lazy.copy` moves values to a device that "
                      "computes, and results back";
  }

  /// Returns `value` as one of `type`, which may be on another device; null
  /// after an error.
  Value transfer(Operation *user, Value value, Type type) {
    if (value.getType() == type)
      return value;
    // A copy reads elements that lie side by side.
    if (auto view = value.getDefiningOp<ViewOp>();
        view && !findCopiedRange(value))
      value = copy(user, value, user->getLoc());
    if (!value)
      return {};
    OpBuilder builder(user);
    return CopyOp::create(builder, user->getLoc(), type, value).getResult();
  }

  /// Turns copies and assigns into kernels.
  LogicalResult convertMoves() {
    SmallVector<Operation *> ops;
    llvm::DenseMap<Operation *, Storage> storages;
    StorageFinder finder;
    WalkResult result = getOperation().walk([&](Operation *op) {
      // A copy on memory has no result and stays.
      if (isa<AssignOp, CopyOp, FromCPUOp, KernelOp>(op) &&
          op->getNumResults() != 0)
        ops.push_back(op);
      auto assign = dyn_cast<AssignOp>(op);
      if (!assign)
        return WalkResult::advance();
      std::string error;
      std::optional<Storage> storage = finder.find(assign, error);
      if (!storage) {
        assign.emitOpError() << error;
        return WalkResult::interrupt();
      }
      storages.try_emplace(assign, std::move(*storage));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    MemoryVersions versions;
    for (Operation *op : ops) {
      if (auto kernel = dyn_cast<KernelOp>(op)) {
        versions.add(kernel);
        continue;
      }
      auto found = storages.find(op);
      Value moved =
          found == storages.end()
              ? transfer(op, op->getOperand(0), op->getResult(0).getType())
              : write(cast<AssignOp>(op), found->second, versions);
      if (!moved)
        return failure();
      // It stays where no kernel runs.
      if (moved == op->getResult(0))
        continue;
      versions.replace(op->getResult(0), moved);
      op->getResult(0).replaceAllUsesWith(moved);
      op->erase();
    }
    return success();
  }

  /// Writes what is assigned into the storage. Returns the value of the assign,
  /// or null after an error.
  Value write(AssignOp assign, const Storage &storage,
              MemoryVersions &versions) {
    Value value = assign.getValue();
    if (holdsDataOnly(getDevice(assign.getType())))
      return writeData(assign, storage);
    Value init = versions.getLatest(storage.base);
    bool isWhole = storage.isWhole() && init.getType() == value.getType();
    KernelOp kernel;
    if (!isWhole)
      kernel = storeInto(assign, storage, init);
    if (!kernel)
      kernel = copyInto(assign, value, init, storage.target, storage.source);
    versions.add(kernel);
    return isWhole ? kernel.getResult(0) : value;
  }

  /// The same where no kernel runs: the assign stays, if elements side by side
  /// are written side by side, and a copy does it.
  Value writeData(AssignOp assign, const Storage &storage) {
    StringRef device = getDevice(assign.getType());
    if (!findCopiedRange(assign.getValue()) || !findAssignedOffset(storage)) {
      emitDataOnly(assign.getLoc(), device);
      return {};
    }
    // The copy writes the file itself, at its beginning, and no other buffer.
    if (device != hostDevice && !storage.isWhole() && !assign.use_empty()) {
      assign.emitOpError() << "expects the value of what is assigned to a part "
                              "of a file not to be used";
      return {};
    }
    auto copied = assign.getValue().getDefiningOp<CopyOp>();
    if (device != hostDevice && copied && !copied->hasOneUse()) {
      copied.emitOpError()
          << "expects what is copied to a file to be assigned there or to be "
             "used otherwise, not both: a file has no second buffer";
      return {};
    }
    if (storage.isWhole() || assign.use_empty())
      return assign.getResult();
    assign.getResult().replaceAllUsesWith(assign.getValue());
    return assign.getResult();
  }

  /// Makes the kernel of a value that nothing else needs write it where it is
  /// assigned to. Returns null where it cannot: it may read there only what it
  /// overwrites at the same time.
  KernelOp storeInto(AssignOp assign, const Storage &storage, Value init) {
    auto kernel = assign.getValue().getDefiningOp<KernelOp>();
    if (!kernel || kernel->getBlock() != assign->getBlock() ||
        kernel.getInits().size() != 1 || !assign.use_empty() ||
        !assign.getValue().hasOneUse())
      return {};
    auto empty = kernel.getInits()[0].getDefiningOp<EmptyOp>();
    StoreOp store = getStore(kernel, 0);
    shape::Layout layout =
        storage.layout.compose(store.getTracker().getLayout());
    if (!empty || layout.isSymbolic() || layout.getNumViews() != 1 ||
        !layout.getTracker().getViews().back().isOneToOne())
      return {};
    for (auto [argument, input] :
         llvm::zip(kernel.getBlock()->getArguments(), kernel.getInputs()))
      if ((input == init && !loadsInPlace(argument, store, layout)) ||
          (input == storage.base && input != init))
        return {};
    // What it overwrites is made before the assign.
    kernel->moveBefore(assign);
    kernel.getInitsMutable()[0].set(init);
    getInitArgument(kernel, 0).setType(init.getType());
    kernel.getResult(0).setType(cast<RankedTensorType>(init.getType()));
    store.setTrackerAttr(ShapeTrackerAttr::get(&getContext(), layout));
    if (empty->use_empty())
      empty.erase();
    return kernel;
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
        !view.getTracker().getLayout().isContiguous() ||
        !shape::Layout::fromShape(getSizes(view.getType()))
             .hasSizeOf(shape::Layout::fromShape(
                 getSizes(view.getSource().getType()))))
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
  /// buffer, into a buffer of its own. On the host, where no kernel runs, a
  /// `lazy.copy` does it, if it can. A file has no second buffer. Returns null
  /// after an error, which is at `wanted`.
  Value copy(Operation *user, Value value, Location wanted) {
    auto type = cast<RankedTensorType>(value.getType());
    auto layout = shape::Layout::fromShape(getSizes(type));
    OpBuilder builder(user);
    if (getDevice(type) == hostDevice && findCopiedRange(value))
      return CopyOp::create(builder, value.getLoc(), type, value).getResult();
    if (holdsDataOnly(getDevice(type))) {
      emitDataOnly(wanted, getDevice(type));
      return {};
    }
    Value init = EmptyOp::create(builder, value.getLoc(), type);
    return copyInto(user, value, init, layout, layout).getResult(0);
  }

  /// Makes a kernel before `user` that copies `value` into `init`, through the
  /// one view of `target`. The elements are those that `order` reads of
  /// `value`.
  KernelOp copyInto(Operation *user, Value value, Value init,
                    const shape::Layout &target, const shape::Layout &order) {
    Location loc = value.getLoc();
    OpBuilder builder(user);
    MLIRContext *context = &getContext();
    // In a kernel values are on no device.
    shape::Sizes shape = target.getShape();
    RankedTensorType type = getTensorType(
        context, shape,
        *getDType(cast<RankedTensorType>(value.getType()).getElementType()));
    SmallVector<Value> inputs;
    shape::Layout source = order;
    if (auto view = value.getDefiningOp<ViewOp>()) {
      source = view.getTracker().getLayout().compose(order).simplify();
      value = view.getSource();
      // A padded constant: the padding is read through the view, and that
      // needs a buffer.
      if (value.getDefiningOp<ConstOp>() && source.isMasked())
        value = copy(user, value, user->getLoc());
      builder.setInsertionPoint(user);
    }
    auto constant = value.getDefiningOp<ConstOp>();
    if (!constant)
      inputs.push_back(value);
    auto kernel =
        KernelOp::create(builder, loc, TypeRange(init.getType()),
                         builder.getStringAttr(getKernelName("copy", shape)),
                         inputs, ValueRange(init), PlanAttr());
    Block *block = builder.createBlock(&kernel.getBody());
    for (Value operand : kernel.getOperands())
      block->addArgument(operand.getType(), loc);
    Value element =
        constant ? createConstant(builder, loc, type, constant.getScalar())
                 : LoadOp::create(builder, loc, type, block->getArgument(0),
                                  ShapeTrackerAttr::get(context, source))
                       .getResult();
    StoreOp::create(builder, loc, element, block->getArguments().back(),
                    ShapeTrackerAttr::get(context, target));
    kernel.addBindings([&](const shape::IndexExpr &variable) {
      return findVariable(getOperation(), variable);
    });
    return kernel;
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
