//===- Realize.cpp - From the expression graph to values ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Capture.h"
#include "ContextImpl.h"
#include "GraphWalk.h"
#include "Overwrite.h"
#include "Pending.h"

#include "tinygrad/Engine/Engine.h"
#include "tinygrad/Ops/DeviceName.h"
#include "tinygrad/Ops/Movement.h"
#include "tinygrad/Tensor/Lazy.h"
#include "tinygrad/Tensor/Realize.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <chrono>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

static llvm::Expected<runtime::BufferRef> allocate(Context::Impl &context,
                                                   DType type, int64_t count,
                                                   const std::string &name) {
  llvm::Expected<runtime::DeviceRef> device = context.engine->getDevice(name);
  if (!device)
    return device.takeError();
  return (*device)->allocate(type, count);
}

static void run(Context &owner, const std::vector<NodeRef> &outputs,
                const std::vector<Overwrite> &overwrites = {},
                bool *hasCalledBack = nullptr);

/// Returns how the movements down to a realized node, which `node` becomes, see
/// its elements; nothing where there is something else on the way. What is
/// copied to the device first is realized.
static std::optional<shape::ShapeTracker>
followMovements(Context::Impl &context, NodeRef &node) {
  std::vector<const Node *> movements;
  while (!node->buffer) {
    if (node->form == Node::Form::Op && node->kind == ops::OpKind::Copy) {
      run(*node->context, {node});
      break;
    }
    if (node->form != Node::Form::Op || node->operands.size() != 1 ||
        ops::getInfo(node->kind).group != ops::OpGroup::Movement)
      return std::nullopt;
    movements.push_back(node.get());
    node = resolveAlias(node->operands[0]);
  }
  auto tracker = shape::ShapeTracker::fromShape(node->shape);
  for (const Node *movement : std::views::reverse(movements))
    tracker = shape::apply(
        ops::toMovementOp(movement->kind, movement->attributes), tracker);
  return tracker.simplify();
}

/// Makes a buffer for `node`, and fills it from `source`, or, for null, makes
/// one without elements. A file is there only if all went well.
static llvm::Expected<runtime::BufferRef> copyToDevice(Context::Impl &context,
                                                       runtime::Buffer *source,
                                                       const Node &node) {
  llvm::Expected<runtime::DeviceRef> device =
      context.engine->getDevice(node.device);
  if (!device)
    return device.takeError();
  auto result = (*device)->allocateResult(node.type,
                                          source ? source->getNumElements() : 0,
                                          /*keepsContents=*/false);
  if (!result)
    return result.takeError();
  runtime::Changes changes;
  changes.add(std::move(result->change));
  if (source)
    if (llvm::Error error = runtime::copyBuffer(*source, 0, *result->buffer))
      return error;
  if (llvm::Error error = changes.commit())
    return error;
  changes.keep();
  return std::move(result->buffer);
}

/// Returns the buffer of which `node` shows all elements in order, by movements
/// alone; null where there is none, or where somebody else writes to it.
static runtime::BufferRef findSameElements(const Node &node) {
  if (node.form != Node::Form::Op || node.shape.isSymbolic() ||
      ops::getInfo(node.kind).group != ops::OpGroup::Movement)
    return nullptr;
  auto self = std::const_pointer_cast<Node>(node.shared_from_this());
  auto [base, tracker] = getBase(makeTensor(std::move(self)));
  const Node &source = *base.getImpl()->node;
  if (!source.buffer || source.buffer->isShared() ||
      source.shape.isSymbolic() || !tracker.isContiguous() ||
      countElements("realize", node.shape) != source.buffer->getNumElements())
    return nullptr;
  return source.buffer;
}

