//===- InterpreterExecutable.cpp - Run a graph by interpreting it - c -----===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "tinygrad/Engine/Interpreter.h"

#include <chrono>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;

namespace {

class InterpreterExecutable : public Executable {
public:
  InterpreterExecutable(Compilation compilation,
                        const ExecutableOptions &options,
                        std::vector<Signature> inputs,
                        std::vector<Signature> outputs)
      : compilation(std::move(compilation)), options(options),
        inputs(std::move(inputs)), outputs(std::move(outputs)),
        returnedArguments(getReturnedArguments(this->compilation.function)) {}

  const std::vector<Signature> &getInputs() const override { return inputs; }
  const std::vector<Signature> &getOutputs() const override { return outputs; }
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
  /// Makes a buffer on `device` that holds the elements of `tensor`.
  llvm::Expected<runtime::BufferRef> makeBuffer(const HostTensor &tensor,
                                                const std::string &device = {});
  /// Returns the elements of a buffer, in its own memory where that is
  /// possible.
  llvm::Expected<HostTensor> makeTensor(const runtime::BufferRef &buffer,
                                        const Signature &signature);

  Compilation compilation;
  const ExecutableOptions options;
  std::vector<Signature> inputs, outputs;
  std::vector<int> returnedArguments;
};

} // namespace

llvm::Expected<runtime::BufferRef>
InterpreterExecutable::makeBuffer(const HostTensor &tensor,
                                  const std::string &deviceName) {
  llvm::Expected<runtime::DeviceRef> device = options.getDevice(deviceName);
  if (!device)
    return device.takeError();
  llvm::Expected<runtime::BufferRef> buffer =
      (*device)->allocate(tensor.getType(), tensor.getNumElements());
  if (!buffer)
    return buffer.takeError();
  if (llvm::Error error =
          (*buffer)->copyIn(tensor.getData(), tensor.getNumBytes()))
    return error;
  return buffer;
}

llvm::Expected<HostTensor>
InterpreterExecutable::makeTensor(const runtime::BufferRef &buffer,
                                  const Signature &signature) {
  // The tensor shares the buffer's memory and keeps it.
  if (buffer->isHostMemory())
    return HostTensor::wrap(
        signature.type, signature.shape,
        std::shared_ptr<void>(buffer, buffer->getHostPointer()));
  llvm::Expected<HostTensor> tensor =
      HostTensor::create(signature.type, signature.shape);
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
  std::vector<runtime::BufferRef> buffers;
  for (const HostTensor &operand : operands) {
    llvm::Expected<runtime::BufferRef> buffer = makeBuffer(operand);
    if (!buffer)
      return buffer.takeError();
    buffers.push_back(std::move(*buffer));
  }
  llvm::Expected<runtime::BufferRef> target = makeBuffer(result);
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
  if (llvm::Error error = checkInputs(inputs, buffers, options))
    return error;
  std::vector<HostTensor> arguments;
  for (auto [buffer, signature] : llvm::zip(buffers, inputs)) {
    llvm::Expected<HostTensor> tensor = makeTensor(buffer, signature);
    if (!tensor)
      return tensor.takeError();
    arguments.push_back(std::move(*tensor));
  }
  auto results = interpret(
      compilation.function, arguments,
      [this](StringRef name, ArrayRef<HostTensor> operands,
             const HostTensor &result) {
        return runCallback(name, operands, result);
      },
      [this](StringRef name, const HostTensor &result) {
        return fillEmpty(name, result);
      },
      [&] { return checkCancelled(control); });
  if (!results)
    return results.takeError();
  std::vector<runtime::BufferRef> values;
  for (auto [result, argument, signature] :
       llvm::zip(*results, returnedArguments, outputs)) {
    if (argument >= 0) {
      values.push_back(buffers[argument]);
      continue;
    }
    llvm::Expected<runtime::BufferRef> buffer =
        makeBuffer(result, signature.device);
    if (!buffer)
      return buffer.takeError();
    values.push_back(std::move(*buffer));
  }
  if (options.onRun) {
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    options.onRun({{}, elapsed.count()});
  }
  return values;
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
  return std::make_shared<InterpreterExecutable>(
      std::move(compilation), options, std::move(*inputs), std::move(*outputs));
}
