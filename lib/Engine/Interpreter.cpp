//===- Interpreter.cpp - Run a function without generating code -----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Interpreter.h"
#include "Elements.h"
#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"
#include "tinygrad/Dialect/Lazy/Transforms/SizeArithmetic.h"
#include "tinygrad/Engine/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;

namespace {

/// How deep calls may be nested. Outlined kernels need one level.
constexpr int maxCallDepth = 16;

/// Runs functions of one module. Holds nothing but the callback.
class Interpreter {
public:
  Interpreter(const InterpreterCallback &callback,
              const InterpreterFiller &filler,
              const std::function<llvm::Error()> &checkCancelled)
      : callback(callback), filler(filler), checkCancelled(checkCancelled) {}

  llvm::Expected<std::vector<HostTensor>>
  runFunction(func::FuncOp function, ArrayRef<HostTensor> arguments, int depth);

private:
  /// The values that are alive in one block, and how many uses are to come.
  class Environment {
  public:
    /// The values of the variables.
    shape::Bindings bindings;

    void set(Value value, HostTensor tensor) {
      int64_t uses = std::distance(value.use_begin(), value.use_end());
      if (uses != 0)
        entries[value] = {std::move(tensor), uses};
    }
    const HostTensor &get(Value value) const {
      return entries.find(value)->second.tensor;
    }
    /// Forgets what has no use after those of `op`.
    void release(Operation &op) {
      for (Value operand : op.getOperands()) {
        auto entry = entries.find(operand);
        if (entry != entries.end() && --entry->second.uses == 0)
          entries.erase(entry);
      }
    }

  private:
    struct Entry {
      HostTensor tensor;
      int64_t uses;
    };
    llvm::DenseMap<Value, Entry> entries;
  };

  llvm::Error runOperation(Operation &op, Environment &environment, int depth);
  llvm::Error runCompute(lazy::ComputeOpInterface op, Environment &environment);
  llvm::Error runCustom(lazy::CustomOp custom, Environment &environment);
  llvm::Error runKernel(lazy::KernelOp kernel, Environment &environment);
  llvm::Error runCall(func::CallOp call, Environment &environment, int depth);

  const InterpreterCallback &callback;
  const InterpreterFiller &filler;
  const std::function<llvm::Error()> &checkCancelled;
};

} // namespace

/// Returns the numbers that `exprs` are, or nothing where a variable has no
/// value.
static std::optional<ops::Shape>
evaluate(const std::vector<shape::IndexExpr> &exprs,
         const shape::Bindings &bindings) {
  ops::Shape numbers;
  for (const shape::IndexExpr &expr : exprs) {
    shape::IndexExpr bound = shape::bindVariables(expr, bindings);
    if (!bound.isConstant())
      return std::nullopt;
    numbers.push_back(bound.getValue());
  }
  return numbers;
}

/// Returns the element type and shape of a tensor, a memref or an index, or
/// nothing for any other type, or where the shape is not known.
static std::optional<std::pair<DType, ops::Shape>>
describe(Type type, const shape::Bindings &bindings) {
  // A variable's value.
  if (type.isIndex())
    return std::pair(DType::Int64, ops::Shape());
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !isa<RankedTensorType, MemRefType>(type))
    return std::nullopt;
  if (auto memref = dyn_cast<MemRefType>(type))
    if (!memref.getLayout().isIdentity())
      return std::nullopt;
  std::optional<DType> element = lazy::getDType(shaped.getElementType());
  if (!element)
    return std::nullopt;
  if (shaped.hasStaticShape())
    return std::pair(*element, lazy::getShape(shaped));
  if (!lazy::isGraphTensor(type))
    return std::nullopt;
  std::optional<ops::Shape> shape =
      evaluate(lazy::getSymbolicShape(cast<RankedTensorType>(type)), bindings);
  if (!shape)
    return std::nullopt;
  return std::pair(*element, std::move(*shape));
}