/// Returns the buffer of `node` where that takes no program: a view of a buffer
/// on a device that holds data, the copy of a whole buffer, or that of a tensor
/// without elements to such a device; and a view of all of a buffer where
/// views have no memory, as in tinygrad. Null elsewhere.
static runtime::BufferRef makeWithoutGraph(Context::Impl &context,
                                           const Node &node) {
  bool isCopy = node.form == Node::Form::Op && node.kind == ops::OpKind::Copy;
  if (!isCopy && !holdsDataOnly(node.device))
    return context.countsHolders ? findSameElements(node) : nullptr;
  if (Recorder::getCurrent())
    throw Error("TinyJit", "cannot capture a function that moves tensors "
                           "between devices; move them outside of it");
  llvm::Expected<runtime::BufferRef> result = runtime::BufferRef();
  if (isCopy) {
    const NodeRef &source = resolveAlias(node.operands[0]);
    // The compiler has nothing to copy where there are no elements.
    bool isEmpty =
        holdsDataOnly(node.device) && llvm::is_contained(node.shape, 0);
    if (!source->buffer && !isEmpty)
      return nullptr;
    result =
        copyToDevice(context, isEmpty ? nullptr : source->buffer.get(), node);
  } else {
    NodeRef base = std::const_pointer_cast<Node>(node.shared_from_this());
    std::optional<shape::ShapeTracker> tracker = followMovements(context, base);
    if (!tracker)
      return nullptr;
    const shape::View &view = tracker->getViews().back();
    if (tracker->getViews().size() != 1 ||
        view != shape::View::create(view.getShape(), std::nullopt,
                                    view.getOffset()))
      throw Error("realize", "expects a view of elements that lie side by side "
                             "on device `" +
                                 node.device + "`; `to` moves them");
    result = base->buffer->view(node.type, tracker->getNumElements(),
                                view.getOffset() * getByteWidth(node.type));
  }
  if (!result)
    throw Error("realize", "cannot move a value between devices", {},
                llvm::toString(result.takeError()));
  return std::move(*result);
}

static double getSecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

runtime::BufferRef detail::makeScalarBuffer(Context::Impl &context,
                                            const ops::Scalar &value,
                                            const std::string &device) {
  char bytes[8] = {};
  value.store(bytes);
  llvm::Expected<runtime::BufferRef> buffer =
      allocate(context, value.getType(), 1, device);
  llvm::Error error =
      buffer ? (*buffer)->copyIn(bytes, getByteWidth(value.getType()))
             : buffer.takeError();
  if (error)
    throw Error("realize", "cannot hand over a parameter", {},
                llvm::toString(std::move(error)));
  return std::move(*buffer);
}

NodeRef detail::copyRealized(const Node &node) {
  ContextRef context = node.context ? node.context : Context::getCurrent();
  runtime::Buffer &source = *node.buffer;
  // What only holds data is never written again: a view of it does.
  llvm::Expected<runtime::BufferRef> buffer =
      holdsDataOnly(node.device)
          ? source.view(node.type, source.getNumElements(), 0)
          : allocate(context->getImpl(), node.type, source.getNumElements(),
                     node.device);
  if (buffer && !holdsDataOnly(node.device))
    if (llvm::Error error = runtime::copyBuffer(source, 0, **buffer))
      buffer = std::move(error);
  if (!buffer)
    throw Error("realize", "cannot copy a value", {},
                llvm::toString(buffer.takeError()));
  auto result = std::make_shared<Node>();
  result->type = node.type;
  result->shape = node.shape;
  result->context = std::move(context);
  result->device = node.device;
  result->isAnywhere = node.isAnywhere;
  result->buffer = std::move(*buffer);
  return result;
}

runtime::BufferRef detail::ownResult(runtime::BufferRef buffer) {
  if (!buffer->isShared())
    return buffer;
  llvm::Expected<runtime::BufferRef> copy =
      buffer->getDevice().allocate(buffer->getType(), buffer->getNumElements());
  llvm::Error error =
      copy ? runtime::copyBuffer(*buffer, 0, **copy) : copy.takeError();
  if (error)
    throw Error("realize", "cannot copy a value", {},
                llvm::toString(std::move(error)));
  return std::move(*copy);
}

/// Throws what the engine says, and `sentence` where it was not cancelled.
[[noreturn]] static void fail(const std::string &sentence, llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  if (text == "cancelled")
    throw Error("realize", text);
  throw Error("realize", sentence, {}, text);
}

