//===- Compilation.cpp - What the executables are made from - c -----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"
#include "tinygrad/Engine/Diagnostics.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;

//===----------------------------------------------------------------------===//
// Callbacks
//===----------------------------------------------------------------------===//

llvm::Error engine::checkCallbacks(func::FuncOp function,
                                   const CallbackTable &callbacks) {
  llvm::Error error = llvm::Error::success();
  function.walk([&](lazy::CustomOp custom) {
    if (callbacks.contains(custom.getCallback().str()))
      return WalkResult::advance();
    llvm::cantFail(std::move(error));
    error = makeErrorAt(custom, "expects a callback `" + custom.getCallback() +
                                    "`, but none is registered");
    return WalkResult::interrupt();
  });
  return error;
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// Says what helps where `type` is no plain tensor.
static StringRef getHint(Type type) {
  return type.isIndex() ? "; it binds no variable" : "";
}

/// Returns the variable that argument `index` of `function` binds, or null.
static lazy::VariableAttr getVariable(func::FuncOp function, unsigned index) {
  return function.getArgAttrOfType<lazy::VariableAttr>(index,
                                                       lazy::variableAttrName);
}

static llvm::Expected<std::vector<Signature>>
getSignatures(func::FuncOp function, TypeRange types, StringRef what) {
  std::vector<Signature> signatures;
  for (auto [index, type] : llvm::enumerate(types)) {
    if (what == "argument" && getVariable(function, index))
      continue;
    if (!lazy::isGraphTensor(type))
      return makeErrorAt(function,
                         llvm::formatv("expects {0} {1} to be a tensor of the "
                                       "lazy dialect, got {2}{3}",
                                       what, index, type, getHint(type))
                             .str());
    auto tensor = cast<RankedTensorType>(type);
    shape::Sizes sizes = lazy::getSizes(tensor);
    Signature signature = {*lazy::getDType(tensor.getElementType()),
                           sizes.getLargest(),
                           toDeviceName(lazy::getDevice(tensor))};
    if (sizes.isSymbolic())
      signature.expressions = sizes.getExprs();
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

llvm::Expected<std::vector<Signature>>
engine::getInputSignatures(func::FuncOp function) {
  return getSignatures(function, function.getArgumentTypes(), "argument");
}

llvm::Expected<std::vector<Signature>>
engine::getOutputSignatures(func::FuncOp function) {
  return getSignatures(function, function.getResultTypes(), "result");
}

std::vector<Variable> engine::getVariables(func::FuncOp function) {
  std::vector<Variable> variables;
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (lazy::VariableAttr variable = getVariable(function, index))
      variables.push_back(
          {variable.getName().str(), variable.getMin(), variable.getMax()});
  return variables;
}

std::vector<int> engine::getReturnedArguments(func::FuncOp function) {
  Block &block = function.getBody().front();
  // What writes into the memory of a value last.
  llvm::DenseMap<Value, Operation *> writers;
  lazy::StorageFinder finder;
  for (Operation &op : block) {
    if (auto kernel = dyn_cast<lazy::KernelOp>(op))
      for (Value init : kernel.getInits())
        writers[init] = kernel;
    // A target that is not valid is an error later on.
    std::string error;
    if (auto assign = dyn_cast<lazy::AssignOp>(op))
      if (auto storage = finder.find(assign, error))
        writers[storage->base] = assign;
  }
  std::vector<int> arguments;
  for (Value operand : block.getTerminator()->getOperands()) {
    std::string error;
    Value base = operand;
    auto assign = operand.getDefiningOp<lazy::AssignOp>();
    if (assign)
      if (auto storage = finder.find(assign, error);
          storage && storage->isWhole())
        base = storage->base;
    auto argument = dyn_cast<BlockArgument>(base);
    bool isLeft = argument && argument.getOwner() == &block &&
                  writers.lookup(argument) == assign;
    int input = -1;
    for (unsigned index = 0; isLeft && index <= argument.getArgNumber();
         ++index)
      input += !getVariable(function, index);
    arguments.push_back(input);
  }
  return arguments;
}

ops::Shape Signature::getShape(const shape::Bindings &variables) const {
  if (expressions.empty())
    return shape;
  ops::Shape numbers;
  for (const shape::IndexExpr &extent : expressions)
    numbers.push_back(extent.evaluate({}, variables));
  return numbers;
}

int64_t Signature::getNumElements(const shape::Bindings &variables) const {
  if (expressions.empty())
    return *ops::getNumElements(shape);
  return *ops::getNumElements(getShape(variables));
}

llvm::Error engine::checkVariables(const std::vector<Variable> &variables,
                                   const shape::Bindings &bindings) {
  for (const Variable &variable : variables) {
    auto found = bindings.find(variable.name);
    if (found == bindings.end())
      return llvm::createStringError("expects a value for variable '" +
                                     variable.name + "'");
    if (found->second < variable.min || found->second > variable.max)
      return llvm::createStringError(
          llvm::formatv("expects variable '{0}' in [{1}, {2}], got {3}",
                        variable.name, variable.min, variable.max,
                        found->second)
              .str());
  }
  for (const auto &[name, value] : bindings)
    if (llvm::none_of(variables, [&](const Variable &variable) {
          return variable.name == name;
        }))
      return llvm::createStringError("expects values for variables of the "
                                     "program, got one for '" +
                                     name + "'");
  return llvm::Error::success();
}

llvm::Error engine::checkInputs(const Executable &executable,
                                std::span<const runtime::BufferRef> inputs,
                                const ExecutableOptions &options,
                                const RunControl &control) {
  if (llvm::Error error =
          checkVariables(executable.getVariables(), control.variables))
    return error;
  const std::vector<Signature> &signatures = executable.getInputs();
  if (inputs.size() != signatures.size())
    return llvm::createStringError(llvm::formatv("expects {0} inputs, got {1}",
                                                 signatures.size(),
                                                 inputs.size())
                                       .str());
  for (auto [index, input] : llvm::enumerate(inputs)) {
    const Signature &expected = signatures[index];
    if (!input)
      return llvm::createStringError(
          llvm::formatv("expects a buffer for input {0}, got nothing", index)
              .str());
    int64_t numElements = expected.getNumElements(control.variables);
    if (input->getType() != expected.type ||
        input->getNumElements() != numElements)
      return llvm::createStringError(
          llvm::formatv("expects input {0} of {1} {2}, got {3} {4}", index,
                        numElements, getName(expected.type),
                        input->getNumElements(), getName(input->getType()))
              .str());
    llvm::Expected<runtime::DeviceRef> device =
        options.getDevice(expected.device);
    if (!device)
      return device.takeError();
    if (&input->getDevice() != device->get())
      return llvm::createStringError(
          llvm::formatv("expects input {0} on {1}, got one on `{2}`", index,
                        expected.device.empty()
                            ? "the engine's device"
                            : "device `" + expected.device + "`",
                        input->getDevice().getName())
              .str());
  }
  return llvm::Error::success();
}
