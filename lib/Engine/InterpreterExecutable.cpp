//===- InterpreterExecutable.cpp - Run a graph by interpreting it - c -----===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "Elements.h"
#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"
#include "tinygrad/Engine/Diagnostics.h"
#include "tinygrad/Engine/Interpreter.h"

#include <chrono>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;

namespace {

/// An assign to an argument, or to a part of it. What is assigned is a result
/// of the function, after those that the caller wants.
struct Write {
  int argument;
  shape::Layout layout;
};

class InterpreterExecutable : public Executable {
public:
  InterpreterExecutable(Compilation compilation,
                        const ExecutableOptions &options,
                        std::vector<Signature> inputs,
                        std::vector<Signature> outputs,
                        std::vector<Write> writes)
      : compilation(std::move(compilation)), options(options),
        inputs(std::move(inputs)), outputs(std::move(outputs)),
        variables(engine::getVariables(this->compilation.function)),
        writes(std::move(writes)) {
    returnedArguments = getReturnedArguments(this->compilation.function);
    // Those of the caller come first.
    returnedArguments.resize(this->outputs.size());
  }

  const std::vector<Signature> &getInputs() const override { return inputs; }
  const std::vector<Signature> &getOutputs() const override { return outputs; }
  const std::vector<Variable> &getVariables() const override {
    return variables;
  }
  std::vector<KernelStatistics> getKernels() const override { return {}; }

  llvm::Expected<std::vector<runtime::BufferRef>>
  run(std::span<const runtime::BufferRef> buffers,
      const RunControl &control) override;

private:
  /// Fills an empty with what `device` holds.
  llvm::Error fillEmpty(StringRef device, const HostTensor &result);
  /// Runs a callback, which knows buffers only.
  llvm::Error runCallback(StringRef name, ArrayRef<HostTensor> operands,
                          const HostTensor &result);
  /// Overwrites inputs with the last of the results. `buffers` has what
  /// `arguments` were made from, and null for those of variables.
  llvm::Error write(ArrayRef<HostTensor> arguments,
                    ArrayRef<runtime::BufferRef> buffers,
                    ArrayRef<HostTensor> results,
                    const shape::Bindings &bindings);
  /// Makes a buffer on `device` that holds the elements of `tensor`. What
  /// outlives the process is one of `changes`.
  static llvm::Expected<runtime::BufferRef>
  makeBuffer(const HostTensor &tensor, runtime::Device &device,
             runtime::Changes &changes);
  /// Returns the elements of a buffer, in its own memory where that is
  /// possible.
  static llvm::Expected<HostTensor> makeTensor(const runtime::BufferRef &buffer,
                                               DType type, ops::Shape shape);

  Compilation compilation;
  const ExecutableOptions options;
  std::vector<Signature> inputs, outputs;
  std::vector<Variable> variables;
  std::vector<Write> writes;
  std::vector<int> returnedArguments;
};

} // namespace

llvm::Expected<runtime::BufferRef>
InterpreterExecutable::makeBuffer(const HostTensor &tensor,
                                  runtime::Device &device,
                                  runtime::Changes &changes) {
  auto result = device.allocateResult(tensor.getType(), tensor.getNumElements(),
                                      /*keepsContents=*/true);
  if (!result)
    return llvm::createStringError("cannot allocate a tensor of shape " +
                                   ops::toString(tensor.getShape()) + ": " +
                                   llvm::toString(result.takeError()));
  changes.add(std::move(result->change));
  if (llvm::Error error =
          result->buffer->copyIn(tensor.getData(), tensor.getNumBytes()))
    return error;
  return std::move(result->buffer);
}

llvm::Expected<HostTensor>
InterpreterExecutable::makeTensor(const runtime::BufferRef &buffer, DType type,
                                  ops::Shape shape) {
  // The tensor shares the buffer's memory and keeps it.
  if (buffer->isHostMemory())
    return HostTensor::wrap(
        type, std::move(shape),
        std::shared_ptr<void>(buffer, buffer->getHostPointer()));
  llvm::Expected<HostTensor> tensor =
      HostTensor::create(type, std::move(shape));
  if (!tensor)
    return tensor;
  if (llvm::Error error =
          buffer->copyOut(tensor->getData(), tensor->getNumBytes()))
    return error;
  return tensor;
}