std::vector<runtime::BufferRef>
detail::runExecutable(Context::Impl &context, engine::Executable &executable,
                      const std::vector<runtime::BufferRef> &buffers,
                      engine::RunControl control) {
  Clock::time_point start = Clock::now();
  control.stop = StopGuard::getToken();
  control.watch = WatchGuard::getCurrent();
  llvm::Expected<std::vector<runtime::BufferRef>> results =
      executable.run(buffers, control);
  if (!results)
    fail("cannot run the graph", results.takeError());
  for (runtime::BufferRef &result : *results)
    result = ownResult(std::move(result));
  const engine::Totals &totals = executable.getTotals();
  std::function<void(const std::vector<std::string> &)> observer;
  {
    std::lock_guard lock(context.mutex);
    context.runSeconds += getSecondsSince(start);
    context.counters.kernels += totals.kernels;
    context.counters.flops += totals.flops;
    context.counters.bytes += totals.bytes;
    observer = context.observer;
  }
  if (observer && totals.kernels) {
    std::vector<std::string> names;
    for (const engine::KernelStatistics &kernel : executable.getKernels())
      names.push_back(kernel.name);
    observer(names);
  }
  return std::move(*results);
}

/// Returns the buffer of a parameter of a graph.
static runtime::BufferRef makeBuffer(Context::Impl &context,
                                     const Node &parameter) {
  runtime::BufferRef buffer =
      makeScalarBuffer(context, parameter.attributes.value, parameter.device);
  if (Recorder *recorder = Recorder::getCurrent())
    recorder->noteParameter(parameter, buffer);
  return buffer;
}

/// Returns the compiled graph of `key` if there is one. The mutex is held.
static std::shared_ptr<engine::Executable>
findExecutable(Context::Impl &context, uint64_t hash,
               llvm::ArrayRef<int64_t> key) {
  auto [begin, end] = context.graphs.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    Context::Impl::CachedGraph &graph = it->second;
    if (llvm::ArrayRef(graph.key) != key)
      continue;
    graph.lastUse = context.hits + context.misses;
    ++context.hits;
    return graph.executable;
  }
  return nullptr;
}

/// Keeps a compiled graph, and forgets another one where there are too many.
/// The mutex is held.
static void keepExecutable(Context::Impl &context, uint64_t hash,
                           llvm::ArrayRef<int64_t> key,
                           std::shared_ptr<engine::Executable> executable) {
  if (context.graphs.size() >= maxCachedGraphs) {
    auto oldest =
        std::ranges::min_element(context.graphs, {}, [](const auto &entry) {
          return entry.second.lastUse;
        });
    context.graphs.erase(oldest);
  }
  int64_t now = context.hits + context.misses;
  ++context.misses;
  context.graphs.emplace(hash, Context::Impl::CachedGraph{
                                   key.vec(), std::move(executable), now, now});
}

std::shared_ptr<engine::Executable>
detail::getExecutable(Context::Impl &context, llvm::ArrayRef<int64_t> key,
                      llvm::function_ref<ops::Graph()> build) {
  uint64_t hash = hashKey(key);
  auto find = [&] {
    std::lock_guard lock(context.mutex);
    return findExecutable(context, hash, key);
  };
  if (std::shared_ptr<engine::Executable> executable = find())
    return executable;
  CompileScope scope;
  // No graph is compiled twice, and those that are compiled need not wait.
  std::lock_guard compileLock(context.compileMutex);
  if (std::shared_ptr<engine::Executable> executable = find())
    return executable;
  ops::Graph graph = build();
  Clock::time_point start = Clock::now();
  llvm::Expected<std::shared_ptr<engine::Executable>> executable =
      context.engine->compile(graph, StopGuard::getToken(),
                              WatchGuard::getCurrent());
  if (!executable)
    fail("cannot compile the graph", executable.takeError());
  if (context.log)
    context.log(
        "compiled " + std::to_string(graph.nodes.size()) + " operations into " +
        std::to_string((*executable)->getKernels().size()) + " kernels in " +
        std::to_string(static_cast<int64_t>(getSecondsSince(start) * 1e3)) +
        " ms");
  std::lock_guard lock(context.mutex);
  keepExecutable(context, hash, key, *executable);
  return *executable;
}

static void setBuffer(Node &node, runtime::BufferRef buffer) {
  node.buffer = std::move(buffer);
  node.hostFunction.reset();
  // `backward` still needs the history, nothing else does.
  if (!node.requiresGrad)
    std::vector<NodeRef>().swap(node.operands);
}

