//===- GraphBuilder.cpp - Graphs and runs for tests - c -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

int32_t GraphBuilder::add(ops::GraphNode node) {
  graph.nodes.push_back(std::move(node));
  return static_cast<int32_t>(graph.nodes.size() - 1);
}

int32_t GraphBuilder::input(DType type, ops::Shape shape) {
  graph.inputs.push_back(add({std::nullopt, {}, std::move(shape), type, {}}));
  return graph.inputs.back();
}

int32_t GraphBuilder::constant(const ops::Scalar &value, ops::Shape shape) {
  return add(
      {ops::OpKind::Const, {}, shape, value.getType(), {shape, value, {}}});
}

int32_t GraphBuilder::op(ops::OpKind kind, std::vector<int32_t> operands,
                         std::vector<int64_t> ints, std::optional<DType> type) {
  ops::OpAttributes attributes{std::move(ints), {}, {}};
  std::vector<ops::Shape> shapes;
  for (int32_t operand : operands)
    shapes.push_back(getNode(operand).shape);
  ops::Shape shape;
  std::string error;
  if (!ops::inferShape(kind, shapes, attributes, shape, error))
    llvm::report_fatal_error(llvm::StringRef(error));
  DType resultType = type ? *type : getNode(operands.back()).type;
  return add({kind, std::move(operands), std::move(shape), resultType,
              std::move(attributes)});
}

int32_t GraphBuilder::custom(std::string name, std::vector<int32_t> operands,
                             DType type, ops::Shape shape) {
  return add({ops::OpKind::Custom,
              std::move(operands),
              shape,
              type,
              {shape, {}, std::move(name)}});
}

ops::Graph GraphBuilder::build(std::vector<int32_t> outputs) {
  graph.outputs = std::move(outputs);
  return graph;
}

HostTensor test::makeTensor(DType type, ops::Shape shape,
                            const std::vector<double> &values) {
  HostTensor tensor =
      llvm::cantFail(HostTensor::create(type, std::move(shape)));
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.set(i, ops::Scalar::fromDouble(type, values.at(i)));
  return tensor;
}

Values test::getValues(const HostTensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    values.push_back(tensor.get(i).toDouble());
  return values;
}

llvm::Expected<std::vector<runtime::BufferRef>>
test::toBuffers(Engine &engine, const std::vector<HostTensor> &tensors) {
  std::vector<runtime::BufferRef> buffers;
  for (const HostTensor &tensor : tensors) {
    auto buffer =
        engine.getDevice().allocate(tensor.getType(), tensor.getNumElements());
    if (!buffer)
      return buffer.takeError();
    if (llvm::Error error =
            (*buffer)->copyIn(tensor.getData(), tensor.getNumBytes()))
      return error;
    buffers.push_back(*buffer);
  }
  return buffers;
}

llvm::Expected<std::vector<HostTensor>>
test::toTensors(const std::vector<runtime::BufferRef> &buffers,
                const std::vector<Signature> &signatures) {
  std::vector<HostTensor> tensors;
  for (auto [buffer, signature] : llvm::zip_equal(buffers, signatures)) {
    auto tensor = HostTensor::create(signature.type, signature.shape);
    if (!tensor)
      return tensor.takeError();
    if (llvm::Error error =
            buffer->copyOut(tensor->getData(), tensor->getNumBytes()))
      return error;
    tensors.push_back(*tensor);
  }
  return tensors;
}

llvm::Expected<std::vector<HostTensor>>
test::runGraph(Engine &engine, const ops::Graph &graph,
               const std::vector<HostTensor> &inputs) {
  auto executable = engine.compile(graph);
  if (!executable)
    return executable.takeError();
  auto buffers = toBuffers(engine, inputs);
  if (!buffers)
    return buffers.takeError();
  auto results = (*executable)->run(*buffers);
  if (!results)
    return results.takeError();
  return toTensors(*results, (*executable)->getOutputs());
}
