//===- KernelLibrary.h - Compiled kernels, found or made --------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_ENGINE_KERNELLIBRARY_H
#define TINYGRAD_LIB_ENGINE_KERNELLIBRARY_H

#include "CacheFolder.h"
#include "KernelCompiler.h"
#include "tinygrad/Engine/Engine.h"

#include "llvm/ADT/StringMap.h"

namespace tinygrad::engine {

/// A kernel in executable memory.
struct LoadedKernel {
  runtime::ProgramRef program;
  /// As KernelObject::numTasks.
  RuntimeSize numTasks = 1;
  /// False if it was compiled for the one who asks.
  bool isFromCache = false;
  /// True if the folder had its code.
  bool isFromFolder = false;
};

/// A kernel that is wanted on a device.
struct KernelRequest {
  /// The position of its source or key.
  size_t source;
  runtime::DeviceRef device;
};

/// The kernels of an engine: those in use, and those that a folder keeps. May
/// be used from several threads at once.
class KernelLibrary {
public:
  explicit KernelLibrary(const Engine::Options &options);

  /// What keys hold of the compiler and the processor.
  const std::string &getEnvironment() const { return environment; }
  /// What the key of each kernel begins with.
  const std::string &getKernelPrefix() const { return kernelPrefix; }
  CacheFolder &getFolder() { return folder; }

  /// Returns one kernel of `sources` per request, in their order: loaded
  /// before, kept in the folder, or compiled now, several at once. Fails as a
  /// whole; where several fail, with the error of the first.
  llvm::Expected<std::vector<LoadedKernel>>
  load(llvm::ArrayRef<KernelSource> sources,
       llvm::ArrayRef<KernelRequest> requests, const RunPassesOptions &options);

  /// Returns the kernels of `keys`, which are called `names`, or nothing if one
  /// has to be compiled.
  std::optional<std::vector<LoadedKernel>>
  find(llvm::ArrayRef<CacheKey> keys, llvm::ArrayRef<std::string> names,
       llvm::ArrayRef<KernelRequest> requests, const RunPassesOptions &options);

  /// Adds what was found and compiled so far.
  void addTo(Engine::CompileStatistics &statistics) const;

private:
  /// A kernel as long as an executable holds it.
  struct Entry {
    std::string key;
    std::weak_ptr<runtime::Program> program;
    RuntimeSize numTasks;
  };

  std::optional<LoadedKernel> find(const CacheKey &key,
                                   runtime::Device &device);
  llvm::Expected<LoadedKernel> compile(const KernelSource &source,
                                       runtime::Device &device,
                                       const RunPassesOptions &options);
  /// Shows the code of a kernel that comes from the folder.
  void show(const CacheKey &key, const std::string &name,
            const RunPassesOptions &options) const {
    showKernel(llvm::StringRef(key.text).drop_front(kernelPrefix.size()), name,
               target, options);
  }
  llvm::Expected<LoadedKernel> link(const CacheKey &key,
                                    runtime::Device &device,
                                    const KernelObject &object);
  /// Calls `run` with each number below `count`, on several threads.
  void runInParallel(size_t count, llvm::function_ref<void(size_t)> run);

  const int numThreads;
  const target::CPUTarget target;
  const std::string environment;
  const std::string kernelPrefix;
  CacheFolder folder;

  mutable std::mutex mutex;
  llvm::StringMap<Entry> entries;
  /// When that many entries are there, those that nobody holds are dropped.
  size_t nextCleaning = 64;
  int64_t numInMemory = 0, numOnDisk = 0, numCompiled = 0;
};

} // namespace tinygrad::engine

#endif // TINYGRAD_LIB_ENGINE_KERNELLIBRARY_H
