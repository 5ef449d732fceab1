//===- GraphInterpreter.cpp - An engine that interprets graphs ----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for lib/Engine where it is not linked: evaluates ops::Graph node by
// node on host buffers with the scalar semantics of Ops.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Engine.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>

using namespace tinygrad;
using namespace tinygrad::engine;
using ops::OpKind;
using ops::Scalar;
using ops::Shape;

namespace {

//===----------------------------------------------------------------------===//
// Runtime
//===----------------------------------------------------------------------===//

class HostBuffer : public runtime::Buffer {
public:
  HostBuffer(std::shared_ptr<runtime::Device> device, DType type,
             int64_t numElements)
      : Buffer(std::move(device), type, numElements),
        bytes(static_cast<size_t>(getNumBytes()) + 1) {}

  void *getHostPointer() override { return bytes.data(); }
  llvm::Error copyIn(const void *source, int64_t numBytes) override {
    std::memcpy(bytes.data(), source, static_cast<size_t>(numBytes));
    return llvm::Error::success();
  }
  llvm::Error copyOut(void *target, int64_t numBytes) override {
    std::memcpy(target, bytes.data(), static_cast<size_t>(numBytes));
    return llvm::Error::success();
  }

private:
  std::vector<char> bytes;
};

class HostDevice : public runtime::Device {
public:
  HostDevice() : Device("INTERP") {}