/// Returns the values that a run which computes `outputs` has in memory of
/// their own and that tensors still need: they are computed once, as in
/// tinygrad, where memory of a kernel lives as long as somebody needs it.
static std::vector<NodeRef> findKeptKernels(Context::Impl &context,
                                            llvm::ArrayRef<NodeRef> outputs) {
  GraphWalk walk(outputs, /*countsHolders=*/true);
  std::vector<int64_t> key = walk.getKey().vec();
  {
    std::lock_guard lock(context.mutex);
    if (auto found = context.kernelNodes.find(key);
        found != context.kernelNodes.end())
      return walk.findNeeded(found->second, outputs);
  }
  llvm::Expected<std::vector<ops::ScheduleRecord>> records =
      context.engine->schedule(walk.buildGraph());
  if (!records)
    fail("cannot schedule the graph", records.takeError());
  std::vector<int32_t> numbers;
  for (const ops::ScheduleRecord &record : *records)
    if (record.node >= 0 && record.kind == ops::ScheduleRecord::Kind::Kernel &&
        !llvm::is_contained(numbers, record.node))
      numbers.push_back(record.node);
  std::vector<NodeRef> result = walk.findNeeded(numbers, outputs);
  std::lock_guard lock(context.mutex);
  if (context.kernelNodes.size() >= maxCachedGraphs)
    context.kernelNodes.clear();
  context.kernelNodes.emplace(std::move(key), std::move(numbers));
  return result;
}

/// Realizes the nodes of the form Rebind that `outputs` need.
static void realizeRebinds(Context &owner, const std::vector<NodeRef> &outputs,
                           bool *hasCalledBack) {
  std::vector<Node *> rebinds;
  std::vector<NodeRef> values;
  std::unordered_set<const Node *> seen;
  llvm::SmallVector<Node *> stack;
  auto enter = [&](const NodeRef &operand) {
    const NodeRef &node = resolveAlias(operand);
    if (node->isAboveRebind && !node->buffer && seen.insert(node.get()).second)
      stack.push_back(node.get());
  };
  for (const NodeRef &output : outputs)
    enter(output);
  while (!stack.empty()) {
    Node *node = stack.pop_back_val();
    if (node->form != Node::Form::Rebind) {
      llvm::for_each(node->operands, enter);
      continue;
    }
    rebinds.push_back(node);
    const NodeRef &value = node->operands[0];
    if (!value->buffer && !llvm::is_contained(values, value))
      values.push_back(value);
  }
  if (!values.empty())
    run(owner, values, {}, hasCalledBack);
  for (Node *node : rebinds) {
    runtime::BufferRef buffer = node->operands[0]->buffer;
    setBuffer(*node, std::move(buffer));
  }
}

/// Computes `outputs`, which are neither aliases nor realized.
static void run(Context &owner, const std::vector<NodeRef> &outputs,
                const std::vector<Overwrite> &overwrites, bool *hasCalledBack) {
  Context::Impl &context = owner.getImpl();
  realizeRebinds(owner, outputs, hasCalledBack);
  std::vector<NodeRef> computed;
  for (const NodeRef &output : outputs) {
    if (output->buffer)
      continue;
    if (output->form == Node::Form::Parameter)
      output->buffer = makeBuffer(context, *output);
    else if (runtime::BufferRef buffer = makeWithoutGraph(context, *output))
      setBuffer(*output, std::move(buffer));
    else
      computed.push_back(output);
  }
  if (computed.empty())
    return;

  std::vector<NodeRef> roots = computed;
  // Whether an old value is gone may differ between the calls of a captured
  // step: see Jit.cpp.
  if (!Recorder::getCurrent())
    roots = addAssigns(computed, overwrites);
  if (context.countsHolders) {
    std::vector<NodeRef> kept = findKeptKernels(context, roots);
    roots.insert(roots.end(), kept.begin(), kept.end());
    computed.insert(computed.end(), kept.begin(), kept.end());
  }
  GraphWalk walk(roots, context.countsHolders);
  std::shared_ptr<engine::Executable> executable =
      getExecutable(context, walk.getKey(), [&] { return walk.buildGraph(); });
  std::vector<runtime::BufferRef> buffers;
  for (const Node *input : walk.getInputs())
    buffers.push_back(input->buffer ? input->buffer
                                    : makeBuffer(context, *input));
  std::vector<runtime::BufferRef> results = runExecutable(
      context, *executable, buffers,
      {.variables = walk.getVariables(), .hasCalledBack = hasCalledBack});
  if (Recorder *recorder = Recorder::getCurrent())
    recorder->noteRun({executable,
                       owner.shared_from_this(),
                       {},
                       walk.getVariables(),
                       walk.getHostFunctions(),
                       walk.getKey().vec(),
                       walk.buildGraph()},
                      buffers, results);
  for (size_t i = 0; i < computed.size(); ++i) {
    setBuffer(*computed[i], std::move(results[i]));
  }
}

