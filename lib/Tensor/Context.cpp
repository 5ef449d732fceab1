//===- Context.cpp - Contexts and their engines ---------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"
#include "Philox.h"

#include "tinygrad/Engine/Engine.h"
#include "tinygrad/Engine/Environment.h"
#include "tinygrad/Engine/RunTable.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Throws `error`, if it is one, as an Error.
static void check(const char *name, llvm::Error error,
                  const std::string &sentence) {
  if (error)
    throw Error(name, sentence, {}, llvm::toString(std::move(error)));
}

NodeRef detail::makeFromBuffer(runtime::BufferRef buffer, const Shape &shape,
                               const std::string &device) {
  auto node = std::make_shared<Node>();
  node->context = Context::getCurrent();
  node->device = device;
  node->shape = shape;
  node->type = buffer->getType();
  node->buffer = std::move(buffer);
  return node;
}

NodeRef detail::makeUnset(const char *name, const Shape &shape, DType type,
                          const std::string &deviceName) {
  int64_t count = countElements(name, shape);
  llvm::Expected<runtime::DeviceRef> device =
      Context::getCurrent()->getImpl().engine->getDevice(deviceName);
  if (!device)
    check(name, device.takeError(), "cannot find the device");
  llvm::Expected<runtime::BufferRef> buffer = (*device)->open(type, count);
  if (!buffer)
    check(name, buffer.takeError(),
          "cannot allocate a tensor of shape " + ops::toString(shape));
  NodeRef node = makeFromBuffer(std::move(*buffer), shape, deviceName);
  // A file has elements.
  node->isUnset = !deviceName.starts_with("DISK:");
  return node;
}

NodeRef detail::makeReinterpreted(const char *name, const Node &node,
                                  DType type) {
  llvm::Expected<runtime::BufferRef> buffer = node.buffer->reinterpret(type);
  if (!buffer)
    check(name, buffer.takeError(),
          "cannot read the elements as " + std::string(getName(type)));
  return makeFromBuffer(std::move(*buffer), node.shape, node.device);
}

std::string detail::resolveDevice(const char *name, const std::string &device,
                                  Context &context) {
  std::string canonical = runtime::DeviceRegistry::getCanonicalName(device);
  if (canonical.empty() || canonical == context.getDevice())
    return "";
  llvm::Expected<runtime::DeviceRef> found =
      context.getImpl().engine->getDevice(canonical);
  if (!found)
    check(name, found.takeError(), "cannot find the device");
  return canonical;
}

NodeRef detail::makeFromMemory(const char *name, const void *data,
                               const Shape &shape, DType type) {
  int64_t count = countElements(name, shape);
  llvm::Expected<runtime::BufferRef> buffer =
      Context::getCurrent()->getImpl().engine->getDevice().allocate(type,
                                                                    count);
  if (!buffer)
    check(name, buffer.takeError(),
          "cannot allocate a tensor of shape " + ops::toString(shape));
  NodeRef node = makeFromBuffer(std::move(*buffer), shape, "");
  if (count)
    check(name, node->buffer->copyIn(data, node->buffer->getNumBytes()),
          "cannot copy to the device");
  return node;
}

void detail::fillBuffer(const char *name, runtime::Buffer &buffer,
                        runtime::Buffer &source) {
  check(name, runtime::copyBuffer(source, 0, buffer),
        "cannot write the tensor's elements");
}

