//===- Schedule.cpp - The scheduler and its rules as passes ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"
#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_SCHEDULEPASS
#define GEN_PASS_DEF_REMOVEMOVEMENTNOPSPASS
#define GEN_PASS_DEF_MERGEELEMENTWISEINTOREDUCEPASS
#define GEN_PASS_DEF_SHUFFLEMOVEMENTPASS
#define GEN_PASS_DEF_MERGEELEMENTWISEPASS
#define GEN_PASS_DEF_MERGEREDUCEINTOELEMENTWISEPASS
#define GEN_PASS_DEF_SHUFFLEPADPASS
#define GEN_PASS_DEF_PUSHPERMUTESPASS
#define GEN_PASS_DEF_PUSHCONTIGUOUSPASS
#define GEN_PASS_DEF_PUSHRESHAPESPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;
using namespace tinygrad::lazy::schedule;
using ops::OpKind;

namespace {

/// What a run of the scheduler is told.
struct Settings {
  std::function<bool(const Rule &)> isEnabled;
  bool keepsValues = false;
  bool tracesRules = false;
  RuleOptions rules;
};

/// What a run of the scheduler tells.
struct Counts {
  uint64_t steps = 0, kernels = 0;
};

/// Rebuilds one function. What the source still holds is the map of handles:
/// one per value that is used later on.
class FunctionScheduler {
public:
  FunctionScheduler(func::FuncOp function, const Settings &settings)
      : function(function), keepsValues(settings.keepsValues),
        rules(createRules(settings.rules)),
        builder(graph, selectRules(settings)), opBuilder(function.getContext()),
        emitter(opBuilder, function), scheduler(builder, emitter) {
    graph.trace.isOn = settings.tracesRules;
    graph.foldsConstants =
        llvm::any_of(builder.getRules(), [](const Rule *rule) {
          return rule->getLabel() == "CST";
        });
  }

  LogicalResult run(Counts &counts);

private:
  /// A value of the source.
  struct Handle {
    BufferRef buffer;
    /// The type that an implicit cast gives it, which its users are to apply.
    std::optional<DType> cast;
    Location loc;
    /// Uses that are still to come; more than there are if it is kept.
    uint64_t numUses;
  };

  std::vector<const Rule *> selectRules(const Settings &settings) const;
  LogicalResult build(Operation &op);
  /// Returns what `op` makes, or null if it is of no kind that is known.
  BufferRef buildValue(Operation &op);
  BufferRef buildConst(ConstOp op);
  BufferRef buildMovement(MovementOpInterface op);
  /// Returns null after an error.
  BufferRef buildAssign(AssignOp op);

  Handle &getHandle(Value value);
  /// Returns the buffer of `value`, an implicit cast made explicit.
  BufferRef getBuffer(Value value);
  /// Returns the type that an implicit cast of what `op` moves gives its
  /// result, if there is one: elements that are moved may be cast later, where
  /// they are read. Masked ones are 0 in every type.
  std::optional<DType> getCastToMove(Operation &op);
  /// Returns the buffer that `op` moves, before any such cast.
  BufferRef getBufferToMove(Operation &op);
  void addHandle(Value value, BufferRef buffer, std::optional<DType> cast = {});
  void dropUses(Operation &op);
  void emit(Operation *terminator, Counts &counts);
  void emitCustoms();
  void emitAssigns();

  func::FuncOp function;
  bool keepsValues;
  // Handles refer to the graph, which must outlive them.
  LazyGraph graph;
  RuleList rules;
  LazyBuilder builder;
  /// Writes what was scheduled, at the end of the function.
  OpBuilder opBuilder;
  KernelEmitter emitter;
  Scheduler scheduler;
  llvm::DenseMap<Value, Handle> handles;
  /// Custom operations touch what the program cannot see: all of them stay, in
  /// their order.
  std::vector<BufferRef> customs;
  StorageFinder storages;
  /// A value that is assigned to the part of an argument that a view shows.
  struct Assigned {
    BufferRef value;
    shape::Layout layout;
    Location loc;
  };
  /// What is assigned to each argument, in this order. The first may be to all
  /// of it, the others are not.
  llvm::MapVector<Value, std::vector<Assigned>> assigned;
};

} // namespace

