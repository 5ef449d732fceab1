//===- RunProgram.cpp - Run a function of a file on data - c --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunProgram.h"
#include "PrintTensor.h"
#include "tinygrad/Engine/Npy.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tinygrad;
using namespace tinygrad::engine;

static std::string describe(DType type, const ops::Shape &shape) {
  return std::string(getName(type)) + " " + ops::toString(shape);
}

/// Reads the files of the inputs, checks them against the signatures, and puts
/// their elements on the devices.
static llvm::Expected<std::vector<runtime::BufferRef>>
loadInputs(const RunOptions &options, const std::vector<Signature> &signatures,
           const shape::Bindings &variables, Engine &engine) {
  if (options.inputs.size() != signatures.size())
    return llvm::createStringError(
        llvm::formatv("expects {0} --input for function `{1}`, got {2}",
                      signatures.size(), options.entry, options.inputs.size())
            .str());
  std::vector<runtime::BufferRef> buffers;
  for (auto [index, path] : llvm::enumerate(options.inputs)) {
    llvm::Expected<HostTensor> tensor = readNpy(path);
    if (!tensor)
      return tensor.takeError();
    const Signature &expected = signatures[index];
    ops::Shape shape = expected.getShape(variables);
    if (tensor->getType() != expected.type || tensor->getShape() != shape)
      return llvm::createStringError(
          llvm::formatv("{0}: expects {1} for argument {2} of function `{3}`, "
                        "got {4}",
                        path, describe(expected.type, shape), index,
                        options.entry,
                        describe(tensor->getType(), tensor->getShape()))
              .str());
    llvm::Expected<runtime::DeviceRef> device =
        engine.getDevice(expected.device);
    if (!device)
      return device.takeError();
    llvm::Expected<runtime::BufferRef> buffer =
        (*device)->allocate(tensor->getType(), tensor->getNumElements());
    if (!buffer)
      return buffer.takeError();
    if (llvm::Error error =
            (*buffer)->copyIn(tensor->getData(), tensor->getNumBytes()))
      return error;
    buffers.push_back(std::move(*buffer));
  }
  return buffers;
}

/// Reads the values of variables, as in "i=3". The executable checks which
/// there must be.
static llvm::Expected<shape::Bindings>
parseVariables(const std::vector<std::string> &texts) {
  shape::Bindings variables;
  for (const std::string &text : texts) {
    auto [name, number] = llvm::StringRef(text).split('=');
    int64_t value;
    if (number.getAsInteger(10, value))
      return llvm::createStringError("expects --bind as in i=4, got `" + text +
                                     "`");
    if (!variables.emplace(name.str(), value).second)
      return llvm::createStringError("expects one --bind for variable '" +
                                     name.str() + "', got two");
  }
  return variables;
}

static void printKernels(const Executable &executable,
                         llvm::raw_ostream &stream) {
  for (auto [index, kernel] : llvm::enumerate(executable.getKernels()))
    stream << llvm::formatv(
        "kernel {0}: {1}, {2} flops, {3} bytes, {4:f3} ms\n", index,
        kernel.name, kernel.flops, kernel.bytes, kernel.seconds * 1e3);
}

llvm::Error tinygrad::runProgram(const RunOptions &options,
                                 llvm::raw_ostream &stream) {
  auto text = llvm::MemoryBuffer::getFileOrSTDIN(options.program);
  if (!text)
    return llvm::createStringError(options.program + ": " +
                                   text.getError().message());
  llvm::Expected<std::shared_ptr<Engine>> engine =
      Engine::create(options.engine);
  if (!engine)
    return engine.takeError();
  llvm::Expected<std::shared_ptr<Executable>> executable =
      (*engine)->compile((*text)->getBuffer().str(),
                         (*text)->getBufferIdentifier().str(), options.entry);
  if (!executable)
    return executable.takeError();
  const std::vector<Signature> &outputs = (*executable)->getOutputs();
  if (!options.outputs.empty() && options.outputs.size() != outputs.size())
    return llvm::createStringError(
        llvm::formatv("expects {0} --output for function `{1}`, got {2}",
                      outputs.size(), options.entry, options.outputs.size())
            .str());
  llvm::Expected<shape::Bindings> variables = parseVariables(options.variables);
  if (!variables)
    return variables.takeError();
  if (llvm::Error error =
          checkVariables((*executable)->getVariables(), *variables))
    return error;
  llvm::Expected<std::vector<runtime::BufferRef>> inputs =
      loadInputs(options, (*executable)->getInputs(), *variables, **engine);
  if (!inputs)
    return inputs.takeError();
  llvm::Expected<std::vector<runtime::BufferRef>> results =
      (*executable)->run(*inputs, {.variables = *variables});
  if (!results)
    return results.takeError();

  std::vector<HostTensor> tensors;
  for (auto [result, output] : llvm::zip(*results, outputs)) {
    llvm::Expected<HostTensor> tensor =
        HostTensor::create(output.type, output.getShape(*variables));
    if (!tensor)
      return tensor.takeError();
    if (llvm::Error error =
            result->copyOut(tensor->getData(), tensor->getNumBytes()))
      return error;
    tensors.push_back(std::move(*tensor));
  }
  if (options.printKernels)
    printKernels(**executable, stream);
  if (options.outputs.empty()) {
    for (auto [index, tensor] : llvm::enumerate(tensors)) {
      stream << "result " << index << ": "
             << describe(tensor.getType(), tensor.getShape()) << '\n';
      printTensor(stream, tensor);
    }
    return llvm::Error::success();
  }
  std::vector<std::pair<std::string, HostTensor>> files;
  for (auto [path, tensor] : llvm::zip(options.outputs, tensors))
    files.emplace_back(path, tensor);
  return writeNpyFiles(files);
}