  llvm::Expected<runtime::BufferRef> allocate(DType type,
                                              int64_t numElements) override {
    return std::make_shared<HostBuffer>(shared_from_this(), type, numElements);
  }
  llvm::Expected<runtime::ProgramRef>
  compile(const std::string &, const runtime::ProgramSource &) override {
    return llvm::createStringError("the interpreter compiles no programs");
  }
  llvm::Error synchronize() override { return llvm::Error::success(); }
};

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

using Strides = std::vector<int64_t>;

Strides getRowMajor(const Shape &shape) {
  Strides strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

/// Calls `fn` with the offset of each element of `shape` in row-major order.
template <typename Fn>
void forEachOffset(const Shape &shape, const Strides &strides, int64_t offset,
                   Fn fn) {
  int64_t count = *ops::getNumElements(shape);
  std::vector<int64_t> index(shape.size());
  for (int64_t i = 0; i < count; ++i) {
    fn(i, offset);
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      offset -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

class Evaluator {
public:
  using Callbacks = std::map<std::string, Callback>;

  Evaluator(const ops::Graph &graph, runtime::Device &device,
            const Callbacks &callbacks)
      : graph(graph), device(device), callbacks(callbacks),
        values(graph.nodes.size()) {}

  llvm::Expected<std::vector<runtime::BufferRef>>
  run(std::span<const runtime::BufferRef> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i)
      values[graph.inputs[i]] = inputs[i];
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      if (!graph.nodes[i].kind)
        continue;
      const ops::GraphNode &node = graph.nodes[i];
      values[i] = cantFail(
          device.allocate(node.type, *ops::getNumElements(node.shape)));
      if (llvm::Error error = evaluate(node, *values[i], values[i]))
        return std::move(error);
    }
    std::vector<runtime::BufferRef> outputs;
    for (int32_t output : graph.outputs)
      outputs.push_back(values[output]);
    return outputs;
  }

private:
  llvm::Error evaluate(const ops::GraphNode &node, runtime::Buffer &buffer,
                       const runtime::BufferRef &ref);
  void elementwise(const ops::GraphNode &node, char *result, int64_t count);
  template <typename T>
  bool elementwiseFloat(const ops::GraphNode &node, T *result, int64_t count);
  void reduce(const ops::GraphNode &node, char *result);
  void move(const ops::GraphNode &node, char *result);

  const char *data(const ops::GraphNode &node, size_t operand) {
    return static_cast<const char *>(
        values[node.operands[operand]]->getHostPointer());
  }
  const ops::GraphNode &source(const ops::GraphNode &node, size_t operand = 0) {
    return graph.nodes[node.operands[operand]];
  }

  const ops::Graph &graph;
  runtime::Device &device;
  const Callbacks &callbacks;
  std::vector<runtime::BufferRef> values;
};

llvm::Error Evaluator::evaluate(const ops::GraphNode &node,
                                runtime::Buffer &buffer,
                                const runtime::BufferRef &ref) {
  char *result = static_cast<char *>(buffer.getHostPointer());
  switch (ops::getInfo(*node.kind).group) {
  case ops::OpGroup::Unary:
  case ops::OpGroup::Binary:
  case ops::OpGroup::Ternary:
    elementwise(node, result, buffer.getNumElements());
    break;
  case ops::OpGroup::Reduce:
    reduce(node, result);
    break;
  case ops::OpGroup::Movement:
    move(node, result);
    break;
  case ops::OpGroup::Load:
    if (*node.kind == OpKind::Const) {
      for (int64_t i = 0; i < buffer.getNumElements(); ++i)
        node.attributes.value.store(result + i * getByteWidth(node.type));
    } else if (*node.kind == OpKind::Custom) {
      std::vector<runtime::BufferRef> buffers;
      for (int32_t operand : node.operands)
        buffers.push_back(values[operand]);
      buffers.push_back(ref);
      auto found = callbacks.find(node.attributes.name);
      if (found == callbacks.end())
        return llvm::createStringError("no callback is called `" +
                                       node.attributes.name + "`");
      return found->second(buffers);
    } else if (!node.operands.empty()) {
      std::memcpy(result, data(node, 0),
                  static_cast<size_t>(buffer.getNumBytes()));
    }
  }
  return llvm::Error::success();
}

/// The operations that networks spend their time in, without a Scalar per
/// element.
template <typename T>
bool Evaluator::elementwiseFloat(const ops::GraphNode &node, T *result,
                                 int64_t count) {
  auto x = reinterpret_cast<const T *>(data(node, 0));
  auto y = node.operands.size() > 1 ? reinterpret_cast<const T *>(data(node, 1))
                                    : nullptr;
  auto loop = [&](auto fn) {
    for (int64_t i = 0; i < count; ++i)
      result[i] = fn(i);
    return true;
  };
  switch (*node.kind) {
  case OpKind::Add:
    return loop([&](int64_t i) { return x[i] + y[i]; });
  case OpKind::Sub:
    return loop([&](int64_t i) { return x[i] - y[i]; });
  case OpKind::Mul:
    return loop([&](int64_t i) { return x[i] * y[i]; });
  case OpKind::Div:
    return loop([&](int64_t i) { return x[i] / y[i]; });
  case OpKind::Neg:
    return loop([&](int64_t i) { return -x[i]; });
  case OpKind::Exp:
    return loop([&](int64_t i) { return std::exp(x[i]); });
  case OpKind::Where: {
    if (source(node).type != DType::Bool)
      return false;
    const char *condition = data(node, 0);
    auto z = reinterpret_cast<const T *>(data(node, 2));
    return loop([&](int64_t i) { return condition[i] ? y[i] : z[i]; });
  }
  default:
    return false;
  }
}

void Evaluator::elementwise(const ops::GraphNode &node, char *result,
                            int64_t count) {
  if (node.type == DType::Float32 &&
      elementwiseFloat(node, reinterpret_cast<float *>(result), count))
    return;
  if (node.type == DType::Float64 &&
      elementwiseFloat(node, reinterpret_cast<double *>(result), count))
    return;
  std::vector<Scalar> scalars(node.operands.size());
  for (int64_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < scalars.size(); ++k) {
      DType type = source(node, k).type;
      scalars[k] = Scalar::load(type, data(node, k) + i * getByteWidth(type));
    }
    ops::evaluate(*node.kind, node.type, scalars)
        .store(result + i * getByteWidth(node.type));
  }
}

void Evaluator::reduce(const ops::GraphNode &node, char *result) {
  const ops::GraphNode &from = source(node);
  Strides strides = getRowMajor(node.shape);
  for (size_t i = 0; i < strides.size(); ++i)
    if (node.shape[i] == 1)
      strides[i] = 0;
  if (node.type == DType::Float32 && *node.kind == OpKind::ReduceSum) {
    auto sums = reinterpret_cast<float *>(result);
    auto x = reinterpret_cast<const float *>(data(node, 0));
    std::fill_n(sums, *ops::getNumElements(node.shape), 0.0f);
    forEachOffset(from.shape, strides, 0,
                  [&](int64_t i, int64_t to) { sums[to] += x[i]; });
    return;
  }
  DType type = getAccumulationType(node.type);
  std::vector<Scalar> accumulators(
      static_cast<size_t>(*ops::getNumElements(node.shape)),
      ops::getIdentity(*node.kind, type));
  int width = getByteWidth(node.type);
  forEachOffset(from.shape, strides, 0, [&](int64_t i, int64_t to) {
    Scalar element = Scalar::load(node.type, data(node, 0) + i * width);
    accumulators[to] =
        ops::accumulate(*node.kind, accumulators[to], ops::cast(element, type));
  });
  for (size_t i = 0; i < accumulators.size(); ++i)
    ops::cast(accumulators[i], node.type).store(result + i * width);
}

void Evaluator::move(const ops::GraphNode &node, char *result) {
  const ops::GraphNode &from = source(node);
  const std::vector<int64_t> &ints = node.attributes.ints;
  const char *x = data(node, 0);
  size_t rank = from.shape.size();
  int width = getByteWidth(node.type);
  Strides strides = getRowMajor(from.shape);
  int64_t offset = 0;
  switch (*node.kind) {
  case OpKind::Permute: {
    Strides permuted;
    for (int64_t axis : ints)
      permuted.push_back(strides[axis]);
    strides = permuted;
    break;
  }
  case OpKind::Expand:
    for (size_t i = 0; i < rank; ++i)
      if (from.shape[i] == 1)
        strides[i] = 0;
    break;
  case OpKind::Shrink:
    for (size_t i = 0; i < rank; ++i)
      offset += ints[2 * i] * strides[i];
    break;
  case OpKind::Stride:
    for (size_t i = 0; i < rank; ++i) {
      if (ints[i] < 0)
        offset += (from.shape[i] - 1) * strides[i];
      strides[i] *= ints[i];
    }
    break;
  case OpKind::AsStrided:
    strides.assign(ints.begin() + node.shape.size(), ints.end() - 1);
    offset = ints.back();
    break;
  case OpKind::Pad: {
    std::memset(result, 0,
                static_cast<size_t>(*ops::getNumElements(node.shape)) * width);
    Strides target = getRowMajor(node.shape);
    for (size_t i = 0; i < rank; ++i)
      offset += ints[2 * i] * target[i];
    forEachOffset(from.shape, target, offset, [&](int64_t i, int64_t to) {
      std::memcpy(result + to * width, x + i * width, width);
    });
    return;
  }
  default:
    strides = getRowMajor(node.shape);
    break;
  }
  forEachOffset(node.shape, strides, offset, [&](int64_t i, int64_t at) {
    std::memcpy(result + i * width, x + at * width, width);
  });
}

//===----------------------------------------------------------------------===//
// Engine
//===----------------------------------------------------------------------===//

class GraphExecutable : public Executable {
public:
  GraphExecutable(const ops::Graph &graph,
                  std::shared_ptr<runtime::Device> device,
                  std::shared_ptr<Evaluator::Callbacks> callbacks)
      : graph(graph), device(std::move(device)),
        callbacks(std::move(callbacks)) {
    for (int32_t input : graph.inputs)
      inputs.push_back({graph.nodes[input].type, graph.nodes[input].shape});
    for (int32_t output : graph.outputs)
      outputs.push_back({graph.nodes[output].type, graph.nodes[output].shape});
  }