std::vector<const Rule *>
FunctionScheduler::selectRules(const Settings &settings) const {
  auto isEnabled = [&](const Rule &rule) {
    return llvm::all_of(rules, [&](const std::unique_ptr<Rule> &other) {
      bool isWanted = other->getLabel() == rule.getLabel() ||
                      other->getLabel() == rule.getNeeds();
      return !isWanted || settings.isEnabled(*other);
    });
  };
  std::vector<const Rule *> selected;
  for (const std::unique_ptr<Rule> &rule : rules)
    if (isEnabled(*rule))
      selected.push_back(rule.get());
  return selected;
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

FunctionScheduler::Handle &FunctionScheduler::getHandle(Value value) {
  auto found = handles.find(value);
  if (found != handles.end())
    return found->second;
  // An argument, on its first use. Its life decides nothing: it is realized.
  assert(isa<BlockArgument>(value) && "a result is built before it is used");
  return handles
      .try_emplace(value,
                   Handle{graph.createInput(value), std::nullopt,
                          value.getLoc(), std::numeric_limits<uint64_t>::max()})
      .first->second;
}

BufferRef FunctionScheduler::getBuffer(Value value) {
  Handle handle = getHandle(value);
  if (!handle.cast)
    return handle.buffer;
  return builder
      .e({OpKind::Cast,
          *handle.cast,
          {{handle.buffer, std::nullopt}},
          handle.loc})
      .run();
}

std::optional<DType> FunctionScheduler::getCastToMove(Operation &op) {
  // What is realized has the type that the source says.
  if (!isa<MovementOpInterface, ViewOp>(op) || op.hasAttr("lazy.realized"))
    return std::nullopt;
  return getHandle(op.getOperand(0)).cast;
}

BufferRef FunctionScheduler::getBufferToMove(Operation &op) {
  Value source = op.getOperand(0);
  return getCastToMove(op) ? getHandle(source).buffer : getBuffer(source);
}

void FunctionScheduler::addHandle(Value value, BufferRef buffer,
                                  std::optional<DType> cast) {
  Operation *op = value.getDefiningOp();
  uint64_t numUses = 0;
  bool isKept = keepsValues || op->hasAttr("lazy.kept");
  for (OpOperand &use : value.getUses()) {
    ++numUses;
    isKept |= use.getOwner()->hasTrait<OpTrait::IsTerminator>();
  }
  if (isKept)
    numUses = std::numeric_limits<uint64_t>::max();
  if (numUses != 0)
    handles.try_emplace(value,
                        Handle{std::move(buffer), cast, op->getLoc(), numUses});
}

void FunctionScheduler::dropUses(Operation &op) {
  for (Value operand : op.getOperands()) {
    auto found = handles.find(operand);
    if (found == handles.end() ||
        found->second.numUses == std::numeric_limits<uint64_t>::max())
      continue;
    if (--found->second.numUses == 0)
      handles.erase(found);
  }
}

//===----------------------------------------------------------------------===//
// Source operations
//===----------------------------------------------------------------------===//

BufferRef FunctionScheduler::buildConst(ConstOp op) {
  shape::Dims shape = lazy::getShape(op.getType());
  Location loc = op.getLoc();
  BufferRef scalar =
      builder.loadConst(op.getScalar(), loc, getDevice(op.getType()));
  BufferRef ones =
      builder.reshape(std::move(scalar), shape::Dims(shape.size(), 1), loc)
          .run();
  return builder.expand(std::move(ones), std::move(shape), loc).run();
}

BufferRef FunctionScheduler::buildMovement(MovementOpInterface op) {
  BufferRef source = getBufferToMove(*op);
  Movement movement = {op.getKind(), op.getSizes(), nullptr};
  if (movement.kind == OpKind::AsStrided) {
    movement.arg = {};
    movement.view = std::make_shared<shape::Layout>(
        op.applyTo(shape::Layout::fromShape(source->getShape())));
  }
  return builder.move(std::move(source), std::move(movement), op.getLoc())
      .run();
}

// lazy.py's `Tensor.assign`: from here on the tensor is the value. Nobody can
// see in which memory something that was computed lies.
BufferRef FunctionScheduler::buildAssign(AssignOp op) {
  BufferRef value = getBuffer(op.getValue());
  std::string error;
  std::optional<Storage> storage = storages.find(op, error);
  if (!storage) {
    op.emitOpError() << error;
    return {};
  }
  if (!isa<BlockArgument>(storage->base))
    return value;
  std::vector<Assigned> &writes = assigned[storage->base];
  LazyBuffer *target = getHandle(storage->base).buffer.get();
  bool isWhole = storage->isWhole();
  if (isWhole) {
    // Nothing is left of what was written before.
    for (const Assigned &before : writes) {
      LazyBuffer *base = before.value->getBase();
      if (base->target == target && !base->isRealized())
        base->target = nullptr;
    }
    writes.clear();
  }
  writes.push_back({value, std::move(storage->layout), op.getLoc()});
  // The kernel of a value can write into one argument.
  LazyBuffer *base = value->getBase();
  bool isKernel = isWhole && value->getShape() == target->getShape() &&
                  !base->isRealized() && !base->op->source &&
                  !base->isUnrealizedConst() &&
                  base->getShape() == value->getShape() &&
                  value->getLayout().isContiguous();
  if (isKernel && !base->target)
    base->target = target;
  return value;
}

BufferRef FunctionScheduler::buildValue(Operation &op) {
  Location loc = op.getLoc();
  if (auto constant = dyn_cast<ConstOp>(op))
    return buildConst(constant);
  if (isa<EmptyOp>(op))
    return builder.loadOp(OpKind::Empty, &op, {});
  if (auto custom = dyn_cast<CustomOp>(op)) {
    SmallVector<BufferRef> sources;
    for (Value operand : custom.getOperands()) {
      BufferRef source = getBuffer(operand);
      // No kernel could make it contiguous.
      if (holdsDataOnly(source->device))
        sources.push_back(std::move(source));
      else
        sources.push_back(builder.contiguous(std::move(source), loc));
    }
    BufferRef result = builder.loadOp(OpKind::Custom, &op, sources);
    customs.push_back(result);
    return result;
  }
  if (isa<ContiguousOp>(op))
    return builder.contiguous(getBuffer(op.getOperand(0)), loc);
  if (isa<CopyOp, FromCPUOp>(op))
    return builder.copyToDevice(getBuffer(op.getOperand(0)), &op);
  if (auto assign = dyn_cast<AssignOp>(op))
    return buildAssign(assign);
  if (auto view = dyn_cast<ViewOp>(op)) {
    auto layout =
        std::make_shared<shape::Layout>(view.getTracker().getLayout());
    return builder
        .move(getBufferToMove(op), {OpKind::AsStrided, {}, std::move(layout)},
              loc)
        .run();
  }
  if (auto movement = dyn_cast<MovementOpInterface>(op))
    return buildMovement(movement);
  if (auto reduce = dyn_cast<ReduceOpInterface>(op))
    return builder
        .r({reduce.getKind(), getBuffer(op.getOperand(0)),
            getSizes(cast<RankedTensorType>(op.getResult(0).getType())), loc})
        .run();
  if (auto elementwise = dyn_cast<ElementwiseOpInterface>(op)) {
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    Sources sources;
    for (Value operand : op.getOperands()) {
      const Handle &handle = getHandle(operand);
      sources.push_back({handle.buffer, handle.cast});
    }
    return builder
        .e({elementwise.getKind(), *getDType(type.getElementType()),
            std::move(sources), loc})
        .run();
  }
  return {};
}

LogicalResult FunctionScheduler::build(Operation &op) {
  builder.addSourceOp();
  if (isa<CustomOp, CopyOp>(op) && op.getNumResults() == 0)
    return op.emitOpError() << "expects tensors to be scheduled, got memrefs";
  if (failed(verifyBound(function, &op)))
    return failure();
  auto cast = dyn_cast<CastOp>(op);
  if (cast && cast.getImplicit()) {
    // Part of its user: only the type is noted.
    DType type = *getDType(cast.getType().getElementType());
    addHandle(cast, getBuffer(cast.getSource()), type);
  } else if (BufferRef result = buildValue(op)) {
    if (op.hasAttr("lazy.realized")) {
      emitCustoms();
      scheduler.realize(result);
    }
    addHandle(op.getResult(0), std::move(result), getCastToMove(op));
  } else if (isa<AssignOp, CopyOp, FromCPUOp>(op)) {
    return failure();
  } else {
    return op.emitOpError()
           << "expects an operation of the graph; this one cannot be "
              "scheduled";
  }
  dropUses(op);
  return success();
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

void FunctionScheduler::emitCustoms() {
  for (const BufferRef &custom : customs)
    scheduler.schedule(custom);
}

void FunctionScheduler::emitAssigns() {
  for (auto &[argument, writes] : assigned)
    for (const Assigned &write : writes)
      scheduler.schedule(write.value);
  MLIRContext *context = opBuilder.getContext();
  for (auto &[argument, writes] : assigned) {
    LazyBuffer *target = getHandle(argument).buffer.get();
    for (const auto &[value, layout, loc] : writes) {
      // The first one alone may have been written by its kernel.
      if ((value.get() == target && layout.isContiguous()) ||
          (value->getBase()->target == target &&
           &value == &writes.front().value))
        continue;
      Value written = emitter.getValue(*value, loc);
      Value part = argument;
      if (written.getType() != part.getType() || !layout.isContiguous())
        part = ViewOp::create(opBuilder, loc, written.getType(), argument,
                              ShapeTrackerAttr::get(context, layout));
      AssignOp::create(opBuilder, loc, part, written);
    }
  }
}

void FunctionScheduler::emit(Operation *terminator, Counts &counts) {
  emitCustoms();
  SmallVector<std::pair<OpOperand *, BufferRef>> results;
  for (OpOperand &operand : terminator->getOpOperands())
    if (isa<OpResult>(operand.get()))
      results.emplace_back(&operand, getBuffer(operand.get()));
  for (auto &[operand, buffer] : results)
    scheduler.schedule(buffer);
  for (auto &[operand, buffer] : results)
    operand->set(emitter.getValue(*buffer, operand->get().getLoc()));
  emitAssigns();
  counts.kernels = emitter.getNumKernels();
}

LogicalResult FunctionScheduler::run(Counts &counts) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError() << "expects a body of one block, got "
                                  << function.getBody().getBlocks().size();
  Block &block = function.getBody().front();
  opBuilder.setInsertionPoint(block.getTerminator());
  SmallVector<Operation *> source;
  for (Operation &op : block.without_terminator())
    source.push_back(&op);
  for (Operation *op : source)
    if (failed(build(*op)))
      return failure();
  emit(block.getTerminator(), counts);
  counts.steps = builder.getNumSteps() + graph.getNumVisits();
  for (Operation *op : llvm::reverse(source))
    op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {

/// True if there is nothing to schedule: `function` holds kernels in one block
/// and no other operation that computes on tensors, or no tensor at all. So a
/// pipeline may start at any later stage.
bool isScheduled(func::FuncOp function) {
  if (hasGraph(function))
    return false;
  bool hasKernel = false, hasTensor = false;
  for (Operation &op : function.getBody().getOps()) {
    hasKernel |= isa<KernelOp>(op) && function.getBody().hasOneBlock();
    hasTensor |= llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>);
  }
  hasTensor |=
      llvm::any_of(function.getArgumentTypes(), llvm::IsaPred<TensorType>);
  return hasKernel || !hasTensor;
}

/// What the passes share: `Derived` says which rules are on.
template <typename Base>
struct SchedulingPass : Base {
  using Base::Base;

  LogicalResult schedule(const Settings &settings) {
    func::FuncOp function = this->getOperation();
    if (function.isExternal() || isScheduled(function))
      return success();
    if (function->hasAttr(kernelAttrName))
      return function.emitOpError()
             << "cannot be scheduled: `" << kernelAttrName
             << "` says that it is a kernel which was scheduled";
    Counts counts;
    if (failed(FunctionScheduler(function, settings).run(counts)))
      return failure();
    if (this->report)
      emitRemark(function.getLoc()) << formatCount(counts.steps, "step") << ", "
                                    << formatCount(counts.kernels, "kernel");
    return success();
  }
};

struct SchedulePass
    : SchedulingPass<lazy::impl::SchedulePassBase<SchedulePass>> {
  using SchedulingPass::SchedulingPass;

  // Once, not for each function.
  LogicalResult initialize(MLIRContext *context) override {
    Location loc = UnknownLoc::get(context);
    if (rules != "reference")
      return emitError(loc) << "expects option `rules` to be `reference`, got `"
                            << rules.getValue() << "`";
    if (optLevel < 0 || optLevel > 4)
      return emitError(loc) << "expects option `opt-level` from 0 to 4, got "
                            << optLevel.getValue();
    if (liveness != "dropped" && liveness != "kept")
      return emitError(loc)
             << "expects option `liveness` to be `dropped` or `kept`, got `"
             << liveness.getValue() << "`";
    if (splitThreshold < 1)
      return emitError(loc) << "expects option `reduce-split-threshold` to be "
                               "at least 1, got "
                            << splitThreshold.getValue();
    if (maxSplitResults < 0)
      return emitError(loc) << "expects option `max-split-results` to be 0 or "
                               "more, got "
                            << maxSplitResults.getValue();
    if (maxKernelBuffers != 0 && maxKernelBuffers < 4)
      return emitError(loc) << "expects option `max-kernel-buffers` to be 0 or "
                               "at least 4, got "
                            << maxKernelBuffers.getValue();
    for (const std::string &label : disabledRules)
      if (llvm::none_of(createRules({}),
                        [&](const std::unique_ptr<Rule> &rule) {
                          return rule->getLabel() == label;
                        }))
        return emitError(loc) << "expects option `disabled-rules` to hold "
                                 "labels of rules, got `"
                              << label << "`";
    return success();
  }

  void runOnOperation() override {
    if (failed(schedule(getSettings())))
      signalPassFailure();
  }

private:
  bool isFlagSet(StringRef flag) const {
    std::pair<StringRef, bool> flags[] = {
        {"REMOVE_MOVEMENT_NOPS", removeMovementNops},
        {"MERGE_ELEMENTWISE_INTO_REDUCE", mergeElementwiseIntoReduce},
        {"SHUFFLE_MOVEMENT_OPS", shuffleMovementOps},
        {"MERGE_ELEMENTWISE_OPS", mergeElementwiseOps},
        {"MERGE_ONE_REDUCE_INTO_ELEMENTWISE", mergeOneReduceIntoElementwise},
        {"SHUFFLE_PAD_OPS", shufflePadOps},
        {"PUSH_PERMUTES", pushPermutes},
        {"PUSH_CONTIGUOUS", pushContiguous},
        {"PUSH_RESHAPES", pushReshapes}};
    for (auto [name, isSet] : flags)
      if (name == flag)
        return isSet;
    return true;
  }

  Settings getSettings() {
    Settings settings;
    settings.isEnabled = [this](const Rule &rule) {
      if (llvm::is_contained(disabledRules, rule.getLabel()))
        return false;
      if (rule.getLabel() == "CSE")
        return static_cast<bool>(cache);
      return rule.getLevel() <= optLevel && isFlagSet(rule.getFlag());
    };
    settings.keepsValues = liveness == "kept";
    settings.rules.splitThreshold = splitThreshold;
    settings.rules.maxSplitResults = maxSplitResults;
    settings.tracesRules = traceRules;
    settings.rules.maxKernelBuffers = maxKernelBuffers;
    return settings;
  }
};

/// The driver with the rule of one flag alone, and those that it needs.
template <typename Base>
struct RulePass : SchedulingPass<Base> {
  using SchedulingPass<Base>::SchedulingPass;

  void runOnOperation() override {
    StringRef flag = getRuleFlag();
    StringRef needed;
    for (const std::unique_ptr<Rule> &rule : createRules({}))
      if (rule->getFlag() == flag)
        needed = rule->getNeeds();
    Settings settings;
    settings.isEnabled = [&](const Rule &rule) {
      return rule.getFlag().empty() || rule.getFlag() == flag ||
             rule.getLabel() == needed;
    };
    if (failed(this->schedule(settings)))
      this->signalPassFailure();
  }

protected:
  virtual StringRef getRuleFlag() const = 0;
};

#define TINYGRAD_RULE_PASS(Name, flag)                                         \
  struct Name : RulePass<lazy::impl::Name##Base<Name>> {                       \
    using RulePass::RulePass;                                                  \
    StringRef getRuleFlag() const override { return flag; }                    \
  };
TINYGRAD_RULE_PASS(RemoveMovementNopsPass, "REMOVE_MOVEMENT_NOPS")
TINYGRAD_RULE_PASS(MergeElementwiseIntoReducePass,
                   "MERGE_ELEMENTWISE_INTO_REDUCE")
TINYGRAD_RULE_PASS(ShuffleMovementPass, "SHUFFLE_MOVEMENT_OPS")
TINYGRAD_RULE_PASS(MergeElementwisePass, "MERGE_ELEMENTWISE_OPS")
TINYGRAD_RULE_PASS(MergeReduceIntoElementwisePass,
                   "MERGE_ONE_REDUCE_INTO_ELEMENTWISE")
TINYGRAD_RULE_PASS(ShufflePadPass, "SHUFFLE_PAD_OPS")
TINYGRAD_RULE_PASS(PushPermutesPass, "PUSH_PERMUTES")
TINYGRAD_RULE_PASS(PushContiguousPass, "PUSH_CONTIGUOUS")
TINYGRAD_RULE_PASS(PushReshapesPass, "PUSH_RESHAPES")
#undef TINYGRAD_RULE_PASS

} // namespace
