//===- CPUDevice.cpp - The host's processor -------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUDevice.h"

#include "../Host/HostBuffer.h"
#include "CPUBuffer.h"
#include "CPUProgram.h"
#include "IRProgram.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace tinygrad;
using namespace tinygrad::runtime;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<DeviceRef>
tinygrad::runtime::createCPUDevice(int numThreads,
                                   const MemoryOptions &memory) {
  if (numThreads < 0)
    return makeError("expects a number of threads that is not negative, got " +
                     llvm::Twine(numThreads));
  if (llvm::Error error = Arena::check(memory))
    return error;
  llvm::Expected<std::unique_ptr<Linker>> linker = Linker::create();
  if (!linker)
    return linker.takeError();
  return std::make_shared<CPUDevice>(std::move(*linker), numThreads, memory);
}

CPUDevice::CPUDevice(std::unique_ptr<Linker> linker, int numThreads,
                     const MemoryOptions &memory)
    : Device("CPU"), target(target::CPUTarget::getHost()), arena(memory),
      linker(std::move(linker)), threadPool(numThreads) {}

llvm::Expected<BufferRef> CPUDevice::allocate(DType type, int64_t numElements) {
  llvm::Expected<void *> memory = arena.allocateElements(type, numElements);
  if (!memory)
    return memory.takeError();
  return std::make_shared<CPUBuffer>(
      std::static_pointer_cast<CPUDevice>(shared_from_this()), type,
      numElements, *memory);
}

llvm::Expected<BufferRef> CPUDevice::wrap(DType type, int64_t numElements,
                                          std::shared_ptr<void> memory,
                                          bool isReadOnly) {
  return wrapHostMemory(shared_from_this(), type, numElements,
                        std::move(memory), isReadOnly);
}

llvm::Expected<ProgramRef> CPUDevice::compile(const std::string &name,
                                              const ProgramSource &source) {
  llvm::Expected<std::vector<ProgramRef>> programs =
      compileAll({&name, 1}, source);
  if (!programs)
    return programs.takeError();
  return std::move(programs->front());
}

llvm::Expected<std::vector<ProgramRef>>
CPUDevice::compileAll(std::span<const std::string> names,
                      const ProgramSource &source) {
  std::unique_ptr<llvm::MemoryBuffer> object;
  std::vector<std::string> symbols(names.begin(), names.end());
  std::vector<std::optional<int>> numParameters(names.size());
  switch (source.language) {
  case ProgramSource::Language::LLVMIR: {
    llvm::Expected<IRProgram> program = compileIR(source.text, symbols, target);
    if (!program)
      return program.takeError();
    object = std::move(program->object);
    for (size_t i = 0; i < names.size(); ++i) {
      symbols[i] = program->entries[i].symbol;
      numParameters[i] = program->entries[i].numParameters;
    }
    break;
  }
  case ProgramSource::Language::Object:
    object = llvm::MemoryBuffer::getMemBufferCopy(source.text, "program");
    break;
  }

  llvm::Expected<Linker::LoadedObject> loaded =
      linker->load(std::move(object), symbols);
  if (!loaded)
    return loaded.takeError();
  auto code = std::make_shared<LoadedCode>(
      std::static_pointer_cast<CPUDevice>(shared_from_this()),
      *loaded->library);
  std::vector<ProgramRef> programs;
  for (size_t i = 0; i < names.size(); ++i)
    programs.push_back(std::make_shared<CPUProgram>(
        code, names[i], reinterpret_cast<tg_task_fn>(loaded->functions[i]),
        numParameters[i]));
  return programs;
}

llvm::Error CPUDevice::synchronize() {
  // A launch returns when its work is done.
  return llvm::Error::success();
}