llvm::Error InterpreterExecutable::runCallback(StringRef name,
                                               ArrayRef<HostTensor> operands,
                                               const HostTensor &result) {
  // The engine's own device has none.
  runtime::Changes changes;
  std::vector<runtime::BufferRef> buffers;
  for (const HostTensor &operand : operands) {
    llvm::Expected<runtime::BufferRef> buffer =
        makeBuffer(operand, *options.device, changes);
    if (!buffer)
      return buffer.takeError();
    buffers.push_back(std::move(*buffer));
  }
  llvm::Expected<runtime::BufferRef> target =
      makeBuffer(result, *options.device, changes);
  if (!target)
    return target.takeError();
  buffers.push_back(std::move(*target));
  if (llvm::Error error = options.callbacks->call(name.str(), buffers))
    return error;
  return buffers.back()->copyOut(result.getData(), result.getNumBytes());
}

llvm::Error InterpreterExecutable::fillEmpty(StringRef name,
                                             const HostTensor &result) {
  llvm::Expected<runtime::DeviceRef> device = options.getDevice(name.str());
  if (!device)
    return device.takeError();
  llvm::Expected<runtime::BufferRef> buffer =
      (*device)->open(result.getType(), result.getNumElements());
  if (!buffer)
    return buffer.takeError();
  return (*buffer)->copyOut(result.getData(), result.getNumBytes());
}

llvm::Expected<std::vector<runtime::BufferRef>>
InterpreterExecutable::run(std::span<const runtime::BufferRef> buffers,
                           const RunControl &control) {
  auto begin = std::chrono::steady_clock::now();
  if (llvm::Error error = checkInputs(*this, buffers, options, control))
    return error;
  std::vector<HostTensor> arguments;
  std::vector<runtime::BufferRef> argumentBuffers;
  size_t nextInput = 0, nextVariable = 0;
  for (Type type : compilation.function.getArgumentTypes()) {
    if (type.isIndex()) {
      auto value = std::make_shared<int64_t>(
          control.variables.find(variables[nextVariable++].name)->second);
      arguments.push_back(HostTensor::wrap(DType::Int64, {}, value));
      argumentBuffers.push_back(nullptr);
      continue;
    }
    const Signature &signature = inputs[nextInput];
    argumentBuffers.push_back(buffers[nextInput++]);
    llvm::Expected<HostTensor> tensor =
        makeTensor(argumentBuffers.back(), signature.type,
                   signature.getShape(control.variables));
    if (!tensor)
      return tensor.takeError();
    arguments.push_back(std::move(*tensor));
  }
  auto results = interpret(
      compilation.function, arguments,
      [&](StringRef name, ArrayRef<HostTensor> operands,
          const HostTensor &result) {
        noteCallback(control);
        return runCallback(name, operands, result);
      },
      [this](StringRef name, const HostTensor &result) {
        return fillEmpty(name, result);
      },
      [&] { return checkCancelled(control); });
  if (!results)
    return results.takeError();
  if (llvm::Error error = checkCancelled(control))
    return error;
  std::vector<runtime::BufferRef> values(outputs.size());
  runtime::Changes changes;
  for (bool isPersistent : {false, true})
    for (auto [argument, result, signature, value] :
         llvm::zip_first(returnedArguments, *results, outputs, values)) {
      llvm::Expected<runtime::DeviceRef> device =
          options.getDevice(signature.device);
      if (!device)
        return device.takeError();
      if ((*device)->isPersistent() != isPersistent)
        continue;
      if (argument >= 0) {
        value = buffers[argument];
        continue;
      }
      llvm::Expected<runtime::BufferRef> buffer =
          makeBuffer(result, **device, changes);
      if (!buffer)
        return buffer.takeError();
      value = std::move(*buffer);
    }
  if (llvm::Error error = changes.commit())
    return error;
  if (llvm::Error error =
          write(arguments, argumentBuffers,
                ArrayRef(*results).drop_front(returnedArguments.size()),
                control.variables))
    return error;
  changes.keep();
  if (options.onRun) {
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    options.onRun({{}, elapsed.count()});
  }
  return values;
}

