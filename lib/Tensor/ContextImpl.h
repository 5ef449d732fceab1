//===- ContextImpl.h - What a context owns ----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_CONTEXTIMPL_H
#define TINYGRAD_LIB_TENSOR_CONTEXTIMPL_H

#include "Node.h"

#include "tinygrad/Engine/Engine.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace tinygrad {

/// A context that runs longer than this many different graphs forgets those
/// that it hasn't used for longest.
inline constexpr size_t maxCachedGraphs = 1024;

struct Context::Impl {
  struct CachedGraph {
    /// What describes the graph (see GraphWalk.h and Jit.cpp).
    std::vector<int64_t> key;
    std::shared_ptr<engine::Executable> executable;
    /// When it was last used, and when it came, in realizations.
    int64_t lastUse = 0;
    int64_t number = 0;
  };

  std::shared_ptr<engine::Engine> engine;
  std::function<void(const std::string &)> log;
  /// See Context::Options.
  bool countsHolders = false;

  /// Held while a graph is compiled; locked before `mutex`.
  std::mutex compileMutex;
  /// Guards everything below.
  mutable std::mutex mutex;
  /// The random numbers' seed, and how many calls have drawn from it.
  uint64_t seed = 0;
  uint64_t randomCalls = 0;
  /// How many steps were captured.
  uint32_t numCaptures = 0;
  int64_t hits = 0;
  int64_t misses = 0;
  double runSeconds = 0;
  Context::Counters counters;
  std::function<void(const std::vector<std::string> &)> observer;
  /// By the hash of their keys.
  std::unordered_multimap<uint64_t, CachedGraph> graphs;
  /// With `countsHolders`: by the key of a graph its nodes that have a kernel
  /// of their own.
  std::map<std::vector<int64_t>, std::vector<int32_t>> kernelNodes;
  /// Variables that a realization takes along (see realizeLater).
  struct Pending {
    /// The number of the thread that may look at them.
    uint64_t thread;
    std::vector<std::weak_ptr<detail::TensorImpl>> variables;
  };
  std::vector<Pending> pending;
  /// Functions of the host whose names stand in the text of a module.
  std::set<std::shared_ptr<const detail::HostFunctionSlot>> tracedFunctions;
};

namespace detail {

/// Asks that the next realization on this thread that computes a part of what
/// one of `variables` needs computes them all, too. They are of one context.
/// For values that are carried from step to step without being read, whose
/// graph would grow. If they cannot be computed, they wait until they are read.
void realizeLater(const std::vector<Tensor> &variables);

/// Realizes `tensor` and takes nothing along.
void realizeAlone(const Tensor &tensor);

/// Puts the value of a parameter into a buffer of its own.
std::shared_ptr<runtime::Buffer>
makeScalarBuffer(Context::Impl &context, const ops::Scalar &value,
                 const std::string &device = "");

/// Makes a realized node with the value of `node`, which is realized, in a
/// buffer of its own.
NodeRef copyRealized(const Node &node);

/// Returns `buffer`, or a copy of one that others know: what they write would
/// change the value of a second tensor.
std::shared_ptr<runtime::Buffer>
ownResult(std::shared_ptr<runtime::Buffer> buffer);

/// Calls the hooks of Context::setCompileHooks.
class CompileScope {
public:
  CompileScope();
  ~CompileScope();
  CompileScope(const CompileScope &) = delete;
  CompileScope &operator=(const CompileScope &) = delete;

private:
  void *state;
};

/// Returns the compiled graph that `key` describes; compiles what `build`
/// returns if there is none.
std::shared_ptr<engine::Executable>
getExecutable(Context::Impl &context, llvm::ArrayRef<int64_t> key,
              llvm::function_ref<ops::Graph()> build);

/// Runs a compiled graph and keeps the time. A StopGuard stops it. Shared
/// inputs are neither overwritten, which is the caller's part, nor returned.
std::vector<std::shared_ptr<runtime::Buffer>>
runExecutable(Context::Impl &context, engine::Executable &executable,
              const std::vector<std::shared_ptr<runtime::Buffer>> &buffers,
              engine::RunControl control = {});

/// Keeps functions of the host as long as their contexts.
void keepHostFunctions(
    const std::vector<std::shared_ptr<const HostFunctionSlot>> &slots);

/// Copies the elements of a buffer to memory.
void readBuffer(const char *name, runtime::Buffer &buffer, void *memory);

} // namespace detail
} // namespace tinygrad

#endif // TINYGRAD_LIB_TENSOR_CONTEXTIMPL_H