void detail::readBuffer(const char *name, runtime::Buffer &buffer,
                        void *memory) {
  if (buffer.getNumElements())
    check(name, buffer.copyOut(memory, buffer.getNumBytes()),
          "cannot copy from the device");
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

static llvm::Expected<uint64_t> readWord(runtime::Buffer &buffer) {
  uint64_t word = 0;
  if (llvm::Error error = buffer.copyOut(&word, sizeof(word)))
    return std::move(error);
  return word;
}

/// Fills the last buffer from the seed and the number of the call, which the
/// first two hold.
static llvm::Error fillRandom(std::span<const runtime::BufferRef> buffers) {
  llvm::Expected<uint64_t> seed = readWord(*buffers[0]);
  if (!seed)
    return seed.takeError();
  llvm::Expected<uint64_t> call = readWord(*buffers[1]);
  if (!call)
    return call.takeError();
  runtime::Buffer &result = *buffers.back();
  if (void *memory = result.getHostPointer()) {
    fillUniform(memory, result.getNumElements(), result.getType(), *seed,
                *call);
    return llvm::Error::success();
  }
  std::vector<char> staged(static_cast<size_t>(result.getNumBytes()));
  fillUniform(staged.data(), result.getNumElements(), result.getType(), *seed,
              *call);
  return result.copyIn(staged.data(), result.getNumBytes());
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

Context::Context(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}

Context::~Context() = default;

ContextRef Context::create(std::shared_ptr<engine::Engine> engine,
                           std::function<void(const std::string &)> log) {
  auto impl = std::make_unique<Impl>();
  engine->registerCallback("rand", fillRandom);
  impl->engine = std::move(engine);
  impl->log = std::move(log);
  return ContextRef(new Context(std::move(impl)));
}

/// Returns a function that hands the table of each run to `print`.
static std::function<void(const engine::RunRecord &)>
makeTablePrinter(std::function<void(const std::string &)> print,
                 bool useColors) {
  auto numRuns = std::make_shared<std::atomic<int64_t>>(0);
  return [=](const engine::RunRecord &record) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream.enable_colors(useColors);
    engine::printRunTable(stream, record, ++*numRuns);
    print(text);
  };
}

ContextRef Context::create(const Options &options) {
  engine::Engine::Options engineOptions;
  engineOptions.device = options.device;
  engineOptions.numThreads = options.numThreads;
  engineOptions.optLevel = options.optLevel;
  if (options.countsHolders)
    engineOptions.maxSplitResults = 0;
  engineOptions.profile = options.profile;
  engineOptions.numCompileThreads = options.numCompileThreads;
  engineOptions.cacheDirectory = options.cacheDirectory;
  engineOptions.maxCacheBytes = options.maxCacheBytes;
  engineOptions.reproducerDirectory = options.reproducerDirectory;
  if (options.printRun)
    engineOptions.onRun = makeTablePrinter(options.printRun, options.useColors);
  engineOptions.memory.maxBytes = options.maxBytes;
  engineOptions.memory.maxIdleBytes = options.maxIdleBytes;
  if (options.printCode)
    engineOptions.onCode =
        [print = options.printCode](const engine::CodeRecord &record) {
          print("kernel " + record.kernel + ", " + record.stage + ":\n" +
                record.text);
        };
  llvm::Expected<std::shared_ptr<engine::Engine>> engine =
      engine::Engine::create(engineOptions);
  if (!engine)
    check("Context", engine.takeError(), "cannot make an engine");
  ContextRef context = create(std::move(*engine), options.log);
  context->impl->countsHolders = options.countsHolders;
  if (options.countsHolders)
    LiveVariable::list();
  return context;
}

/// Reads a number from the environment.
static int readVariable(const char *name, int byDefault, int highest) {
  llvm::Expected<int> value =
      engine::readNumber(std::getenv, name, byDefault, highest);
  if (!value)
    throw Error("Context", llvm::toString(value.takeError()));
  return *value;
}

/// True if the environment has the variable and it is not empty.
static bool hasVariable(const char *name) {
  const char *text = std::getenv(name);
  return text && *text;
}

Context::Options Context::readEnvironment() {
  Options options;
  if (const char *device = std::getenv("TINYGRAD_DEVICE"); device && *device)
    options.device = device;
  options.numThreads = readVariable("TINYGRAD_THREADS", 0, 4096);
  options.optLevel = readVariable("TINYGRAD_OPT", options.optLevel, 4);
  options.cacheDirectory = engine::chooseCacheDirectory(std::getenv);
  if (const char *directory = std::getenv("TINYGRAD_REPRODUCER_DIR"))
    options.reproducerDirectory = directory;
  int debug = readVariable("TINYGRAD_DEBUG", 0, 9);
  options.profile = debug >= 2;
  if (debug >= 1)
    options.log = [](const std::string &line) {
      std::fprintf(stderr, "tinygrad: %s\n", line.c_str());
    };
  auto print = [](const std::string &text) {
    std::fputs(text.c_str(), stderr);
  };
  if (debug >= 4)
    options.printCode = print;
  if (debug >= 2) {
    options.printRun = print;
    options.useColors = isatty(fileno(stderr)) && !hasVariable("NO_COLOR");
  }
  return options;
}

namespace {

/// What the context of the process is made of, until it is made.
struct DefaultOptions {
  std::mutex mutex;
  std::optional<Context::Options> options;
  bool isUsed = false;
};

} // namespace

static DefaultOptions &getDefaultOptions() {
  static DefaultOptions *instance = new DefaultOptions;
  return *instance;
}

void Context::setDefaultOptions(const Options &options) {
  DefaultOptions &shared = getDefaultOptions();
  std::lock_guard lock(shared.mutex);
  if (shared.isUsed)
    throw Error("Context", "expects options before the first use of the "
                           "default context");
  shared.options = options;
}

static ContextRef makeDefault() {
  DefaultOptions &shared = getDefaultOptions();
  std::lock_guard lock(shared.mutex);
  ContextRef context = Context::create(
      shared.options ? *shared.options : Context::readEnvironment());
  shared.isUsed = true;
  return context;
}

ContextRef Context::getDefault() {
  // Left alive at exit: static tensors may outlive it in any order.
  static ContextRef *context = new ContextRef(makeDefault());
  return *context;
}

static thread_local const Context::Scope *currentScope = nullptr;

Context::Scope::Scope(ContextRef context)
    : context(std::move(context)), previous(currentScope) {
  currentScope = this;
}

Context::Scope::~Scope() { currentScope = previous; }

ContextRef Context::getCurrent() {
  return currentScope ? currentScope->context : getDefault();
}

static thread_local const StopGuard *currentStopGuard = nullptr;

StopGuard::StopGuard(std::stop_token token)
    : previous(currentStopGuard), token(std::move(token)) {
  if (previous) {
    std::stop_source both;
    own.emplace(this->token, Forward{both});
    outer.emplace(previous->token, Forward{both});
    this->token = both.get_token();
  }
  currentStopGuard = this;
}

StopGuard::~StopGuard() { currentStopGuard = previous; }

std::stop_token StopGuard::getToken() {
  return currentStopGuard ? currentStopGuard->token : std::stop_token();
}

static void *(*beginCompile)() = nullptr;
static void (*endCompile)(void *) = nullptr;

void Context::setCompileHooks(void *(*begin)(), void (*end)(void *state)) {
  beginCompile = begin;
  endCompile = end;
}

detail::CompileScope::CompileScope()
    : state(beginCompile ? beginCompile() : nullptr) {}

detail::CompileScope::~CompileScope() {
  if (endCompile)
    endCompile(state);
}

static thread_local engine::Watch *currentWatch = nullptr;

WatchGuard::WatchGuard(engine::Watch *watch) : previous(currentWatch) {
  currentWatch = watch;
}

WatchGuard::~WatchGuard() { currentWatch = previous; }

engine::Watch *WatchGuard::getCurrent() { return currentWatch; }

const std::string &Context::getDevice() const {
  return impl->engine->getDevice().getName();
}

Context::Statistics Context::getStatistics() const {
  engine::Engine::CompileStatistics compiled =
      impl->engine->getCompileStatistics();
  std::lock_guard lock(impl->mutex);
  Statistics statistics;
  statistics.hits = impl->hits;
  statistics.misses = impl->misses;
  statistics.kernels = compiled.kernels;
  statistics.compileSeconds = compiled.seconds;
  statistics.warmSeconds = compiled.warmSeconds;
  statistics.runSeconds = impl->runSeconds;
  return statistics;
}

Context::Counters Context::getCounters() const {
  std::lock_guard lock(impl->mutex);
  return impl->counters;
}

void Context::setRunObserver(
    std::function<void(const std::vector<std::string> &)> observer) {
  std::lock_guard lock(impl->mutex);
  impl->observer = std::move(observer);
}

runtime::MemoryStatistics Context::getMemoryStatistics() const {
  return impl->engine->getDevice().getMemoryStatistics();
}

void Context::trim(int64_t maxIdleBytes) {
  impl->engine->getDevice().trim(maxIdleBytes);
}

std::vector<Context::KernelSummary> Context::getKernels() const {
  std::vector<const Impl::CachedGraph *> graphs;
  std::lock_guard lock(impl->mutex);
  for (const auto &entry : impl->graphs)
    graphs.push_back(&entry.second);
  std::ranges::sort(graphs, {}, &Impl::CachedGraph::number);

  std::vector<KernelSummary> result;
  std::map<std::tuple<std::string, int64_t, int64_t>, size_t> places;
  for (const Impl::CachedGraph *graph : graphs) {
    for (const engine::KernelStatistics &kernel :
         graph->executable->getKernels()) {
      auto [place, isNew] = places.try_emplace(
          {kernel.name, kernel.flops, kernel.bytes}, result.size());
      if (isNew)
        result.push_back({kernel.name, 0, 0, kernel.flops, kernel.bytes});
      result[place->second].runs += kernel.runs;
      result[place->second].seconds += kernel.seconds;
    }
  }
  return result;
}