//===----------------------------------------------------------------------===//
// Realizing
//===----------------------------------------------------------------------===//

namespace {

/// What a realization computes.
struct Realization {
  std::vector<NodeRef> outputs;
  std::vector<Overwrite> overwrites;
  ContextRef context;

  void add(const Tensor &tensor);
  void run(bool *hasCalledBack = nullptr) const {
    ::run(*context, outputs, overwrites, hasCalledBack);
  }
};

} // namespace

void Realization::add(const Tensor &tensor) {
  const NodeRef &node = resolveAlias(getNode(tensor));
  if (node->buffer || std::ranges::count(outputs, node))
    return;
  outputs.push_back(node);
  if (!tensor.getImpl()->target.expired())
    overwrites.push_back({node, tensor.getImpl()->target});
  if (!node->context)
    return;
  if (context && context != node->context)
    throw Error("realize", "expects tensors of one context, got two");
  context = node->context;
}

/// Adds `tensors`. Returns false if all of them are realized.
static bool prepare(Realization &realization,
                    const std::vector<Tensor> &tensors) {
  for (const Tensor &tensor : tensors)
    realization.add(tensor);
  if (!realization.context)
    realization.context = Context::getCurrent();
  return !realization.outputs.empty();
}

void detail::realizeAlone(const Tensor &tensor) {
  Realization realization;
  if (prepare(realization, {tensor}))
    realization.run();
}

/// Returns the nodes that `outputs` need and that are computed, each after what
/// it is computed from.
static std::vector<NodeRef> listComputed(const std::vector<NodeRef> &outputs) {
  std::vector<NodeRef> order;
  std::unordered_set<const Node *> seen;
  std::vector<std::pair<NodeRef, size_t>> stack;
  auto enter = [&](const NodeRef &operand) {
    const NodeRef &node = resolveAlias(operand);
    if (isComputed(*node) && seen.insert(node.get()).second)
      stack.emplace_back(node, 0);
  };
  for (const NodeRef &output : outputs) {
    enter(output);
    while (!stack.empty()) {
      auto &[node, next] = stack.back();
      if (next < node->operands.size()) {
        enter(node->operands[next++]);
        continue;
      }
      order.push_back(std::move(node));
      stack.pop_back();
    }
  }
  return order;
}

/// Returns the value whose larger view a `contiguous` stores: it has memory of
/// its own before. Null if there is none.
static const Node *findEnlarged(const Node &contiguous) {
  const Node *base = resolveAlias(contiguous.operands[0]).get();
  bool isEnlarged = false;
  while (isComputed(*base) && base->form == Node::Form::Op &&
         ops::getInfo(base->kind).group == ops::OpGroup::Movement) {
    bool keepsAll = base->kind == ops::OpKind::Reshape ||
                    base->kind == ops::OpKind::Permute;
    if (!keepsAll)
      isEnlarged =
          base->kind == ops::OpKind::Pad || base->kind == ops::OpKind::Expand;
    base = resolveAlias(base->operands[0]).get();
  }
  return isEnlarged ? base : nullptr;
}

