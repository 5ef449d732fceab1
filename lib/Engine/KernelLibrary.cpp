//===- KernelLibrary.cpp - Compiled kernels, found or made ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLibrary.h"
#include "tinygrad/Runtime/ThreadPool.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/Threading.h"

#include <atomic>

using namespace tinygrad;
using namespace tinygrad::engine;

static int getNumThreads(int wanted) {
  return wanted ? wanted
                : static_cast<int>(
                      llvm::hardware_concurrency().compute_thread_count());
}

KernelLibrary::KernelLibrary(const Engine::Options &options)
    : numThreads(getNumThreads(options.numCompileThreads)),
      target(target::CPUTarget::getHost()),
      environment(describeEnvironment(target)),
      kernelPrefix("kernel\n" + environment),
      folder(options.cacheDirectory, options.maxCacheBytes) {}

void KernelLibrary::addTo(Engine::CompileStatistics &statistics) const {
  std::lock_guard lock(mutex);
  statistics.kernelsInMemory += numInMemory;
  statistics.kernelsOnDisk += numOnDisk;
  statistics.kernelsCompiled += numCompiled;
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

/// In the folder a kernel is its number of tasks, then its object file. The
/// number is itself, the length of its code, and that.
static std::string serialize(const KernelObject &object) {
  std::vector<int64_t> numbers = {
      object.numTasks.number,
      static_cast<int64_t>(object.numTasks.code.size())};
  llvm::append_range(numbers, object.numTasks.code);
  std::string text;
  for (int64_t number : numbers) {
    char bytes[8];
    llvm::support::endian::write64le(bytes, number);
    text.append(bytes, sizeof(bytes));
  }
  return text + object.code;
}

static std::optional<KernelObject> deserialize(llvm::StringRef text) {
  auto take = [&] {
    auto number =
        static_cast<int64_t>(llvm::support::endian::read64le(text.data()));
    text = text.drop_front(8);
    return number;
  };
  if (text.size() < 16)
    return std::nullopt;
  RuntimeSize numTasks(take());
  auto codeSize = static_cast<uint64_t>(take());
  if (codeSize > text.size() / 8)
    return std::nullopt;
  for (uint64_t i = 0; i < codeSize; ++i)
    numTasks.code.push_back(take());
  // How many variables there are is known where it is called.
  if (!numTasks.isValid(SIZE_MAX))
    return std::nullopt;
  return KernelObject{text.str(), std::move(numTasks)};
}

/// Returns the name of a kernel that is loaded on `device`.
static std::string getEntryName(const CacheKey &key,
                                const runtime::Device &device) {
  return key.name + " " + device.getName();
}

llvm::Expected<LoadedKernel> KernelLibrary::link(const CacheKey &key,
                                                 runtime::Device &device,
                                                 const KernelObject &object) {
  llvm::Expected<runtime::ProgramRef> program =
      device.compile(kernelSymbol.str(),
                     {runtime::ProgramSource::Language::Object, object.code});
  if (!program)
    return program.takeError();
  std::lock_guard lock(mutex);
  if (entries.size() >= nextCleaning) {
    llvm::SmallVector<std::string> unused;
    for (const auto &entry : entries)
      if (entry.second.program.expired())
        unused.push_back(entry.first().str());
    for (const std::string &name : unused)
      entries.erase(name);
    nextCleaning = std::max<size_t>(2 * entries.size(), 64);
  }
  entries[getEntryName(key, device)] = {key.text, *program, object.numTasks};
  return LoadedKernel{std::move(*program), object.numTasks};
}

std::optional<LoadedKernel> KernelLibrary::find(const CacheKey &key,
                                                runtime::Device &device) {
  {
    std::lock_guard lock(mutex);
    auto found = entries.find(getEntryName(key, device));
    if (found != entries.end() && found->second.key == key.text)
      if (runtime::ProgramRef program = found->second.program.lock()) {
        ++numInMemory;
        return LoadedKernel{std::move(program), found->second.numTasks,
                            /*isFromCache=*/true};
      }
  }
  std::optional<std::string> text = folder.read(key);
  std::optional<KernelObject> object = text ? deserialize(*text) : std::nullopt;
  if (!object)
    return std::nullopt;
  llvm::Expected<LoadedKernel> kernel = link(key, device, *object);
  if (!kernel) {
    llvm::consumeError(kernel.takeError());
    return std::nullopt;
  }
  kernel->isFromCache = true;
  kernel->isFromFolder = true;
  std::lock_guard lock(mutex);
  ++numOnDisk;
  return std::move(*kernel);
}

llvm::Expected<LoadedKernel>
KernelLibrary::compile(const KernelSource &source, runtime::Device &device,
                       const RunPassesOptions &options) {
  if (std::optional<LoadedKernel> kernel = find(source.key, device)) {
    if (kernel->isFromFolder)
      show(source.key, source.name, options);
    return std::move(*kernel);
  }
  llvm::Expected<KernelObject> object = compileKernel(source, target, options);
  if (!object)
    return object.takeError();
  llvm::Expected<LoadedKernel> kernel = link(source.key, device, *object);
  if (!kernel)
    return kernel;
  folder.write(source.key, serialize(*object));
  std::lock_guard lock(mutex);
  ++numCompiled;
  return kernel;
}

//===----------------------------------------------------------------------===//
// Many kernels
//===----------------------------------------------------------------------===//

void KernelLibrary::runInParallel(size_t count,
                                  llvm::function_ref<void(size_t)> run) {
  struct Jobs {
    size_t count;
    llvm::function_ref<void(size_t)> run;
    std::atomic<size_t> next = 0;
  } jobs{count, run};
  auto work = [](void *context, int64_t, int64_t) {
    auto &jobs = *static_cast<Jobs *>(context);
    for (size_t i; (i = jobs.next.fetch_add(1)) < jobs.count;)
      jobs.run(i);
  };
  int numWorkers = static_cast<int>(std::min<size_t>(count, numThreads));
  if (numWorkers <= 1)
    return work(&jobs, 0, 1);
  // Made for the occasion: threads that wait for work would be there for good.
  runtime::ThreadPool pool(numWorkers);
  pool.parallelFor(pool.getNumThreads(), work, &jobs);
}

llvm::Expected<std::vector<LoadedKernel>>
KernelLibrary::load(llvm::ArrayRef<KernelSource> sources,
                    llvm::ArrayRef<KernelRequest> requests,
                    const RunPassesOptions &options) {
  std::vector<std::optional<llvm::Expected<LoadedKernel>>> results(
      requests.size());
  // What comes after a failure is not needed. What comes before it may fail,
  // too, and be the first to do so.
  std::atomic<size_t> firstFailure = requests.size();
  if (options.stop)
    options.stop->beginKernels(static_cast<int64_t>(requests.size()));
  runInParallel(requests.size(), [&](size_t i) {
    if (i > firstFailure)
      return;
    const auto &[source, device] = requests[i];
    results[i].emplace(compile(sources[source], *device, options));
    if (options.stop)
      options.stop->finishKernel();
    size_t known = firstFailure;
    if (!*results[i])
      while (i < known && !firstFailure.compare_exchange_weak(known, i))
        ;
  });
  std::vector<LoadedKernel> kernels;
  llvm::Error error = llvm::Error::success();
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i])
      continue;
    if (*results[i])
      kernels.push_back(std::move(**results[i]));
    else if (i == firstFailure)
      error = results[i]->takeError();
    else
      llvm::consumeError(results[i]->takeError());
  }
  if (error)
    return error;
  return kernels;
}

std::optional<std::vector<LoadedKernel>> KernelLibrary::find(
    llvm::ArrayRef<CacheKey> keys, llvm::ArrayRef<std::string> names,
    llvm::ArrayRef<KernelRequest> requests, const RunPassesOptions &options) {
  std::vector<std::optional<LoadedKernel>> results(requests.size());
  runInParallel(requests.size(), [&](size_t i) {
    results[i] = find(keys[requests[i].source], *requests[i].device);
  });
  std::vector<LoadedKernel> kernels;
  for (std::optional<LoadedKernel> &result : results) {
    if (!result)
      return std::nullopt;
    kernels.push_back(std::move(*result));
  }
  for (auto [request, kernel] : llvm::zip_equal(requests, kernels))
    if (kernel.isFromFolder)
      show(keys[request.source], names[request.source], options);
  return kernels;
}
