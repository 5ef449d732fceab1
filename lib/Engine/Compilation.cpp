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

void CallbackTable::set(const std::string &name, Callback callback) {
  std::lock_guard lock(mutex);
  callbacks[name] = std::move(callback);
}

bool CallbackTable::contains(const std::string &name) const {
  std::lock_guard lock(mutex);
  return callbacks.count(name) != 0;
}

llvm::Error
CallbackTable::call(const std::string &name,
                    std::span<const runtime::BufferRef> buffers) const {
  Callback callback;
  {
    std::lock_guard lock(mutex);
    auto found = callbacks.find(name);
    if (found != callbacks.end())
      callback = found->second;
  }
  if (!callback)
    return llvm::createStringError("expects a callback `" + name +
                                   "`, but none is registered");
  return callback(buffers);
}

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
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (type.isIndex() ||
      (tensor && tensor.getEncoding() && !tensor.hasStaticShape()))
    return "; `lazy-bind-variables` gives variables numbers";
  return "";
}

static llvm::Expected<std::vector<Signature>>
getSignatures(func::FuncOp function, TypeRange types, StringRef what) {
  std::vector<Signature> signatures;
  for (auto [index, type] : llvm::enumerate(types)) {
    if (!lazy::isBufferTensor(type))
      return makeErrorAt(function,
                         llvm::formatv("expects {0} {1} to be a tensor of the "
                                       "lazy dialect, got {2}{3}",
                                       what, index, type, getHint(type))
                             .str());
    auto tensor = cast<RankedTensorType>(type);
    signatures.push_back({*lazy::getDType(tensor.getElementType()),
                          lazy::getShape(tensor),
                          toDeviceName(lazy::getDevice(tensor))});
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

std::vector<int> engine::getReturnedArguments(func::FuncOp function) {
  Block &block = function.getBody().front();
  // What writes into the memory of a value last.
  llvm::DenseMap<Value, Operation *> writers;
  for (Operation &op : block) {
    if (auto kernel = dyn_cast<lazy::KernelOp>(op))
      for (Value init : kernel.getInits())
        writers[init] = kernel;
    // A target that is not valid is an error later on.
    std::string error;
    if (auto assign = dyn_cast<lazy::AssignOp>(op))
      if (auto storage = lazy::findStorage(assign, error))
        writers[storage->base] = assign;
  }
  std::vector<int> arguments;
  for (Value operand : block.getTerminator()->getOperands()) {
    std::string error;
    Value base = operand;
    auto assign = operand.getDefiningOp<lazy::AssignOp>();
    if (assign)
      if (auto storage = lazy::findStorage(assign, error);
          storage && storage->isWhole())
        base = storage->base;
    auto argument = dyn_cast<BlockArgument>(base);
    bool isLeft = argument && argument.getOwner() == &block &&
                  writers.lookup(argument) == assign;
    arguments.push_back(isLeft ? static_cast<int>(argument.getArgNumber())
                               : -1);
  }
  return arguments;
}

llvm::Error engine::checkInputs(const std::vector<Signature> &signatures,
                                std::span<const runtime::BufferRef> inputs,
                                const ExecutableOptions &options) {
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
    int64_t numElements = *ops::getNumElements(expected.shape);
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
