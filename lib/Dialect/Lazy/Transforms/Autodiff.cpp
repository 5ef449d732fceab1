//===- Autodiff.cpp - Differentiate a function of lazy operations ---------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandViews.h"

#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"
#include "tinygrad/Ops/Gradient.h"
#include "tinygrad/Ops/SymbolicShape.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_AUTODIFFPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;

namespace {

/// The builder of the gradient rules, over an OpBuilder.
class IRGradientBuilder : public ops::GradientBuilder {
public:
  explicit IRGradientBuilder(ImplicitLocOpBuilder &builder) : b(builder) {}

  static Value unwrap(ops::Ref ref) {
    return Value::getFromOpaquePointer(ref.handle);
  }
  static ops::Ref wrap(Value value) { return {value.getAsOpaquePointer()}; }

  shape::Sizes getShape(ops::Ref value) override {
    return getSizes(cast<RankedTensorType>(unwrap(value).getType()));
  }
  DType getType(ops::Ref value) override {
    return *getDType(getElementTypeOrSelf(unwrap(value).getType()));
  }
  ops::Ref create(ops::OpKind kind, std::span<const ops::Ref> operands,
                  DType type, const shape::Sizes &ints) override {
    SmallVector<Value> values;
    std::vector<shape::SymbolicDims> shapes;
    for (ops::Ref operand : operands) {
      values.push_back(unwrap(operand));
      shapes.push_back(getShape(operand).getExprs());
    }
    shape::SymbolicDims shape;
    std::string error;
    bool isValid =
        ops::inferSymbolicShape(kind, shapes, ints.getExprs(), shape, error);
    assert(isValid && "a gradient rule builds an operation that is not valid");
    (void)isValid;
    return wrap(createCompute(b, b.getLoc(), kind, values,
                              getTensorType(b.getContext(), shape, type),
                              ints.getExprs()));
  }
  ops::Ref createConst(double value, DType type,
                       const shape::Sizes &shape) override {
    ops::Scalar scalar = ops::Scalar::fromDouble(type, value);
    RankedTensorType scalarType =
        getTensorType(b.getContext(), ops::Shape(), type);
    Value result = ConstOp::create(b, getSplatAttr(scalarType, scalar));
    if (shape.size() == 0)
      return wrap(result);
    shape::Sizes ones = ops::Shape(shape.size(), 1);
    result =
        ReshapeOp::create(b, getTensorType(b.getContext(), ones, type), result);
    if (shape != ones)
      result = ExpandOp::create(b, getTensorType(b.getContext(), shape, type),
                                result);
    return wrap(result);
  }

private:
  ImplicitLocOpBuilder &b;
};

struct AutodiffPass : lazy::impl::AutodiffPassBase<AutodiffPass> {
  using AutodiffPassBase::AutodiffPassBase;

  void runOnOperation() override {
    auto source = getOperation().lookupSymbol<func::FuncOp>(function);
    if (!source || source.isExternal()) {
      getOperation().emitError()
          << "expects `function` to name a function with a body, got `"
          << function << "`";
      return signalPassFailure();
    }
    if (failed(check(source)))
      return signalPassFailure();
    if (failed(differentiate(source)))
      signalPassFailure();
  }

  /// True for the types of values that have gradients.
  static bool isFloatTensor(Type type) {
    return isKernelTensor(type) &&
           isa<FloatType>(cast<RankedTensorType>(type).getElementType());
  }

  /// Finds what has no gradient before anything is built.
  LogicalResult check(func::FuncOp source) {
    if (!source.getBody().hasOneBlock())
      return source.emitOpError() << "expects one block to be differentiated";
    for (Operation &op : source.getBody().front()) {
      // The movement operations of a view are found from its numbers.
      if (isa<ViewOp>(op) && failed(verifyPlain(&op)))
        return failure();
      auto isElsewhere = [](Type type) {
        return isa<RankedTensorType>(type) && !isKernelTensor(type);
      };
      if (llvm::any_of(op.getOperandTypes(), isElsewhere) ||
          llvm::any_of(op.getResultTypes(), isElsewhere))
        return op.emitOpError() << "expects values on the default device";
      if (!isa<ComputeOpInterface, ViewOp, ContiguousOp, CopyOp, FromCPUOp,
               AssignOp, ConstOp, EmptyOp, CustomOp, func::ReturnOp>(op))
        return op.emitOpError() << "has no gradient rule; differentiate the "
                                   "graph before it is scheduled";
    }
    for (Type type : source.getResultTypes())
      if (!isFloatTensor(type))
        return source.emitOpError()
               << "expects results that are tensors of floats, got " << type;
    int64_t numArguments = source.getNumArguments();
    for (int64_t index : arguments) {
      if (index < 0 || index >= numArguments)
        return source.emitOpError()
               << "expects option `arguments` from 0 on and below "
               << numArguments << ", got " << index;
      if (!isFloatTensor(source.getArgument(index).getType()))
        return source.emitOpError() << "expects argument " << index
                                    << " to be a tensor of floats, got "
                                    << source.getArgument(index).getType();
    }
    return success();
  }

