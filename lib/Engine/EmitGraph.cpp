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
#include "tinygrad/Ops/SymbolicShape.h"
#include "tinygrad/Shape/Layout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

#include <map>
#include <string>

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
  llvm::Error checkSymbolic(size_t index) const;
  llvm::Error collectVariables();
  RankedTensorType getType(size_t index) const {
    const ops::GraphNode &node = graph.nodes[index];
    return lazy::getTensorType(&context, getSizes(index), node.type,
                               node.device.empty()
                                   ? StringRef(lazy::defaultDevice)
                                   : StringRef(node.device));
  }
  shape::Sizes getSizes(size_t index) const {
    const ops::GraphNode &node = graph.nodes[index];
    return isSymbolic(index) ? shape::Sizes(node.symbolicShape)
                             : shape::Sizes(node.shape);
  }
  bool isSymbolic(size_t index) const {
    return !graph.nodes[index].symbolicShape.empty();
  }
  Location getLocation(size_t index) {
    return NameLoc::get(builder.getStringAttr("node " + Twine(index)));
  }

  MLIRContext &context;
  const ops::Graph &graph;
  OpBuilder builder;
  /// The value of each node; null before it is emitted.
  std::vector<Value> values;
  /// By name.
  std::map<std::string, lazy::VariableAttr> variables;
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
  if (!isSymbolic(index) && !ops::getNumElements(node.shape))
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
  bool isSymbolic = this->isSymbolic(index) || !node.symbolicInts.empty();
  std::vector<ops::Shape> shapes;
  std::vector<DType> types;
  for (int32_t operand : node.operands) {
    if (operand < 0 || static_cast<size_t>(operand) >= index)
      return makeError(index, "expects operands before itself, got node " +
                                  Twine(operand));
    isSymbolic |= this->isSymbolic(operand);
    shapes.push_back(graph.nodes[operand].shape);
    types.push_back(graph.nodes[operand].type);
  }
  std::string error;
  if (!ops::verifyTypes(*node.kind, types, node.type, error))
    return makeError(index, error);
  if (isSymbolic)
    return checkSymbolic(index);
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

/// Checks the shape of a node that has expressions, or an operand of which has.
llvm::Error Emitter::checkSymbolic(size_t index) const {
  const ops::GraphNode &node = graph.nodes[index];
  shape::SymbolicDims ints = node.symbolicInts;
  if (ints.empty())
    ints.assign(node.attributes.ints.begin(), node.attributes.ints.end());
  shape::SymbolicDims stated = getSizes(index).getExprs();
  if (getStatedShape(node) && ints.empty())
    ints = stated;
  std::vector<shape::SymbolicDims> shapes;
  for (int32_t operand : node.operands)
    shapes.push_back(getSizes(operand).getExprs());
  shape::SymbolicDims shape;
  std::string error;
  if (!ops::inferSymbolicShape(*node.kind, shapes, ints, shape, error))
    return makeError(index, error);
  if (shape != stated)
    return makeError(index, "expects result shape " + shape::toString(shape) +
                                ", got " + shape::toString(stated));
  return llvm::Error::success();
}

/// Lists the variables of the graph.
llvm::Error Emitter::collectVariables() {
  for (auto [index, node] : llvm::enumerate(graph.nodes)) {
    shape::SymbolicDims exprs = node.symbolicShape;
    llvm::append_range(exprs, node.symbolicInts);
    for (const shape::IndexExpr &variable : shape::collectVariables(exprs)) {
      if (variable.getBinding())
        return makeError(index, "expects free variables, got `" +
                                    variable.getName() + "`, which is bound");
      auto attr = lazy::VariableAttr::get(&context, variable.getName(),
                                          variable.getMin(), variable.getMax());
      if (variables.try_emplace(variable.getName(), attr).first->second != attr)
        return makeError(index, "expects one range for variable `" +
                                    variable.getName() + "`");
    }
  }
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
    return lazy::createConstant(builder, loc, type,
                                ops::cast(node.attributes.value, node.type));
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
  case ops::OpKind::Cast:
    return lazy::CastOp::create(builder, loc, type, operands[0],
                                node.attributes.isImplicit);
  default:
    if (!node.symbolicInts.empty())
      return lazy::createCompute(builder, loc, *node.kind, operands, type,
                                 node.symbolicInts);
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
  if (llvm::Error error = collectVariables())
    return error;
  // The variables come first.
  SmallVector<Type> inputTypes(variables.size(), builder.getIndexType());
  SmallVector<Location> inputLocations(variables.size(),
                                       builder.getUnknownLoc());
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
    if (!isSymbolic(input) && !ops::getNumElements(node.shape))
      return check(input);
    std::string text;
    shape::SymbolicDims shape;
    if (isSymbolic(input) &&
        !ops::inferSymbolicShape(ops::OpKind::Empty, {}, node.symbolicShape,
                                 shape, text))
      return makeError(input, text);
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
  for (auto [input, argument] : llvm::zip(
           graph.inputs, block->getArguments().drop_front(variables.size())))
    values[input] = argument;
  for (size_t index = 0; index < numNodes; ++index) {
    if (isListed[index])
      continue;
    if (llvm::Error error = check(index))
      return error;
    values[index] = emit(index);
    if (graph.nodes[index].isKept)
      values[index].getDefiningOp()->setAttr("lazy.kept",
                                             builder.getUnitAttr());
  }
  SmallVector<Value> results;
  for (int32_t output : graph.outputs)
    results.push_back(values[output]);
  func::ReturnOp::create(builder, loc, results);
  function.setFunctionType(
      builder.getFunctionType(inputTypes, TypeRange(ValueRange(results))));
  for (auto [number, variable] : llvm::enumerate(variables))
    function.setArgAttr(static_cast<unsigned>(number), lazy::variableAttrName,
                        variable.second);
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
