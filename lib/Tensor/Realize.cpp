//===- Realize.cpp - From the expression graph to values ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is described by a text that holds all that compiling it depends on:
// kinds, attributes, shapes and types of its nodes, the bits of constants and
// which inputs are the same buffer; not the values of parameters. Compiled
// graphs are found by this text, which is compared as a whole.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"

#include "tinygrad/Engine/Engine.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>

using namespace tinygrad;
using namespace tinygrad::detail;

namespace {

/// The nodes that a realization computes, in order, and their description.
class GraphWalk {
public:
  explicit GraphWalk(const std::vector<NodeRef> &outputs);

  /// Builds what the engine compiles.
  ops::Graph buildGraph() const;

  const std::string &getKey() const { return key; }
  const std::vector<const Node *> &getInputs() const { return inputs; }

private:
  void finish(const Node *node);
  void append(int64_t value) {
    key.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  void append(const std::vector<int64_t> &values) {
    append(std::ssize(values));
    key.append(reinterpret_cast<const char *>(values.data()),
               values.size() * sizeof(int64_t));
  }

  std::string key;
  std::vector<const Node *> nodes;
  std::vector<const Node *> inputs;
  std::vector<int32_t> outputNumbers;
  /// The place of each node in `nodes`; -1 while its operands are on the way.
  std::unordered_map<const Node *, int32_t> numbers;
  /// The places of inputs by their buffer: nodes may share one.
  std::multimap<const runtime::Buffer *, int32_t> buffers;
};

} // namespace

static bool isInput(const Node &node) {
  return node.buffer || node.form == Node::Form::Parameter;
}

GraphWalk::GraphWalk(const std::vector<NodeRef> &outputs) {
  struct Frame {
    const Node *node;
    size_t next;
  };
  std::vector<Frame> stack;
  auto enter = [&](const Node *node) {
    if (numbers.try_emplace(node, -1).second)
      stack.push_back({node, 0});
  };
  for (const NodeRef &output : outputs) {
    enter(output.get());
    while (!stack.empty()) {
      Frame &frame = stack.back();
      const Node *node = frame.node;
      if (!isInput(*node) && frame.next < node->operands.size()) {
        enter(resolveAlias(node->operands[frame.next++]).get());
        continue;
      }
      stack.pop_back();
      finish(node);
    }
    outputNumbers.push_back(numbers[output.get()]);
  }
  for (int32_t number : outputNumbers)
    append(number);
}

void GraphWalk::finish(const Node *node) {
  if (node->buffer) {
    auto [begin, end] = buffers.equal_range(node->buffer.get());
    for (auto it = begin; it != end; ++it) {
      const Node &other = *nodes[it->second];
      if (other.shape == node->shape && other.type == node->type) {
        numbers[node] = it->second;
        return;
      }
    }
  }
  int32_t number = static_cast<int32_t>(nodes.size());
  numbers[node] = number;
  nodes.push_back(node);
  if (isInput(*node)) {
    inputs.push_back(node);
    if (node->buffer)
      buffers.emplace(node->buffer.get(), number);
    append(-1 - static_cast<int64_t>(node->type));
    append(node->shape);
    return;
  }
  append(static_cast<int64_t>(node->kind) << 8 |
         static_cast<int64_t>(node->type));
  append(std::ssize(node->operands));
  for (const NodeRef &operand : node->operands)
    append(numbers[resolveAlias(operand).get()]);
  append(node->shape);
  append(node->attributes.ints);
  if (node->kind == ops::OpKind::Const) {
    char bits[sizeof(int64_t)] = {};
    node->attributes.value.store(bits);
    key.append(bits, sizeof(bits));
  } else if (node->kind == ops::OpKind::Custom) {
    append(std::ssize(node->attributes.name));
    key += node->attributes.name;
  }
}

ops::Graph GraphWalk::buildGraph() const {
  ops::Graph graph;
  for (const Node *node : nodes) {
    ops::GraphNode &result = graph.nodes.emplace_back();
    result.shape = node->shape;
    result.type = node->type;
    if (isInput(*node)) {
      graph.inputs.push_back(static_cast<int32_t>(graph.nodes.size() - 1));
      continue;
    }
    result.kind = node->kind;
    result.attributes = node->attributes;
    for (const NodeRef &operand : node->operands)
      result.operands.push_back(numbers.at(resolveAlias(operand).get()));
  }
  graph.outputs = outputNumbers;
  return graph;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

static double getSecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Puts the value of a parameter into a buffer of its own.
static runtime::BufferRef makeBuffer(Context::Impl &context,
                                     const ops::Scalar &value) {
  char bytes[8] = {};
  value.store(bytes);
  llvm::Expected<runtime::BufferRef> buffer =
      context.engine->getDevice().allocate(value.getType(), 1);
  llvm::Error error =
      buffer ? (*buffer)->copyIn(bytes, getByteWidth(value.getType()))
             : buffer.takeError();
  if (error)
    throw Error("realize", "cannot hand over a parameter", {},
                llvm::toString(std::move(error)));
  return std::move(*buffer);
}

/// Returns the compiled graph of `walk`; compiles it if it is a new one.
static std::shared_ptr<engine::Executable> getExecutable(Context::Impl &context,
                                                         GraphWalk &walk) {
  // Held while compiling too, so that no graph is compiled twice.
  std::lock_guard lock(context.mutex);
  int64_t now = context.hits + context.misses;
  auto found = context.graphs.find(walk.getKey());
  if (found != context.graphs.end()) {
    ++context.hits;
    found->second.lastUse = now;
    return found->second.executable;
  }
  ++context.misses;
  ops::Graph graph = walk.buildGraph();
  Clock::time_point start = Clock::now();
  llvm::Expected<std::shared_ptr<engine::Executable>> executable =
      context.engine->compile(graph);
  if (!executable)
    throw Error("realize", "cannot compile the graph", {},
                llvm::toString(executable.takeError()));
  if (context.log)
    context.log(
        "compiled " + std::to_string(graph.nodes.size()) + " operations into " +
        std::to_string((*executable)->getKernels().size()) + " kernels in " +
        std::to_string(static_cast<int64_t>(getSecondsSince(start) * 1e3)) +
        " ms");

  if (context.graphs.size() >= maxCachedGraphs) {
    auto oldest =
        std::ranges::min_element(context.graphs, {}, [](const auto &entry) {
          return entry.second.lastUse;
        });
    context.graphs.erase(oldest);
  }
  context.graphs[walk.getKey()] = {*executable, now, now};
  return *executable;
}

/// Computes `outputs`, which are neither aliases nor realized.
static void run(Context::Impl &context, const std::vector<NodeRef> &outputs) {
  std::vector<NodeRef> computed;
  for (const NodeRef &output : outputs) {
    if (output->form == Node::Form::Parameter)
      output->buffer = makeBuffer(context, output->attributes.value);
    else
      computed.push_back(output);
  }
  if (computed.empty())
    return;

  GraphWalk walk(computed);
  std::shared_ptr<engine::Executable> executable = getExecutable(context, walk);
  std::vector<runtime::BufferRef> buffers;
  for (const Node *input : walk.getInputs())
    buffers.push_back(input->buffer
                          ? input->buffer
                          : makeBuffer(context, input->attributes.value));
  Clock::time_point start = Clock::now();
  llvm::Expected<std::vector<runtime::BufferRef>> results =
      executable->run(buffers);
  if (!results)
    throw Error("realize", "cannot run the graph", {},
                llvm::toString(results.takeError()));
  {
    std::lock_guard lock(context.mutex);
    context.runSeconds += getSecondsSince(start);
  }
  for (size_t i = 0; i < computed.size(); ++i) {
    Node &node = *computed[i];
    node.buffer = std::move((*results)[i]);
    // `backward` still needs the history, nothing else does.
    if (!node.requiresGrad)
      std::vector<NodeRef>().swap(node.operands);
  }
}

/// Takes the variables that wait for the next realization.
static std::vector<Tensor> takePending(Context::Impl &context) {
  std::vector<std::weak_ptr<TensorImpl>> pending;
  {
    std::lock_guard lock(context.mutex);
    pending.swap(context.pending);
  }
  std::vector<Tensor> result;
  for (const std::weak_ptr<TensorImpl> &variable : pending)
    if (std::shared_ptr<TensorImpl> impl = variable.lock())
      result.push_back(Tensor(std::move(impl)));
  return result;
}

void tinygrad::realize(const std::vector<Tensor> &tensors) {
  std::vector<NodeRef> outputs;
  ContextRef context;
  auto add = [&](const Tensor &tensor) {
    const NodeRef &node = resolveAlias(getNode(tensor));
    if (node->buffer || std::ranges::count(outputs, node))
      return;
    outputs.push_back(node);
    if (!node->context)
      return;
    if (context && context != node->context)
      throw Error("realize", "expects tensors of one context, got two");
    context = node->context;
  };
  for (const Tensor &tensor : tensors)
    add(tensor);
  if (outputs.empty())
    return;
  if (!context)
    context = Context::getCurrent();
  std::vector<Tensor> pending = takePending(context->getImpl());
  for (const Tensor &tensor : pending)
    add(tensor);
  try {
    run(context->getImpl(), outputs);
  } catch (...) {
    for (const Tensor &tensor : pending)
      realizeLater(tensor);
    throw;
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

void Tensor::copyTo(void *memory, DType type) const {
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