/// Returns what realizeWithShared keeps on the way to `outputs`, each after
/// what it is computed from. With `withHistory` only values that have one:
/// after a step of an optimizer the gradients are held, but rarely asked for.
static std::vector<NodeRef> findShared(const std::vector<NodeRef> &outputs,
                                       bool withHistory) {
  std::vector<NodeRef> nodes = listComputed(outputs);
  // References from within: of operands, and of the lists here.
  std::unordered_map<const Node *, long> numInner;
  std::unordered_set<const Node *> aliases;
  for (const NodeRef &node : nodes) {
    ++numInner[node.get()];
    for (const NodeRef &operand : node->operands) {
      ++numInner[operand.get()];
      if (operand->form == Node::Form::Alias &&
          aliases.insert(operand.get()).second)
        ++numInner[operand->operands[0].get()];
    }
  }
  auto isHeld = [&](const NodeRef &node) {
    // Histories refer to what has one, too.
    if (node->requiresGrad)
      return !node->owner.expired();
    return !withHistory && node.use_count() > numInner[node.get()];
  };
  std::unordered_set<const Node *> held, costly;
  for (const NodeRef &node : nodes)
    for (const NodeRef &operand : node->operands)
      if (operand->form == Node::Form::Alias && isHeld(operand))
        held.insert(operand->operands[0].get());
  std::unordered_set<const Node *> wanted;
  for (const NodeRef &output : outputs)
    wanted.insert(output.get());
  std::unordered_set<const Node *> enlarged;
  for (const NodeRef &node : nodes)
    if (node->form == Node::Form::Op && node->kind == ops::OpKind::Contiguous)
      enlarged.insert(findEnlarged(*node));
  std::vector<NodeRef> shared;
  for (const NodeRef &node : nodes) {
    bool isCostly =
        ops::getInfo(node->kind).group == ops::OpGroup::Reduce ||
        node->kind == ops::OpKind::Custom ||
        std::ranges::any_of(node->operands, [&](const NodeRef &operand) {
          return costly.contains(resolveAlias(operand).get());
        });
    if (wanted.contains(node.get()) ||
        !(isCostly || enlarged.contains(node.get())))
      continue;
    if (node->form == Node::Form::Op &&
        (held.contains(node.get()) || isHeld(node)))
      shared.push_back(node);
    else if (isCostly)
      costly.insert(node.get());
  }
  return shared;
}

static void realizeAll(const std::vector<Tensor> &tensors, bool keepsShared);

void tinygrad::realize(const std::vector<Tensor> &tensors) {
  realizeAll(tensors, /*keepsShared=*/false);
}

void tinygrad::realizeWithShared(const std::vector<Tensor> &tensors) {
  realizeAll(tensors, /*keepsShared=*/true);
}

static void realizeAll(const std::vector<Tensor> &tensors, bool keepsShared) {
  Realization realization;
  if (!prepare(realization, tensors))
    return;
  std::vector<Tensor> pending =
      takePending(realization.context->getImpl(), realization.outputs);
  // What tinygrad keeps is for its own rules to say.
  if (keepsShared && !realization.context->getImpl().countsHolders) {
    bool isOne = tensors.size() == 1 && pending.empty();
    std::vector<NodeRef> shared = findShared(realization.outputs, !isOne);
    if (!isOne)
      std::ranges::move(shared, std::back_inserter(realization.outputs));
    else
      for (const NodeRef &node : shared)
        run(*realization.context, {node});
  }
  if (pending.empty() || Recorder::getCurrent()) {
    for (const Tensor &tensor : pending)
      realization.add(tensor);
    return realization.run();
  }
  bool hasCalledBack = false;
  try {
    Realization both = realization;
    for (const Tensor &tensor : pending)
      both.add(tensor);
    both.run(&hasCalledBack);
  } catch (const Error &) {
    engine::Watch *watch = WatchGuard::getCurrent();
    if (StopGuard::getToken().stop_requested() ||
        (watch && watch->isStopped())) {
      detail::realizeLater(pending);
      throw;
    }
    // What callbacks do is not done twice.
    if (hasCalledBack)
      throw;
    // It may be due to what was taken along.
    std::erase_if(realization.outputs,
                  [](const NodeRef &output) { return bool(output->buffer); });
    realization.run();
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

void Tensor::copyTo(void *memory, DType type) const {
  if (Recorder *recorder = Recorder::getCurrent())
    recorder->noteValuesRead(*resolveAlias(impl->node));
  // Views of data are made elsewhere.
  if (!isRealized() && holdsDataOnly(resolveAlias(impl->node)->device) &&
      ops::getInfo(resolveAlias(impl->node)->kind).group ==
          ops::OpGroup::Movement)
    return to("").copyTo(memory, type);
  realize();
  runtime::Buffer &buffer = *resolveAlias(impl->node)->buffer;
  if (type == dtype())
    return readBuffer("copyTo", buffer, memory);
  std::vector<char> bytes(static_cast<size_t>(buffer.getNumBytes()));
  readBuffer("copyTo", buffer, bytes.data());
  for (int64_t i = 0; i < buffer.getNumElements(); ++i)
    ops::cast(
        ops::Scalar::load(dtype(), bytes.data() + i * getByteWidth(dtype())),
        type)
        .store(static_cast<char *>(memory) + i * getByteWidth(type));
}