  const std::vector<Signature> &getInputs() const override { return inputs; }
  const std::vector<Signature> &getOutputs() const override { return outputs; }

  llvm::Expected<std::vector<runtime::BufferRef>>
  run(std::span<const runtime::BufferRef> buffers) override {
    if (buffers.size() != inputs.size())
      return llvm::createStringError("wrong number of inputs");
    for (size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i]->getType() != inputs[i].type ||
          buffers[i]->getNumElements() != *ops::getNumElements(inputs[i].shape))
        return llvm::createStringError("an input does not fit its signature");
    auto start = std::chrono::steady_clock::now();
    auto result = Evaluator(graph, *device, *callbacks).run(buffers);
    statistics.runs++;
    statistics.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    return result;
  }

  std::vector<KernelStatistics> getKernels() const override {
    return {statistics};
  }

private:
  ops::Graph graph;
  std::shared_ptr<runtime::Device> device;
  std::shared_ptr<Evaluator::Callbacks> callbacks;
  std::vector<Signature> inputs, outputs;
  KernelStatistics statistics = {.name = "graph"};
};

class GraphEngine : public Engine {
public:
  runtime::Device &getDevice() override { return *device; }

  llvm::Expected<std::shared_ptr<Executable>>
  compile(const ops::Graph &graph) override {
    ++statistics.schedules;
    ++statistics.kernels;
    return std::make_shared<GraphExecutable>(graph, device, callbacks);
  }
  llvm::Expected<std::shared_ptr<Executable>>
  compile(const std::string &, const std::string &,
          const std::string &) override {
    return llvm::createStringError("the interpreter reads no text");
  }
  void registerCallback(const std::string &name, Callback callback) override {
    (*callbacks)[name] = std::move(callback);
  }
  CompileStatistics getCompileStatistics() const override { return statistics; }

private:
  std::shared_ptr<runtime::Device> device = std::make_shared<HostDevice>();
  std::shared_ptr<Evaluator::Callbacks> callbacks =
      std::make_shared<Evaluator::Callbacks>();
  CompileStatistics statistics;
};

} // namespace

llvm::Expected<std::shared_ptr<Engine>> Engine::create(const Options &) {
  return std::make_shared<GraphEngine>();
}
