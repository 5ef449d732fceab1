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
      : compilation(std::move(compilation)), device(options.device),
        callbacks(options.callbacks), onRun(options.onRun),
        inputs(std::move(inputs)), outputs(std::move(outputs)),
        returnedArguments(getReturnedArguments(this->compilation.function)) {}

  const std::vector<Signature> &getInputs() const override { return inputs; }
  const std::vector<Signature> &getOutputs() const override { return outputs; }
  std::vector<KernelStatistics> getKernels() const override { return {}; }

  llvm::Expected<std::vector<runtime::BufferRef>>
  run(std::span<const runtime::BufferRef> buffers,
      const RunControl &control) override;

private:
  /// Runs a callback, which knows buffers only.
  llvm::Error runCallback(StringRef name, ArrayRef<HostTensor> operands,
                          const HostTensor &result);
  /// Makes a buffer that holds the elements of `tensor`.
  llvm::Expected<runtime::BufferRef> makeBuffer(const HostTensor &tensor);

  Compilation compilation;
  runtime::DeviceRef device;
  std::shared_ptr<const CallbackTable> callbacks;
  std::function<void(const RunRecord &)> onRun;
  std::vector<Signature> inputs, outputs;
  std::vector<int> returnedArguments;
};

} // namespace

llvm::Expected<runtime::BufferRef>
InterpreterExecutable::makeBuffer(const HostTensor &tensor) {
  llvm::Expected<runtime::BufferRef> buffer =
      device->allocate(tensor.getType(), tensor.getNumElements());
  if (!buffer)
    return buffer.takeError();
  if (llvm::Error error =
          (*buffer)->copyIn(tensor.getData(), tensor.getNumBytes()))
    return error;
  return buffer;
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
  if (llvm::Error error = callbacks->call(name.str(), buffers))
    return error;
  return buffers.back()->copyOut(result.getData(), result.getNumBytes());
}

llvm::Expected<std::vector<runtime::BufferRef>>
InterpreterExecutable::run(std::span<const runtime::BufferRef> buffers,
                           const RunControl &control) {
  auto begin = std::chrono::steady_clock::now();
  if (llvm::Error error = checkInputs(inputs, buffers, *device))
    return error;
  std::vector<HostTensor> arguments;
  for (auto [buffer, signature] : llvm::zip(buffers, inputs))
    // The tensor shares the buffer's memory and keeps it.
    arguments.push_back(HostTensor::wrap(
        signature.type, signature.shape,
        std::shared_ptr<void>(buffer, buffer->getHostPointer())));
  auto results = interpret(
      compilation.function, arguments,
      [this](StringRef name, ArrayRef<HostTensor> operands,
             const HostTensor &result) {
        return runCallback(name, operands, result);
      },
      [&] { return checkCancelled(control); });
  if (!results)
    return results.takeError();
  std::vector<runtime::BufferRef> values;
  for (auto [result, argument] : llvm::zip(*results, returnedArguments)) {
    if (argument >= 0) {
      values.push_back(buffers[argument]);
      continue;
    }
    llvm::Expected<runtime::BufferRef> buffer = makeBuffer(result);
    if (!buffer)
      return buffer.takeError();
    values.push_back(std::move(*buffer));
  }
  if (onRun) {
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    onRun({{}, elapsed.count()});
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
