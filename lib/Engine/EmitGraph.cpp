//===- EmitGraph.cpp - From a graph to the lazy dialect -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/EmitGraph.h"
#include "tinygrad/Dialect/Lazy/IR/LazyDialect.h"
#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"
#include "tinygrad/Engine/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tinygrad;

namespace {

/// Builds one function, node by node.
class Emitter {
public:
  Emitter(MLIRContext &context, const ops::Graph &graph)
      : context(context), graph(graph), builder(&context),
        values(graph.nodes.size()) {}

  llvm::Expected<OwningOpRef<ModuleOp>> run();

private:
  /// Makes "node 3 (`lazy.add`): message".
  llvm::Error makeError(size_t index, const Twine &message) const;
  /// Checks what the builders take for granted.
  llvm::Error check(size_t index) const;
  Value emit(size_t index);
  RankedTensorType getType(size_t index) const {
    const ops::GraphNode &node = graph.nodes[index];
    return lazy::getTensorType(&context, node.shape, node.type,
                               node.device.empty()
                                   ? StringRef(lazy::defaultDevice)
                                   : StringRef(node.device));
  }
  Location getLocation(size_t index) {
    return NameLoc::get(builder.getStringAttr("node " + Twine(index)));
  }

  MLIRContext &context;
  const ops::Graph &graph;
  OpBuilder builder;
  /// The value of each node; null before it is emitted.
  std::vector<Value> values;
};

} // namespace

llvm::Error Emitter::makeError(size_t index, const Twine &message) const {
  const ops::GraphNode &node = graph.nodes[index];
  std::string what =
      node.kind ? "`lazy." + std::string(ops::getInfo(*node.kind).name) + "`"
                : "input";
  return llvm::createStringError(
      ("node " + Twine(index) + " (" + what + "): " + message).str());
}

/// Returns the shape that `node` states in its attributes, or null where its
/// kind has none there.
static const ops::Shape *getStatedShape(const ops::GraphNode &node) {
  switch (*node.kind) {
  case ops::OpKind::Empty:
  case ops::OpKind::Const:
  case ops::OpKind::Custom:
    return &node.attributes.ints;
  default:
    return nullptr;
  }
}

llvm::Error Emitter::check(size_t index) const {
  const ops::GraphNode &node = graph.nodes[index];
  if (!ops::getNumElements(node.shape))
    return makeError(index, "expects extents that are not negative and a "
                            "number of elements that fits in 62 bits, got " +
                                ops::toString(node.shape));
  if (!node.kind)
    return makeError(index, "expects an input to be listed in the inputs");
  const ops::OpInfo &info = ops::getInfo(*node.kind);
  if (info.arity >= 0 &&
      node.operands.size() != static_cast<size_t>(info.arity))
    return makeError(index, "expects " + Twine(info.arity) + " operands, got " +
                                Twine(node.operands.size()));
  std::vector<ops::Shape> shapes;
  std::vector<DType> types;
  for (int32_t operand : node.operands) {
    if (operand < 0 || static_cast<size_t>(operand) >= index)
      return makeError(index, "expects operands before itself, got node " +
                                  Twine(operand));
    shapes.push_back(graph.nodes[operand].shape);
    types.push_back(graph.nodes[operand].type);
  }
  std::string error;
  if (!ops::verifyTypes(*node.kind, types, node.type, error))
    return makeError(index, error);
  ops::OpAttributes attributes = node.attributes;
  // A builder of a graph need not state a shape twice.
  if (getStatedShape(node) && attributes.ints.empty())
    attributes.ints = node.shape;
  ops::Shape shape;
  if (!ops::inferShape(*node.kind, shapes, attributes, shape, error))
    return makeError(index, error);
  if (shape != node.shape)
    return makeError(index, "expects result shape " + ops::toString(shape) +
                                ", got " + ops::toString(node.shape));
  return llvm::Error::success();
}

