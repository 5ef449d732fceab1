//===- KernelEmitter.cpp - Writes kernels ---------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using namespace tinygrad::lazy::schedule;
using ops::OpKind;
using shape::Layout;

/// Returns the type of a value in a kernel, which is on no device.
static RankedTensorType getType(MLIRContext *context, const shape::Sizes &shape,
                                DType type) {
  return getTensorType(context, shape, type);
}

static RankedTensorType getType(MLIRContext *context,
                                const LazyBuffer &buffer) {
  return getTensorType(context, buffer.getShape(), buffer.dtype, buffer.device);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Builds the body of one kernel. Equal operations are made once.
struct KernelEmitter::Body {
  Body(OpBuilder &builder, const Kernel &kernel)
      : builder(builder), kernel(kernel) {}

  OpBuilder &builder;
  const Kernel &kernel;
  /// The block argument of each base and each masked constant.
  llvm::DenseMap<LazyBuffer *, Value> arguments;
  std::map<std::vector<const void *>, Value> made;

  Value makeOnce(std::vector<const void *> key,
                 llvm::function_ref<Value()> make) {
    Value &value = made[std::move(key)];
    if (!value)
      value = make();
    return value;
  }

  Value load(LazyBuffer &leaf, Location loc) {
    MLIRContext *context = builder.getContext();
    Layout layout = leaf.getLayout().simplify();
    RankedTensorType type = getType(context, layout.getShape(), leaf.dtype);
    LazyBuffer *base = leaf.getBase();
    if (!leaf.needsMemory()) {
      // Says which value it is; the type is beside it in the key.
      DenseElementsAttr splat = getSplatAttr(
          getType(context, shape::Dims(type.getRank(), 1), leaf.dtype),
          base->op->value);
      return makeOnce(
          {splat.getAsOpaquePointer(), type.getAsOpaquePointer()},
          [&] { return createConstant(builder, loc, type, base->op->value); });
    }
    auto attr = ShapeTrackerAttr::get(context, layout);
    return makeOnce({base, attr.getAsOpaquePointer()}, [&] {
      return LoadOp::create(builder, loc, type, arguments.lookup(base), attr);
    });
  }

  Value compute(OpKind kind, ValueRange operands, RankedTensorType type,
                Location loc, bool isImplicit = false) {
    std::vector<const void *> key = {
        reinterpret_cast<const void *>(static_cast<uintptr_t>(kind)),
        type.getAsOpaquePointer(),
        reinterpret_cast<const void *>(static_cast<uintptr_t>(isImplicit))};
    for (Value operand : operands)
      key.push_back(operand.getAsOpaquePointer());
    return makeOnce(std::move(key), [&]() -> Value {
      if (isImplicit)
        return CastOp::create(builder, loc, type, operands.front(),
                              /*implicit=*/true);
      return createCompute(builder, loc, kind, operands, type,
                           getSymbolicShape(type));
    });
  }

  /// Computes `root` on values of `shape`; `read` gives the leaves.
  Value evaluate(LazyOp &root, const shape::Sizes &shape,
                 llvm::function_ref<Value(LazyBuffer &, Location)> read) {
    MLIRContext *context = builder.getContext();
    llvm::DenseMap<LazyOp *, Value> results;
    struct Frame {
      LazyOp *op;
      SmallVector<Value, 3> operands;
    };
    std::vector<Frame> stack;
    stack.push_back({&root, {}});
    while (true) {
      Frame &frame = stack.back();
      LazyOp *op = frame.op;
      if (frame.operands.size() == op->operands.size()) {
        Value result = compute(op->kind, frame.operands,
                               getType(context, shape, op->dtype), op->loc);
        results[op] = result;
        stack.pop_back();
        if (stack.empty())
          return result;
        continue;
      }
      const LazyOperand &operand = op->operands[frame.operands.size()];
      Value value;
      if (operand.buffer) {
        value = read(*operand.buffer, op->loc);
      } else if (value = results.lookup(operand.op.get()); !value) {
        stack.push_back({operand.op.get(), {}});
        continue;
      }
      if (operand.cast)
        value = compute(OpKind::Cast, value,
                        getType(context, shape, *operand.cast), op->loc,
                        /*isImplicit=*/true);
      frame.operands.push_back(value);
    }
  }

  Value emitReduce() {
    LazyOp &reduce = *kernel.reduce;
    LazyBuffer &source = *reduce.operands[0].buffer;
    Value value = kernel.reduced
                      ? evaluate(*kernel.reduced, source.getShape(),
                                 [&](LazyBuffer &leaf, Location loc) {
                                   return load(leaf, loc);
                                 })
                      : load(source, reduce.loc);
    return compute(
        reduce.kind, value,
        getType(builder.getContext(), reduce.movement.arg, reduce.dtype),
        reduce.loc);
  }

  Value emit() {
    if (kernel.expression) {
      shape::Sizes shape = kernel.reduce ? kernel.reduce->movement.arg
                                         : kernel.output->getShape();
      return evaluate(
          *kernel.expression, shape, [&](LazyBuffer &leaf, Location loc) {
            if (&leaf == kernel.mergedLeaf)
              return emitReduce();
            auto other = kernel.reshaped.find(&leaf);
            return other == kernel.reshaped.end() ? load(leaf, loc)
                                                  : load(*other->second, loc);
          });
    }
    if (kernel.reduce)
      return emitReduce();
    return load(*kernel.leaves.front(), kernel.output->op->loc);
  }
};

//===----------------------------------------------------------------------===//
// KernelEmitter
//===----------------------------------------------------------------------===//

Value KernelEmitter::getConstant(RankedTensorType type,
                                 const ops::Scalar &value, Location loc) {
  DenseElementsAttr splat = getSplatAttr(type, value);
  Value &constant = constants[splat];
  if (!constant)
    constant = ConstOp::create(builder, loc, splat);
  return constant;
}

StringAttr KernelEmitter::makeName(bool isReduce, const shape::Sizes &shape) {
  std::string name = getKernelName(isReduce ? "r" : "e", shape);
  unsigned count = names[name]++;
  if (count)
    name += "n" + std::to_string(count);
  return builder.getStringAttr(name);
}

void KernelEmitter::emitKernel(const Kernel &kernel) {
  MLIRContext *context = builder.getContext();
  LazyBuffer &output = *kernel.output;
  SmallVector<Value> inputs;
  llvm::DenseMap<LazyBuffer *, unsigned> positions;
  for (const BufferRef &leaf : kernel.leaves) {
    LazyBuffer *base = leaf->getBase();
    Value value;
    if (!leaf->needsMemory())
      continue;
    // No operation makes a masked constant in a kernel: it is read through the
    // mask from a tensor of one element.
    if (leaf->isUnrealizedConst())
      value =
          getConstant(getType(context, *base), base->op->value, base->op->loc);
    else
      value = getBaseValue(*base);
    if (positions.try_emplace(base, inputs.size()).second)
      inputs.push_back(value);
  }

  // What the kernel makes comes first, then what was inlined.
  SmallVector<Location> locs = {output.op->loc};
  llvm::SmallPtrSet<LazyOp *, 16> seen;
  SmallVector<LazyOp *> pending;
  for (const OpRef &op :
       {kernel.expression, kernel.reduce, kernel.reduced, output.op})
    if (op && seen.insert(op.get()).second)
      pending.push_back(op.get());
  RuleTrace::Labels labels = kernel.rules;
  while (!pending.empty()) {
    LazyOp *op = pending.pop_back_val();
    locs.push_back(op->loc);
    labels |= op->rules;
    for (const LazyOperand &operand : op->operands)
      if (operand.op && seen.insert(operand.op.get()).second)
        pending.push_back(operand.op.get());
  }
  Location loc = builder.getFusedLoc(locs);

  RankedTensorType type = getType(context, output);
  Value init = kernel.target ? kernel.target->value
                             : EmptyOp::create(builder, loc, type).getResult();
  auto kernelOp = KernelOp::create(builder, loc, TypeRange(type), StringAttr(),
                                   inputs, init, PlanAttr());
  Block *block = builder.createBlock(&kernelOp.getBody());
  for (Value operand : kernelOp->getOperands())
    block->addArgument(operand.getType(), operand.getLoc());
  Body body(builder, kernel);
  for (auto [base, position] : positions)
    body.arguments[base] = block->getArgument(position);
  Value value = body.emit();
  auto tracker = ShapeTrackerAttr::get(
      context,
      Layout::fromShape(getSizes(cast<RankedTensorType>(value.getType()))));
  StoreOp::create(builder, loc, value, block->getArguments().back(), tracker);
  builder.setInsertionPointAfter(kernelOp);
  kernelOp.setSymNameAttr(
      makeName(static_cast<bool>(kernel.reduce), kernelOp.getIterationSizes()));
  kernelOp.addBindings([&](const shape::IndexExpr &variable) {
    return findVariable(function, variable);
  });
  setRules(kernelOp, kernel, labels);
  values[&output] = kernelOp.getResult(0);
  ++numKernels;
}

void KernelEmitter::setRules(KernelOp kernelOp, const Kernel &kernel,
                             RuleTrace::Labels labels) {
  const RuleTrace &trace = kernel.output->graph->trace;
  if (!trace.isOn)
    return;
  // Views are no operations of the kernel, but rules have formed them.
  for (const BufferRef &leaf : kernel.leaves) {
    LazyBuffer *buffer = leaf.get();
    for (; buffer->getBase() != buffer; buffer = buffer->getSource().get())
      labels |= buffer->op->rules;
    if (leaf->isUnrealizedConst())
      labels |= buffer->op->rules;
  }
  if (LazyBuffer *buffer = kernel.mergedLeaf)
    for (; buffer != kernel.mergedLeaf->mergeRoot;
         buffer = buffer->getSource().get())
      labels |= buffer->op->rules;
  kernelOp->setAttr(rulesAttrName,
                    builder.getStrArrayAttr(trace.getNames(labels)));
}

void KernelEmitter::emitLoadOp(LazyBuffer &buffer) {
  LazyOp &op = *buffer.op;
  if (op.kind == OpKind::Copy) {
    Value source = getValue(*op.operands.front().buffer, op.loc);
    values[&buffer] =
        CopyOp::create(builder, op.loc, getType(builder.getContext(), buffer),
                       source)
            .getResult();
    return;
  }
  IRMapping mapping;
  for (auto [operand, source] :
       llvm::zip_equal(op.source->getOperands(), op.operands)) {
    // One value may be two operands, but then both read the same.
    mapping.map(operand, getValue(*source.buffer, op.loc));
  }
  values[&buffer] = builder.clone(*op.source, mapping)->getResult(0);
}

Value KernelEmitter::getValue(LazyBuffer &buffer, Location loc) {
  MLIRContext *context = builder.getContext();
  LazyBuffer *base = buffer.getBase();
  RankedTensorType type = getType(context, buffer);
  Layout layout = buffer.getLayout().simplify();
  Value value;
  if (buffer.isUnrealizedConst()) {
    const ops::Scalar &scalar = base->op->value;
    if (!buffer.isMaskedConst() && type.hasStaticShape())
      return getConstant(type, scalar, base->op->loc);
    value = getConstant(getType(context, *base), scalar, base->op->loc);
  } else {
    value = getBaseValue(*base);
  }
  if (value.getType() == type && layout.isContiguous())
    return value;
  return ViewOp::create(builder, loc, type, value,
                        ShapeTrackerAttr::get(context, layout));
}