  LogicalResult differentiate(func::FuncOp source) {
    SmallVector<int64_t> wanted(arguments.begin(), arguments.end());
    if (wanted.empty())
      for (BlockArgument argument : source.getArguments())
        if (isFloatTensor(argument.getType()))
          wanted.push_back(argument.getArgNumber());

    OpBuilder outer(source);
    outer.setInsertionPointAfter(source);
    func::FuncOp target = source.clone();
    target.setName((source.getName() + "_grad").str());
    SymbolTable(getOperation())
        .insert(target, std::next(source->getIterator()));
    Block *block = &target.getBody().front();
    // The rules know movement operations only.
    target.walk([](ViewOp view) {
      view.replaceAllUsesWith(expandNumbers(view));
      view.erase();
    });
    auto returnOp = cast<func::ReturnOp>(block->getTerminator());
    ImplicitLocOpBuilder b(source.getLoc(), returnOp);
    IRGradientBuilder builder(b);

    llvm::DenseMap<Value, Value> gradients;
    auto addGradient = [&](Value value, Value gradient) {
      Value &sum = gradients[value];
      sum = sum ? Value(AddOp::create(b, sum.getType(), sum, gradient))
                : gradient;
    };
    // One argument per result: the gradient of the loss by that result.
    for (Value result : returnOp.getOperands())
      addGradient(result,
                  block->addArgument(result.getType(), source.getLoc()));

    SmallVector<Operation *> operations;
    for (Operation &op : block->without_terminator())
      operations.push_back(&op);
    for (Operation *op : llvm::reverse(operations)) {
      Value gradient =
          op->getNumResults() ? gradients.lookup(op->getResult(0)) : Value();
      if (!gradient || isa<ConstOp, EmptyOp, CustomOp>(op))
        continue;
      b.setLoc(op->getLoc());
      if (failed(propagate(builder, op, gradient, addGradient)))
        return failure();
    }

    b.setLoc(returnOp.getLoc());
    SmallVector<Value> results;
    for (int64_t index : wanted) {
      Value argument = block->getArgument(index);
      Value gradient = gradients.lookup(argument);
      if (!gradient) {
        ops::Ref ref = IRGradientBuilder::wrap(argument);
        gradient = IRGradientBuilder::unwrap(builder.createConst(
            0.0, builder.getType(ref), builder.getShape(ref)));
      }
      results.push_back(gradient);
    }
    returnOp.getOperandsMutable().assign(results);
    target.setFunctionType(
        FunctionType::get(&getContext(), block->getArgumentTypes(),
                          llvm::to_vector(ValueRange(results).getTypes())));
    if (target.getAllArgAttrs())
      target.removeArgAttrsAttr();
    if (target.getAllResultAttrs())
      target.removeResAttrsAttr();
    for (unsigned i = 0; i < source.getNumArguments(); ++i)
      if (Attribute variable = source.getArgAttr(i, variableAttrName))
        target.setArgAttr(i, variableAttrName, variable);
    return success();
  }

  /// Adds the gradients of the operands of `op`.
  LogicalResult propagate(IRGradientBuilder &builder, Operation *op,
                          Value gradient,
                          llvm::function_ref<void(Value, Value)> addGradient) {
    // What a contiguous, a copy and a fromcpu are: the operand as it is.
    ops::OpKind kind =
        isa<AssignOp>(op) ? ops::OpKind::Assign : ops::OpKind::Contiguous;
    shape::Sizes ints;
    if (auto compute = dyn_cast<ComputeOpInterface>(op)) {
      kind = compute.getKind();
      ints = shape::SymbolicDims(compute.getSizes());
    }
    if (!ops::isDifferentiable(kind))
      return success();
    std::vector<ops::Ref> operands;
    for (Value operand : op->getOperands())
      operands.push_back(IRGradientBuilder::wrap(operand));
    auto parts = ops::gradient(builder, kind, ints, operands,
                               IRGradientBuilder::wrap(op->getResult(0)),
                               IRGradientBuilder::wrap(gradient));
    if (isa<MovementOpInterface>(op) && !parts.front())
      return op->emitOpError()
             << "has a gradient that takes a tensor of 2^62 elements or more, "
                "or whose sizes cannot be proven to fit";
    for (auto [operand, part] : llvm::zip(op->getOperands(), parts))
      if (part)
        addGradient(operand, IRGradientBuilder::unwrap(*part));
    return success();
  }
};

} // namespace
