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
#include "tinygrad/Engine/Diagnostics.h"

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

/// Returns the element type and shape of a tensor or a memref, or nothing for
/// any other type.
static std::optional<std::pair<DType, ops::Shape>> describe(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !isa<RankedTensorType, MemRefType>(type) ||
      !shaped.hasStaticShape())
    return std::nullopt;
  if (auto memref = dyn_cast<MemRefType>(type))
    if (!memref.getLayout().isIdentity())
      return std::nullopt;
  std::optional<DType> element = lazy::getDType(shaped.getElementType());
  if (!element)
    return std::nullopt;
  return std::pair(*element, lazy::getShape(shaped));
}

/// Puts the location of `op` before the sentence of `error`.
static llvm::Error addLocation(Operation *op, llvm::Error error) {
  return makeErrorAt(op, llvm::toString(std::move(error)));
}

/// Makes a tensor of zeros for `type`, the type of a value of `op`.
static llvm::Expected<HostTensor> allocate(Operation *op, Type type) {
  auto description = describe(type);
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
  if (auto reshape = dyn_cast<lazy::ReshapeOp>(op.getOperation())) {
    HostTensor source = environment.get(reshape.getSource());
    environment.set(result,
                    source.reinterpret(source.getType(),
                                       lazy::getShape(reshape.getType())));
    return llvm::Error::success();
  }
  llvm::Expected<HostTensor> tensor = allocate(op, result.getType());
  if (!tensor)
    return tensor.takeError();
  SmallVector<HostTensor> operands;
  for (Value operand : op->getOperands())
    operands.push_back(environment.get(operand));

  auto compute = [&]() -> llvm::Error {
    if (isa<lazy::ReduceOpInterface>(op.getOperation()))
      return computeReduce(kind, operands[0], *tensor);
    if (auto movement = dyn_cast<lazy::MovementOpInterface>(op.getOperation()))
      return gather(movement.applyTo(
                        shape::ShapeTracker::fromShape(operands[0].getShape())),
                    operands[0], *tensor);
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
        allocate(op, op->getResult(0).getType());
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
  for (auto [operand, argument] :
       llvm::zip(kernel->getOperands(), block->getArguments())) {
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

llvm::Error Interpreter::runOperation(Operation &op, Environment &environment,
                                      int depth) {
  if (lazy::isSymbolic(&op))
    return makeErrorAt(&op, "is not interpretable: it has sizes that are no "
                            "numbers; `lazy-bind-variables` gives variables "
                            "numbers");
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
    if (llvm::Error error = scatter(store.getTracker().getTracker(),
                                    environment.get(store.getValue()),
                                    environment.get(store.getTarget())))
      return addLocation(store, std::move(error));
    return llvm::Error::success();
  }
  if (auto copy = dyn_cast<lazy::CopyOp>(op)) {
    const HostTensor &source = environment.get(copy.getSource());
    const HostTensor &target = environment.get(copy.getTarget());
    std::memcpy(target.getData(),
                source.getData() +
                    copy.getOffset() * getByteWidth(source.getType()),
                static_cast<size_t>(target.getNumBytes()));
    return llvm::Error::success();
  }
  if (isa<memref::DeallocOp>(op))
    return llvm::Error::success();
  if (!isa<lazy::ConstOp, lazy::EmptyOp, lazy::LoadOp, lazy::ViewOp,
           memref::AllocOp>(op))
    return makeErrorAt(&op, "is not interpretable");

  // The rest makes one new tensor.
  llvm::Expected<HostTensor> result = allocate(&op, op.getResult(0).getType());
  if (!result)
    return result.takeError();
  auto read = [&](Value source, lazy::ShapeTrackerAttr tracker) {
    return gather(tracker.getTracker(), environment.get(source), *result);
  };
  auto compute = [&]() -> llvm::Error {
    if (auto load = dyn_cast<lazy::LoadOp>(op))
      return read(load.getSource(), load.getTracker());
    if (auto view = dyn_cast<lazy::ViewOp>(op))
      return read(view.getSource(), view.getTracker());
    auto empty = dyn_cast<lazy::EmptyOp>(op);
    if (empty && filler && !lazy::isPlainTensor(empty.getType()))
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
static bool fits(const HostTensor &tensor, Type type) {
  auto description = describe(type);
  if (!description || tensor.isNull() ||
      tensor.getShape() != description->second)
    return false;
  if (isa<RankedTensorType>(type))
    return tensor.getType() == description->first;
  // Memory has no signs, and a bool is one byte in it.
  return lazy::getMemoryType(type.getContext(), tensor.getType()) ==
         cast<MemRefType>(type).getElementType();
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
    if (!fits(tensor, argument.getType()))
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