Value Emitter::emit(size_t index) {
  const ops::GraphNode &node = graph.nodes[index];
  RankedTensorType type = getType(index);
  Location loc = getLocation(index);
  SmallVector<Value> operands;
  for (int32_t operand : node.operands)
    operands.push_back(values[operand]);
  switch (*node.kind) {
  case ops::OpKind::Empty:
    return lazy::EmptyOp::create(builder, loc, type);
  case ops::OpKind::Const:
    return lazy::ConstOp::create(
        builder, loc, type,
        lazy::getSplatAttr(type, ops::cast(node.attributes.value, node.type)));
  case ops::OpKind::Custom:
    return lazy::CustomOp::create(builder, loc, type, node.attributes.name,
                                  operands)
        .getResult();
  case ops::OpKind::Copy:
  case ops::OpKind::FromCPU:
    if (operands[0].getType() != type)
      return lazy::CopyOp::create(builder, loc, type, operands[0]).getResult();
    return lazy::ContiguousOp::create(builder, loc, type, operands[0]);
  case ops::OpKind::Contiguous:
    return lazy::ContiguousOp::create(builder, loc, type, operands[0]);
  default:
    return lazy::createCompute(builder, loc, *node.kind, operands, type,
                               node.attributes);
  }
}

llvm::Expected<OwningOpRef<ModuleOp>> Emitter::run() {
  size_t numNodes = graph.nodes.size();
  auto isNode = [&](int32_t index) {
    return index >= 0 && static_cast<size_t>(index) < numNodes;
  };
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    if (!node.device.empty() && !lazy::isDeviceName(node.device))
      return makeError(index, "expects the name of another device than the "
                              "default one, got `" +
                                  node.device + "`");
  SmallVector<Type> inputTypes, outputTypes;
  SmallVector<Location> inputLocations;
  std::vector<bool> isListed(numNodes, false);
  for (int32_t input : graph.inputs) {
    if (!isNode(input))
      return llvm::createStringError(
          ("expects inputs that are nodes, got node " + Twine(input) + " of " +
           Twine(numNodes))
              .str());
    const ops::GraphNode &node = graph.nodes[input];
    if (node.kind)
      return makeError(input, "expects an input to have no operation");
    if (isListed[input])
      return makeError(input, "expects an input to be listed once");
    if (!ops::getNumElements(node.shape))
      return check(input);
    isListed[input] = true;
    inputTypes.push_back(getType(input));
    inputLocations.push_back(getLocation(input));
  }
  for (int32_t output : graph.outputs)
    if (!isNode(output))
      return llvm::createStringError(
          ("expects outputs that are nodes, got node " + Twine(output) +
           " of " + Twine(numNodes))
              .str());

  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, loc, "main",
                                       builder.getFunctionType(inputTypes, {}));
  Block *block =
      builder.createBlock(&function.getBody(), {}, inputTypes, inputLocations);
  for (auto [input, argument] : llvm::zip(graph.inputs, block->getArguments()))
    values[input] = argument;
  for (size_t index = 0; index < numNodes; ++index) {
    if (isListed[index])
      continue;
    if (llvm::Error error = check(index))
      return error;
    values[index] = emit(index);
  }
  SmallVector<Value> results;
  for (int32_t output : graph.outputs)
    results.push_back(values[output]);
  func::ReturnOp::create(builder, loc, results);
  function.setFunctionType(
      builder.getFunctionType(inputTypes, TypeRange(ValueRange(results))));
  return module;
}

llvm::Expected<OwningOpRef<ModuleOp>>
engine::emitGraph(MLIRContext &context, const ops::Graph &graph) {
  context.loadDialect<lazy::LazyDialect, func::FuncDialect>();
  context.printOpOnDiagnostic(false);
  llvm::Expected<OwningOpRef<ModuleOp>> module = Emitter(context, graph).run();
  if (!module)
    return module;
  DiagnosticCollector diagnostics(&context);
  if (failed(verify(**module)))
    return diagnostics.takeError("the graph is not valid");
  return module;
}