llvm::Error InterpreterExecutable::write(ArrayRef<HostTensor> arguments,
                                         ArrayRef<runtime::BufferRef> buffers,
                                         ArrayRef<HostTensor> results,
                                         const shape::Bindings &bindings) {
  // What is assigned may lie in the memory of an argument, and all that may
  // fail comes before an input is overwritten.
  std::vector<HostTensor> values, contents(arguments.size());
  std::vector<shape::ShapeTracker> trackers;
  for (auto [write, result] : llvm::zip_equal(writes, results)) {
    std::string error;
    std::optional<shape::ShapeTracker> tracker =
        write.layout.bind(bindings, error);
    if (!tracker)
      return llvm::createStringError(error);
    trackers.push_back(std::move(*tracker));
    llvm::Expected<HostTensor> value = result.clone();
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
    // An argument of another device keeps its old value, to restore it.
    HostTensor &content = contents[write.argument];
    if (!content.isNull())
      continue;
    content = arguments[write.argument];
    if (buffers[write.argument]->isHostMemory())
      continue;
    llvm::Expected<HostTensor> copy = content.clone();
    if (!copy)
      return copy.takeError();
    content = std::move(*copy);
  }
  auto scatterAll = [&](bool isHostMemory) -> llvm::Error {
    for (auto [write, tracker, value] :
         llvm::zip_equal(writes, trackers, values))
      if (buffers[write.argument]->isHostMemory() == isHostMemory)
        if (llvm::Error error =
                scatter(tracker, value, contents[write.argument]))
          return error;
    return llvm::Error::success();
  };
  if (llvm::Error error = scatterAll(/*isHostMemory=*/false))
    return error;
  for (size_t i = 0; i < contents.size(); ++i) {
    if (contents[i].isNull() || buffers[i]->isHostMemory())
      continue;
    llvm::Error error =
        buffers[i]->copyIn(contents[i].getData(), contents[i].getNumBytes());
    if (!error)
      continue;
    for (size_t k = 0; k <= i; ++k)
      if (!contents[k].isNull() && !buffers[k]->isHostMemory())
        error = llvm::joinErrors(
            std::move(error), buffers[k]->copyIn(arguments[k].getData(),
                                                 arguments[k].getNumBytes()));
    return error;
  }
  return scatterAll(/*isHostMemory=*/true);
}

/// Lists the assigns to arguments, and adds what they assign to the results.
static llvm::Expected<std::vector<Write>> addWrites(func::FuncOp function) {
  std::vector<Write> writes;
  lazy::StorageFinder finder;
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  for (auto assign : function.getBody().getOps<lazy::AssignOp>()) {
    std::string error;
    std::optional<lazy::Storage> storage = finder.find(assign, error);
    if (!storage)
      return makeErrorAt(assign, error);
    auto argument = dyn_cast<BlockArgument>(storage->base);
    if (!argument)
      continue;
    writes.push_back({static_cast<int>(argument.getArgNumber()),
                      std::move(storage->layout)});
    results.push_back(assign.getValue());
  }
  terminator->setOperands(results);
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             function.getArgumentTypes(),
                                             TypeRange(ValueRange(results))));
  // Attributes of results would no longer belong to them.
  function.removeResAttrsAttr();
  return writes;
}

llvm::Expected<std::shared_ptr<Executable>>
engine::makeInterpreterExecutable(Compilation compilation,
                                  const ExecutableOptions &options) {
  llvm::Expected<std::vector<Signature>> inputs =
      getInputSignatures(compilation.function);
  if (!inputs)
    return inputs.takeError();
  llvm::Expected<std::vector<Signature>> outputs =
      getOutputSignatures(compilation.function);
  if (!outputs)
    return outputs.takeError();
  llvm::Expected<std::vector<Write>> writes = addWrites(compilation.function);
  if (!writes)
    return writes.takeError();
  return std::make_shared<InterpreterExecutable>(
      std::move(compilation), options, std::move(*inputs), std::move(*outputs),
      std::move(*writes));
}