/// Returns `layout` with numbers for its variables.
static llvm::Expected<shape::ShapeTracker>
bindLayout(const shape::Layout &layout, const shape::Bindings &bindings) {
  std::string error;
  std::optional<shape::ShapeTracker> tracker = layout.bind(bindings, error);
  if (!tracker)
    return llvm::createStringError(error);
  return std::move(*tracker);
}

/// Notes the value of `variable` in `bindings`.
static llvm::Error setBinding(shape::Bindings &bindings,
                              lazy::VariableAttr variable,
                              const HostTensor &value) {
  int64_t number = value.get(0).toInt();
  bindings[variable.getName().str()] = number;
  shape::IndexExpr expr = variable.getExpr();
  std::string error;
  if (shape::verifyBindings({&expr, 1}, bindings, /*needsAll=*/true, error))
    return llvm::Error::success();
  return llvm::createStringError(error);
}

/// Puts the location of `op` before the sentence of `error`.
static llvm::Error addLocation(Operation *op, llvm::Error error) {
  return makeErrorAt(op, llvm::toString(std::move(error)));
}

/// Makes a tensor of zeros for `type`, the type of a value of `op`.
static llvm::Expected<HostTensor> allocate(Operation *op, Type type,
                                           const shape::Bindings &bindings) {
  auto description = describe(type, bindings);
  if (!description)
    return makeErrorAt(op, "is not interpretable: it has a value of type " +
                               llvm::formatv("{0}", type).str());
  llvm::Expected<HostTensor> tensor =
      HostTensor::create(description->first, std::move(description->second));
  if (!tensor)
    return addLocation(op, tensor.takeError());
  return tensor;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

llvm::Error Interpreter::runCompute(lazy::ComputeOpInterface op,
                                    Environment &environment) {
  ops::OpKind kind = op.getKind();
  Value result = op->getResult(0);
  // A reshape moves nothing: tensors are values, so that memory may be shared.
  auto description = describe(result.getType(), environment.bindings);
  if (auto reshape = dyn_cast<lazy::ReshapeOp>(op.getOperation());
      reshape && description) {
    HostTensor source = environment.get(reshape.getSource());
    environment.set(result,
                    source.reinterpret(source.getType(), description->second));
    return llvm::Error::success();
  }
  llvm::Expected<HostTensor> tensor =
      allocate(op, result.getType(), environment.bindings);
  if (!tensor)
    return tensor.takeError();
  SmallVector<HostTensor> operands;
  for (Value operand : op->getOperands())
    operands.push_back(environment.get(operand));

  auto compute = [&]() -> llvm::Error {
    if (isa<lazy::ReduceOpInterface>(op.getOperation()))
      return computeReduce(kind, operands[0], *tensor);
    if (auto movement =
            dyn_cast<lazy::MovementOpInterface>(op.getOperation())) {
      llvm::Expected<shape::ShapeTracker> tracker =
          bindLayout(movement.applyTo(shape::Layout::fromShape(lazy::getSizes(
                         cast<RankedTensorType>(op->getOperand(0).getType())))),
                     environment.bindings);
      if (!tracker)
        return tracker.takeError();
      return gather(*tracker, operands[0], *tensor);
    }
    computeElementwise(kind, operands, *tensor);
    return llvm::Error::success();
  };
  if (llvm::Error error = compute())
    return addLocation(op, std::move(error));
  environment.set(result, std::move(*tensor));
  return llvm::Error::success();
}

llvm::Error Interpreter::runCustom(lazy::CustomOp custom,
                                   Environment &environment) {
  Operation *op = custom;
  if (!callback)
    return makeErrorAt(op, "expects a callback `" + custom.getCallback() +
                               "`, but none is registered");
  SmallVector<HostTensor> operands;
  for (Value operand : op->getOperands())
    operands.push_back(environment.get(operand));
  HostTensor result;
  if (op->getNumResults() == 1) {
    llvm::Expected<HostTensor> tensor =
        allocate(op, op->getResult(0).getType(), environment.bindings);
    if (!tensor)
      return tensor.takeError();
    result = std::move(*tensor);
  } else if (operands.empty()) {
    return makeErrorAt(op, "expects a memref that it fills");
  } else {
    // On memrefs the last operand is the one that is written.
    result = operands.pop_back_val();
  }
  if (llvm::Error error = callback(custom.getCallback(), operands, result))
    return addLocation(op, std::move(error));
  if (op->getNumResults() == 1)
    environment.set(op->getResult(0), std::move(result));
  return llvm::Error::success();
}

llvm::Error Interpreter::runKernel(lazy::KernelOp kernel,
                                   Environment &environment) {
  Environment body;
  Block *block = kernel.getBlock();
  SmallVector<HostTensor> targets;
  size_t numInputs = kernel.getInputs().size();
  if (std::optional<ArrayAttr> variables = kernel.getVariables())
    for (auto [variable, value] : llvm::zip(
             variables->getAsRange<lazy::VariableAttr>(), kernel.getBindings()))
      if (llvm::Error error =
              setBinding(body.bindings, variable, environment.get(value)))
        return addLocation(kernel, std::move(error));
  for (auto [operand, argument] :
       llvm::zip(kernel.getData(), block->getArguments())) {
    HostTensor tensor = environment.get(operand);
    if (argument.getArgNumber() >= numInputs) {
      // On tensors the destination keeps its value: stores go to a copy.
      if (!kernel.isOnMemory()) {
        llvm::Expected<HostTensor> copy = tensor.clone();
        if (!copy)
          return addLocation(kernel, copy.takeError());
        tensor = std::move(*copy);
      }
      targets.push_back(tensor);
    }
    body.set(argument, std::move(tensor));
  }
  for (Operation &op : *block) {
    if (llvm::Error error = runOperation(op, body, 0))
      return error;
    body.release(op);
  }
  for (auto [result, target] : llvm::zip(kernel->getResults(), targets))
    environment.set(result, std::move(target));
  return llvm::Error::success();
}

llvm::Error Interpreter::runCall(func::CallOp call, Environment &environment,
                                 int depth) {
  // Not the symbol table of the module: it would be built anew for each call.
  Operation *module = SymbolTable::getNearestSymbolTable(call);
  auto callee =
      module ? dyn_cast_or_null<func::FuncOp>(SymbolTable::lookupSymbolIn(
                   module, call.getCalleeAttr().getAttr()))
             : func::FuncOp();
  if (!callee)
    return makeErrorAt(call, "expects a function `" + call.getCallee() + "`");
  if (depth >= maxCallDepth)
    return makeErrorAt(call, "expects calls nested no deeper than " +
                                 Twine(maxCallDepth));
  SmallVector<HostTensor> arguments;
  for (Value operand : call.getOperands())
    arguments.push_back(environment.get(operand));
  auto results = runFunction(callee, arguments, depth + 1);
  if (!results)
    return results.takeError();
  for (auto [value, tensor] : llvm::zip(call.getResults(), *results))
    environment.set(value, std::move(tensor));
  return llvm::Error::success();
}

/// Returns the operand that is the result of `op` as it is, or null. Its memory
/// is shared, since nothing changes a tensor.
static Value getPassedOn(Operation &op) {
  auto copy = dyn_cast<lazy::CopyOp>(op);
  if ((copy && copy.getResult()) ||
      isa<lazy::ContiguousOp, lazy::FromCPUOp>(op))
    return op.getOperand(0);
  if (auto assign = dyn_cast<lazy::AssignOp>(op))
    return assign.getValue();
  return {};
}

/// Makes a tensor of zeros for the result of `op`.
static llvm::Expected<HostTensor>
allocateResult(Operation &op, const shape::Bindings &bindings) {
  auto alloc = dyn_cast<memref::AllocOp>(op);
  if (!alloc || alloc.getType().hasStaticShape())
    return allocate(&op, op.getResult(0).getType(), bindings);
  std::optional<DType> element =
      lazy::getDType(alloc.getType().getElementType());
  SmallVector<std::optional<shape::IndexExpr>> sizes;
  for (Value size : alloc.getDynamicSizes())
    sizes.push_back(lazy::readSize(size));
  if (!element || alloc.getType().getRank() != 1 || !sizes.front())
    return makeErrorAt(&op, "is not interpretable: it allocates memory of a "
                            "size that is no expression of variables");
  std::optional<ops::Shape> shape = evaluate({*sizes.front()}, bindings);
  if (!shape)
    return makeErrorAt(&op, "expects a value for each variable");
  llvm::Expected<HostTensor> tensor = HostTensor::create(*element, *shape);
  if (!tensor)
    return addLocation(&op, tensor.takeError());
  return tensor;
}

llvm::Error Interpreter::runOperation(Operation &op, Environment &environment,
                                      int depth) {
  if (auto compute = dyn_cast<lazy::ComputeOpInterface>(op))
    return runCompute(compute, environment);
  if (auto custom = dyn_cast<lazy::CustomOp>(op))
    return runCustom(custom, environment);
  if (auto kernel = dyn_cast<lazy::KernelOp>(op))
    return runKernel(kernel, environment);
  if (auto call = dyn_cast<func::CallOp>(op))
    return runCall(call, environment, depth);
  if (Value value = getPassedOn(op)) {
    environment.set(op.getResult(0), HostTensor(environment.get(value)));
    return llvm::Error::success();
  }
  if (auto store = dyn_cast<lazy::StoreOp>(op)) {
    llvm::Expected<shape::ShapeTracker> tracker =
        bindLayout(store.getTracker().getLayout(), environment.bindings);
    if (!tracker)
      return addLocation(store, tracker.takeError());
    if (llvm::Error error = scatter(*tracker, environment.get(store.getValue()),
                                    environment.get(store.getTarget())))
      return addLocation(store, std::move(error));
    return llvm::Error::success();
  }
  if (auto copy = dyn_cast<lazy::CopyOp>(op)) {
    const HostTensor &source = environment.get(copy.getSource());
    const HostTensor &target = environment.get(copy.getTarget());
    int64_t offset = copy.getOffset(), targetOffset = copy.getTargetOffset();
    int64_t numElements = copy.getNumElements();
    if (numElements < 0)
      numElements = target.getNumElements() - targetOffset;
    // Of memory with `?` the operation cannot say.
    if (numElements < 0 || numElements > source.getNumElements() ||
        offset > source.getNumElements() - numElements ||
        numElements > target.getNumElements() ||
        targetOffset > target.getNumElements() - numElements)
      return makeErrorAt(copy, "expects as many elements in the source as in "
                               "the target");
    int64_t width = getByteWidth(source.getType());
    std::memmove(target.getData() + targetOffset * width,
                 source.getData() + offset * width,
                 static_cast<size_t>(numElements * width));
    return llvm::Error::success();
  }
  // Sizes are read where memory is allocated.
  bool isSize = isa<arith::ArithDialect>(op.getDialect()) &&
                llvm::all_of(op.getResultTypes(), llvm::IsaPred<IndexType>);
  if (isa<memref::DeallocOp>(op) || isSize)
    return llvm::Error::success();
  if (!isa<lazy::ConstOp, lazy::EmptyOp, lazy::LoadOp, lazy::ViewOp,
           memref::AllocOp>(op))
    return makeErrorAt(&op, "is not interpretable");

  // The rest makes one new tensor.
  llvm::Expected<HostTensor> result = allocateResult(op, environment.bindings);
  if (!result)
    return result.takeError();
  auto read = [&](Value source, lazy::ShapeTrackerAttr attr) -> llvm::Error {
    llvm::Expected<shape::ShapeTracker> tracker =
        bindLayout(attr.getLayout(), environment.bindings);
    if (!tracker)
      return tracker.takeError();
    return gather(*tracker, environment.get(source), *result);
  };
  auto compute = [&]() -> llvm::Error {
    if (auto load = dyn_cast<lazy::LoadOp>(op))
      return read(load.getSource(), load.getTracker());
    if (auto view = dyn_cast<lazy::ViewOp>(op))
      return read(view.getSource(), view.getTracker());
    auto empty = dyn_cast<lazy::EmptyOp>(op);
    if (empty && filler && !lazy::isKernelTensor(empty.getType()))
      return filler(lazy::getDevice(empty.getType()), *result);
    if (auto constant = dyn_cast<lazy::ConstOp>(op))
      fill(*result, constant.getScalar());
    return llvm::Error::success();
  };
  if (llvm::Error error = compute())
    return addLocation(&op, std::move(error));
  environment.set(op.getResult(0), std::move(*result));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Returns true if `tensor` may stand for a value of `type`.
static bool fits(const HostTensor &tensor, Type type,
                 const shape::Bindings &bindings) {
  if (tensor.isNull())
    return false;
  auto memref = dyn_cast<MemRefType>(type);
  // Memory of a size that is no number may have any.
  bool hasAnySize = memref && !memref.hasStaticShape() &&
                    memref.getRank() == 1 && memref.getLayout().isIdentity() &&
                    tensor.getShape().size() == 1;
  auto description = describe(type, bindings);
  if (!hasAnySize && (!description || tensor.getShape() != description->second))
    return false;
  if (!memref)
    return tensor.getType() == description->first;
  // Memory has no signs, and a bool is one byte in it.
  return lazy::getMemoryType(type.getContext(), tensor.getType()) ==
         memref.getElementType();
}

llvm::Expected<std::vector<HostTensor>>
Interpreter::runFunction(func::FuncOp function, ArrayRef<HostTensor> arguments,
                         int depth) {
  if (function.isExternal())
    return makeErrorAt(function, "expects a body");
  if (!llvm::hasSingleElement(function.getBody()))
    return makeErrorAt(function, "is not interpretable: it has more than one "
                                 "block");
  if (arguments.size() != function.getNumArguments())
    return makeErrorAt(function,
                       "expects " + Twine(function.getNumArguments()) +
                           " arguments, got " + Twine(arguments.size()));
  Environment environment;
  for (auto [argument, tensor] :
       llvm::zip(function.getArguments(), arguments)) {
    auto variable = function.getArgAttrOfType<lazy::VariableAttr>(
        argument.getArgNumber(), lazy::variableAttrName);
    if (!variable || !fits(tensor, argument.getType(), {}))
      continue;
    if (llvm::Error error = setBinding(environment.bindings, variable, tensor))
      return addLocation(function, std::move(error));
  }
  for (auto [argument, tensor] :
       llvm::zip(function.getArguments(), arguments)) {
    if (!fits(tensor, argument.getType(), environment.bindings))
      return makeErrorAt(
          function,
          llvm::formatv("expects argument {0} of type {1}, got {2} {3}",
                        argument.getArgNumber(), argument.getType(),
                        tensor.isNull()
                            ? std::string("nothing")
                            : std::string(getName(tensor.getType())),
                        tensor.isNull() ? "" : ops::toString(tensor.getShape()))
              .str());
    environment.set(argument, tensor);
  }
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (checkCancelled)
      if (llvm::Error error = checkCancelled())
        return error;
    if (llvm::Error error = runOperation(op, environment, depth))
      return error;
    environment.release(op);
  }
  Operation *terminator = function.getBody().front().getTerminator();
  if (!isa<func::ReturnOp>(terminator))
    return makeErrorAt(terminator, "is not interpretable");
  std::vector<HostTensor> results;
  for (Value operand : terminator->getOperands())
    results.push_back(environment.get(operand));
  return results;
}

llvm::Expected<std::vector<HostTensor>>
engine::interpret(func::FuncOp function, ArrayRef<HostTensor> arguments,
                  const InterpreterCallback &callback,
                  const InterpreterFiller &filler,
                  const std::function<llvm::Error()> &checkCancelled) {
  return Interpreter(callback, filler, checkCancelled)
      .runFunction(function, arguments, 0);
}
